"""How far the work is, as bars."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from barecode._errors import library

#: What is called with a verb, a noun, how much is done, and of how much.
Progress = Callable[[str, str, int, int], None]


def bars(**options: Any) -> Progress:
    """A ``progress`` that draws a bar of tqdm for each verb: ``barecode.build(recipe, progress=barecode.bars())``.

    ``options`` are tqdm's own, such as ``leave=False``. Needs the package tqdm.
    """
    tqdm = library("tqdm.auto").tqdm

    shown: dict[str, Any] = {}

    def progress(verb: str, noun: str, done: int, total: int) -> None:
        bar = shown.get(verb)
        if bar is None:
            bar = shown[verb] = tqdm(total=total, desc=verb, unit=f" {noun}", **options)
        if done < bar.n or bar.total != total:
            bar.reset(total)
        bar.update(done - bar.n)
        if done >= total:
            bar.close()
            del shown[verb]

    return progress
