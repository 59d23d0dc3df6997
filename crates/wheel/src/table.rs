//! Records as tables for Python, and tables of any library as records.
//!
//! Tables leave as [`Table`], which every library with Arrow's `PyCapsule` interface accepts without a copy. They enter
//! as any object with that interface; columns of other widths, views and dictionaries are cast to those of the record.

use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::{Array, RecordBatch};
use arrow_schema::{Schema, SchemaRef};
use barecode::Failure;
use barecode_records::table::{batches, label, named, rows, schema};
use barecode_records::{Record, fitted as fitted_column};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::capsule;
use crate::error::{invalid, raised};

/// A table: rows of records, or of lists. Any library that reads Arrow accepts it as it is: `pyarrow.table(t)`,
/// `polars.DataFrame(t)`, `duckdb.from_arrow(t)`, `pandas.DataFrame.from_arrow(t)`.
#[pyclass(module = "barecode", frozen)]
pub(crate) struct Table {
    batches: Vec<RecordBatch>,
    schema: SchemaRef,
}

impl Table {
    /// The table of some records.
    pub(crate) fn of<T: Record>(records: &[T]) -> Self {
        let batches = batches(records);
        Table {
            schema: batches[0].schema(),
            batches,
        }
    }

    /// The table of batches that have one schema; at least one.
    pub(crate) fn of_batches(batches: Vec<RecordBatch>) -> Self {
        Table {
            schema: batches[0].schema(),
            batches,
        }
    }
}

#[pymethods]
impl Table {
    /// The table as a stream. Its types are what they are: a consumer casts to the schema that it requests.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        capsule::stream(py, self.batches.clone(), &self.schema)
    }

    fn __len__(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    /// The names of the columns, in their order.
    #[getter]
    fn column_names(&self) -> Vec<&str> {
        let fields = self.schema.fields().iter();
        fields.map(|field| field.name().as_str()).collect()
    }

    /// Iterates over the rows as dictionaries.
    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.to_pylist(py)?.call_method0("__iter__")
    }

    /// `table["id"]` is a column, `table[0]` a row, `table[:10]` some rows; all by pyarrow.
    fn __getitem__<'py>(
        slf: &Bound<'py, Self>,
        key: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let tables = slf.py().import("barecode._tables")?;
        tables.call_method1("part", (slf.get().to_pyarrow(slf.py())?, key))
    }

    /// Pickled and copied as a table of pyarrow.
    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyAny>,))> {
        let again = py.import("barecode._barecode")?.getattr("table_of")?;
        Ok((again, (self.to_pyarrow(py)?,)))
    }

    /// The first rows, as notebooks show them.
    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let tables = slf.py().import("barecode._tables")?;
        tables.call_method1("html", (slf,))
    }

    /// The rows as dictionaries.
    fn to_pylist<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.to_pyarrow(py)?.call_method0("to_pylist")
    }

    /// The table in pyarrow.
    fn to_pyarrow<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let stream = self.__arrow_c_stream__(py, None)?;
        let reader = library(py, "pyarrow")?.getattr("RecordBatchReader")?;
        let reader = reader.call_method1("_import_from_c_capsule", (stream,))?;
        reader.call_method0("read_all")
    }

    /// The table in pandas.
    fn to_pandas<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        library(py, "pandas")?;
        self.to_pyarrow(py)?.call_method0("to_pandas")
    }

    /// The table in polars.
    fn to_polars<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        library(slf.py(), "polars")?.call_method1("DataFrame", (slf,))
    }

    fn __repr__(&self) -> String {
        let table = named(&self.schema).unwrap_or("rows");
        format!(
            "barecode.Table({table}: {} rows; {})",
            self.__len__(),
            self.column_names().join(", ")
        )
    }
}

/// Imports a library that only some calls need.
fn library<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    let errors = py.import("barecode._errors")?;
    errors.call_method1("library", (name,))
}

