"""Values of other programs for the cases on stdin, as JSON on stdout.

In:  {"programs": [name], "measures": [name of ir_measures], "cases": [{"run": {doc: score}, "qrels": {doc: grade}}]}
Out: {provider: {measure: [value per case, null where the provider gives none]}}

Programs are `pytrec_eval`, `ranx`, and ir_measures' providers as `ir_measures/NAME`, each asked for what it
supports. Cases are asked in one run, so they are queries of one evaluation.
"""
import json
import sys
import warnings

import ir_measures
import pytrec_eval

warnings.simplefilter("ignore")
given = json.load(sys.stdin)
runs = {str(i): case["run"] for i, case in enumerate(given["cases"]) if case["run"]}
qrels = {str(i): case["qrels"] for i, case in enumerate(given["cases"]) if case["qrels"]}


def column(values):
    return [values.get(str(i)) for i in range(len(given["cases"]))]


def from_ir_measures(provider, names):
    out = {}
    asked = runs
    for name in names:
        measure = ir_measures.parse_measure(name)
        if provider.NAME == "cwl_eval":
            # Half a second for ten lists: a part of the cases, and only what no other program has.
            if measure.NAME not in ("RBP", "SDCG"):
                continue
            asked = {qid: runs[qid] for qid in list(runs)[:1000]}
        try:
            if not provider.is_available() or not provider.supports(measure):
                continue
            values = {m.query_id: m.value for m in provider.iter_calc([measure], qrels, asked) if m.query_id in asked}
        except (AssertionError, ZeroDivisionError):
            continue
        out[name] = column(values)
    return out


TREC = {"nDCG": "ndcg_cut", "AP": "map_cut", "R": "recall", "P": "P", "Success": "success"}


def from_pytrec_eval(names):
    out = {}
    for name in names:
        measure = ir_measures.parse_measure(name)
        plain = set(measure.params) <= {"cutoff", "rel"}
        if measure.NAME not in TREC or "cutoff" not in measure.params or not plain:
            continue
        trec = f"{TREC[measure.NAME]}.{measure.params['cutoff']}"
        rel = measure.params.get("rel", 1)
        evaluator = pytrec_eval.RelevanceEvaluator(qrels, {trec}, relevance_level=rel)
        values = evaluator.evaluate(runs)
        out[name] = column({q: v[trec.replace(".", "_")] for q, v in values.items()})
    return out


RANX = {"nDCG": "ndcg", "RR": "mrr", "AP": "map", "R": "recall", "P": "precision", "Success": "hit_rate"}


def from_ranx(names):
    try:
        import ranx
    except ImportError:
        return {}
    both = sorted(set(runs) & set(qrels), key=int)
    # Its typed dictionaries take neither empty lists nor numbers of mixed types.
    theirs = ranx.Qrels({q: qrels[q] for q in both})
    run = ranx.Run({q: {d: float(s) for d, s in runs[q].items()} for q in both})
    out = {}
    for name in names:
        measure = ir_measures.parse_measure(name)
        if measure.NAME not in RANX or not set(measure.params) <= {"cutoff", "rel"}:
            continue
        metric = RANX[measure.NAME]
        if "cutoff" in measure.params:
            metric += f"@{measure.params['cutoff']}"
        if "rel" in measure.params:
            metric += f"-l{measure.params['rel']}"
        ranx.evaluate(theirs, run, metric, make_comparable=True)
        out[name] = column({q: float(run.scores[metric][q]) for q in both})
    return out


answer = {}
for program in given["programs"]:
    if program == "pytrec_eval":
        answer[program] = from_pytrec_eval(given["measures"])
    elif program == "ranx":
        answer[program] = from_ranx(given["measures"])
    else:
        provider = ir_measures.providers.registry[program.removeprefix("ir_measures/")]
        answer[program] = from_ir_measures(provider, given["measures"])
json.dump(answer, sys.stdout)
