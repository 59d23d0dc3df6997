"""Commands as functions: each returns what `barecode … --json` prints."""

from __future__ import annotations

import contextlib
import json
import math
import numbers
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, cast

from barecode import _barecode
from barecode._errors import wrong
from barecode._progress import Progress
from barecode._tables import Rows

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from barecode import answers
    from barecode._options import (
        AuditOptions,
        BuildOptions,
        CompareOptions,
        ConvertOptions,
        EvalOptions,
        StatsOptions,
        TryOptions,
    )

#: A file or a folder.
Path = str | os.PathLike[str]

#: Judgments or a run: a file, a dictionary ``{query: {document: number}}``, or a table with a column for each.
Numbers = Path | Mapping[str, Mapping[str, float]] | Rows


def command(verb: str, *words: object, progress: Progress | None = None, **options: object) -> Any:
    """Any command of the program: ``command("robustness", run="runs/demo", measure="R@1")``.

    Options are named as on the command line, with ``_`` for ``-``; ``True`` sets a flag, a list gives an option several
    times. Returns what ``--json`` prints, or the text of what does not print JSON; with ``fail_on`` and the like, the
    exit code stands under ``"exit"``.

    >>> import barecode
    >>> barecode.command("audit", explain="BA001").splitlines()[0]
    '## BA001 identical-texts'
    """
    return _called(verb, words, options, progress=progress)


def _text(value: Any) -> str:
    return os.fspath(value) if isinstance(value, os.PathLike) else str(value)


def _called(
    verb: str,
    words: Iterable[object],
    options: Mapping[str, object],
    *,
    progress: Progress | None = None,
    qrels: dict[str, Any] | None = None,
    runs: dict[str, Any] | None = None,
) -> Any:
    request = {"command": verb, "arguments": [_text(word) for word in words], "options": options}
    code, text = _barecode.call(json.dumps(request, default=_text), qrels=qrels, runs=runs, progress=progress)
    try:
        answer = json.loads(text)
    except ValueError:
        return text
    if code and isinstance(answer, dict):
        answer["exit"] = code
    return answer


class Scores(dict[str, float]):
    """The value of each measure, by its name; with more in attributes."""

    #: A dictionary for each measure: ``value``, ``low`` and ``high`` of the 95 % interval, ``too_few``, with a corpus
    #: ``ceiling`` and ``floor``.
    scores: list[answers.Scored]
    #: How many queries count, how many of them the run lacks, and for how many no retrieved document is judged.
    queries: answers.ScoredQueries
    #: With ``by_query``, the values of each query: ``{query: {measure: value}}``.
    by_query: dict[str, dict[str, float]]

    def __repr__(self) -> str:
        lines = []
        for one in self.scores:
            interval = f" [{one['low']:.4f}, {one['high']:.4f}]" if one["low"] is not None else ""
            few = " (too few queries)" if one["too_few"] else ""
            lines.append(f"{one['measure']}\t{one['value']:.4f}{interval}{few}")
        missing = self.queries["not_in_run"]
        if missing:
            lines.append(f"{missing} of {self.queries['scored']} judged queries are not in the run and count as 0")
        return "\n".join(lines)


def _measures(measures: str | Iterable[str]) -> list[str]:
    return [measures] if isinstance(measures, str) else list(measures)


def _held(name: str, value: Numbers, held: dict[str, Any]) -> str:
    """A file, or the name under which a dictionary or a table is held."""
    if isinstance(value, str | os.PathLike):
        return os.fspath(value)
    held[name] = dict(value) if isinstance(value, Mapping) and not isinstance(value, dict) else value
    return name


