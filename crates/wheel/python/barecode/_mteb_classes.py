"""MTEB's classes for barecode's data and models; :mod:`barecode.mteb` imports them when they are first needed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy
import pyarrow
from datasets import Dataset
from mteb.abstasks.retrieval import AbsTaskRetrieval
from mteb.abstasks.task_metadata import TaskMetadata
from mteb.cache import ResultCache
from mteb.languages import check_language_code
from mteb.models.abs_encoder import AbsEncoder
from mteb.models.model_meta import ModelMeta, ScoringFunction
from mteb.results import TaskResult
from mteb.types import Licenses, PromptType

from barecode._errors import one_of, wrong
from barecode._models import Model

#: What :mod:`barecode.mteb` takes from here; where MTEB lacks one of them, its interface is another.
__all__ = [
    "Encoder",
    "Licenses",
    "ModelMeta",
    "Part",
    "ResultCache",
    "Retrieval",
    "Search",
    "TaskMetadata",
    "TaskResult",
    "check_language_code",
    "meta",
]


class Part(NamedTuple):
    """One split of one subset, as MTEB holds it in memory."""

    corpus: pyarrow.Table
    queries: pyarrow.Table
    qrels: dict[str, dict[str, int]]
    candidates: dict[str, list[str]] | None


class Retrieval(AbsTaskRetrieval):
    """A dataset that barecode read, as a task; each dataset gets a subclass with its metadata and its data.

    A document's text is its title and its text without blanks at the ends, as :func:`barecode.evaluate` gives it to
    models.
    """

    #: The data, by subset and split.
    parts: Mapping[str, Mapping[str, Part]] = {}
    #: What the queries of a subset have in common, where the dataset lists it: ``group``, ``setting``, ``draw``, ….
    facets: Mapping[str, Mapping[str, Any]] = {}

    def load_data(self, num_proc: int | None = None, **_: Any) -> None:
        """Hands over what was read when the task was made; nothing is fetched."""
        if getattr(self, "data_loaded", False):
            return
        self.dataset = {
            subset: {
                split: {
                    "corpus": Dataset(part.corpus),
                    "queries": Dataset(part.queries),
                    "relevant_docs": {query: dict(grades) for query, grades in part.qrels.items()},
                    "top_ranked": part.candidates,
                }
                for split, part in splits.items()
            }
            for subset, splits in self.parts.items()
        }
        self.data_loaded = True

    def qrels(self, subset: str | None = None, split: str | None = None) -> dict[str, dict[str, int]]:
        """The judgments of a split of a subset, as :func:`barecode.score` and :func:`barecode.compare` take them."""
        part: Part = one_of(one_of(self.parts, subset, "subset"), split, "split")
        return part.qrels


class Search:
    """A model that lists documents itself: MTEB's ``SearchProtocol``."""

    def __init__(self, asked: Model, meta: ModelMeta) -> None:
        self.asked = asked
        self._meta = meta
        self._documents: dict[str, str] = {}

    @property
    def mteb_model_meta(self) -> ModelMeta:
        """MTEB's description of the model; the revision changes with everything that its lists depend on."""
        return self._meta

    def index(self, corpus: Dataset, **_: Any) -> None:
        """Keeps the texts of the documents: title and text, without blanks at the ends."""
        titles = corpus["title"] if "title" in corpus.column_names else [""] * len(corpus)
        texts = (f"{title or ''} {text}".strip() for title, text in zip(titles, corpus["text"], strict=True))
        self._documents = dict(zip(corpus["id"], texts, strict=True))

    def search(
        self, queries: Dataset, *, top_k: int, top_ranked: Mapping[str, list[str]] | None = None, **_: Any
    ) -> dict[str, dict[str, float]]:
        """The lists, of the candidates alone where a task has some. Equal scores are never cut apart."""
        # Candidates are ranked by what the whole corpus makes of them, so the lists are whole first.
        depth = top_k if top_ranked is None else max(top_k, len(self._documents))
        run = self.asked.retrieve(self._documents, query_texts(queries), depth=depth)
        # Who finds nothing has an empty list: MTEB averages over the queries that it is handed.
        lists: dict[str, dict[str, float]] = {query: {} for query in queries["id"]}
        allowed = {query: set(documents) for query, documents in (top_ranked or {}).items()}
        columns = run.to_pyarrow()
        rows = zip(*(columns[name].to_pylist() for name in ("query_id", "doc_id", "score")), strict=True)
        for query, document, score in rows:
            if top_ranked is None or document in allowed.get(query, ()):
                lists[query][document] = score
        return lists


def query_texts(queries: Dataset) -> dict[str, str]:
    """The texts of queries by id, each with its instruction behind it as MTEB joins them."""
    texts = list(queries["text"])
    if texts and not isinstance(texts[0], str):
        raise wrong("the queries of the task are conversations, and barecode's models read texts")
    if "instruction" in queries.column_names:
        texts = [f"{text} {more}" if more is not None else text for text, more in zip(texts, queries["instruction"])]
    return dict(zip(queries["id"], texts, strict=True))


class Encoder(Search, AbsEncoder):
    """A model with vectors: MTEB's ``EncoderProtocol``.

    Retrieval is searched exactly, by the model's own similarity; tasks of other types compare vectors by their cosine.
    """

    def encode(self, inputs: Any, *, prompt_type: PromptType | None = None, **_: Any) -> numpy.ndarray:
        """The vectors of the texts, read as a query or as a document."""
        texts = [text for batch in inputs for text in batch["text"]]
        return self.asked.encode(texts, side="query" if prompt_type == PromptType.query else "document")


def meta(name: str, revision: str, *, vectors: bool) -> ModelMeta:
    """MTEB's description of one of our models."""
    known = {
        "name": name,
        "revision": revision,
        "languages": None,
        "similarity_fn_name": ScoringFunction.COSINE if vectors else None,
        "model_type": ["dense"] if vectors else ["sparse"],
    }
    return ModelMeta.create_empty(overwrites=known)
