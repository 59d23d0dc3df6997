"""Errors and choices of what is written in Python."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

from barecode import _barecode

#: The exit codes of the command for the errors that Python raises itself.
_CODES = {_barecode.UsageError: 2, _barecode.InputError: 4, _barecode.ToolMissingError: 5}


def wrong(message: str, hint: str | None = None, kind: type[_barecode.Error] = _barecode.InputError) -> _barecode.Error:
    """An error with message, hint and code, as the compiled part raises it."""
    return _barecode.failure(_CODES[kind], message, hint)


#: What brings the libraries that are not needed unless they are asked for.
_EXTRAS = {"matplotlib": "'barecode[plot]'", "pyarrow": "'barecode[tables]'"}


def library(name: str) -> Any:
    """A library that is not needed unless it is asked for."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        hint = f"pip install {_EXTRAS.get(name.split('.')[0], name.split('.')[0])}"
        raise wrong(f"this needs `{name}`: {error}", hint, _barecode.ToolMissingError) from None


def one_of(choices: Mapping[str, Any], name: str | None, what: str) -> Any:
    """What has this name, or the only thing that there is."""
    if name is None and len(choices) == 1:
        return next(iter(choices.values()))
    if name is not None and name in choices:
        return choices[name]
    there = ", ".join(choices) or "nothing"
    if name is None:
        raise wrong(f"several {what}s, and none is named: {there}", f"name one: {what}=…")
    raise wrong(f"no {what} `{name}`: there are {there}")
