"""Values of pytrec_eval and ir_measures for the cases on stdin, as JSON on stdout.

In:  {"measures": [{"name", "kind", "k", "rel"}], "cases": [{"run": {doc: score}, "qrels": {doc: grade}}]}
Out: {"pytrec_eval": [[value per measure] per case], "ir_measures": the same}
"""
import json
import sys

import ir_measures
import pytrec_eval

NAMES = {"nDCG": "ndcg", "RR": "recip_rank", "AP": "map", "R": "recall", "P": "P", "Success": "success"}
CUT = {"ndcg": "ndcg_cut", "map": "map_cut"}

given = json.load(sys.stdin)
runs = {str(i): case["run"] for i, case in enumerate(given["cases"])}
qrels = {str(i): case["qrels"] for i, case in enumerate(given["cases"])}


def trec(measure):
    name, k = NAMES[measure["kind"]], measure["k"]
    if k is not None and name != "recip_rank":
        name = f"{CUT.get(name, name)}.{k}"
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, {name}, relevance_level=measure["rel"])
    column = {qid: values[name.replace(".", "_")] for qid, values in evaluator.evaluate(runs).items()}
    if measure["kind"] == "RR" and k is not None:
        column = {qid: value if value * k >= 1 - 1e-9 else 0.0 for qid, value in column.items()}
    return column


def irm(measure):
    parsed = ir_measures.parse_measure(measure["name"])
    if not ir_measures.pytrec_eval.supports(parsed) or measure["kind"] == "RR" and measure["k"] is not None:
        return None  # RR@k comes from a provider with another rule for ties
    return {m.query_id: m.value for m in ir_measures.pytrec_eval.iter_calc([parsed], qrels, runs)}


def table(columns):
    return [[column and column.get(str(i), 0.0) for column in columns] for i in range(len(runs))]


json.dump(
    {
        "pytrec_eval": table([trec(m) for m in given["measures"]]),
        "ir_measures": table([irm(m) for m in given["measures"]]),
    },
    sys.stdout,
)
