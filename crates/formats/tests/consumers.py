"""Reads what barecode wrote with the programs that others read it with, and prints what they saw, as JSON.

In comes a folder of a release on the command line. Nothing is fetched: every path is local. MTEB and BEIR import torch
and models when their packages are imported as a whole, and their loaders need neither, so the module of each
loader is imported by its file: the loader is the real one, from the installed package.
"""

import importlib.util
import json
import os
import sys
import sysconfig
import tempfile

# No loader may ask the network for what lies in a folder, or find what another test left in a cache.
os.environ.update(HF_HUB_OFFLINE="1", HF_DATASETS_OFFLINE="1", TQDM_DISABLE="1", HF_HOME=tempfile.mkdtemp())

import datasets
import mlcroissant
import pandas

datasets.disable_progress_bars()
folder = os.path.abspath(sys.argv[1])
packages = sysconfig.get_paths()["purelib"]


def module(path):
    spec = importlib.util.spec_from_file_location(os.path.basename(path)[:-3], os.path.join(packages, path))
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def sorted_judgments(qrels):
    return sorted([q, d, int(score)] for q, of in qrels.items() for d, score in of.items())


seen = {}

# datasets: every configuration of every folder with a card, with the counts checked against `dataset_info`.
seen["datasets"] = {}
for part in ("huggingface", "mteb"):
    for config in datasets.get_dataset_config_names(os.path.join(folder, part)):
        loaded = datasets.load_dataset(os.path.join(folder, part), config)
        seen["datasets"][f"{part}/{config}"] = {
            split: {"rows": len(rows), "columns": rows.column_names} for split, rows in loaded.items()
        }
seen["coir"] = {}
for name in sorted(os.listdir(os.path.join(folder, "coir"))):
    # As coir/data_loader.py does: `load_dataset(name)` and then splits by their names.
    loaded = datasets.load_dataset(os.path.join(folder, "coir", name))
    seen["coir"][name] = {split: rows.to_list() for split, rows in loaded.items()}

# MTEB's own loader.
loaders = module("mteb/abstasks/retrieval_dataset_loaders.py")
configs = datasets.get_dataset_config_names(os.path.join(folder, "mteb"))
subsets = [None] if "corpus" in configs else sorted(c[: -len("-corpus")] for c in configs if c.endswith("-corpus"))
seen["mteb"] = {}
for subset in subsets:
    data = loaders.RetrievalDatasetLoader(os.path.join(folder, "mteb"), None, split="test", config=subset).load()
    seen["mteb"][subset or "default"] = {
        "documents": [[row["id"], row["title"], row["text"]] for row in data["corpus"]],
        "queries": [[row["id"], row["text"]] for row in data["queries"]],
        "judgments": sorted_judgments(data["relevant_docs"]),
    }

# The task's class is Python that MTEB would import.
for name in os.listdir(folder):
    if name.startswith("mteb_"):
        compile(open(os.path.join(folder, name), encoding="utf-8").read(), name, "exec")
        seen["task"] = name

# BEIR's own loader.
GenericDataLoader = module("beir/datasets/data_loader.py").GenericDataLoader
beir = os.path.join(folder, "beir")
seen["beir"] = {}
for subset in ["default"] if os.path.exists(os.path.join(beir, "corpus.jsonl")) else sorted(os.listdir(beir)):
    path = beir if subset == "default" else os.path.join(beir, subset)
    corpus, queries, qrels = GenericDataLoader(path).load(split="test")
    seen["beir"][subset] = {
        "documents": [[i, d["title"], d["text"]] for i, d in corpus.items()],
        "queries": sorted([i, t] for i, t in queries.items()),
        "judgments": sorted_judgments(qrels),
    }

# Croissant: the description is valid, and a record set gives its rows.
described = mlcroissant.Dataset(os.path.join(folder, "huggingface", "croissant.json"))
issues = described.metadata.ctx.issues
seen["croissant"] = {"errors": sorted(issues.errors), "warnings": sorted(issues.warnings), "sets": {}}
for record_set in described.metadata.record_sets:
    seen["croissant"]["sets"][record_set.name] = sum(1 for _ in described.records(record_set.uuid))

# pandas.
seen["pandas"] = {}
for base, _, names in sorted(os.walk(os.path.join(folder, "huggingface"))):
    for name in sorted(names):
        if name.endswith(".parquet"):
            path = os.path.join(base, name)
            seen["pandas"][os.path.relpath(path, folder)] = len(pandas.read_parquet(path))

json.dump(seen, sys.stdout)
