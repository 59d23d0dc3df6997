"""Tables of records: what leaves any library can take, and what enters is looked at."""

import copy
import pickle

import duckdb
import pandas
import polars
import pyarrow
import pytest

import barecode

SHELF = "path:testdata/repos/shelf"


@pytest.fixture(scope="module")
def functions():
    return barecode.extract(SHELF).kept


def test_every_library_takes_a_table_as_it_is(functions):
    table = pyarrow.table(functions)
    assert table.num_rows == len(functions) > 10
    assert table.column_names == functions.column_names
    assert polars.DataFrame(functions).height == len(functions)
    assert len(pandas.DataFrame.from_arrow(functions)) == len(functions)
    relation = duckdb.from_arrow(pyarrow.table(functions))
    assert relation.aggregate("count(*)").fetchall() == [(len(functions),)]
    assert functions.to_polars().height == functions.to_pandas().shape[0] == len(functions.to_pylist())
    assert "functions v" in repr(functions)


def test_what_went_through_another_library_is_the_same(functions):
    whole = barecode.check(functions)
    expected = pyarrow.table(whole.kept)
    assert len(whole.kept) + len(whole.set_aside) == len(functions)
    for table in (pyarrow.table(functions), polars.DataFrame(functions), pandas.DataFrame.from_arrow(functions)):
        assert pyarrow.table(barecode.check(table).kept).equals(expected), type(table)
    some = polars.DataFrame(functions).filter(polars.col("language") == "c").head(5)
    assert len(barecode.check(some).kept) + len(barecode.check(some).set_aside) == 5


def test_columns_that_are_missing_or_of_another_type_are_named(functions):
    table = pyarrow.table(functions).replace_schema_metadata(None)
    with pytest.raises(barecode.InputError, match="`functions` has no column `id`; a table `functions v"):
        barecode.check(table.drop_columns(["id"]))
    numbers = table.set_column(0, "id", pyarrow.array([[1]] * table.num_rows))
    with pytest.raises(barecode.InputError, match="the column `id` of `functions` is of type List"):
        barecode.check(numbers)
    empty = table.set_column(0, "id", pyarrow.array([None] * table.num_rows, "string"))
    with pytest.raises(barecode.InputError, match="the column `id` of `functions` is empty in row 0"):
        barecode.check(empty)
    with pytest.raises(TypeError, match="expected a table"):
        barecode.check([1, 2])


def test_another_table_is_refused_by_its_name(functions):
    with pytest.raises(barecode.InputError, match="`units` is a table `functions v.*expected `units v"):
        barecode.vary(functions)
    named = pyarrow.table(functions)
    old = named.replace_schema_metadata({"barecode.table": "functions v1"})
    with pytest.raises(barecode.InputError, match="version of the columns"):
        barecode.check(old)


def test_no_rows_are_rows(functions):
    none = pyarrow.table(functions).slice(0, 0)
    outcome = barecode.check(none)
    assert len(outcome.kept) == 0
    assert outcome.kept.column_names == barecode.check(functions).kept.column_names


def test_dictionary_columns_and_chunks(functions):
    table = pyarrow.table(functions)
    expected = pyarrow.table(barecode.check(table).kept)
    at = table.column_names.index("language")
    encoded = table.set_column(at, "language", table["language"].dictionary_encode())
    chunked = pyarrow.concat_tables([encoded.slice(start, 3) for start in range(0, encoded.num_rows, 3)])
    assert pyarrow.table(barecode.check(chunked).kept).equals(expected)


def test_rows_columns_and_parts(functions):
    rows = functions.to_pylist()
    assert list(functions) == rows
    assert functions[0] == rows[0] and functions[-1] == rows[-1]
    assert functions["id"].to_pylist() == [row["id"] for row in rows]
    some = functions[1:7:2]
    assert isinstance(some, barecode.Table) and list(some) == rows[1:7:2]
    assert barecode.check(functions[:5]).counts["functions"]["entered"] == 5
    with pytest.raises(IndexError):
        functions[len(rows)]
    with pytest.raises(KeyError):
        functions["nothing"]


def test_a_table_is_pickled_and_shown(functions):
    for again in (pickle.loads(pickle.dumps(functions)), copy.deepcopy(functions)):
        assert pyarrow.table(again).equals(pyarrow.table(functions)) and repr(again) == repr(functions)
    shown = functions._repr_html_()
    assert shown.count("<tr>") == 11 and "<th>id</th>" in shown and f"{len(functions)} rows" in shown


def test_a_column_of_polars_without_a_type_is_empty(functions):
    frame = polars.DataFrame(functions).with_columns(polars.lit(None).alias("note"))
    assert len(barecode.check(frame).kept) == len(barecode.check(functions).kept)
    with pytest.raises(barecode.InputError, match="the column `id` of `functions` is empty in row 0"):
        barecode.check(frame.with_columns(polars.lit(None).alias("id")))


class Stream:
    """An object of no known library: its stream is given."""

    def __init__(self, stream):
        self.stream = stream

    def __arrow_c_stream__(self, requested_schema=None):
        return self.stream


class Array:
    """An object of no known library that has one array only."""

    def __init__(self, array):
        self.array = array

    def __arrow_c_array__(self, requested_schema=None):
        return self.array.__arrow_c_array__(requested_schema)


def test_any_object_with_the_interface_is_a_table(functions):
    table = pyarrow.table(functions)
    expected = pyarrow.table(barecode.check(functions).kept)
    batch = table.combine_chunks().to_batches()[0]
    stream = functions.__arrow_c_stream__()
    for value in (Array(batch), Stream(stream), batch):
        assert pyarrow.table(barecode.check(value).kept).equals(expected)
    with pytest.raises(TypeError, match="already released"):
        barecode.check(Stream(stream))
    for wrong in (1, None, table.schema.__arrow_c_schema__(), pyarrow.chunked_array([[1]]).__arrow_c_stream__()):
        with pytest.raises((TypeError, ValueError)):
            barecode.check(Stream(wrong))
    with pytest.raises(TypeError, match="expected an array of structures without empty rows, found Int64"):
        barecode.check(Array(pyarrow.array([1])))


def test_a_requested_schema_is_what_comes(functions):
    of = pyarrow.table(functions).schema
    small = [field.with_type(pyarrow.string()) if field.type == "large_string" else field for field in of]
    table = pyarrow.table(functions, schema=pyarrow.schema(small))
    assert table.schema.field("id").type == "string"
    assert pyarrow.table(barecode.check(table).kept).equals(pyarrow.table(barecode.check(functions).kept))
