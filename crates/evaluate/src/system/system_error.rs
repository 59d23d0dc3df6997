//! The reason why a `[[retriever]]` table is invalid.

/// The reason why a `[[retriever]]` table is invalid, in words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SystemError(pub(crate) String);

impl SystemError {
    /// The name cannot be a file's name.
    pub(crate) fn bad_name(name: &str) -> Self {
        SystemError(format!(
            "retriever name `{name}` cannot be a file name, expected 1 to 64 letters, digits, `-`, `_` and `.`, \
             beginning with a letter or digit"
        ))
    }

    /// An option counts something, and is 0.
    pub(crate) fn zero(option: &str) -> Self {
        SystemError(format!(
            "retriever option `{option}` is 0, expected a whole number from 1 up"
        ))
    }

    /// The kind of retriever has no such option.
    pub(crate) fn no_such_option(kind: &str, option: &str) -> Self {
        SystemError(format!(
            "retriever of kind `{kind}` has no option `{option}`"
        ))
    }
}
