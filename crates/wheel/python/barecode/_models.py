"""Models over texts: vectors and lists."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from barecode import _barecode
from barecode._barecode import Table
from barecode._progress import Progress

if TYPE_CHECKING:
    import numpy
    import numpy.typing

#: Texts by id, or texts whose ids are their places: ``"0"``, ``"1"``, ….
Texts = Mapping[str, str] | Sequence[str]


def _pairs(texts: Texts) -> list[tuple[str, str]]:
    if isinstance(texts, Mapping):
        return [(str(key), text) for key, text in texts.items()]
    return [(str(place), text) for place, text in enumerate(texts)]


class Model(_barecode.Model):
    """A model by its short form, as ``--model`` of the command takes it.

    ``"local:FOLDER"``, ``"hf:ORG/NAME"``, ``"openai:MODEL"``, ``"openai+URL"``, ``"voyage:MODEL"``, … embed texts; ``"bm25"``,
    ``"bm25:tokenizer=plain,k1=1.2"`` and ``"jaccard"`` compare words. Vectors are cached in the user's cache folder (``cache``
    names another, ``no_cache=True`` none); ``budget`` is the most that it may take, in dollars; ``cassette`` a file in which
    answers of servers are recorded, and with ``replay=True`` the only one asked. Keys come from the environment.

    >>> import barecode
    >>> model = barecode.Model("bm25")
    >>> found = model.retrieve({"a": "reads a file", "b": "adds two numbers"}, {"q": "adds numbers"})
    >>> found.to_pylist()[0]["doc_id"]
    'b'
    """

    def encode(
        self, texts: Sequence[str], *, side: str = "document", progress: Progress | None = None
    ) -> numpy.typing.NDArray[numpy.float32]:
        """The vectors of texts, 32-bit floats, a row for each text; ``side`` is ``"document"`` or ``"query"``."""
        return self._encode(list(texts), side, progress)

    def retrieve(
        self, documents: Texts, queries: Texts, *, depth: int = 1000, progress: Progress | None = None
    ) -> Table:
        """What it lists for each query, best first: columns ``query_id``, ``doc_id``, ``rank``, ``score``.

        Lists have ``depth`` documents; one is never cut between equal scores.
        """
        return self._retrieve(_pairs(documents), _pairs(queries), depth, progress)

    @property
    def usage(self) -> dict[str, Any]:
        """What it was asked so far: requests, texts, tokens, dollars, texts that were cut, texts from the cache."""
        return {name.replace("-", "_"): value for name, value in json.loads(self._usage()).items()}


def retrieve(
    documents: Texts,
    queries: Texts,
    model: str = "bm25",
    *,
    depth: int = 1000,
    progress: Progress | None = None,
    threads: int | None = None,
    cache: str | os.PathLike[str] | None = None,
    no_cache: bool = False,
    budget: float | None = None,
    cassette: str | os.PathLike[str] | None = None,
    replay: bool = False,
) -> Table:
    """What a model lists for each query; the other options are those of :class:`Model`.

    >>> import barecode
    >>> run = barecode.retrieve({"a": "reads a file", "b": "adds two numbers"}, {"q": "adds numbers"})
    >>> barecode.score({"q": {"b": 1}}, run, "RR")["RR"]
    1.0
    """
    made = Model(
        model,
        threads=threads,
        cache=cache,
        no_cache=no_cache,
        budget=budget,
        cassette=cassette,
        replay=replay,
    )
    return made.retrieve(documents, queries, depth=depth, progress=progress)
