"""The stages of programs over tables give the rows that the stages of a run write."""

import json
import os

import pyarrow
import pyarrow.parquet
import pytest

import barecode
from barecode import programs

TASKS = [
    ("sum_to", "n", "    total = 0\n    for i in range(n + 1):\n        total += i\n    return total\n", "candidate(4) == 10"),
    ("power", "b, e", "    result = 1\n    while e > 0:\n        result = result * b\n        e -= 1\n    return result\n", "candidate(2, 10) == 1024"),
    ("wrong", "n", "    return n + 1\n", "candidate(1) == 1"),
]


@pytest.fixture(scope="module")
def recipe(tmp_path_factory):
    path = tmp_path_factory.mktemp("programs") / "tasks.jsonl"
    rows = [
        {
            "task_id": f"T/{number}",
            "prompt": f"def {name}({arguments}):\n",
            "canonical_solution": body,
            "test": f"def check(candidate):\n    assert {test}\n",
            "entry_point": name,
        }
        for number, (name, arguments, body, test) in enumerate(TASKS)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    pipelines = [{"name": "positive", "kind": "clone", "draws": 2}, {"name": "negative", "kind": "bug"}]
    return {
        "programs": [{"from": str(path), "license": "MIT"}],
        "pipeline": pipelines,
        "retriever": [{"name": "bm25", "kind": "bm25", "tokenizer": "code"}],
    }


def rows(run, folder):
    folder = os.path.join(run, folder)
    parts = sorted(name for name in os.listdir(folder) if name.endswith(".parquet"))
    tables = [pyarrow.table(barecode.read_table(os.path.join(folder, name))) for name in parts]
    return pyarrow.concat_tables(tables).to_pylist()


def test_stages_of_programs_over_tables_are_the_stages_of_a_run(recipe, tmp_path):
    run = tmp_path / "run"
    barecode.build(recipe, out=run)
    read = programs.extract(recipe=recipe)
    assert read.kept.to_pylist() == rows(run, "01-functions/programs")
    chosen = programs.choose(read.kept, recipe=recipe)
    assert chosen.kept.to_pylist() == rows(run, "01-solutions/programs")
    passing = programs.check(chosen.kept, recipe=recipe)
    assert passing.kept.to_pylist() == rows(run, "02-units/programs")
    assert passing.set_aside.to_pylist() == rows(run, "02-units/_set-aside/programs")
    assert passing.counts["programs"]["kept"] == 2
    made = programs.vary(passing.kept, recipe=recipe)
    assert made.kept.to_pylist() == rows(run, "03-variants/programs")
    probe = programs.assemble(passing.kept, made.kept, recipe=recipe)
    for part in ("corpus", "programs", "probe"):
        table = pyarrow.table(barecode.read_table(run / "05-dataset" / "programs" / f"{part}.parquet"))
        assert probe[part].to_pylist() == table.to_pylist(), part


def test_sources_may_be_named_without_a_recipe_and_pipelines_are_the_papers(recipe):
    read = programs.extract([recipe["programs"][0]["from"]])
    assert [row["problem"] for row in read.kept.to_pylist()] == ["T/0", "T/1", "T/2"]
    made = programs.vary(programs.check(programs.choose(read.kept).kept).kept)
    assert {row["pipeline"] for row in made.kept.to_pylist()} <= {"positive", "negative"}
    # Nothing to vary is nothing to vary, whichever pipelines there are.
    assert len(programs.vary(read.kept, recipe={"pipeline": [{"name": "one", "kind": "clone", "at-least": 99}]}).kept) == 0


def test_solutions_that_nobody_chose_among_are_refused(tmp_path):
    path = tmp_path / "contests.jsonl"
    solutions = ["n = int(input())\nprint(n + 1)\n", "for one in [int(input())]:\n    print(one - -1)\n"]
    row = {
        "name": "A",
        "description": "One more.",
        "public_tests": {"input": ["1\n", "5\n"], "output": ["2\n", "6\n"]},
        "private_tests": {"input": [], "output": []},
        "generated_tests": {"input": [], "output": []},
        "solutions": {"language": [3, 3], "solution": solutions},
        "incorrect_solutions": {"language": [], "solution": []},
    }
    path.write_text(json.dumps(row) + "\n")
    read = programs.extract(str(path))
    assert len(read.kept) == 2
    with pytest.raises(barecode.InputError, match="`A` has two solutions that stand for it") as refused:
        programs.check(read.kept)
    assert "choose" in str(refused.value)
    assert len(programs.check(programs.choose(read.kept).kept).kept) >= 1
