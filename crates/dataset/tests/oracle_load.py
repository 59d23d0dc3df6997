"""Loads configurations of the folder named on stdin with Hugging Face datasets; JSON on stdout.

In:  {"folder": path, "names": [configuration], "trains": [configuration with a train split, if any]}
Out: {"configs": every name the card offers, "default": rows of the flat view without a name,
      "rows": {name: [row]}, "trains": {name: [row]}, "splits": {name: [split]}}
"""
import json
import sys

from datasets import get_dataset_config_names, get_dataset_split_names, load_dataset
from huggingface_hub import DatasetCard

given = json.load(sys.stdin)
folder = given["folder"]
trains = given.get("trains", [])
card = DatasetCard.load(f"{folder}/README.md")
out = {
    "configs": get_dataset_config_names(folder),
    "default": len(load_dataset(folder, split="test")),
    "rows": {name: load_dataset(folder, name, split="test").to_list() for name in given["names"]},
    "trains": {name: load_dataset(folder, name, split="train").to_list() for name in trains},
    "splits": {name: get_dataset_split_names(folder, name) for name in {*given["names"], *trains}},
    "card": {"license": card.data.license, "pretty_name": card.data.pretty_name},
}
json.dump(out, sys.stdout)
