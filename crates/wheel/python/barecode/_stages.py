"""The stages of a run as functions from table to table.

Each takes a ``recipe``: a dictionary as a recipe's TOML is read, the path of a recipe, or nothing for the defaults. Only
the sections that the stage uses count. The rows are those that the same stage of ``barecode build`` writes.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from barecode import _barecode
from barecode._barecode import Table
from barecode._progress import Progress
from barecode._tables import Rows

if TYPE_CHECKING:
    from barecode import answers

#: A recipe, or a part of one: as a dictionary, or the path of a file.
Recipe = Mapping[str, Any] | str | os.PathLike[str]

#: Where code is, as ``from`` of a recipe's ``[[source]]`` or such a table as a dictionary; one or several.
Sources = str | Mapping[str, Any] | Iterable[str | Mapping[str, Any]]


class Outcome(NamedTuple):
    """What a stage returns.

    >>> import barecode
    >>> outcome = barecode.extract("path:testdata/repos/shelf")
    >>> outcome.counts["functions"]["kept"] == len(outcome.kept)
    True
    """

    #: The records that were kept.
    kept: Table
    #: A row for each thing that was left out, with its reason.
    set_aside: Table
    #: By kind of thing: how many entered, were kept, and were set aside for which reason.
    counts: dict[str, answers.Counts]


class Assembled(NamedTuple):
    """What :func:`assemble` returns."""

    #: The subsets by name, each with the tables ``corpus``, ``queries`` and ``qrels``.
    kept: dict[str, dict[str, Table]]
    #: A row for each thing that was left out, with its reason.
    set_aside: Table
    #: By kind of thing: how many entered, were kept, and were set aside for which reason.
    counts: dict[str, answers.Counts]


def _stages(
    recipe: Recipe | None,
    changes: Mapping[str, Any],
    threads: int | None,
    cache: str | os.PathLike[str] | None,
    no_cache: bool,
) -> _barecode.Stages:
    path, base = None, "."
    if isinstance(recipe, str | os.PathLike):
        path = os.fspath(recipe)
        base = os.path.dirname(path) or "."
    else:
        changes = {**(recipe or {}), **changes}
    text = _barecode.recipe_text(path, json.dumps(changes))
    return _barecode.Stages(text, base, threads=threads, cache=cache, no_cache=no_cache)


def _outcome(made: tuple[Table, Table, str]) -> Outcome:
    kept, set_aside, counts = made
    return Outcome(kept, set_aside, json.loads(counts))


def extract(
    sources: Sources | None = None,
    *,
    recipe: Recipe | None = None,
    progress: Progress | None = None,
    threads: int | None = None,
    cache: str | os.PathLike[str] | None = None,
    no_cache: bool = False,
) -> Outcome:
    """Finds functions in sources, each with everything that it needs.

    ``sources`` are as ``from`` of a recipe's ``[[source]]`` (``"path:lib"``, ``"git:https://…@v1.2"``,
    ``"archive:lib.tar.gz"``), or such tables as dictionaries (``{"from": "path:lib", "include": ["src/**"]}``); without them
    the recipe's. ``cache`` is the folder of the caches that commands share, ``no_cache`` uses none.

    >>> import barecode
    >>> functions = barecode.extract("path:testdata/repos/shelf").kept
    >>> "language" in functions.column_names
    True
    """
    return _outcome(_stages(recipe, _of_sources(sources), threads, cache, no_cache).extract(progress))


def _of_sources(sources: Sources | None) -> dict[str, Any]:
    """The part of a recipe that names sources."""
    if sources is None:
        return {}
    if isinstance(sources, str | Mapping):
        sources = [sources]
    return {"source": [{"from": one} if isinstance(one, str) else dict(one) for one in sources]}


def check(
    functions: Rows,
    *,
    recipe: Recipe | None = None,
    progress: Progress | None = None,
    threads: int | None = None,
    cache: str | os.PathLike[str] | None = None,
    no_cache: bool = False,
) -> Outcome:
    """Keeps the functions that hold by themselves: they compile, or they parse where nothing is compiled.

    ``functions`` is the table that :func:`extract` kept, or rows of it.
    """
    return _outcome(_stages(recipe, {}, threads, cache, no_cache).check(functions, progress))


def vary(
    units: Rows,
    *,
    sources: Sources | None = None,
    recipe: Recipe | None = None,
    progress: Progress | None = None,
    threads: int | None = None,
    cache: str | os.PathLike[str] | None = None,
    no_cache: bool = False,
) -> Outcome:
    """Writes each unit under each setting (``recipe["settings"]["names"]``), and proves that nothing else changed.

    ``units`` is the table that :func:`check` kept, or rows of it. Languages that are not compiled are renamed by spelling, which
    needs the names of the whole source: give the ``sources`` that :func:`extract` had, or set
    ``recipe["settings"]["scope"]`` to ``"bound"``.
    """
    return _outcome(_stages(recipe, _of_sources(sources), threads, cache, no_cache).vary(units, progress))


def query(
    units: Rows,
    *,
    recipe: Recipe | None = None,
    progress: Progress | None = None,
    threads: int | None = None,
    cache: str | os.PathLike[str] | None = None,
    no_cache: bool = False,
) -> Outcome:
    """Makes queries of the doc comments of units.

    Comments that a source repeats are left out, so the rows of a source stand together, as :func:`check` leaves them.
    """
    return _outcome(_stages(recipe, {}, threads, cache, no_cache).query(units, progress))


def assemble(
    units: Rows,
    variants: Rows,
    queries: Rows,
    *,
    recipe: Recipe | None = None,
    progress: Progress | None = None,
    threads: int | None = None,
    cache: str | os.PathLike[str] | None = None,
    no_cache: bool = False,
) -> Assembled:
    """Assembles a dataset: ``kept`` is a dictionary of subsets, each with the tables ``corpus``, ``queries`` and ``qrels``.

    >>> import barecode
    >>> recipe = {"settings": {"names": ["standard", "neutralized"]}, "dataset": {"views": ["all"]}}
    >>> units = barecode.check(barecode.extract("path:testdata/repos/shelf").kept).kept
    >>> variants = barecode.vary(units, recipe=recipe).kept
    >>> queries = barecode.query(units).kept
    >>> sorted(barecode.assemble(units, variants, queries, recipe=recipe).kept)
    ['all-neutralized', 'all-standard']
    """
    made = _stages(recipe, {}, threads, cache, no_cache).assemble(units, variants, queries, progress)
    kept, set_aside, counts = made
    return Assembled(kept, set_aside, json.loads(counts))