def score(
    qrels: Numbers,
    run: Numbers,
    measures: str | Iterable[str] = "nDCG@10",
    *,
    by_query: bool = False,
    ties: str = "expected",
    corpus: Path | None = None,
    allow_unjudged: bool = False,
    mteb: Path | None = None,
    progress: Progress | None = None,
    threads: int | None = None,
) -> Scores:
    """Scores a run against judgments, as ``barecode score`` does.

    ``qrels`` and ``run`` are files (TREC, ranx, BEIR, MTEB), dictionaries, or tables with columns for query
    (``q_id``, ``query_id``, ``qid``), document (``doc_id``, ``corpus_id``, ``docno``) and number (``score``, ``relevance``, ``rel``).
    ``measures`` are in the notation of ``ir_measures``: ``"nDCG@10"``, ``"AP"``, ``"RR(rel=2)@10"``. Equal scores are worth what they
    are worth on average (``ties="expected"``); ``"docno"`` breaks them as ``trec_eval`` does. ``corpus`` is a JSONL file of all
    documents: it adds ceilings and floors. A run of which no document is judged for any query is refused without
    ``allow_unjudged``. ``mteb`` is a file that gets the means as MTEB's result of a task:
    ``"results/MODEL/REVISION/TASK.json"``.

    >>> import barecode
    >>> scores = barecode.score({"q": {"a": 1}}, {"q": {"a": 1.0, "b": 1.0}}, ["RR", "R@1"])
    >>> scores["RR"], scores["R@1"]
    (0.75, 0.5)
    """
    qrels_held: dict[str, Any] = {}
    runs_held: dict[str, Any] = {}
    words = [_held("qrels", qrels, qrels_held), _held("run", run, runs_held), *_measures(measures)]
    options = {"by_query": by_query, "ties": ties, "corpus": corpus, "mteb": mteb, "threads": threads}
    options["allow_unjudged"] = allow_unjudged
    answer = _called("score", words, options, qrels=qrels_held, runs=runs_held, progress=progress)
    scores = Scores((one["measure"], one["value"]) for one in answer["scores"])
    scores.scores = answer["scores"]
    scores.queries = answer["queries"]
    scores.by_query = {one["query"]: one["values"] for one in answer.get("by_query", [])}
    return scores


def compare(
    qrels: Numbers,
    runs: Mapping[str, Numbers] | Iterable[Path],
    measures: str | Iterable[str] = "nDCG@10",
    *,
    progress: Progress | None = None,
    **options: Unpack[CompareOptions],
) -> answers.Compared:
    """Compares runs on the same queries: paired differences with intervals, and tests corrected for their number.

    ``runs`` are files, or a dictionary of names with files, dictionaries or tables. ``options`` are those of
    ``barecode compare``: ``judge="tukey"``, ``ties="docno"``, ``resamples=9999``.

    >>> import barecode
    >>> qrels = {f"q{i}": {"a": 1} for i in range(20)}
    >>> one = {f"q{i}": {"a": 1.0, "b": 0.5} for i in range(20)}
    >>> other = {f"q{i}": {"a": 0.5, "b": i / 10} for i in range(20)}
    >>> answer = barecode.compare(qrels, {"one": one, "other": other})
    >>> [system["name"] for system in answer["comparisons"][0]["systems"]]
    ['one', 'other']
    """
    qrels_held: dict[str, Any] = {}
    runs_held: dict[str, Any] = {}
    words = [_held("qrels", qrels, qrels_held), *runs]
    if isinstance(runs, Mapping):
        # A file goes by the name that it was given here.
        runs_held.update(runs)
    return cast("answers.Compared", _called("compare", words, {"measure": _measures(measures), **options}, qrels=qrels_held, runs=runs_held, progress=progress))


@contextlib.contextmanager
def _folder(dataset: Dataset) -> Iterator[Path]:
    """The path of a dataset; of one in memory, a folder in BEIR's layout that is removed afterwards."""
    if isinstance(dataset, str | os.PathLike):
        yield dataset
        return
    parts = ("corpus", "queries", "qrels")
    if not isinstance(dataset, Mapping):
        wanted = "expected a path, or a dictionary of `corpus`, `queries` and `qrels` (what `assemble` kept is one)"
        raise TypeError(f"`dataset` is {type(dataset).__name__}, {wanted}")
    subsets = {"dataset": dataset} if any(part in dataset for part in parts) else dataset
    if not subsets:
        raise wrong("the dataset has no subset", "a dataset has `corpus`, `queries` and `qrels`")
    for name, subset in subsets.items():
        # It becomes the name of a folder.
        if not isinstance(name, str) or name in ("", ".", "..") or any(letter in name for letter in "/\\\0"):
            raise wrong(f"the subset {name!r} cannot be named so", "a name has no `/`, and is neither `.` nor `..`")
        missing = [part for part in parts if not isinstance(subset, Mapping) or part not in subset]
        if missing:
            raise wrong(f"the subset `{name}` has no `{missing[0]}`", "a subset has `corpus`, `queries` and `qrels`")
    with tempfile.TemporaryDirectory(prefix="barecode-") as root:
        for name, subset in subsets.items():
            folder = os.path.join(root, "dataset", name) if len(subsets) > 1 else os.path.join(root, name)
            os.makedirs(os.path.join(folder, "qrels"))
            _write_beir(folder, subset)
        yield os.path.join(root, "dataset") if len(subsets) > 1 else folder


