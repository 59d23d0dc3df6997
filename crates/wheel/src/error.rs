//! Failures as exceptions: one class for each exit code that other programs can do something about.

use barecode::{Exit, Failure};
use pyo3::PyTypeInfo;
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyKeyboardInterrupt};
use pyo3::prelude::*;
use pyo3::types::PyType;

create_exception!(
    barecode,
    Error,
    PyException,
    "An error of barecode: `message`, `hint` (or None), and the exit `code` of the command."
);
create_exception!(
    barecode,
    UsageError,
    Error,
    "Arguments that do not fit together (code 2)."
);
create_exception!(
    barecode,
    InputError,
    Error,
    "An invalid recipe or input, or a stage that must come first is not current (code 4)."
);
create_exception!(
    barecode,
    ToolMissingError,
    Error,
    "A tool that is needed is missing, or a server does not answer as it should (code 5)."
);
create_exception!(
    barecode,
    WriteError,
    Error,
    "A file cannot be written: disk full, or no permission (code 6)."
);

/// A failure as an exception, with its hint as a second line.
pub(crate) fn raised(py: Python<'_>, failure: &Failure) -> PyErr {
    let class: Bound<'_, PyType> = match failure.exit {
        Exit::Usage => UsageError::type_object(py),
        Exit::Invalid => InputError::type_object(py),
        Exit::ToolMissing => ToolMissingError::type_object(py),
        Exit::CannotWrite => WriteError::type_object(py),
        Exit::Interrupted => return PyKeyboardInterrupt::new_err(failure.message.clone()),
        Exit::Done | Exit::Unexpected | Exit::Below => Error::type_object(py),
    };
    let text = match &failure.hint {
        Some(hint) => format!("{}\nhint: {hint}", failure.message),
        None => failure.message.clone(),
    };
    let made = class.call1((text,)).and_then(|error| {
        error.setattr("message", &failure.message)?;
        error.setattr("hint", failure.hint.as_deref())?;
        error.setattr("code", failure.exit as u8)?;
        Ok(error)
    });
    match made {
        Ok(error) => PyErr::from_value(error),
        Err(error) => error,
    }
}

/// An invalid input that this crate detects itself.
pub(crate) fn invalid(message: impl Into<String>, hint: Option<&str>) -> Failure {
    Failure {
        exit: Exit::Invalid,
        message: message.into(),
        hint: hint.map(str::to_owned),
    }
}

/// A failure that Python's side detects, by its exit code.
#[pyfunction]
#[pyo3(signature = (code, message, hint=None))]
fn failure(py: Python<'_>, code: u8, message: String, hint: Option<String>) -> PyErr {
    let exit = match code {
        2 => Exit::Usage,
        4 => Exit::Invalid,
        5 => Exit::ToolMissing,
        6 => Exit::CannotWrite,
        _ => Exit::Unexpected,
    };
    let failure = Failure {
        exit,
        message,
        hint,
    };
    raised(py, &failure)
}

pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add_function(wrap_pyfunction!(failure, module)?)?;
    module.add("Error", Error::type_object(py))?;
    module.add("UsageError", UsageError::type_object(py))?;
    module.add("InputError", InputError::type_object(py))?;
    module.add("ToolMissingError", ToolMissingError::type_object(py))?;
    module.add("WriteError", WriteError::type_object(py))
}
