"""MTEB both ways: barecode's datasets and models in MTEB, and MTEB's lists and scores in barecode.

Needs ``pip install "barecode[mteb]"``; :func:`predictions` and :func:`scores` read files without it::

    import mteb
    import barecode.mteb

    task, = barecode.mteb.tasks("runs/demo", groups=["group1"])
    result = mteb.evaluate(barecode.mteb.model("bm25"), task, prediction_folder="predictions")
    barecode.mteb.scores(result, [task])
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import logging
import os
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sized
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import numpy

from barecode import _barecode
from barecode._commands import Dataset, Numbers, _folder, convert, score
from barecode._errors import one_of, wrong
from barecode._models import Model

if TYPE_CHECKING:
    from mteb.models.model_meta import ModelMeta
    from mteb.results import ModelResult, TaskResult

    from barecode._mteb_classes import Encoder, Part, Retrieval, Search

__all__ = ["model", "predictions", "scores", "tasks", "write_results"]

#: The measures of MTEB's retrieval tasks that barecode computes; the first is the main one.
MEASURES = ["ndcg_at_10"] + [
    f"{name}_at_{cutoff}"
    for name in ("ndcg", "map", "recall", "precision", "mrr", "hit_rate")
    for cutoff in (1, 3, 5, 10, 20, 100, 1000)
    if (name, cutoff) != ("ndcg", 10)
]

#: The columns that a model reads, and what they are of.
_READ = ("id", "title", "text")

#: MTEB's names of languages, where they are not barecode's.
_LANGUAGES = {"cpp": "c++", "csharp": "c#", "c_sharp": "c#", "bash": "shell"}

_log = logging.getLogger("barecode")


def _classes() -> Any:
    """The module of MTEB's classes, if MTEB is here and is what we know."""
    try:
        from barecode import _mteb_classes
    except ImportError as error:
        # Imported here, so that the error is one of barecode's whatever is missing.
        missing = error.name or str(error)
        try:
            version = importlib.metadata.version("mteb")
        except importlib.metadata.PackageNotFoundError:
            message, hint = "the package mteb is not installed", 'pip install "barecode[mteb]"'
        else:
            if missing.split(".")[0] in ("mteb", "datasets"):
                message = f"mteb {version} has another interface than barecode knows: {error}"
                hint = 'pip install --upgrade "barecode[mteb]"'
            else:
                message = f"mteb {version} is installed without `{missing}`, which it needs"
                hint = 'pip install "barecode[mteb]" installs it whole'
        raise wrong(message, hint, _barecode.ToolMissingError) from error
    return _mteb_classes


def tasks(
    dataset: Dataset,
    *,
    name: str | None = None,
    subsets: Iterable[str] | None = None,
    groups: Iterable[str] | None = None,
    splits: Iterable[str] | None = None,
    languages: list[str] | None = None,
    **metadata: Any,
) -> list[Retrieval]:
    """A dataset as retrieval tasks of MTEB: its settings are MTEB's subsets, and each group of functions is a task.

    ``dataset`` is the folder of a run or of a release, what :func:`barecode.convert` reads (``"hf:ORG/NAME"`` too), or a dictionary
    as :func:`barecode.evaluate` takes it. Groups are those that the dataset lists in ``subsets.parquet``; where it lists none,
    there is one task. ``subsets``, ``groups`` and ``splits`` name
    what to take; without ``splits`` that is ``test``, or everything where there is none. Probes, and subsets without a
    judged query, are left out with a note to the logger ``barecode``.

    A draw of a setting is a subset of its own, so MTEB's mean over the subsets of a task counts a setting once for each draw;
    :func:`scores` averages draws first. MTEB's cache knows results by the task's name alone, so the name ends with a digest
    of the data, which is the revision too: ``demo-group1-1f0c52a9``.

    ``languages`` are MTEB's codes, for datasets that do not say what theirs are; queries are taken for English.
    ``metadata`` are fields of MTEB's ``TaskMetadata``: ``license="mit"``, ``reference="https://…"``.
    """
    classes = _classes()
    read, facets, facts = _read(classes, dataset)
    read, facets = _chosen(read, facets, subsets=subsets, groups=groups, splits=splits)
    of_task: dict[tuple[str, tuple[str, ...]], dict[str, dict[str, Part]]] = {}
    for subset, parts in read.items():
        # MTEB asks for every split of every subset, so a task has subsets of the same splits.
        group = facets.get(subset, {}).get("group") or ""
        of_task.setdefault((group, tuple(parts)), {})[subset] = parts
    names = {group for group, _ in of_task}
    made = []
    for (group, own), subsets_of in of_task.items():
        several = [which for which, _ in of_task].count(group) > 1
        words = [name or facts["name"], *([group] if group and len(names) > 1 else []), *(own if several else [])]
        made.append(_task(classes, "-".join(words), subsets_of, facets, facts, languages, metadata))
    return made


