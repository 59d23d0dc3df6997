//! Why a model does not answer.

use std::io;
use std::path::{Path, PathBuf};

/// Why a model does not answer, by what a caller would do about it.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// The model is not there, or is none that is known: a name, a folder, a tensor, an architecture.
    #[error("{message}")]
    Unusable {
        /// What was wrong, with the model and the file.
        message: String,
        /// What to do.
        hint: Option<String>,
    },
    /// The file system refused.
    #[error("cannot {action} `{}`: {source}", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// There is no room for what the model gives; what was stored before is kept.
    #[error("no space left for `{}`", path.display())]
    DiskFull {
        /// The file that could not grow.
        path: PathBuf,
    },
    /// The file of kept vectors cannot be used.
    #[error("cache `{}`: {message}", path.display())]
    Cache {
        /// The file.
        path: PathBuf,
        /// What was wrong.
        message: String,
        /// What to do.
        hint: String,
    },
    /// A server refused, did not answer in time, or answered what cannot be right, and trying again is no use.
    #[error("{message}")]
    Remote {
        /// The provider, the address without its secrets, and what it said.
        message: String,
        /// What to do.
        hint: Option<String>,
    },
    /// The limit in money or tokens is reached; what was paid for is kept.
    #[error("{message}")]
    Budget {
        /// What was spent and what was allowed.
        message: String,
        /// What to do.
        hint: Option<String>,
    },
    /// Somebody asked to stop; what was finished is kept.
    #[error("interrupted")]
    Interrupted,
}

impl ModelError {
    /// Something that cannot be used as it is.
    pub fn unusable(message: impl Into<String>) -> Self {
        ModelError::Unusable {
            message: message.into(),
            hint: None,
        }
    }

    /// What was named as a model that embeds, and is none.
    pub fn cannot_embed(name: &str, kind: &str) -> Self {
        ModelError::unusable(format!("{name}: a model of kind `{kind}` embeds no texts"))
    }

    /// What was named as a reranker, and is none.
    pub fn cannot_rerank(name: &str, kind: &str) -> Self {
        let message = format!("{name}: a model of kind `{kind}` cannot rerank");
        ModelError::unusable(message).with_hint(
            "rerankers are tei:URL, cohere:, voyage: and jina: with a rerank model, openai:, openai+URL and \
             anthropic: with a chat model",
        )
    }

    /// What was named as a model that writes, and is none.
    pub fn cannot_write(name: &str, kind: &str) -> Self {
        let message = format!("{name}: a model of kind `{kind}` does not write");
        ModelError::unusable(message).with_hint(
            "models that write are openai:MODEL, openai+URL#MODEL, anthropic:MODEL and process:COMMAND",
        )
    }

    /// What was named as a model with weights on this machine, and has none.
    pub fn without_folder(name: &str, kind: &str) -> Self {
        let message = format!("{name}: a model of kind `{kind}` has no folder with weights");
        ModelError::unusable(message).with_hint(
            "name a folder with `local:FOLDER`, or a model of the hub with `hf:ORG/NAME`",
        )
    }

    /// A server that gives no answer that can be right.
    pub(crate) fn remote(message: impl Into<String>) -> Self {
        ModelError::Remote {
            message: message.into(),
            hint: None,
        }
    }

    /// The file system's refusal of an action on a file.
    pub fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| ModelError::Io {
            action,
            path: path.to_owned(),
            source,
        }
    }

    /// Adds what to do about it, where the error has room for that.
    #[must_use]
    pub fn with_hint(mut self, text: impl Into<String>) -> Self {
        if let ModelError::Unusable { hint, .. } | ModelError::Remote { hint, .. } = &mut self {
            *hint = Some(text.into());
        }
        self
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<&str> {
        match self {
            ModelError::Unusable { hint, .. }
            | ModelError::Remote { hint, .. }
            | ModelError::Budget { hint, .. } => hint.as_deref(),
            ModelError::Cache { hint, .. } => Some(hint),
            ModelError::DiskFull { .. } => {
                Some("make room, then run the same command again: what was stored is kept")
            }
            ModelError::Io { .. } | ModelError::Interrupted => None,
        }
    }
}
