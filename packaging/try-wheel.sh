#!/usr/bin/env bash
# Installs a wheel as a stranger would, in an environment of its own, and uses the command and the package.
#
#   usage: try-wheel.sh WHEEL [PYTHON]
set -euo pipefail

wheel=$(realpath "$1")
python=${2:-python3}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"$python" -m venv env
env/bin/pip install --quiet --disable-pip-version-check "$wheel"
env/bin/barecode --version
env/bin/barecode --version --verbose
printf 'q1 0 d1 1\nq2 0 d2 1\n' >judgments.txt
printf 'q1 Q0 d1 1 0.9 run\nq2 Q0 d1 1 0.5 run\nq2 Q0 d2 2 0.4 run\n' >list.run
env/bin/barecode score judgments.txt list.run nDCG@10
env/bin/python - <<'PYTHON'
import barecode

scores = barecode.score({"q": {"a": 1}}, {"q": {"a": 0.9, "b": 0.4}}, ["nDCG@10", "RR"])
assert scores == {"nDCG@10": 1.0, "RR": 1.0}, scores
corpus = {"a": "int f(void) { return 1; }", "b": "int f(void) { return 1; }"}
answer = barecode.audit({"corpus": corpus, "queries": {"q": "returns one"}, "qrels": {"q": {"a": 1}}})
assert any(finding["code"] == "BA001" for finding in answer["findings"]), answer
print("the package scores and audits")
PYTHON