def _read(
    classes: Any, dataset: Dataset
) -> tuple[dict[str, dict[str, Part]], dict[str, dict[str, Any]], dict[str, Any]]:
    """The parts by subset and split, the facets by subset, and what is known of the whole."""
    import pyarrow.parquet

    in_memory = not isinstance(dataset, str | os.PathLike)
    if isinstance(dataset, str | os.PathLike):
        dataset = _inside(os.fspath(dataset))
    with _folder(dataset) as source, tempfile.TemporaryDirectory(prefix="barecode-") as root:
        target = Path(root) / "mteb"
        # As `evaluate` reads: what loaders make of the data, with a note where that differs from what the files say.
        account = convert(source, target, "mteb", lossy=True, lenient=True)
        listed = Path(account["from"]["folder"]) / "subsets.parquet"
        facets = _barecode.read_table(listed).to_pylist() if listed.is_file() else []

        def table(subset: str, part: str, split: str) -> Any:
            config = part if subset == "default" else f"{subset}-{part}"
            file = target / config / f"{split}-00000-of-00001.parquet"
            return pyarrow.parquet.read_table(file) if file.is_file() else None

        read: dict[str, dict[str, Part]] = {}
        for one in account["subsets"]:
            subset, split = one["subset"], one["split"]
            read.setdefault(subset, {})[split] = _part(
                classes, *(table(subset, part, split) for part in ("corpus", "queries", "qrels", "top_ranked"))
            )
        card = (target / "README.md").read_text(encoding="utf-8") if (target / "README.md").is_file() else ""
    stated = re.search(r"^license: *['\"]?([^'\"\n]+)", card, re.MULTILINE)
    stem = "dataset" if in_memory else _stem(str(dataset))
    facts = {
        "name": stem,
        "path": stem if in_memory else str(dataset),
        "license": stated[1].strip() if stated else None,
        "mined": bool(facets),
    }
    return read, {row["name"]: row for row in facets}, facts


def _inside(dataset: str) -> str:
    """Where the data lie in the folder of a run or of a release."""
    for inner in ("05-dataset", "huggingface"):
        if (Path(dataset) / inner).is_dir():
            return str(Path(dataset) / inner)
    return dataset


def _stem(dataset: str) -> str:
    if dataset.startswith("hf:") and not Path(dataset).exists():
        return dataset.removeprefix("hf:").split("@")[0].rsplit("/", 1)[-1]
    path = Path(dataset).resolve()
    if path.name in ("05-dataset", "huggingface", "mteb"):
        path = path.parent
    return path.stem if path.is_file() else path.name


def _part(classes: Any, corpus: Any, queries: Any, qrels: Any, candidates: Any) -> Part:
    """A part as MTEB's loader makes it: queries that nothing is judged for are left out."""
    judged: dict[str, dict[str, int]] = {}
    if qrels is not None:
        columns = (qrels[name].to_pylist() for name in ("query-id", "corpus-id", "score"))
        for query, document, grade in zip(*columns, strict=True):
            judged.setdefault(query, {})[document] = grade
    asked = numpy.array([query in judged for query in queries["id"].to_pylist()], dtype=bool)
    listed = None
    if candidates is not None:
        listed = dict(zip(candidates["query-id"].to_pylist(), candidates["corpus-ids"].to_pylist(), strict=True))
    part: Part = classes.Part(corpus, queries.filter(asked).select(["id", "text"]), judged, listed)
    return part


