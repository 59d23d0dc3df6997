//! What ends an extraction of programs.

use barecode_formats::FormatError;
use thiserror::Error;

/// Why data sets cannot be read or chosen from.
#[derive(Debug, Error)]
pub enum ProgramsError {
    /// A data set cannot be read, or is in no format that is known.
    #[error("{0}")]
    Unreadable(FormatError),
    /// A threshold cannot be found.
    #[error(
        "the threshold of `{name}` cannot be calibrated: no two problems have programs that it compares"
    )]
    NotCalibrated {
        /// What records call the measure.
        name: String,
        /// Its model as the recipe names it.
        model: String,
    },
}

impl ProgramsError {
    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            ProgramsError::Unreadable(_) => None,
            ProgramsError::NotCalibrated { model, .. } => Some(format!(
                "set one: `by = [{{ model = \"{model}\", threshold = 0.9 }}]`"
            )),
        }
    }
}

/// What ended an extraction early.
#[derive(Debug)]
pub enum Stopped<E> {
    /// The data sets.
    Programs(ProgramsError),
    /// Who gives vectors, or who takes what comes out.
    Outside(E),
}

impl<E> From<ProgramsError> for Stopped<E> {
    fn from(error: ProgramsError) -> Self {
        Stopped::Programs(error)
    }
}
