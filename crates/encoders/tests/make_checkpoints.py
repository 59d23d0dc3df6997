"""Makes the tiny random checkpoints of `checkpoints/`, each with the vectors that its reference gives.

    python make_checkpoints.py checkpoints

Where `transformers` has the architecture, its own class computes the vectors and writes the folder. Jina's BERT,
CodeSage and the head of CodeT5+ exist as code beside their weights only; they are written out here with torch
after their papers and tensors' names. Weights are drawn large, so that a wrong turn or bias shows in the vectors,
and rounded to 16 bits, which halves the files.
"""

import json
import math
import shutil
import sys
from pathlib import Path

import torch
import transformers
from safetensors.torch import save_file
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors
from torch import nn
from torch.nn import functional

TEXTS = [
    "int add(int a, int b) { return a + b; }",
    "x",
    "Sorts the array in place by comparing neighbors and swapping them until nothing moves any more.",
    "static void swap(int *x, int *y)\n{\n\tint t = *x;\n\t*x = *y;\n\t*y = t;\n}\n",
    "größe = 1  # naïve",
]
PAIRS = [(TEXTS[2], TEXTS[0]), (TEXTS[2], TEXTS[3]), ("add", TEXTS[0])]
VOCABULARY = 280
POSITIONS = 192


def tokenizer(folder):
    """Bytes as tokens, with a start and an end around every text."""
    # The padding id is 1, as RoBERTa has it.
    specials = ["<s>", "<pad>", "</s>", "<unk>"]
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {token: i for i, token in enumerate(specials + letters)}
    made = Tokenizer(models.BPE(vocabulary, [], unk_token="<unk>"))
    made.add_special_tokens(specials)
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    made.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> $B:1 </s>:1", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    made.save(str(folder / "tokenizer.json"))
    return made


def randomize(model, seed, dtype=torch.float16):
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, value in sorted(model.named_parameters()):
            drawn = torch.randn(value.shape, generator=generator)
            if value.dim() == 1:
                centre = 1.0 if "norm" in name.lower() or "ln_" in name else 0.0
                drawn = drawn * 0.2 + (centre if name.endswith("weight") else 0.0)
            else:
                drawn = drawn * 0.25
            value.copy_(drawn.to(dtype).float())
    return model.eval()


def write(folder, vectors, **more):
    version = {"torch": torch.__version__.split("+")[0], "transformers": transformers.__version__}
    rows = {"texts": TEXTS, "pooled": vectors, "versions": version, **more}
    (folder / "expected.json").write_text(json.dumps(rows, ensure_ascii=False) + "\n")


def pooled(rows):
    """Mean and last row; together they show every row and every order."""
    return {"mean": rows.mean(0).tolist(), "last": rows[-1].tolist()}


def library(root, name, config, kind, seed, dtype=torch.float16, shards=None, both_ways=False, **more):
    folder = root / name
    folder.mkdir()
    model = randomize(kind(config), seed, dtype)
    made = tokenizer(folder)
    vectors = []
    with torch.no_grad():
        for text in TEXTS:
            ids = torch.tensor([made.encode(text).ids])
            # A mask of four dimensions is taken as it is, in place of the one that looks back.
            mask = {"attention_mask": torch.zeros(1, 1, ids.shape[1], ids.shape[1])} if both_ways else {}
            vectors.append(pooled(model(input_ids=ids, **mask).last_hidden_state[0]))
    model.to(dtype).save_pretrained(folder, **({"max_shard_size": shards} if shards else {}))
    write(folder, vectors, **more)


def by_hand(root, name, model, config, seed, **more):
    folder = root / name
    folder.mkdir()
    randomize(model, seed)
    made = tokenizer(folder)
    vectors = []
    with torch.no_grad():
        for text in TEXTS:
            rows = model(torch.tensor(made.encode(text).ids))
            vectors.append(pooled(rows) if rows.dim() == 2 else {"head": rows.tolist()})
    save_file({key: value.half().contiguous() for key, value in model.state_dict().items()}, folder / "model.safetensors")
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n")
    write(folder, vectors, **more)


def reranker(root, name, config, kind, seed):
    folder = root / name
    folder.mkdir()
    model = randomize(kind(config), seed)
    made = tokenizer(folder)
    scores = []
    with torch.no_grad():
        for pair in PAIRS:
            encoded = made.encode(*pair)
            given = {"input_ids": torch.tensor([encoded.ids])}
            if config.model_type == "bert":
                given["token_type_ids"] = torch.tensor([encoded.type_ids])
            scores.append(model(**given).logits[0, 0].item())
    model.half().save_pretrained(folder)
    write(folder, [], pairs=PAIRS, scores=scores)


def heads(x, count):
    return x.view(x.shape[0], count, -1).transpose(0, 1)


def attend(query, key, value, count, bias=None):
    query, key, value = heads(query, count), heads(key, count), heads(value, count)
    scores = query @ key.transpose(1, 2) / math.sqrt(query.shape[-1])
    if bias is not None:
        scores = scores + bias
    return (scores.softmax(-1) @ value).transpose(0, 1).flatten(1)


