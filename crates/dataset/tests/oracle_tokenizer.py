"""Writes a small tokenizer.json with Hugging Face's tokenizers and counts with it; JSON on stdout.

In:  {"file": path to write, "texts": [text]}
Out: {"counts": [tokens of each text], "truncated": [the same as the file itself asks to truncate]}
"""
import json
import sys

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers

given = json.load(sys.stdin)
tokenizer = Tokenizer(models.BPE(unk_token="<unk>"))
tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
tokenizer.decoder = decoders.ByteLevel()
corpus = ["int values[4]; return count ? values[0] : -1;", "the largest of the values", "const int *values"] * 4
trainer = trainers.BpeTrainer(vocab_size=320, special_tokens=["<unk>", "<s>", "</s>"],
                              initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False)
tokenizer.train_from_iterator(corpus, trainer)
tokenizer.post_processor = processors.TemplateProcessing(
    single="<s> $A </s>", special_tokens=[("<s>", 1), ("</s>", 2)])
counts = [len(tokenizer.encode(text, add_special_tokens=False).ids) for text in given["texts"]]
tokenizer.enable_truncation(max_length=4)
truncated = [len(tokenizer.encode(text, add_special_tokens=False).ids) for text in given["texts"]]
tokenizer.save(given["file"])
json.dump({"counts": counts, "truncated": truncated}, sys.stdout)
