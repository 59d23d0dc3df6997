//! The command in Python: as a program of its own, and as a function that returns what `--json` prints.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use barecode::{Held, Listener, Request};
use barecode_formats::run::{Run, open_run};
use barecode_formats::trec::Qrels;
use barecode_formats::{FormatError, RunColumns, RunFilling};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::error::{invalid, raised};
use crate::table;
use crate::waiting::{Ear, wait};

/// Runs the command with the arguments of a program, the first being its name, and returns the exit code.
#[pyfunction]
fn main(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| barecode::main(arguments))
}

/// Does the work of a request in JSON, and returns the exit code and the printed output:
/// `call('{"command": "audit", "arguments": ["clarc"]}')`. Names in `qrels` and `runs` represent files in the
/// arguments.
#[pyfunction]
#[pyo3(signature = (request, *, qrels=None, runs=None, progress=None))]
fn call(
    py: Python<'_>,
    request: &str,
    qrels: Option<&Bound<'_, PyDict>>,
    runs: Option<&Bound<'_, PyDict>>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(u8, String)> {
    let request = Request::read(request).map_err(|failure| raised(py, &failure))?;
    let held = Held {
        qrels: each(qrels, judgments)?,
        runs: each(runs, |name, value| run(name, value).map(Arc::new))?,
    };
    let ear = Arc::new(Ear::default());
    let listener: Arc<dyn Listener> = Arc::<Ear>::clone(&ear);
    let exit = wait(py, &ear, progress.as_ref(), move || {
        barecode::call(&request, held, &listener)
    })?;
    Ok((exit as u8, ear.data()))
}

fn each<T>(
    values: Option<&Bound<'_, PyDict>>,
    read: impl Fn(&str, &Bound<'_, PyAny>) -> PyResult<T>,
) -> PyResult<BTreeMap<PathBuf, T>> {
    let mut all = BTreeMap::new();
    for (name, value) in values.into_iter().flatten() {
        let name: String = name.extract()?;
        let read = read(&name, &value)?;
        all.insert(PathBuf::from(name), read);
    }
    Ok(all)
}

/// A run: a file, a dictionary `{query: {document: score}}`, or a table with a column for each.
fn run(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Run> {
    let py = value.py();
    let run = if let Ok(path) = value.extract::<PathBuf>() {
        open_run(&path)
    } else if let Ok(dictionary) = value.cast::<PyDict>() {
        Run::of_columns(numbers(name, dictionary)?)
    } else {
        let batches = table::read(value, name)?;
        py.detach(|| RunColumns::of_batches(Path::new(name), batches).and_then(Run::of_columns))
    };
    run.map_err(|error| wrong(py, &error))
}

/// Judgments: a dictionary `{query: {document: grade}}`, or a table with a column for each.
fn judgments(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Qrels> {
    let py = value.py();
    let qrels = if let Ok(dictionary) = value.cast::<PyDict>() {
        let columns = numbers(name, dictionary)?;
        py.detach(|| columns.qrels())
    } else {
        let batches = table::read(value, name)?;
        py.detach(|| RunColumns::of_batches(Path::new(name), batches)?.qrels())
    };
    qrels.map_err(|error| wrong(py, &error))
}

/// Numbers of documents by query, in the order of the dictionary.
fn numbers(name: &str, queries: &Bound<'_, PyDict>) -> PyResult<RunColumns> {
    let mut rows = RunFilling::new(Path::new(name));
    for (query, documents) in queries {
        let query = text(name, "a query", &query)?;
        let query = query.to_str()?;
        rows.query(query);
        let documents = documents.cast::<PyDict>().map_err(|_| {
            PyTypeError::new_err(format!(
                "`{name}[{query:?}]` is {}, expected a dictionary {{document: number}}",
                documents.get_type()
            ))
        })?;
        for (document, number) in documents {
            let document = text(name, "a document", &document)?;
            let document = document.to_str()?;
            let number: f64 = number.extract().map_err(|_| {
                PyTypeError::new_err(format!(
                    "`{name}[{query:?}][{document:?}]` is {}, expected a number",
                    number.get_type()
                ))
            })?;
            if !number.is_finite() {
                let message = format!(
                    "`{name}[{query:?}][{document:?}]` is {number}, expected a finite number"
                );
                return Err(raised(queries.py(), &invalid(message, None)));
            }
            rows.document(document, number);
        }
    }
    Ok(rows.columns())
}

fn text<'a, 'py>(
    name: &str,
    what: &str,
    value: &'a Bound<'py, PyAny>,
) -> PyResult<&'a Bound<'py, PyString>> {
    value.cast::<PyString>().map_err(|_| {
        PyTypeError::new_err(format!(
            "{what} of `{name}` is {}, expected text: `str(…)` makes one",
            value.get_type()
        ))
    })
}

fn wrong(py: Python<'_>, error: &FormatError) -> PyErr {
    raised(py, &invalid(error.to_string(), error.hint()))
}

pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(main, module)?)?;
    module.add_function(wrap_pyfunction!(call, module)?)
}