class JinaEmbeddings(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.word_embeddings = nn.Embedding(VOCABULARY, width)
        self.token_type_embeddings = nn.Embedding(2, width)
        self.LayerNorm = nn.LayerNorm(width, eps=1e-12)

    def forward(self, ids):
        return self.LayerNorm(self.word_embeddings(ids) + self.token_type_embeddings.weight[0])


class JinaLayer(nn.Module):
    """`code` has norms of queries and keys; the other kind has its last norm in the feed-forward part."""

    def __init__(self, width, inner, count, code):
        super().__init__()
        self.count, self.code, self.inner = count, code, inner
        names = ["query", "key", "value"]
        parts = {name: nn.Linear(width, width) for name in names}
        if code:
            parts |= {"layer_norm_q": nn.LayerNorm(width, eps=1e-12), "layer_norm_k": nn.LayerNorm(width, eps=1e-12)}
        output = {"dense": nn.Linear(width, width)}
        if code:
            mlp = {"up_gated_layer": nn.Linear(width, 2 * inner, bias=False), "down_layer": nn.Linear(inner, width)}
            self.layer_norm_1 = nn.LayerNorm(width, eps=1e-12)
            self.layer_norm_2 = nn.LayerNorm(width, eps=1e-12)
        else:
            mlp = {"gated_layers": nn.Linear(width, 2 * inner, bias=False), "wo": nn.Linear(inner, width)}
            output["LayerNorm"] = nn.LayerNorm(width, eps=1e-12)
            mlp["layernorm"] = nn.LayerNorm(width, eps=1e-12)
        self.attention = nn.ModuleDict({"self": nn.ModuleDict(parts), "output": nn.ModuleDict(output)})
        self.mlp = nn.ModuleDict(mlp)

    def forward(self, x, bias):
        own, output = self.attention["self"], self.attention["output"]
        query, key = own["query"](x), own["key"](x)
        if self.code:
            query, key = own["layer_norm_q"](query), own["layer_norm_k"](key)
        seen = output["dense"](attend(query, key, own["value"](x), self.count, bias))
        if self.code:
            x = self.layer_norm_1(x + seen)
            plain, gate = self.mlp["up_gated_layer"](x).split(self.inner, dim=-1)
            return self.layer_norm_2(x + self.mlp["down_layer"](plain * functional.gelu(gate)))
        x = output["LayerNorm"](x + seen)
        gate, plain = self.mlp["gated_layers"](x).split(self.inner, dim=-1)
        return self.mlp["layernorm"](x + self.mlp["wo"](plain * functional.gelu(gate)))


class Jina(nn.Module):
    def __init__(self, code, width=24, inner=40, count=3):
        super().__init__()
        self.embeddings = JinaEmbeddings(width)
        layers = nn.ModuleList(JinaLayer(width, inner, count, code) for _ in range(2))
        self.encoder = nn.ModuleDict({"layer": layers})
        # Three heads: two slopes for two heads, then every other one of four.
        self.slopes = torch.tensor([2.0**-4, 2.0**-8, 2.0**-2])

    def forward(self, ids):
        places = torch.arange(len(ids))
        bias = -(places[:, None] - places[None, :]).abs() * self.slopes[:, None, None]
        x = self.embeddings(ids)
        for layer in self.encoder["layer"]:
            x = layer(x, bias)
        return x


class Columns(nn.Module):
    """A layer whose matrix lies input by input."""

    def __init__(self, inputs, outputs):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(inputs, outputs))
        self.bias = nn.Parameter(torch.zeros(outputs))

    def forward(self, x):
        return x @ self.weight + self.bias


class CodeSage(nn.Module):
    def __init__(self, width=32, inner=48, count=4):
        super().__init__()
        self.count = count
        self.wte = nn.Embedding(VOCABULARY, width)
        self.wpe = nn.Embedding(POSITIONS, width)
        self.h = nn.ModuleList(
            nn.ModuleDict({
                "ln_1": nn.LayerNorm(width),
                "attn": nn.ModuleDict({"c_attn": Columns(width, 3 * width), "c_proj": Columns(width, width)}),
                "ln_2": nn.LayerNorm(width),
                "mlp": nn.ModuleDict({"c_fc": Columns(width, inner), "c_proj": Columns(inner, width)}),
            })
            for _ in range(2)
        )
        self.ln_f = nn.LayerNorm(width)

    def forward(self, ids):
        x = self.wte(ids) + self.wpe.weight[: len(ids)]
        for block in self.h:
            query, key, value = block["attn"]["c_attn"](block["ln_1"](x)).chunk(3, dim=-1)
            x = x + block["attn"]["c_proj"](attend(query, key, value, self.count))
            inner = functional.gelu(block["mlp"]["c_fc"](block["ln_2"](x)), approximate="tanh")
            x = x + block["mlp"]["c_proj"](inner)
        return self.ln_f(x)


