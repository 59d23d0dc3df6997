"""scikit-learn's numbers for the cases on stdin, as JSON on stdout.

In:  [{"scores": [...], "matches": [0|1, ...], "threshold": t}]
Out: [{"roc_auc": number or null, "accuracy", "precision", "recall", "f1"}]
"""
import json
import sys

from sklearn.metrics import accuracy_score, f1_score, precision_score, recall_score, roc_auc_score

out = []
for case in json.load(sys.stdin):
    truth = case["matches"]
    said = [int(score >= case["threshold"]) for score in case["scores"]]
    both = len(set(truth)) == 2
    out.append({
        "roc_auc": roc_auc_score(truth, case["scores"]) if both else None,
        "accuracy": accuracy_score(truth, said),
        "precision": precision_score(truth, said, zero_division=0),
        "recall": recall_score(truth, said, zero_division=0),
        "f1": f1_score(truth, said, zero_division=0),
    })
json.dump(out, sys.stdout)
