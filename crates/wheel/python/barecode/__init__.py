"""Code retrieval benchmarks from real repositories, stripped bare one layer at a time.

What there is:

- **Scores of files, dictionaries and tables**: :func:`score`, :func:`compare`.
- **Any benchmark**: :func:`audit`, :func:`evaluate`, :func:`convert`, :func:`stats`.
- **One's own code**: :func:`try_`, :func:`build`.
- **A picture of what each setting costs**: :func:`plot`.
- **The stages, from table to table**: :func:`extract`, :func:`check`, :func:`vary`, :func:`query`, :func:`assemble`,
  :func:`retrieve`; of Python programs with tests: :mod:`barecode.programs`.
- **Models**: :class:`Model`, :func:`nearest`.
- **Every other command**: :func:`command`.

Tables enter as anything with Arrow's PyCapsule interface (pyarrow, polars, pandas 3, duckdb) and leave as
:class:`Table`, which all of these take as it is. Failures are :class:`Error` with the message and the hint of the command;
notes go to the logger ``barecode``. Ctrl-C ends a call within two seconds. ``progress`` is called with a verb, a noun, how
much is done, and of how much; :func:`bars` makes tqdm's bars of it.
"""

from barecode import programs
from barecode._barecode import (
    Error,
    InputError,
    Table,
    ToolMissingError,
    UsageError,
    WriteError,
    __version__,
    nearest,
    read_table,
)
from barecode._commands import (
    Scores,
    audit,
    build,
    command,
    compare,
    convert,
    evaluate,
    score,
    stats,
    try_,
)
from barecode._models import Model, retrieve
from barecode._plot import plot
from barecode._progress import bars
from barecode._stages import Assembled, Outcome, assemble, check, extract, query, vary

__all__ = [
    "Assembled",
    "Error",
    "InputError",
    "Model",
    "Outcome",
    "Scores",
    "Table",
    "ToolMissingError",
    "UsageError",
    "WriteError",
    "__version__",
    "assemble",
    "audit",
    "bars",
    "build",
    "check",
    "command",
    "compare",
    "convert",
    "evaluate",
    "extract",
    "nearest",
    "plot",
    "programs",
    "query",
    "read_table",
    "retrieve",
    "score",
    "stats",
    "try_",
    "vary",
]