class CodeT5(nn.Module):
    """T5's encoder, then a projection of the first row brought to length 1."""

    def __init__(self, config):
        super().__init__()
        inner = transformers.T5EncoderModel(config)
        self.shared, self.encoder = inner.shared, inner.encoder
        self.proj = nn.Linear(config.d_model, 20)

    def forward(self, ids):
        first = self.encoder(input_ids=ids[None]).last_hidden_state[0, 0]
        return functional.normalize(self.proj(first), dim=-1)

    def state_dict(self):
        rows = super().state_dict()
        del rows["encoder.embed_tokens.weight"]
        return rows


def main():
    root = Path(sys.argv[1])
    for old in root.glob("*/"):  # the README stays
        shutil.rmtree(old)
    root.mkdir(exist_ok=True)
    t = transformers
    common = {"vocab_size": VOCABULARY, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4,
              "intermediate_size": 48, "max_position_embeddings": POSITIONS, "pad_token_id": 1}
    library(root, "bert", t.BertConfig(**common), t.BertModel, 1, dtype=torch.float32)
    library(root, "bert-masked", t.BertConfig(**common), lambda c: Inner(t.BertForMaskedLM(c), "bert"), 2)
    library(root, "roberta", t.RobertaConfig(**common), t.RobertaModel, 3, shards="40KB")
    library(root, "xlm-roberta", t.XLMRobertaConfig(**common), t.XLMRobertaModel, 4, dtype=torch.bfloat16)
    library(root, "mpnet", t.MPNetConfig(**common), t.MPNetModel, 5)
    library(root, "modernbert", t.ModernBertConfig(**common, local_attention=16,
            global_attn_every_n_layers=2), t.ModernBertModel, 6)
    library(root, "nomic", t.NomicBertConfig(**common), t.NomicBertModel, 7)
    five = {"vocab_size": VOCABULARY, "d_model": 32, "d_kv": 12, "d_ff": 48, "num_layers": 2, "num_heads": 4}
    library(root, "t5", t.T5Config(**five), t.T5EncoderModel, 8)
    library(root, "t5-gated", t.T5Config(**five, feed_forward_proj="gated-gelu"), t.T5EncoderModel, 9)
    config = t.T5Config(**five)
    by_hand(root, "codet5p", CodeT5(config), {**config.to_dict(), "model_type": "codet5p_embedding", "embed_dim": 20}, 10)
    grouped = {**common, "num_key_value_heads": 2}
    library(root, "qwen2", t.Qwen2Config(**grouped), t.Qwen2Model, 11)
    library(root, "qwen3", t.Qwen3Config(**grouped, head_dim=12), t.Qwen3Model, 12)
    library(root, "mistral", t.MistralConfig(**grouped, sliding_window=16), t.MistralModel, 13)
    library(root, "gemma2", t.Gemma2Config(**grouped, head_dim=12, sliding_window=16, query_pre_attn_scalar=20,
            attn_logit_softcapping=5.0, attn_implementation="eager"), t.Gemma2Model, 14)
    library(root, "qwen2-both-ways", t.Qwen2Config(**grouped, attn_implementation="eager"), t.Qwen2Model, 15,
            both_ways=True)
    big = {"vocab_size": VOCABULARY, "n_embd": 32, "n_layer": 2, "n_head": 4, "n_inner": 48, "n_positions": POSITIONS}
    library(root, "gpt-bigcode", t.GPTBigCodeConfig(**big), t.GPTBigCodeModel, 16)
    library(root, "gpt-bigcode-heads", t.GPTBigCodeConfig(**big, multi_query=False), t.GPTBigCodeModel, 17)
    jina = {**common, "hidden_size": 24, "num_attention_heads": 3, "intermediate_size": 40, "model_type": "bert",
            "position_embedding_type": "alibi", "feed_forward_type": "geglu", "layer_norm_eps": 1e-12}
    by_hand(root, "jina-code", Jina(True), jina, 18)
    by_hand(root, "jina", Jina(False), jina, 19)
    sage = {**common, "model_type": "codesage", "activation_function": "gelu_new", "layer_norm_epsilon": 1e-5}
    by_hand(root, "codesage", CodeSage(), sage, 20)
    reranker(root, "reranker-bert", t.BertConfig(**common, num_labels=1), t.BertForSequenceClassification, 21)
    reranker(root, "reranker-roberta", t.XLMRobertaConfig(**common, num_labels=1),
             t.XLMRobertaForSequenceClassification, 22)
    reranker(root, "reranker-modernbert", t.ModernBertConfig(**common, num_labels=1, local_attention=16,
             classifier_pooling="mean"), t.ModernBertForSequenceClassification, 23)


class Inner(nn.Module):
    """A model with a head, asked for the rows below its head."""

    def __init__(self, model, name):
        super().__init__()
        self.model, self.name = model, name

    def named_parameters(self):
        return self.model.named_parameters()

    def forward(self, input_ids):
        return getattr(self.model, self.name)(input_ids=input_ids)

    def save_pretrained(self, folder, **more):
        self.model.save_pretrained(folder, **more)


if __name__ == "__main__":
    main()
