r"""The stages of Python programs with tests, from table to table.

Call :func:`extract`, :func:`choose`, :func:`check`, :func:`vary` and :func:`assemble` in this order: data sets become
programs, some solutions of each problem stay, those that pass their tests become clones and bugs, and both a probe. Each
function takes a ``recipe`` as those of :mod:`barecode` do: a dictionary, the path of a recipe, or nothing for the defaults;
the rows are those that the same stage of ``barecode build`` writes.

>>> import json, os, tempfile
>>> from barecode import programs
>>> task = {
...     "task_id": "T/0",
...     "prompt": "def sum_to(n):\n",
...     "canonical_solution": "    total = 0\n    for i in range(n + 1):\n        total += i\n    return total\n",
...     "test": "def check(candidate):\n    assert candidate(4) == 10\n    assert candidate(0) == 0\n",
...     "entry_point": "sum_to",
... }
>>> path = os.path.join(tempfile.mkdtemp(), "tasks.jsonl")
>>> with open(path, "w") as file:
...     _ = file.write(json.dumps(task) + "\n")
>>> read = programs.extract(path)
>>> chosen = programs.choose(read.kept)
>>> [row["problem"] for row in chosen.kept.to_pylist()]
['T/0']
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

from barecode._barecode import Table
from barecode._progress import Progress
from barecode._stages import Outcome, Recipe, _outcome, _stages
from barecode._tables import Rows


def extract(
    sources: str | Mapping[str, Any] | Iterable[str | Mapping[str, Any]] | None = None,
    *,
    recipe: Recipe | None = None,
    progress: Progress | None = None,
    threads: int | None = None,
    cache: str | os.PathLike[str] | None = None,
    no_cache: bool = False,
) -> Outcome:
    """Reads programs with their tests from data sets.

    ``sources`` are files or folders (``"HumanEval.jsonl.gz"``), or tables as a recipe's ``[[programs]]`` as dictionaries
    (``{"from": "mbpp.jsonl", "license": "CC-BY-4.0", "limit": 100}``); without them the recipe's.
    ``cache`` is the folder of the caches that commands share, ``no_cache`` uses none.
    """
    changes: dict[str, Any] = {}
    if sources is not None:
        if isinstance(sources, str | Mapping):
            sources = [sources]
        changes["programs"] = [{"from": one} if isinstance(one, str) else dict(one) for one in sources]
    return _outcome(_stages(recipe, changes, threads, cache, no_cache).extract_programs(progress))


def choose(
    programs: Rows,
    *,
    recipe: Recipe | None = None,
    progress: Progress | None = None,
    threads: int | None = None,
    cache: str | os.PathLike[str] | None = None,
    no_cache: bool = False,
) -> Outcome:
    """Keeps one solution of each problem, and others that are dissimilar to it and to each other (``recipe["alternates"]``).

    ``programs`` is the table that :func:`extract` kept, or rows of it: the solutions of a problem stand side by side.
    """
    return _outcome(_stages(recipe, {}, threads, cache, no_cache).choose_programs(programs, progress))


def check(
    programs: Rows,
    *,
    recipe: Recipe | None = None,
    progress: Progress | None = None,
    threads: int | None = None,
    cache: str | os.PathLike[str] | None = None,
    no_cache: bool = False,
) -> Outcome:
    """Keeps the programs that pass their tests, which run in a sandbox.

    ``programs`` is the table that :func:`choose` kept, or rows of it; two solutions of a problem that both stand for it are
    refused.
    """
    return _outcome(_stages(recipe, {}, threads, cache, no_cache).check_programs(programs, progress))


def vary(
    programs: Rows,
    *,
    recipe: Recipe | None = None,
    progress: Progress | None = None,
    threads: int | None = None,
    cache: str | os.PathLike[str] | None = None,
    no_cache: bool = False,
) -> Outcome:
    """Makes clones and bugs of programs by the pipelines of the recipe (``recipe["pipeline"]``), and runs each.

    ``programs`` is the table that :func:`check` kept, or rows of it.
    """
    return _outcome(_stages(recipe, {}, threads, cache, no_cache).vary_programs(programs, progress))


def assemble(
    programs: Rows,
    variants: Rows,
    *,
    recipe: Recipe | None = None,
    progress: Progress | None = None,
    threads: int | None = None,
    cache: str | os.PathLike[str] | None = None,
    no_cache: bool = False,
) -> dict[str, Table]:
    """Puts programs beside their clones and bugs: the tables ``corpus``, ``programs`` and ``probe`` of a dataset's probe.

    ``programs`` is the table that :func:`check` kept, ``variants`` the one of :func:`vary`.
    """
    return _stages(recipe, {}, threads, cache, no_cache).assemble_programs(programs, variants, progress)
