"""What tables of other libraries need before they are read."""

from __future__ import annotations

from typing import Any


def whole(table: Any) -> Any:
    """A table of pyarrow without slices of nested columns, which the reader of Arrow 59 cannot take; others stay as they are."""
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