def _chosen(
    read: dict[str, dict[str, Part]],
    facets: dict[str, dict[str, Any]],
    *,
    subsets: Iterable[str] | None,
    groups: Iterable[str] | None,
    splits: Iterable[str] | None,
) -> tuple[dict[str, dict[str, Part]], dict[str, dict[str, Any]]]:
    """The parts that were asked for and have queries."""
    wanted = [subsets] if isinstance(subsets, str) else None if subsets is None else list(subsets)
    groups = [groups] if isinstance(groups, str) else None if groups is None else list(groups)
    splits = [splits] if isinstance(splits, str) else None if splits is None else list(splits)
    all_groups = list(dict.fromkeys(row["group"] for row in facets.values() if row["group"]))
    all_splits = list(dict.fromkeys(split for parts in read.values() for split in parts))
    for what, names, there in (
        ("subset", wanted, list(read)),
        ("group", groups, all_groups),
        ("split", splits, all_splits),
    ):
        unknown = [name for name in names or [] if name not in there]
        if unknown:
            raise wrong(f"no {what} `{unknown[0]}` in the dataset", f"there are {', '.join(there) or 'none'}")
    if splits is None:
        splits = ["test"] if "test" in all_splits else all_splits
    kept: dict[str, dict[str, Part]] = {}
    for subset, parts in read.items():
        if wanted is not None and subset not in wanted:
            continue
        if groups is not None and facets.get(subset, {}).get("group") not in groups:
            continue
        for split in splits:
            part = parts.get(split)
            if part is not None and len(part.queries):
                kept.setdefault(subset, {})[split] = part
            elif wanted is not None:
                raise wrong(f"the subset `{subset}` has no judged query in the split `{split}`")
            else:
                _log.warning("the subset `%s` is left out of %s: it has no judged query there", subset, split)
    if not kept:
        raise wrong("no subset has a judged query", "a retrieval task needs queries and judgments")
    return kept, facets


def _task(
    classes: Any,
    name: str,
    parts: dict[str, dict[str, Part]],
    facets: dict[str, dict[str, Any]],
    facts: dict[str, Any],
    languages: list[str] | None,
    metadata: dict[str, Any],
) -> Retrieval:
    revision = _digest(parts)
    name = f"{re.sub(r'[^A-Za-z0-9._+-]+', '-', name)}-{revision[:8]}"
    codes = {subset: languages or _codes(classes, subset, of_subset) for subset, of_subset in parts.items()}
    fields = {
        "name": name,
        "description": f"Code retrieval of {facts['name']}, as barecode {_barecode.__version__} reads it.",
        "dataset": {"path": facts["path"], "revision": revision},
        "type": "Retrieval",
        "category": "t2t",
        "modalities": ["text"],
        "eval_splits": list(next(iter(parts.values()))),
        "eval_langs": codes["default"] if list(codes) == ["default"] else codes,
        "main_score": "ndcg_at_10",
        "domains": ["Programming", "Written"],
        "task_subtypes": ["Code retrieval"],
        "license": _license(classes, parts, facts["license"]),
        "annotations_creators": "derived" if facts["mined"] else None,
        "dialect": [],
        "sample_creation": "found" if facts["mined"] else None,
        "bibtex_citation": "",
        **metadata,
    }
    of_task = {subset: facets[subset] for subset in parts if subset in facets}
    made = type(
        re.sub(r"\W", "_", name),
        (classes.Retrieval,),
        {"metadata": classes.TaskMetadata(**fields), "parts": parts, "facets": of_task},
    )
    task: Retrieval = made()
    return task


def _digest(parts: dict[str, dict[str, Part]]) -> str:
    """Of everything that a score depends on, whatever the order."""
    digest = hashlib.sha256()
    for subset, split in sorted((subset, split) for subset, splits in parts.items() for split in splits):
        part = parts[subset][split]
        digest.update(json.dumps([subset, split, part.qrels, part.candidates], sort_keys=True).encode())
        for table in (part.corpus, part.queries):
            columns = [table[name].to_pylist() if name in table.column_names else [""] * len(table) for name in _READ]
            digest.update(json.dumps(sorted(zip(*columns, strict=True))).encode())
    return digest.hexdigest()[:40]


def _codes(classes: Any, subset: str, splits: dict[str, Part]) -> list[str]:
    """MTEB's codes of the languages of a subset: English queries, and the code's where its documents say and MTEB has one."""
    found = {
        language
        for part in splits.values()
        if "language" in part.corpus.column_names
        for language in part.corpus["language"].unique().to_pylist()
        if language
    }
    codes = ["eng-Latn"]
    for language in sorted(found):
        code = f"{_LANGUAGES.get(language, language)}-Code"
        try:
            classes.check_language_code(code)
        except ValueError:
            _log.warning("MTEB has no code for the language `%s` of the subset `%s`", language, subset)
        else:
            codes.append(code)
    return codes


