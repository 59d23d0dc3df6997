//! The Python package: barecode's commands and stages, over tables of any library that speaks Arrow.
//!
//! Enter Python objects: arguments, tables (by Arrow's `PyCapsule` interface), dictionaries, sequences of texts. Leave
//! tables, documents of JSON, or an exception that has the message and the hint of the program. Everything is done by
//! the crate [`barecode`], in a thread of its own, while Python goes on: signals are heard, progress is reported to the
//! thread that called (`waiting`). The public names, with their documentation, are in `python/barecode`.
//!
//! This crate decides nothing, and between two calls it holds only the data that the caller holds.

#![expect(
    clippy::needless_pass_by_value,
    reason = "Python's arguments are handed over by value"
)]

mod error;
mod waiting;
mod capsule;
mod table;
mod command;
mod recipe;
mod stages;
mod search;
mod spread;

use pyo3::prelude::*;

#[pymodule]
fn _barecode(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    error::add(module)?;
    table::add(module)?;
    command::add(module)?;
    recipe::add(module)?;
    stages::add(module)?;
    search::add(module)?;
    spread::add(module)
}
