//! The errors of a study, its file, or content that is imported into it.

use crate::tables::FORMAT;

/// The reason why an operation on a study failed; nothing was written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StudyError {
    /// The input does not fit: a file, a name, a number.
    #[error("{message}")]
    Invalid {
        /// The value, its position, and the expectation.
        message: String,
        /// The remedy.
        hint: Option<String>,
    },
    /// The disk is full.
    #[error("no space left on the disk: nothing was written, and what was stored before is kept")]
    Full,
    /// The file cannot be written or read.
    #[error("{0}")]
    Io(String),
}

impl StudyError {
    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        StudyError::Invalid {
            message: message.into(),
            hint: None,
        }
    }

    pub(crate) fn with_hint(message: impl Into<String>, hint: impl Into<String>) -> Self {
        StudyError::Invalid {
            message: message.into(),
            hint: Some(hint.into()),
        }
    }

    /// Returns the remedy.
    pub fn hint(&self) -> Option<&str> {
        match self {
            StudyError::Invalid { hint, .. } => hint.as_deref(),
            StudyError::Full => Some("free some space and do it again"),
            StudyError::Io(_) => None,
        }
    }
}

impl From<barecode_store::Problem> for StudyError {
    fn from(problem: barecode_store::Problem) -> Self {
        match problem.explain(&FORMAT) {
            None => StudyError::Full,
            Some((message, hint)) => StudyError::with_hint(message, hint),
        }
    }
}

impl From<rusqlite::Error> for StudyError {
    fn from(error: rusqlite::Error) -> Self {
        barecode_store::Problem::from(error).into()
    }
}