def _license(classes: Any, parts: dict[str, dict[str, Part]], stated: str | None) -> str:
    """MTEB's name of the documents' license, or of the one that the card states."""
    found: set[str | None] = set()
    for splits in parts.values():
        for part in splits.values():
            if "license" in part.corpus.column_names:
                found.update(part.corpus["license"].unique().to_pylist())
    if len(found - {None}) > 1:
        return "multiple"
    one = next(iter(found), None) or stated or ""
    known = re.sub(r"-(only|or-later)$", "", one.lower())
    return known if known in get_args(classes.Licenses) else "not specified"


def model(
    spec: str,
    *,
    name: str | None = None,
    threads: int | None = None,
    cache: str | os.PathLike[str] | None = None,
    no_cache: bool = False,
    budget: float | None = None,
    cassette: str | os.PathLike[str] | None = None,
    replay: bool = False,
) -> Search | Encoder:
    """One of barecode's models as a model of MTEB: what compares words as a search, what has vectors as an encoder too.

    ``spec`` and the options are those of :class:`barecode.Model`. Retrieval is searched by barecode: the lists are those of
    :func:`barecode.evaluate`. ``name`` is MTEB's ``organization/model``, by default ``barecode/…``; the revision is a digest of
    everything that the lists depend on, so that MTEB's cache never answers for another model.
    """
    classes = _classes()
    asked = Model(
        spec,
        threads=threads,
        cache=cache,
        no_cache=no_cache,
        budget=budget,
        cassette=cassette,
        replay=replay,
    )
    vectors = asked.embeds
    settings = asked.identity if vectors else spec
    if name is None:
        kind, _, rest = asked.name.partition(":")
        short = Path(rest.split("@")[0]).name if vectors and rest else kind
        name = f"barecode/{re.sub(r'[^A-Za-z0-9._-]+', '-', short)}"
    revision = hashlib.sha256(json.dumps([_barecode.__version__, settings]).encode()).hexdigest()[:40]
    make = classes.Encoder if vectors else classes.Search
    wrapped: Search | Encoder = make(asked, classes.meta(name, revision, vectors=vectors))
    return wrapped


def predictions(
    path: str | os.PathLike[str], subset: str | None = None, split: str | None = None
) -> dict[str, dict[str, float]]:
    """The lists that MTEB saved of one split of one subset, as :func:`barecode.compare` and :func:`barecode.score` take them.

    ``path`` is a file of ``prediction_folder=…``: ``demo-group1-1f0c52a9_predictions.json``. What there is only one of need not be
    named.
    """
    try:
        read = json.loads(Path(path).read_text(encoding="utf-8"))
        subsets = {name: lists for name, lists in read.items() if name != "mteb_model_meta"}
        chosen = one_of(one_of(subsets, subset, "subset"), split, "split")
        return {query: {document: float(value) for document, value in found.items()} for query, found in chosen.items()}
    except (OSError, ValueError, AttributeError, TypeError) as error:
        raise wrong(f"{path} has no predictions of MTEB: {error}") from error


def scores(results: Any, tasks: Iterable[Retrieval] = ()) -> list[dict[str, Any]]:
    """Results of MTEB as rows: ``model``, ``revision``, ``task``, ``split``, ``subset``, and the measures by MTEB's names.

    ``results`` are what ``mteb.evaluate`` returns, a file of results, or a folder of them. With ``tasks`` the draws of a setting are
    averaged to one row, as in barecode's own tables, and ``group``, ``setting`` and ``draws`` are there too. Every draw has
    the same queries, so the mean over draws is the mean over queries of their means.
    """
    facets = {task.metadata.name: task.facets for task in tasks}
    of_row: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for model_name, revision, result in _results(results):
        for split, entries in result["scores"].items():
            for entry in entries:
                row = {"model": model_name, "revision": revision, "task": result["task_name"], "split": split}
                row["subset"] = entry["hf_subset"]
                own = facets.get(row["task"], {}).get(row["subset"])
                if own:
                    if own["draw"] is not None:
                        row["subset"] = row["subset"].removesuffix(f"-{own['draw']}")
                    row.update(group=own["group"], setting=own["setting"])
                numbers = {name: value for name, value in entry.items() if type(value) in (int, float)}
                of_row.setdefault(tuple(row.items()), []).append(numbers)
    rows = []
    for key, draws in of_row.items():
        row = dict(key)
        if "setting" in row:
            row["draws"] = len(draws)
        for name in draws[0]:
            values = [numbers[name] for numbers in draws if name in numbers]
            if len(values) == len(draws):
                row[name] = sum(values) / len(values)
        rows.append(row)
    return rows


