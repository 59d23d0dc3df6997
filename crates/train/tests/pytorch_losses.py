"""The losses that `src/tests.rs` compares with: 20 steps of all-MiniLM-L6-v2 on CLARC's group 1 in PyTorch.

    python crates/train/tests/pytorch_losses.py MODEL reconstructed_group1_original_cleaned.json

Batches of 8 pairs in the order of the file, texts cut at 64 tokens, InfoNCE with τ = 0.05, AdamW at 2e-5 with eps 1e-8 and a
decay of 0.01 on matrices, no warm-up, no clipping, no dropout.
"""

import json
import sys

import torch
import transformers
from transformers import AutoModel, AutoTokenizer

folder, data = sys.argv[1:]
rows = [row for row in json.load(open(data, encoding="utf-8")) if row["relevance"] == 2]
tokenizer = AutoTokenizer.from_pretrained(folder)
model = AutoModel.from_pretrained(folder, dtype=torch.float32).eval()
parameters = list(model.named_parameters())
groups = [
    {"params": [p for _, p in parameters if p.dim() > 1], "weight_decay": 0.01},
    {"params": [p for _, p in parameters if p.dim() <= 1], "weight_decay": 0.0},
]
optimizer = torch.optim.AdamW(groups, lr=2e-5, eps=1e-8)


def vectors(texts):
    batch = tokenizer(texts, padding=True, truncation=True, max_length=64, return_tensors="pt")
    rows = model(**batch).last_hidden_state
    mask = batch["attention_mask"].unsqueeze(-1).float()
    return torch.nn.functional.normalize((rows * mask).sum(1) / mask.sum(1), dim=-1)


losses = []
for step in range(20):
    batch = rows[step * 8 : step * 8 + 8]
    queries, codes = (vectors([row[key] for row in batch]) for key in ("query_text", "code_text"))
    loss = torch.nn.functional.cross_entropy(queries @ codes.T / 0.05, torch.arange(8))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(round(loss.item(), 6))
print(f"torch {torch.__version__}, transformers {transformers.__version__}")
print(losses)
