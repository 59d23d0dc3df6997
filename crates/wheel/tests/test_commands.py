"""Commands as functions, and the command itself."""

import logging
import re
import subprocess
import sys

import numpy
import pyarrow
import pytest

import barecode

CORPUS = {"a": "int f(void) { return 1; }", "b": "int f(void) { return 1; }", "c": "int g(int x) { return x + x; }"}
DATASET = {
    "corpus": CORPUS,
    "queries": {"q1": "returns one", "q2": "twice the number"},
    "qrels": {"q1": {"a": 1}, "q2": {"c": 1}},
}


def test_every_function_of_a_command_returns_what_json_prints(tmp_path):
    findings = barecode.audit(DATASET)["findings"]
    assert "BA001" in {finding["code"] for finding in findings}
    assert barecode.audit(DATASET, select=["BA001"], fail_on="note")["exit"] == 3
    scores = barecode.evaluate(DATASET, ["bm25", "random"], measure=["RR"], out=tmp_path / "eval")
    assert {model["model"] for row in scores["scores"] for model in row["models"]} == {"bm25", "random"}
    assert (tmp_path / "eval" / "scores.json").exists()
    assert barecode.command("audit", explain="BA001").startswith("## BA001")


def test_tables_are_datasets_too():
    tables = {
        "corpus": pyarrow.table({"id": list(CORPUS), "text": list(CORPUS.values())}),
        "queries": pyarrow.table({"_id": ["q1", "q2"], "text": ["returns one", "twice the number"]}),
        "qrels": pyarrow.table({"query-id": ["q1", "q2"], "corpus-id": ["a", "c"], "score": [1, 1]}),
    }
    expected = barecode.audit(DATASET)
    assert barecode.audit(tables)["findings"] == expected["findings"]
    both = barecode.audit({"one": tables, "two": DATASET})
    assert len(both["subsets"]) == 2


@pytest.mark.parametrize("name", ["../x", "a/b", "..", "", "/abs", "a\0b", 7])
def test_names_of_subsets_lead_nowhere(name, tmp_path):
    """A name was joined to a path, so an absolute one named the folder whose files were written over."""
    mine = tmp_path / "corpus.jsonl"
    mine.write_text("mine")
    name = str(tmp_path) if name == "/abs" else name
    for call in (barecode.audit, lambda dataset: barecode.evaluate(dataset, "bm25")):
        for dataset in ({name: DATASET}, {"fine": DATASET, name: DATASET}):
            with pytest.raises(barecode.InputError, match="cannot be named so"):
                call(dataset)
    assert mine.read_text() == "mine" and list(tmp_path.iterdir()) == [mine]


@pytest.mark.parametrize(
    ("dataset", "message"),
    [
        ({}, "the dataset has no subset"),
        ({"corpus": CORPUS, "qrels": {"q": {"a": 1}}}, "the subset `dataset` has no `queries`"),
        ({"one": {"corpus": CORPUS}}, "the subset `one` has no `queries`"),
        ({"one": 7}, "the subset `one` has no `corpus`"),
        (
            {**DATASET, "qrels": pyarrow.table({"question": ["q1"], "doc_id": ["a"], "score": [1]})},
            "`qrels` has no column `query_id`, found question, doc_id, score",
        ),
        (
            {**DATASET, "qrels": pyarrow.table({"qid": ["q1"], "doc_id": ["a"], "score": [0.5], "relevance": [1]})},
            "`qrels` has several columns that may be it: score, relevance",
        ),
        ({**DATASET, "corpus": pyarrow.table({"key": ["a"], "text": ["x"]})}, "`corpus` has no column `id`, found key, text"),
        ({**DATASET, "corpus": pyarrow.table({"id": ["a"], "code": ["x"]})}, "`corpus` has no column `text`"),
        ({**DATASET, "qrels": {"q1": {"a": 1.5}}}, "the grade 1.5 of `a` for the query `q1` is not a whole number"),
        ({**DATASET, "qrels": {"q1": {"a": None}}}, "the grade None of `a`"),
    ],
)
def test_what_is_no_dataset(dataset, message):
    for call in (barecode.audit, lambda dataset: barecode.evaluate(dataset, "bm25")):
        with pytest.raises(barecode.InputError, match=re.escape(message)):
            call(dataset)


def test_what_a_stage_returns_is_no_dataset():
    with pytest.raises(TypeError, match="`dataset` is Outcome, expected a path"):
        barecode.evaluate(barecode.extract("path:testdata/repos/shelf"), "bm25")


def test_a_grade_may_be_a_float_that_is_whole():
    floats = {**DATASET, "qrels": {"q1": {"a": 1.0}, "q2": {"c": numpy.float32(1)}}}
    assert barecode.evaluate(floats, "bm25")["scores"] == barecode.evaluate(DATASET, "bm25")["scores"]


