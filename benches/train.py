"""The first steps of a training by barecode and by PyTorch: the same batches, the same optimizer, in one run.

    python benches/train.py MODEL PAIRS [--steps 20] [--batch 32] [--tokens 128] [--threads 2] [--rounds 2]

MODEL is a folder with a BERT-like encoder, PAIRS a JSON Lines file with `anchor` and `positive`. Needs torch and
sentence-transformers (`make bench-train` brings them). BARECODE_STEPS may name the built program of barecode's side. Both
sides run in 32-bit floats on the same number of threads, without dropout, taking turns.
Fails if a loss differs by more than 1e-4. Prints pairs a second of the clock, and a processor second, which other work on
the machine disturbs less: the median over steps of each side's best round.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time


def ours(arguments):
    """Steps of barecode: rows, loss, seconds."""
    steps = os.environ.get("BARECODE_STEPS")
    command = [steps] if steps else ["cargo", "bench", "-q", "-p", "barecode-train", "--bench", "steps", "--"]
    command += [arguments.model, arguments.pairs]
    command += [str(n) for n in (arguments.batch, arguments.steps, arguments.tokens)]
    environment = dict(os.environ, RAYON_NUM_THREADS=str(arguments.threads))
    output = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, text=True).stdout
    return [json.loads(line) for line in output.splitlines() if line.startswith("{")]


def theirs(arguments, pairs, batches):
    """The same steps by sentence-transformers' model and loss, and torch's AdamW."""
    import torch
    from sentence_transformers import SentenceTransformer, losses

    torch.set_num_threads(arguments.threads)
    model = SentenceTransformer(arguments.model, device="cpu")
    model.max_seq_length = arguments.tokens
    # Losses can be compared only without dropout; it costs little time.
    model.eval()
    loss_of = losses.MultipleNegativesRankingLoss(model, scale=20.0)
    decay = [p for p in model.parameters() if p.dim() > 1]
    others = [p for p in model.parameters() if p.dim() <= 1]
    groups = [{"params": decay, "weight_decay": 0.01}, {"params": others, "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, lr=2e-5, eps=1e-8)
    steps = []
    for rows in batches:
        begun, worked = time.perf_counter(), time.process_time()
        # Texts are padded to the longest of their side, as its trainer's collator does.
        sides = [[pairs[row][side] for row in rows] for side in ("anchor", "positive")]
        features = [getattr(model, "preprocess", model.tokenize)(texts) for texts in sides]
        optimizer.zero_grad()
        loss = loss_of(features, None)
        loss.backward()
        optimizer.step()
        value = loss.item()
        steps.append({"loss": value, "seconds": time.perf_counter() - begun, "processor": time.process_time() - worked})
    return steps


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("pairs")
    for name, default in (("steps", 20), ("batch", 32), ("tokens", 128), ("threads", 2), ("rounds", 2)):
        parser.add_argument(f"--{name}", type=int, default=default)
    arguments = parser.parse_args()
    with open(arguments.pairs, encoding="utf-8") as file:
        pairs = [json.loads(line) for line in file]
    sides = {"barecode": [], "torch": []}
    for _ in range(arguments.rounds):
        mine = ours(arguments)
        other = theirs(arguments, pairs, [step["rows"] for step in mine])
        sides["barecode"].append(mine)
        sides["torch"].append(other)
    for number, (a, b) in enumerate(zip(mine, other), 1):
        print(f"step {number:2}: barecode {a['loss']:.6f} torch {b['loss']:.6f} difference {a['loss'] - b['loss']:+.1e}")
    most = max(abs(a["loss"] - b["loss"]) for a, b in zip(mine, other))
    for key, noun in (("seconds", "pairs/s"), ("processor", "pairs a processor second")):
        speeds = {}
        for name, rounds in sides.items():
            # The first step of a side pays for memory and for threads that start.
            medians = [statistics.median(step[key] for step in steps[1:]) for steps in rounds]
            speeds[name] = arguments.batch / min(medians)
            shown = ", ".join(f"{median:.2f}" for median in medians)
            print(f"{name}: {speeds[name]:.2f} {noun} (seconds a step by round: {shown})")
        print(f"ratio {speeds['barecode'] / speeds['torch']:.2f}")
    print(f"greatest difference of a loss {most:.1e}")
    if most > 1e-4:
        sys.exit("losses differ")


if __name__ == "__main__":
    main()
