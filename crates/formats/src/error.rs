//! The errors of files, with their positions.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// A position in a file: `runs/bm25.trec:17:4`. Lines and columns are one-based, columns count characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The file.
    pub path: PathBuf,
    /// The line, or the row of a table.
    pub line: Option<u64>,
    /// The column in the line.
    pub column: Option<u64>,
}

impl Place {
    /// The whole file.
    pub fn file(path: &Path) -> Self {
        Place {
            path: path.to_owned(),
            line: None,
            column: None,
        }
    }

    /// A line of it.
    pub fn line(path: &Path, line: u64) -> Self {
        Place {
            line: Some(line),
            ..Place::file(path)
        }
    }

    /// A column of a line of it.
    pub fn column(path: &Path, line: u64, column: u64) -> Self {
        Place {
            line: Some(line),
            column: Some(column),
            ..Place::file(path)
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
            if let Some(column) = self.column {
                write!(f, ":{column}")?;
            }
        }
        Ok(())
    }
}

/// Why a file could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum FormatError {
    /// The file system refused.
    #[error("cannot {action} `{}`: {source}", path.display())]
    Io {
        /// The action that was tried: `read`, `write`, `rename`.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The content is not in the expected format.
    #[error("{place}: {message}")]
    Invalid {
        /// The position.
        place: Place,
        /// The fault: a lowercase fragment with the value and the expectation.
        message: String,
        /// The remedy.
        hint: Option<String>,
    },
}

impl FormatError {
    /// Creates an error at a position.
    pub fn invalid(place: Place, message: impl Into<String>) -> Self {
        FormatError::Invalid {
            place,
            message: message.into(),
            hint: None,
        }
    }

    /// Adds the remedy.
    #[must_use]
    pub fn with_hint(mut self, text: impl Into<String>) -> Self {
        if let FormatError::Invalid { hint, .. } = &mut self {
            *hint = Some(text.into());
        }
        self
    }

    /// Returns the remedy.
    pub fn hint(&self) -> Option<&str> {
        match self {
            FormatError::Invalid { hint, .. } => hint.as_deref(),
            FormatError::Io { .. } => None,
        }
    }
}
