"""A `tokenizer.json` trained on the texts on stdin, written to a folder, and its tokens, as JSON on stdout.

In:  {"texts": [text], "folder": folder}
Out: {kind: [[token per text]]}, with `folder/kind.json` written for each kind
"""
import json
import sys

from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

given = json.load(sys.stdin)
answer = {}
for kind in ["bpe", "wordpiece"]:
    if kind == "bpe":
        tokenizer = Tokenizer(models.BPE())
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        trainer = trainers.BpeTrainer(
            vocab_size=600,
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        )
    else:
        tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
        tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
        tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        trainer = trainers.WordPieceTrainer(
            vocab_size=600, special_tokens=["[UNK]", "[CLS]", "[SEP]"], show_progress=False
        )
    tokenizer.train_from_iterator(given["texts"], trainer)
    if kind == "wordpiece":
        # What a model wants around each text must not be counted, nor may a text be cut short.
        tokenizer.post_processor = processors.TemplateProcessing(
            single="[CLS] $A [SEP]",
            special_tokens=[(name, tokenizer.token_to_id(name)) for name in ["[CLS]", "[SEP]"]],
        )
    answer[kind] = [tokenizer.encode(text, add_special_tokens=False).tokens for text in given["texts"]]
    tokenizer.enable_truncation(16)
    tokenizer.enable_padding(length=32)
    tokenizer.save(f"{given['folder']}/{kind}.json")
json.dump(answer, sys.stdout)