/// The batches of any object with Arrow's interface; `what` is what errors call it.
pub(crate) fn read(value: &Bound<'_, PyAny>, what: &str) -> PyResult<Vec<RecordBatch>> {
    let refuse = |found: &str| {
        PyTypeError::new_err(format!(
            "`{what}` is {found}, expected a table: anything with Arrow's PyCapsule interface, as pyarrow, polars, pandas, \
             duckdb and barecode have it"
        ))
    };
    if let Ok(table) = value.cast::<Table>() {
        return Ok(table.get().batches.clone());
    }
    if !capsule::is_table(value) {
        return Err(refuse(&value.get_type().name()?.to_string()));
    }
    let module: String = value.get_type().getattr("__module__")?.extract()?;
    let (mut batches, schema) = if module.starts_with("pyarrow.") || module.starts_with("polars.") {
        let tables = value.py().import("barecode._tables")?;
        capsule::batches(&tables.call_method1("whole", (value,))?)?
    } else {
        capsule::batches(value)?
    };
    if batches.is_empty() {
        batches.push(RecordBatch::new_empty(schema));
    }
    Ok(batches)
}

/// The records of any object with Arrow's interface.
pub(crate) fn records<T: Record + Send>(value: &Bound<'_, PyAny>, what: &str) -> PyResult<Vec<T>> {
    let batches = read(value, what)?;
    let wanted = Arc::new(Schema::new(schema::<T>()));
    let py = value.py();
    py.detach(|| {
        let mut all = Vec::new();
        for batch in &batches {
            let fitted = fitted::<T>(batch, &wanted, what)?;
            let wrong = |error: String| {
                let message = format!("`{what}`: {error} (behind row {})", all.len());
                invalid(
                    message,
                    Some("the columns of each table are in docs/src/reference/tables.md"),
                )
            };
            let read = rows::<T>(&fitted).map_err(wrong)?;
            all.extend(read);
        }
        Ok(all)
    })
    .map_err(|failure: Failure| raised(py, &failure))
}

/// A batch in the columns of a record; other columns are left out.
fn fitted<T: Record>(
    batch: &RecordBatch,
    wanted: &SchemaRef,
    what: &str,
) -> Result<RecordBatch, Failure> {
    let schema = batch.schema();
    if let Some(found) = named(&schema)
        && found != label::<T>()
    {
        let message = format!("`{what}` is a table `{found}`, expected `{}`", label::<T>());
        let hint = "a number behind the name is the version of the columns: tables of another version of barecode are made again";
        return Err(invalid(message, Some(hint)));
    }
    let mut columns = Vec::new();
    for field in wanted.fields() {
        let name = field.name();
        let Some(column) = batch.column_by_name(name) else {
            let all: Vec<&str> = schema
                .fields()
                .iter()
                .map(|it| it.name().as_str())
                .collect();
            let message = format!(
                "`{what}` has no column `{name}`; a table `{}` has it, and found are {}",
                label::<T>(),
                all.join(", ")
            );
            return Err(invalid(
                message,
                Some("the columns of each table are in docs/src/reference/tables.md"),
            ));
        };
        let column = fitted_column(column, field.data_type()).ok_or_else(|| {
            let message = format!(
                "the column `{name}` of `{what}` is of type {}, expected {}",
                column.data_type(),
                field.data_type()
            );
            invalid(message, None)
        })?;
        if !field.is_nullable() && column.null_count() > 0 {
            let row = (0..column.len())
                .find(|&row| column.is_null(row))
                .unwrap_or(0);
            let message = format!("the column `{name}` of `{what}` is empty in row {row}");
            return Err(invalid(message, None));
        }
        columns.push(column);
    }
    RecordBatch::try_new(Arc::clone(wanted), columns)
        .map_err(|error| invalid(format!("`{what}`: {error}"), None))
}

/// Reads a table of a run: `read_table("runs/demo/02-units/part-00000.parquet")`.
#[pyfunction]
fn read_table(py: Python<'_>, path: PathBuf) -> PyResult<Table> {
    let read = py.detach(|| barecode_records::table::any_batches(&path));
    let batches = read.map_err(|error| raised(py, &invalid(error.to_string(), None)))?;
    Ok(Table::of_batches(batches))
}

/// Any table as one of ours.
#[pyfunction]
fn table_of(value: &Bound<'_, PyAny>) -> PyResult<Table> {
    read(value, "table").map(Table::of_batches)
}

pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Table>()?;
    module.add_function(wrap_pyfunction!(table_of, module)?)?;
    module.add_function(wrap_pyfunction!(read_table, module)?)
}
