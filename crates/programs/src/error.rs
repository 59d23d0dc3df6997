//! Errors that end an extraction of programs.

use barecode_formats::FormatError;
use thiserror::Error;

/// The reasons that data sets cannot be read or chosen from.
#[derive(Debug, Error)]
pub enum ProgramsError {
    /// A data set cannot be read, or its format is not known.
    #[error("{0}")]
    Unreadable(FormatError),
    /// A threshold cannot be found.
    #[error(
        "the threshold of `{name}` cannot be calibrated: no two problems have programs that it compares"
    )]
    NotCalibrated {
        /// The name of the measure in records.
        name: String,
        /// Its model as the recipe names it.
        model: String,
    },
}

impl ProgramsError {
    /// The action that solves the problem.
    pub fn hint(&self) -> Option<String> {
        match self {
            ProgramsError::Unreadable(_) => None,
            ProgramsError::NotCalibrated { model, .. } => Some(format!(
                "set one: `by = [{{ model = \"{model}\", threshold = 0.9 }}]`"
            )),
        }
    }
}

/// The cause of the early end of an extraction.
#[derive(Debug)]
pub enum Stopped<E> {
    /// The data sets.
    Programs(ProgramsError),
    /// The source of vectors, or the consumer of the results.
    Outside(E),
}

impl<E> From<ProgramsError> for Stopped<E> {
    fn from(error: ProgramsError) -> Self {
        Stopped::Programs(error)
    }
}
