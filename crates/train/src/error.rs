//! The reasons why a training does not start or stops.

use std::io;
use std::path::{Path, PathBuf};

use barecode_formats::FormatError;
use barecode_models::ModelError;

/// The reasons why a training does not start or stops, by the reaction that a caller needs.
#[derive(Debug, thiserror::Error)]
pub enum TrainError {
    /// Pairs, a model or options cannot be used as they are.
    #[error("{message}")]
    Invalid {
        /// The problem, with the value and its position.
        message: String,
        /// The advice for the user.
        hint: Option<String>,
    },
    /// The loss, or a gradient, stopped being a number.
    #[error(
        "the {what} of step {step} is {value}, which is not a finite number; its batch has the rows {}",
        rows.join(", ")
    )]
    NotFinite {
        /// `loss` or `gradient`.
        what: &'static str,
        /// The step, from 1.
        step: u64,
        /// Its value.
        value: f64,
        /// The first rows of the batch: file and line.
        rows: Vec<String>,
    },
    /// The memory that a training needs is not available.
    #[error("training needs about {needed} MB of memory, and {available} MB are free")]
    Memory {
        /// Megabytes that are needed.
        needed: u64,
        /// Megabytes that are free.
        available: u64,
    },
    /// A file cannot be read or written.
    #[error("cannot {action} `{}`: {source}", path.display())]
    Io {
        /// The action that failed: `read`, `write`, `rename`.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The model's folder.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A file of pairs, or a benchmark to exclude.
    #[error(transparent)]
    Format(#[from] FormatError),
    /// The caller requested a stop; the last checkpoint is kept.
    #[error("interrupted")]
    Interrupted,
}

impl TrainError {
    /// An error for something that cannot be used, with advice.
    pub(crate) fn invalid(message: impl Into<String>, hint: &str) -> Self {
        TrainError::Invalid {
            message: message.into(),
            hint: (!hint.is_empty()).then(|| hint.to_owned()),
        }
    }

    /// The file system's refusal of an action on a file.
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| TrainError::Io {
            action,
            path: path.to_owned(),
            source,
        }
    }

    /// The advice for the user.
    pub fn hint(&self) -> Option<&str> {
        match self {
            TrainError::Invalid { hint, .. } => hint.as_deref(),
            TrainError::NotFinite { .. } => Some(
                "the last checkpoint is kept; lower the learning rate, or look at these rows, and start again",
            ),
            TrainError::Memory { .. } => {
                Some("lower `chunk_tokens`, freeze layers, or close other programs")
            }
            TrainError::Model(error) => error.hint(),
            TrainError::Format(error) => error.hint(),
            TrainError::Interrupted => {
                Some("run the same command again: it goes on from the last checkpoint")
            }
            TrainError::Io { .. } => None,
        }
    }
}