def _write_beir(folder: str, subset: Mapping[str, Any]) -> None:
    for part in ("corpus", "queries"):
        with open(os.path.join(folder, f"{part}.jsonl"), "w", encoding="utf-8") as out:
            for row in _rows(subset[part]):
                key = _column(row, ("id", "_id"), part)
                _column(row, ("text",), part)
                line = {"_id": row.pop(key), **row}
                out.write(json.dumps(line, ensure_ascii=False, default=str) + "\n")
    with open(os.path.join(folder, "qrels", "test.tsv"), "w", encoding="utf-8") as out:
        out.write("query-id\tcorpus-id\tscore\n")
        for query, documents in _judgments(subset["qrels"]):
            for document, grade in documents:
                out.write(f"{query}\t{document}\t{_grade(query, document, grade)}\n")


def _grade(query: str, document: str, grade: object) -> int:
    """A grade as whole number, ``1.0`` among them, as :func:`score` takes it."""
    number = float(grade) if isinstance(grade, numbers.Real) else math.nan
    if number.is_integer():
        return int(number)
    raise wrong(f"the grade {grade!r} of `{document}` for the query `{query}` is not a whole number")


def _column(row: Mapping[str, Any], names: tuple[str, ...], table: str) -> str:
    """The one of these columns that a table has."""
    found = [name for name in names if name in row]
    if not found:
        raise wrong(f"`{table}` has no column `{names[0]}`, found {', '.join(row)}", f"it may be called {', '.join(names)}")
    if len(found) > 1:
        raise wrong(f"`{table}` has several columns that may be it: {', '.join(found)}", "leave all but one out")
    return found[0]


def _rows(texts: Mapping[str, str] | Rows) -> Iterator[dict[str, Any]]:
    if isinstance(texts, Mapping):
        for key, text in texts.items():
            yield {"id": key, "text": text}
    else:
        yield from _barecode.table_of(texts)


def _judgments(qrels: Mapping[str, Mapping[str, int]] | Rows) -> Iterator[tuple[str, Iterable[tuple[str, int]]]]:
    if isinstance(qrels, Mapping):
        for query, documents in qrels.items():
            yield query, documents.items()
        return
    for row in _barecode.table_of(qrels):
        query = row[_column(row, ("query_id", "query-id", "q_id", "qid"), "qrels")]
        document = row[_column(row, ("corpus_id", "corpus-id", "doc_id", "docno"), "qrels")]
        grade = row[_column(row, ("score", "relevance", "rel", "grade"), "qrels")]
        yield query, [(document, grade)]


#: A dataset: a path (any format that is read, or ``"hf:ORG/NAME"``), a dictionary of ``corpus``, ``queries`` and
#: ``qrels`` (tables, or texts and grades by id), or of such by the name of a subset, as :func:`barecode.assemble` leaves it
#: (each draw of a setting is a subset of its own then, where a run's folder has them as one).
Dataset = Path | Mapping[str, Any]


def audit(dataset: Dataset, *, progress: Progress | None = None, **options: Unpack[AuditOptions]) -> answers.Audited:
    """What is wrong with a dataset: twins, leaks, residue of names, damaged texts, judgments that say nothing.

    ``options`` are those of ``barecode audit``: ``select=["BA1"]``, ``ignore=["BA6"]``, ``fail_on="warning"``.

    >>> import barecode
    >>> corpus = {"a": "int f(void) { return 1; }", "b": "int f(void) { return 1; }"}
    >>> answer = barecode.audit({"corpus": corpus, "queries": {"q": "returns one"}, "qrels": {"q": {"a": 1}}})
    >>> any(finding["code"] == "BA001" for finding in answer["findings"])
    True
    """
    with _folder(dataset) as path:
        return cast("answers.Audited", _called("audit", [path], options, progress=progress))


