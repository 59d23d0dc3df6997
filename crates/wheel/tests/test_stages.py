"""The stages over tables give the rows that the stages of a run write."""

import json
import os
import subprocess
import sys

import duckdb
import pandas
import polars
import pyarrow
import pyarrow.dataset
import pyarrow.parquet
import pytest

import barecode

RECIPE = {
    "source": [{"from": "path:testdata/repos/shelf"}],
    "settings": {"names": ["standard", "neutralized", "randomized"], "randomized-seeds": 2},
    "dataset": {"views": ["all"]},
    "retriever": [{"name": "bm25", "kind": "bm25", "tokenizer": "code"}],
    "scores": {"resamples": 200},
}


def rows(run, stage):
    folder = os.path.join(run, stage)
    parts = sorted(name for name in os.listdir(folder) if name.endswith(".parquet"))
    tables = [pyarrow.table(barecode.read_table(os.path.join(folder, name))) for name in parts]
    return pyarrow.concat_tables(tables).to_pylist()


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    out = tmp_path_factory.mktemp("run") / "shelf"
    steps = []
    account = barecode.build(RECIPE, out=out, progress=lambda *step: steps.append(step))
    assert account["stages"]["check"]["worked"]
    assert any(verb == "check" and done == total for verb, _, done, total in steps)
    return out


def test_stages_over_tables_are_the_stages_of_a_run(run):
    functions = barecode.extract(recipe=RECIPE)
    assert functions.kept.to_pylist() == rows(run, "01-functions")
    units = barecode.check(functions.kept, recipe=RECIPE)
    assert units.kept.to_pylist() == rows(run, "02-units")
    assert units.set_aside.to_pylist() == rows(run, "02-units/_set-aside")
    variants = barecode.vary(units.kept, recipe=RECIPE)
    assert variants.kept.to_pylist() == rows(run, "03-variants")
    queries = barecode.query(units.kept, recipe=RECIPE)
    assert queries.kept.to_pylist() == rows(run, "04-queries")
    dataset = barecode.assemble(units.kept, variants.kept, queries.kept, recipe=RECIPE)
    for name, subset in dataset.kept.items():
        for part in ("corpus", "queries", "qrels"):
            table = pyarrow.table(barecode.read_table(run / "05-dataset" / name / f"{part}.parquet"))
            assert subset[part].to_pylist() == table.to_pylist(), (name, part)
    account = json.loads((run / "manifest.json").read_text())["stages"]
    assert account["check"]["counts"]["functions"] == units.counts["functions"]


def test_a_folder_of_a_stage_is_one_table_in_other_libraries(run):
    for stage in ("01-functions", "02-units", "03-variants", "04-queries"):
        folder, pattern = run / stage, f"{run / stage}/*.parquet"
        count = len(rows(run, stage))
        assert count > 10
        assert pyarrow.dataset.dataset(folder).count_rows() == count, stage
        assert len(pandas.read_parquet(folder)) == count, stage
        assert polars.read_parquet(pattern).height == count, stage
        assert duckdb.sql(f"select count(*) from '{pattern}'").fetchall() == [(count,)], stage


def test_a_dataset_in_memory_is_evaluated_as_the_one_on_the_disk(run):
    functions = barecode.extract(recipe=RECIPE).kept
    units = barecode.check(functions).kept
    variants = barecode.vary(units, recipe=RECIPE).kept
    dataset = barecode.assemble(units, variants, barecode.query(units).kept, recipe=RECIPE).kept
    ours = barecode.evaluate(dataset, "bm25", measure="nDCG@10")
    theirs = barecode.evaluate(run / "05-dataset", "bm25", measure="nDCG@10")

    def values(answer):
        return {row["subset"]: [model["value"] for model in row["models"]] for row in answer["scores"]}

    ours, theirs = values(ours), values(theirs)
    for setting in ("standard", "neutralized"):
        assert ours[f"all-{setting}"] == theirs[f"all-{setting}"]
    # In memory each draw is a subset of its own.
    assert [(a + b) / 2 for a, b in zip(ours["all-randomized-1"], ours["all-randomized-2"])] == theirs["all-randomized"]


def test_one_thread_and_many_give_the_same_bytes():
    functions = barecode.extract(recipe=RECIPE, threads=1).kept
    assert pyarrow.table(functions).equals(pyarrow.table(barecode.extract(recipe=RECIPE, threads=4).kept))
    one = barecode.check(functions, threads=1, no_cache=True)
    many = barecode.check(functions, threads=4, no_cache=True)
    assert pyarrow.table(one.kept).equals(pyarrow.table(many.kept))
    assert one.counts == many.counts


def test_a_recipe_in_a_file_is_read_with_its_folder(tmp_path):
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "a.py").write_text(
        'def add(a, b):\n    """Add two numbers and return the sum."""\n    return a + b\n'
    )
    recipe = tmp_path / "first.toml"
    recipe.write_text('name = "first"\n\n[[source]]\nfrom = "path:code"\n')
    functions = barecode.extract(recipe=recipe).kept
    assert [row["name"] for row in functions.to_pylist()] == ["add"]
    recipe.write_text('name = "first"\n\n[[source]]\nfrom = "path:code"\nlanguagse = ["c"]\n')
    with pytest.raises(barecode.InputError, match="languagse"):
        barecode.extract(recipe=recipe)


def test_what_is_wrong_with_a_recipe_is_said():
    with pytest.raises(barecode.InputError, match="nutralized"):
        barecode.vary(
            barecode.check(barecode.extract("path:testdata/repos/shelf").kept).kept,
            recipe={"settings": {"names": ["nutralized"]}},
        )
    with pytest.raises(barecode.InputError, match="cannot be written as TOML|null"):
        barecode.extract("path:testdata/repos/shelf", recipe={"seed": None})
    with pytest.raises(barecode.InputError, match="no/such/folder"):
        barecode.extract("path:no/such/folder")


def test_two_interpreters_on_one_run_folder(run):
    held = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import fcntl, sys, time\nf = open(sys.argv[1], 'r+')\nfcntl.flock(f, fcntl.LOCK_EX)\nprint('held', flush=True)\ntime.sleep(60)",
            str(run / "barecode.lock"),
        ],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert held.stdout.readline() == "held\n"
        with pytest.raises(barecode.Error) as error:
            barecode.build(RECIPE, out=run)
        assert error.value.hint
    finally:
        held.kill()
        held.wait()
    assert not barecode.build(RECIPE, out=run)["worked"]
