//! The reasons why an evaluation cannot go on.

use barecode_formats::FormatError;
use barecode_models::ModelError;
use barecode_records::SubsetKind;
use barecode_retrieval::RetrieverError;
use barecode_scores::StatisticsError;

/// The reason why an evaluation cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum EvaluateError {
    /// A model did not answer.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A file of vectors or a run cannot be read.
    #[error(transparent)]
    Format(#[from] FormatError),
    /// Values have no statistics.
    #[error(transparent)]
    Statistics(#[from] StatisticsError),
    /// The request does not fit the data.
    #[error("{message}")]
    Invalid {
        /// The message of the error.
        message: String,
        /// The advice to the user.
        hint: Option<String>,
    },
    /// Subsets of this kind are not scored yet.
    #[error("subset `{subset}` is of kind `{kind}`, which is not scored yet")]
    NotScored {
        /// The subset.
        subset: String,
        /// Its kind.
        kind: SubsetKind,
    },
}

impl From<RetrieverError> for EvaluateError {
    fn from(error: RetrieverError) -> Self {
        EvaluateError::invalid(error.to_string()).hinted(error.hint())
    }
}

impl EvaluateError {
    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        EvaluateError::Invalid {
            message: message.into(),
            hint: None,
        }
    }

    pub(crate) fn hint(self, text: impl Into<String>) -> Self {
        self.hinted(Some(text))
    }

    /// With the hint of the error behind it, if that has one.
    pub(crate) fn hinted(self, text: Option<impl Into<String>>) -> Self {
        match self {
            EvaluateError::Invalid { message, .. } => EvaluateError::Invalid {
                message,
                hint: text.map(Into::into),
            },
            other => other,
        }
    }
}
