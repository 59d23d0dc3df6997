"""NumPy's side of exact search and of files of vectors, as JSON on stdout.

In:  {"folder": folder}
Reads `folder/ours-<kind>.npy`, which barecode wrote, and writes `folder/theirs-<kind>.npy` with the same numbers.
Reads `folder/documents.npy` and `folder/queries.npy`, and sorts all scores, made in 64 bits.
Out: {"dtypes": {kind: dtype}, "scores": {similarity: [[score per document] per query]}}
"""
import json
import sys

import numpy as np

folder = json.load(sys.stdin)["folder"]
dtypes = {}
for kind in ["f32", "f16"]:
    vectors = np.load(f"{folder}/ours-{kind}.npy")
    dtypes[kind] = f"{vectors.dtype.str} {vectors.shape[0]}x{vectors.shape[1]}"
    np.save(f"{folder}/theirs-{kind}.npy", vectors)
documents = np.load(f"{folder}/documents.npy").astype(np.float64)
queries = np.load(f"{folder}/queries.npy").astype(np.float64)
dot = queries @ documents.T
lengths = np.outer(np.linalg.norm(queries, axis=1), np.linalg.norm(documents, axis=1))
distance = np.linalg.norm(queries[:, None, :] - documents[None, :, :], axis=2)
scores = {"dot": dot, "cosine": dot / lengths, "euclid": -distance}
json.dump({"dtypes": dtypes, "scores": {name: rows.tolist() for name, rows in scores.items()}}, sys.stdout)
