//! Why a `[[retriever]]` table means nothing.

/// Why a `[[retriever]]` table means nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SystemError {
    /// The name cannot be a file's name.
    #[error(
        "retriever name `{name}` cannot be a file name, expected 1 to 64 letters, digits, `-`, `_` and `.`, \
         beginning with a letter or digit"
    )]
    BadName {
        /// The name.
        name: String,
    },
    /// A number is out of its range.
    #[error("retriever option `{option}` is {value}, expected {expected}")]
    OutOfRange {
        /// The option's key.
        option: &'static str,
        /// What was written.
        value: String,
        /// What can be.
        expected: &'static str,
    },
    /// The kind of retriever needs an option.
    #[error("retriever of kind `{kind}` has no `{option}`, expected {expected}")]
    Missing {
        /// The kind.
        kind: &'static str,
        /// The option's key.
        option: &'static str,
        /// What it could be.
        expected: &'static str,
    },
    /// An option of a retriever is not what it can be.
    #[error("retriever option {0}")]
    Refused(String),
    /// The kind of retriever has no such option.
    #[error("retriever of kind `{kind}` has no option `{option}`")]
    NoSuchOption {
        /// The kind.
        kind: String,
        /// The option's key.
        option: &'static str,
    },
    /// An option is not what it can be.
    #[error("{0}")]
    Option(String),
}