def evaluate(
    dataset: Dataset,
    models: str | Iterable[str],
    *,
    out: Path | None = None,
    progress: Progress | None = None,
    **options: Unpack[EvalOptions],
) -> answers.Evaluated:
    """Evaluates models on a dataset, as ``barecode eval`` does: scores with intervals, tied groups, ceiling and floor.

    ``models`` are short forms (``"bm25"``, ``"hf:sentence-transformers/all-MiniLM-L6-v2"``). Lists and scores stay in ``out``; without it
    nothing stays but cached vectors. ``options`` are those of ``barecode eval``: ``measure=["nDCG@10"]``, ``pool="uniform:99"``, ``fuse="rrf"``,
    ``rerank="cohere:rerank-v3.5"``, ``budget=2``, ``dry_run=True``.
    """
    with _folder(dataset) as path, contextlib.ExitStack() as stack:
        if out is None:
            root = stack.enter_context(tempfile.TemporaryDirectory(prefix="barecode-"))
            out = os.path.join(root, "eval")
        return cast("answers.Evaluated", _called("eval", [path], {"model": _measures(models), "out": out, **options}, progress=progress))


def convert(source: Path, target: Path, to: str, **options: Unpack[ConvertOptions]) -> answers.Converted:
    """Converts a benchmark from one format to another: ``convert("clarc/cleaned", "out", "beir")``.

    ``source`` is a file, a folder, or a dataset of the hub (``"hf:ORG/NAME"``, ``"hf:ORG/NAME@REVISION"``).
    ``options`` are those of ``barecode convert``, such as ``lossy=True``.
    """
    return cast("answers.Converted", _called("convert", [source, target], {"to": to, **options}))


def stats(dataset: Path, **options: Unpack[StatsOptions]) -> answers.Described:
    """Statistics of a dataset or of a recipe's run: pairs, tokens, lines, complexity, repositories."""
    return cast("answers.Described", _called("stats", [dataset], options))


def build(
    recipe: Path | Mapping[str, Any],
    *,
    out: Path | None = None,
    progress: Progress | None = None,
    **options: Unpack[BuildOptions],
) -> answers.Built:
    """Runs all stages of a recipe in a run folder, as ``barecode build`` does, and resumes where one was interrupted.

    A recipe as a dictionary needs ``out``, where it is written as ``recipe.toml`` too. Returns the account of each stage, the
    scores and the path of the page. ``options`` are those of the command: ``threads=2``, ``budget=5``.
    """
    with contextlib.ExitStack() as stack:
        if isinstance(recipe, Mapping):
            if out is None:
                raise _barecode.failure(2, "a recipe that is a dictionary needs `out`, the run folder")
            text = _barecode.recipe_text(None, json.dumps(dict(recipe)))
            # Paths of a dictionary are relative to where Python works, and those of a file to its folder.
            file = stack.enter_context(tempfile.NamedTemporaryFile("w", suffix=".toml", dir=".", encoding="utf-8"))
            file.write(text)
            file.flush()
            recipe = file.name
        return cast("answers.Built", _called("build", [recipe], {"out": out, **options}, progress=progress))


def try_(
    code: Path,
    models: str | Iterable[str] = (),
    *,
    out: Path | None = None,
    progress: Progress | None = None,
    **options: Unpack[TryOptions],
) -> answers.Tried:
    """Which model to use on one's own code, and whether it still works when names do not help: ``barecode try``.

    ``code`` is a folder or the address of a git repository; ``models`` stand beside BM25. ``options`` are those of the
    command: ``functions=400``, ``queries="questions.csv"``, ``dry_run=True``.
    """
    return cast("answers.Tried", _called("try", [code], {"model": _measures(models), "out": out, **options}, progress=progress))
