//! Arrow's `PyCapsule` interface: tables leave as a stream, and enter as a stream or an array of structures.
//!
//! A capsule is a named pointer to one of Arrow's C structures. The name says which one it is; whoever takes the content
//! leaves an empty structure behind, so that each is released once.

use std::ffi::CStr;
use std::ptr::NonNull;
use std::sync::Arc;

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi};
use arrow_array::ffi_stream::{ArrowArrayStreamReader, FFI_ArrowArrayStream};
use arrow_array::{
    Array, RecordBatch, RecordBatchIterator, RecordBatchReader, StructArray, make_array,
};
use arrow_schema::{ArrowError, SchemaRef};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

const STREAM: &CStr = c"arrow_array_stream";
const ARRAY: &CStr = c"arrow_array";
const SCHEMA: &CStr = c"arrow_schema";

/// Batches of one schema as a stream.
pub(crate) fn stream<'py>(
    py: Python<'py>,
    batches: Vec<RecordBatch>,
    schema: &SchemaRef,
) -> PyResult<Bound<'py, PyCapsule>> {
    let batches = batches.into_iter().map(Ok);
    let reader = RecordBatchIterator::new(batches, Arc::clone(schema));
    PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(reader)), STREAM)
}

/// Returns `true` for an object with the interface.
pub(crate) fn is_table(value: &Bound<'_, PyAny>) -> bool {
    ["__arrow_c_stream__", "__arrow_c_array__"]
        .iter()
        .any(|method| value.hasattr(*method).unwrap_or(false))
}

/// The batches of an object with the interface, and their schema.
pub(crate) fn batches(value: &Bound<'_, PyAny>) -> PyResult<(Vec<RecordBatch>, SchemaRef)> {
    if value.hasattr("__arrow_c_stream__")? {
        let capsule = value.call_method0("__arrow_c_stream__")?;
        let stream = content::<FFI_ArrowArrayStream>(&capsule, STREAM)?;
        #[expect(unsafe_code, reason = "the content of a capsule is a pointer")]
        // SAFETY: a capsule of this name has a valid stream, which is left empty; Python waits meanwhile.
        let reader = unsafe { ArrowArrayStreamReader::from_raw(stream.as_ptr()) };
        let reader = reader.map_err(|error| wrong(&error))?;
        let schema = reader.schema();
        let batches = reader.collect::<Result<_, _>>();
        return Ok((batches.map_err(|error| wrong(&error))?, schema));
    }
    let capsules = value.call_method0("__arrow_c_array__")?;
    let schema = content::<FFI_ArrowSchema>(&capsules.get_item(0)?, SCHEMA)?;
    let array = content::<FFI_ArrowArray>(&capsules.get_item(1)?, ARRAY)?;
    #[expect(unsafe_code, reason = "the content of a capsule is a pointer")]
    // SAFETY: capsules of these names have a valid schema, which stays, and a valid array of this schema, which is left
    // empty; `capsules` outlives both.
    let data = unsafe { from_ffi(FFI_ArrowArray::from_raw(array.as_ptr()), schema.as_ref()) };
    let array = make_array(data.map_err(|error| wrong(&error))?);
    let rows = array.as_any().downcast_ref::<StructArray>();
    let Some(rows) = rows.filter(|rows| rows.null_count() == 0) else {
        let found = array.data_type();
        let message = format!("expected an array of structures without empty rows, found {found}");
        return Err(PyTypeError::new_err(message));
    };
    let batch = RecordBatch::from(rows);
    let schema = batch.schema();
    Ok((vec![batch], schema))
}

/// The structure in a capsule of a name.
fn content<T>(capsule: &Bound<'_, PyAny>, name: &CStr) -> PyResult<NonNull<T>> {
    let capsule = capsule.cast::<PyCapsule>()?;
    Ok(capsule.pointer_checked(Some(name))?.cast())
}

fn wrong(error: &ArrowError) -> PyErr {
    PyTypeError::new_err(error.to_string())
}
