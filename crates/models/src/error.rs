//! The reasons why a model does not answer.

use std::io;
use std::path::{Path, PathBuf};

/// The reasons why a model does not answer, by the reaction that a caller needs.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// The model does not exist, or is not a known one: a name, a folder, a tensor, an architecture.
    #[error("{message}")]
    Unusable {
        /// The problem, with the model and the file.
        message: String,
        /// The advice for the user.
        hint: Option<String>,
    },
    /// The file system refused.
    #[error("cannot {action} `{}`: {source}", path.display())]
    Io {
        /// The action that failed.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// There is no room for the model's answers; the entries that were stored before are kept.
    #[error("no space left for `{}`", path.display())]
    DiskFull {
        /// The file that could not grow.
        path: PathBuf,
    },
    /// The file of the cache cannot be used.
    #[error("cache `{}`: {message}", path.display())]
    Cache {
        /// The file.
        path: PathBuf,
        /// The problem.
        message: String,
        /// The advice for the user.
        hint: String,
    },
    /// A server refused, did not answer in time, or returned an impossible answer, and trying again is no use.
    #[error("{message}")]
    Remote {
        /// The provider, the address without its secrets, and the message of the server.
        message: String,
        /// The advice for the user.
        hint: Option<String>,
    },
    /// The limit in money or tokens is reached; the paid answers are kept.
    #[error("{message}")]
    Budget {
        /// The spent and the allowed amount.
        message: String,
        /// The advice for the user.
        hint: Option<String>,
    },
    /// The user requested a stop; finished work is kept.
    #[error("interrupted")]
    Interrupted,
}

impl ModelError {
    /// An error for something that cannot be used as it is.
    pub fn unusable(message: impl Into<String>) -> Self {
        ModelError::Unusable {
            message: message.into(),
            hint: None,
        }
    }

    /// An error for an item that was named as a model that embeds, and is not one.
    pub fn cannot_embed(name: &str, kind: &str) -> Self {
        ModelError::unusable(format!("{name}: a model of kind `{kind}` embeds no texts"))
    }

    /// An error for an item that was named as a reranker, and is not one.
    pub fn cannot_rerank(name: &str, kind: &str) -> Self {
        let message = format!("{name}: a model of kind `{kind}` cannot rerank");
        ModelError::unusable(message).with_hint(
            "rerankers are tei:URL, cohere:, voyage: and jina: with a rerank model, openai:, openai+URL and \
             anthropic: with a chat model",
        )
    }

    /// An error for an item that was named as a model that writes, and is not one.
    pub fn cannot_write(name: &str, kind: &str) -> Self {
        let message = format!("{name}: a model of kind `{kind}` does not write");
        ModelError::unusable(message).with_hint(
            "models that write are openai:MODEL, openai+URL#MODEL, anthropic:MODEL and process:COMMAND",
        )
    }

    /// An error for an item that was named as a model with weights on this machine, and has none.
    pub fn without_folder(name: &str, kind: &str) -> Self {
        let message = format!("{name}: a model of kind `{kind}` has no folder with weights");
        ModelError::unusable(message).with_hint(
            "name a folder with `local:FOLDER`, or a model of the hub with `hf:ORG/NAME`",
        )
    }

    /// An error for a server that returns no possible answer.
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

    /// Adds advice, if the error has a field for it.
    #[must_use]
    pub fn with_hint(mut self, text: impl Into<String>) -> Self {
        if let ModelError::Unusable { hint, .. } | ModelError::Remote { hint, .. } = &mut self {
            *hint = Some(text.into());
        }
        self
    }

    /// The advice for the user.
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