def _results(results: Any) -> Iterator[tuple[str | None, str | None, dict[str, Any]]]:
    """Model, revision and content of each result."""
    if isinstance(results, str | os.PathLike):
        path = Path(results)
        inner = path.rglob("*.json") if path.is_dir() else [path]
        files = sorted(file for file in inner if file.name != "model_meta.json")
        if not files:
            raise wrong(f"{path} has no results of MTEB", "they lie in results/MODEL/REVISION/TASK.json")
        for file in files:
            try:
                read = json.loads(file.read_text(encoding="utf-8"))
                named = [entry["hf_subset"] for entries in read["scores"].values() for entry in entries]
            except (OSError, ValueError, KeyError, AttributeError, TypeError) as error:
                raise wrong(f"{file} is not a result of MTEB: {error!r}") from error
            if not named or "task_name" not in read:
                raise wrong(f"{file} is not a result of MTEB: it has no scores, or no task")
            meta = file.with_name("model_meta.json")
            about = json.loads(meta.read_text(encoding="utf-8")) if meta.is_file() else {}
            of_path = (file.parent.parent.name.replace("__", "/"), file.parent.name)
            yield about.get("name") or of_path[0], about.get("revision") or of_path[1], read
    elif hasattr(results, "task_results"):
        for result in results.task_results:
            yield results.model_name, results.model_revision, result.to_dict()
    elif hasattr(results, "task_name"):
        yield None, None, results.to_dict()
    else:
        for one in results:
            yield from _results(one)


def write_results(
    task: Retrieval,
    lists: str | os.PathLike[str] | Mapping[str, Numbers],
    model: str | Search | Encoder | ModelMeta,
    folder: str | os.PathLike[str],
    *,
    split: str | None = None,
    ties: str = "expected",
) -> Path:
    """Scores lists of ours and writes them as MTEB's result of a task: ``FOLDER/results/MODEL/REVISION/TASK.json``.

    ``lists`` are a run by subset, or a folder of them as ``barecode build`` and ``barecode eval`` leave it: ``runs/demo/06-runs/bm25``.
    ``model`` is one of MTEB's, or ``organization/model``. The measures are those of MTEB's retrieval tasks, by barecode; ``ties``
    as of :func:`barecode.score`, where ``"docno"`` is MTEB's own. Who measured is in ``mteb_version``: nobody's, so it is null.
    Returns the path of the file. To write scores without a task, see ``mteb=`` of :func:`barecode.score`.
    """
    classes = _classes()
    if isinstance(model, str):
        model = classes.meta(model, f"barecode-{_barecode.__version__}", vectors=False)
    meta = model if isinstance(model, classes.ModelMeta) else model.mteb_model_meta
    entries = []
    for subset, parts in task.parts.items():
        qrels = one_of(parts, split, "split").qrels
        which = split or next(iter(parts))
        run = lists.get(subset) if isinstance(lists, Mapping) else _list(Path(lists), subset, which)
        if run is None:
            raise wrong(f"no list of the subset `{subset}`", "take a task without it: tasks(…, subsets=[…])")
        if not isinstance(run, Sized) or len(run):
            numbers = dict(zip(MEASURES, score(qrels, run, MEASURES, ties=ties).values(), strict=True))
        else:
            _log.warning("the list of the subset `%s` has no document, so all measures are 0", subset)
            numbers = dict.fromkeys(MEASURES, 0.0)
        languages = task.metadata.hf_subsets_to_langscripts[subset]
        entries.append({**numbers, "main_score": numbers["ndcg_at_10"], "hf_subset": subset, "languages": languages})
    result = classes.TaskResult(
        dataset_revision=task.metadata.revision,
        task_name=task.metadata.name,
        mteb_version=None,
        scores={which: entries},
        evaluation_time=None,
    )
    cache = classes.ResultCache(Path(folder))
    cache.save_to_cache(result, meta)
    path: Path = cache.get_task_result_path(task.metadata.name, meta)
    return path


def _list(folder: Path, subset: str, split: str) -> Any:
    for name in (f"{subset}.{split}.parquet", f"{subset}.parquet"):
        if (folder / name).is_file():
            return _barecode.read_table(folder / name)
    raise wrong(f"{folder} has no list of the subset `{subset}`", "a folder of lists is `06-runs/RETRIEVER` of a run")
