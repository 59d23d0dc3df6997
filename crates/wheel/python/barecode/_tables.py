"""What tables of other libraries need before they are read, and what those of ours show."""

from __future__ import annotations

import html as markup
from typing import Any, Protocol


class Rows(Protocol):
    """A table of any library with Arrow's PyCapsule interface: pyarrow, polars, pandas 2.2, duckdb, ours."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


#: Rows, and letters of a cell, that a notebook shows.
ROWS, LETTERS = 10, 80


def whole(table: Any) -> Any:
    """A table without what the reader of Arrow 59 cannot take: slices of nested columns of pyarrow, columns of polars that have
    no type, for all is empty; others stay as they are."""
    if type(table).__module__.startswith("polars."):
        import polars

        if not isinstance(table, polars.DataFrame):
            return table
        return table.with_columns(polars.col(polars.Null).cast(polars.String))
    import pyarrow

    if isinstance(table, pyarrow.RecordBatch):
        table = pyarrow.Table.from_batches([table])
    if not isinstance(table, pyarrow.Table):
        return table
    nested = (column for column in table.columns if pyarrow.types.is_struct(column.type))
    if not any(chunk.offset for column in nested for chunk in column.chunks):
        return table
    sink = pyarrow.BufferOutputStream()
    with pyarrow.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return pyarrow.ipc.open_stream(sink.getvalue()).read_all()


def part(table: Any, key: Any) -> Any:
    """A column, a row as a dictionary, or some rows as a table of ours; of a table of pyarrow."""
    from barecode import _barecode

    if isinstance(key, str):
        return table[key]
    if isinstance(key, slice):
        return _barecode.table_of(table.take(list(range(*key.indices(table.num_rows)))))
    place = range(table.num_rows)[key]
    return table.slice(place, 1).to_pylist()[0]


def html(table: Any) -> str:
    """The first rows for a notebook; long texts are cut."""

    def cell(value: Any) -> str:
        text = "" if value is None else str(value)
        return markup.escape(text if len(text) <= LETTERS else text[: LETTERS - 1] + "…")

    try:
        rows = table[:ROWS].to_pylist()
    except Exception:  # Without pyarrow there are no rows to show.
        return f"<pre>{markup.escape(repr(table))}</pre>"
    head = "".join(f"<th>{markup.escape(name)}</th>" for name in table.column_names)
    body = "".join("<tr>" + "".join(f"<td>{cell(value)}</td>" for value in row.values()) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table><p>{len(table)} rows</p>"
