"""What ranx makes of several runs, as JSON on stdout.

In:  {"runs": [{query: {document: score}}], "weights": [weight per run]}
Out: {"rrf": run, "min-max": run, "z-score": run}, each {query: {document: score}}
"""
import json
import sys

from ranx import Run, fuse

given = json.load(sys.stdin)


def runs():
    return [Run(run, name=str(i)) for i, run in enumerate(given["runs"])]


answer = {
    "rrf": fuse(runs=runs(), method="rrf", params={"k": 60}),
    "min-max": fuse(runs=runs(), norm="min-max", method="wsum", params={"weights": given["weights"]}),
    "z-score": fuse(runs=runs(), norm="zmuv", method="sum"),
}
json.dump({name: run.to_dict() for name, run in answer.items()}, sys.stdout)