def test_conversions(tmp_path):
    source = tmp_path / "beir"
    (source / "qrels").mkdir(parents=True)
    (source / "corpus.jsonl").write_text('{"_id": "a", "title": "", "text": "int f(void);"}\n')
    (source / "queries.jsonl").write_text('{"_id": "q", "text": "a function"}\n')
    (source / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq\ta\t1\n")
    barecode.convert(source, tmp_path / "mteb", "mteb")
    assert (tmp_path / "mteb").is_dir()
    with pytest.raises(barecode.Error):
        barecode.convert(source, tmp_path / "mteb", "mteb")


def test_a_dataset_of_the_hub_is_converted(tmp_path, monkeypatch):
    """From the hub's own cache: `barecode` asks nobody here, and its command is tested with a server."""
    held = tmp_path / "home" / "hub" / "datasets--org--name"
    commit = "0123456789abcdef0123456789abcdef01234567"
    (held / "refs").mkdir(parents=True)
    (held / "refs" / "main").write_text(commit)
    snapshot = held / "snapshots" / commit
    snapshot.mkdir(parents=True)
    (snapshot / "test.jsonl").write_text('{"query": "a function", "code": "int f(void);"}\n')
    monkeypatch.setenv("HF_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    answer = barecode.convert("hf:org/name", tmp_path / "beir", "beir")
    assert answer["subsets"][0]["documents"] == 1 and answer["from"]["folder"] == str(snapshot)
    assert "int f(void);" in (tmp_path / "beir" / "corpus.jsonl").read_text()
    with pytest.raises(barecode.InputError, match="org/other at main is not"):
        barecode.convert("hf:org/other", tmp_path / "other", "beir")


def test_names_may_begin_with_a_dash(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "-q").write_text("q 0 a 1\n")
    (tmp_path / "--run").write_text("q Q0 a 1 1.0 x\n")
    assert barecode.score("-q", "--run", ["RR"])["RR"] == 1.0
    runs = {"-n": {"q": {"a": 1.0}}, "--json": {"q": {"b": 1.0, "a": 0.5}}}
    systems = barecode.compare({"q": {"a": 1}}, runs, "RR")["comparisons"][0]["systems"]
    assert [system["name"] for system in systems] == ["-n", "--json"]
    with pytest.raises(barecode.InputError, match="-nothing"):
        barecode.audit("-nothing")


def test_try_says_what_to_expect():
    answer = barecode.try_("testdata/repos/shelf", dry_run=True)
    assert answer


def test_failures_have_message_hint_and_code(tmp_path):
    with pytest.raises(barecode.InputError) as error:
        barecode.audit(tmp_path / "nothing")
    assert str(tmp_path / "nothing") in error.value.message
    assert error.value.code == 4
    with pytest.raises(barecode.UsageError) as error:
        barecode.command("audit", tmp_path, serverity="note")
    assert "serverity" in str(error.value) and error.value.code == 2
    assert issubclass(barecode.UsageError, barecode.Error)


def test_notes_go_to_the_log(caplog):
    with caplog.at_level(logging.INFO, logger="barecode"):
        barecode.score({"q": {"a": 1}, "r": {"a": 1}}, {"q": {"a": 1.0}})
    assert any("missing from the run" in record.message for record in caplog.records)


def test_the_command_is_the_program():
    shown = subprocess.run([sys.executable, "-m", "barecode", "--version"], capture_output=True, text=True, check=True)
    assert shown.stdout.split() == ["barecode", barecode.__version__]
    wrong = subprocess.run([sys.executable, "-m", "barecode", "audit", "no/such"], capture_output=True, text=True)
    assert wrong.returncode == 4 and wrong.stderr.startswith("error: ") and not wrong.stdout
    usage = subprocess.run([sys.executable, "-m", "barecode", "audti"], capture_output=True, text=True)
    assert usage.returncode == 2


def test_a_fork_after_import_works():
    barecode.score({"q": {"a": 1}}, {"q": {"a": 1.0}})
    script = """
import os, sys, barecode
barecode.audit(%r)
child = os.fork()
if child == 0:
    answer = barecode.score({"q": {"a": 1}}, {"q": {"a": 1.0}})
    barecode.audit(%r)
    os._exit(0 if answer["nDCG@10"] == 1.0 else 1)
_, status = os.waitpid(child, 0)
sys.exit(os.waitstatus_to_exitcode(status))
""" % (DATASET, DATASET)
    assert subprocess.run([sys.executable, "-c", script], timeout=60).returncode == 0


def test_a_model_of_another_process_says_so():
    script = """
import os, sys, barecode
model = barecode.Model("bm25")
model.retrieve({"a": "x"}, {"q": "x"})
child = os.fork()
if child == 0:
    try:
        model.retrieve({"a": "x"}, {"q": "x"})
    except barecode.InputError as error:
        os._exit(0 if "before the process was forked" in str(error) else 1)
    os._exit(2)
_, status = os.waitpid(child, 0)
sys.exit(os.waitstatus_to_exitcode(status))
"""
    assert subprocess.run([sys.executable, "-c", script], timeout=60).returncode == 0


def test_a_library_that_is_missing_is_named():
    script = """
import sys
sys.modules["pyarrow"] = sys.modules["tqdm"] = None
import barecode
table = barecode.retrieve({"a": "x"}, {"q": "x"})
for ask in (table.to_pylist, lambda: table[0], lambda: list(table), barecode.bars):
    try:
        ask()
    except barecode.ToolMissingError as error:
        assert "pip install" in error.hint, error
    else:
        sys.exit(1)
assert "<pre>" in table._repr_html_()
"""
    assert subprocess.run([sys.executable, "-c", script], timeout=60).returncode == 0


def test_it_is_imported_soon_and_alone():
    script = """
import sys, time
start = time.perf_counter()
import barecode
print(time.perf_counter() - start, sorted({"pyarrow", "pandas", "polars", "mteb", "ray", "tqdm"} & set(sys.modules)))
"""
    shown = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert shown.stdout.split(maxsplit=1)[1].strip() == "[]"


def test_bars_are_those_of_tqdm():
    progress = barecode.bars(disable=False, leave=False)
    barecode.extract("path:testdata/repos/shelf", progress=progress)
    for done in (1, 2, 3):
        progress("check", "functions", done, 3)
