"""Time of `barecode.score` on Arrow arrays beside pytrec_eval and ranx, and of a stage through Python beside the command.

usage: wheel.py [--queries N] [--documents N] [--rounds N] [--command PATH]

nDCG@10, AP, RR and R@{1,5,10,20} over columns of query, document and score in memory, with whatever each program needs to take
them: a table as it is, dictionaries, or a data frame; then over dictionaries, without what it takes to make them. All take turns
in every round; the median counts. ranx scores a small run first, so its compilation is not counted. With the path of the
command, `check` of the functions of a repository is timed both ways, without caches.
"""

import argparse
import os
import random
import statistics
import subprocess
import tempfile
import time

import pyarrow

import barecode

MEASURES = ["nDCG@10", "AP", "RR", "R@1", "R@5", "R@10", "R@20"]


def made(n_queries, n_documents):
    """Judgments and a run in columns: distinct scores, ten graded judgments a query, nine of them in it."""
    draw = random.Random(20)
    run = {"q_id": [], "doc_id": [], "score": []}
    qrels = {"q_id": [], "doc_id": [], "score": []}
    names = [f"d{number}" for number in range(1_000_000)]
    for number in range(n_queries):
        query = f"q{number}"
        start = draw.randrange(1_000_000 - 7 * n_documents)
        docs = names[start : start + 7 * n_documents : 7]
        draw.shuffle(docs)
        run["q_id"] += [query] * n_documents
        run["doc_id"] += docs
        run["score"] += [30.0 - rank * 0.011 - draw.random() * 0.01 for rank in range(n_documents)]
        judged = draw.sample(docs, min(9, n_documents)) + ["none"]
        qrels["q_id"] += [query] * len(judged)
        qrels["doc_id"] += judged
        qrels["score"] += [draw.randrange(0, 3) for _ in judged]
    return pyarrow.table(qrels), pyarrow.table(run)


def nested(table):
    numbers = {}
    columns = (table[name].to_pylist() for name in ("q_id", "doc_id", "score"))
    for query, document, number in zip(*columns):
        numbers.setdefault(query, {})[document] = number
    return numbers


def ours(qrels, run):
    return barecode.score(qrels, run, MEASURES)["nDCG@10"]


def pytrec(qrels, run):
    return pytrec_of(nested(qrels), nested(run))


def pytrec_of(qrels, run):
    import pytrec_eval

    names = {"ndcg_cut.10", "map", "recip_rank", "recall.1,5,10,20"}
    values = pytrec_eval.RelevanceEvaluator(qrels, names).evaluate(run)
    return sum(of["ndcg_cut_10"] for of in values.values()) / len(values)


def ranx(qrels, run):
    from ranx import Qrels, Run, evaluate

    names = ["ndcg@10", "map", "mrr", "recall@1", "recall@5", "recall@10", "recall@20"]

    def frame(table):
        # It takes columns of objects only.
        return table.to_pandas().astype({"q_id": object, "doc_id": object})

    return evaluate(Qrels.from_df(frame(qrels), score_col="score"), Run.from_df(frame(run)), names)["ndcg@10"]


def stage(command, rounds):
    """Seconds of `check` by the command, and of the same functions through Python."""
    # Packages of Cargo are found from a recipe inside the checkout.
    with tempfile.TemporaryDirectory(dir=os.getcwd(), prefix=".bench-") as folder:
        recipe = os.path.join(folder, "recipe.toml")
        with open(recipe, "w") as out:
            out.write(
                'name = "bench"\nout = "run"\n\n[[source]]\nfrom = "cargo:zstd-sys"\ninclude = ["zstd/lib/**"]\nlimit = 400\n'
            )
        functions = barecode.extract(
            recipe={"source": [{"from": "cargo:zstd-sys", "include": ["zstd/lib/**"], "limit": 400}]}
        ).kept
        seconds = {"command": [], "Python": []}
        out = os.path.join(folder, "run")
        subprocess.run([command, "extract", recipe, "--out", out, "--quiet"], check=True)
        for _ in range(rounds):
            for name in os.listdir(out):
                if name.startswith("02"):
                    subprocess.run(["rm", "-r", os.path.join(out, name)], check=True)
            start = time.perf_counter()
            subprocess.run([command, "check", recipe, "--out", out, "--quiet", "--no-cache"], check=True)
            seconds["command"].append(time.perf_counter() - start)
            start = time.perf_counter()
            barecode.check(functions, no_cache=True)
            seconds["Python"].append(time.perf_counter() - start)
    return len(functions), seconds


def raced(rounds, programs, qrels, run):
    """Prints the median seconds of each program, and their ratio to ours."""
    seconds = {name: [] for name in programs}
    for _ in range(rounds):
        for name, score in programs.items():
            start = time.perf_counter()
            value = score(qrels, run)
            seconds[name].append(time.perf_counter() - start)
            print(f"  {name}: {seconds[name][-1]:.2f} s, nDCG@10 {value:.6f}", flush=True)
    least = statistics.median(seconds["barecode"])
    for name, times in seconds.items():
        print(f"{name:12} {statistics.median(times):8.2f} s {statistics.median(times) / least:8.1f}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--queries", type=int, default=10_000)
    parser.add_argument("--documents", type=int, default=1_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--command")
    given = parser.parse_args()
    qrels, run = made(given.queries, given.documents)
    print(f"{given.queries} queries x {given.documents} documents, {run.nbytes / 2**20:.0f} MiB of columns", flush=True)
    ranx(*made(3, 20))
    raced(given.rounds, {"barecode": ours, "pytrec_eval": pytrec, "ranx": ranx}, qrels, run)
    print("dictionaries", flush=True)
    raced(given.rounds, {"barecode": ours, "pytrec_eval": pytrec_of}, nested(qrels), nested(run))
    if given.command:
        functions, both = stage(given.command, given.rounds)
        medians = {name: statistics.median(times) for name, times in both.items()}
        print(f"check of {functions} functions: command {medians['command']:.2f} s, Python {medians['Python']:.2f} s")


if __name__ == "__main__":
    main()
