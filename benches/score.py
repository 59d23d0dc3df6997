"""Time and memory of `barecode score` beside pytrec_eval, ranx and trec_eval, on files made here.

usage: score.py BARECODE [--queries N] [--documents N] [--rounds N] [--trec-eval PROGRAM] [--folder DIR]

nDCG@10, AP, RR and R@{1,5,10,20} over a run of TREC text, from the files to the means. All programs take turns in
every round; the median of the rounds counts. pytrec_eval reads the files with pytrec_eval's own parsers; ranx
scores small files first, so its compilation is not counted.
"""
import argparse
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time

MEASURES = "nDCG@10 AP RR R@1 R@5 R@10 R@20"

PYTREC = """
import sys, time
import pytrec_eval
start = time.perf_counter()
with open(sys.argv[1]) as f: qrels = pytrec_eval.parse_qrel(f)
with open(sys.argv[2]) as f: run = pytrec_eval.parse_run(f)
names = {'ndcg_cut.10', 'map', 'recip_rank', 'recall.1,5,10,20'}
values = pytrec_eval.RelevanceEvaluator(qrels, names).evaluate(run)
ndcg = sum(v['ndcg_cut_10'] for v in values.values()) / len(values)
print(time.perf_counter() - start, ndcg)
"""

RANX = """
import sys, time
from ranx import Qrels, Run, evaluate
names = ['ndcg@10', 'map', 'mrr', 'recall@1', 'recall@5', 'recall@10', 'recall@20']
def score(qrels, run):
    return evaluate(Qrels.from_file(qrels, kind='trec'), Run.from_file(run, kind='trec'), names)
score(sys.argv[3], sys.argv[4])
start = time.perf_counter()
values = score(sys.argv[1], sys.argv[2])
print(time.perf_counter() - start, values['ndcg@10'])
"""


def make(folder, n_queries, n_documents):
    """A run of `n_documents` a query with distinct scores, and 10 graded judgments a query, nine of them in it."""
    draw = random.Random(20)
    qrels, run = os.path.join(folder, "qrels.txt"), os.path.join(folder, "run.txt")
    with open(qrels, "w") as q, open(run, "w") as r:
        for query in range(n_queries):
            docs = draw.sample(range(1_000_000), n_documents)
            for doc in draw.sample(docs, min(9, n_documents)) + [1_000_001]:
                q.write(f"q{query} 0 d{doc} {draw.randrange(0, 3)}\n")
            score = 30.0
            lines = []
            for rank, doc in enumerate(docs, 1):
                score -= draw.random() * 0.02 + 0.001
                lines.append(f"q{query} Q0 d{doc} {rank} {score:.6f} bench\n")
            r.write("".join(lines))
    return qrels, run


def measured(command):
    """Seconds, highest resident memory in MiB, and what was printed."""
    start = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    out = child.stdout.read()
    error = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    if status != 0:
        sys.exit(f"{command[0]} failed: {error[-2000:]}")
    return time.perf_counter() - start, usage.ru_maxrss / 1024, out


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("barecode")
    parser.add_argument("--queries", type=int, default=10_000)
    parser.add_argument("--documents", type=int, default=1_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--trec-eval")
    parser.add_argument("--folder")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        qrels, run = make(folder, given.queries, given.documents)
        warm = os.path.join(folder, "small")
        os.mkdir(warm)
        small = make(warm, 3, 20)
        print(f"{given.queries} queries x {given.documents} documents, {os.path.getsize(run) / 2**20:.0f} MiB", flush=True)
        # The whole process counts for programs, and for Python only what follows the imports.
        programs = {
            "barecode": [given.barecode, "score", qrels, run, MEASURES],
            "pytrec_eval": [sys.executable, "-c", PYTREC, qrels, run],
            "ranx": [sys.executable, "-c", RANX, qrels, run, *small],
        }
        if given.trec_eval:
            asked = ["-m", "ndcg_cut.10", "-m", "map", "-m", "recip_rank", "-m", "recall.1,5,10,20"]
            programs["trec_eval"] = [given.trec_eval, *asked, qrels, run]
        seconds = {name: [] for name in programs}
        memory = {}
        for _ in range(given.rounds):
            for name, command in programs.items():
                wall, peak, out = measured(command)
                inner = name in ("pytrec_eval", "ranx")
                seconds[name].append(float(out.split()[0]) if inner else wall)
                memory[name] = peak
                if name != "trec_eval":
                    value = out.split()[1]
                else:
                    value = next(l.split()[-1] for l in out.splitlines() if l.startswith("ndcg_cut_10"))
                print(f"  {name}: {seconds[name][-1]:.2f} s, nDCG@10 {float(value):.4f}", flush=True)
        ours = statistics.median(seconds["barecode"])
        print(f"{'program':12} {'seconds':>8} {'times ours':>11} {'MiB':>6}")
        for name, times in seconds.items():
            median = statistics.median(times)
            print(f"{name:12} {median:8.2f} {median / ours:11.1f} {memory[name]:6.0f}")


main()
