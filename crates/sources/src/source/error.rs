//! The reasons why a source cannot be read, and how they are recorded in the account.

use std::path::PathBuf;

use barecode_records::Reason;

/// The reason why a source could not be read.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// The recipe's text names no source.
    #[error(
        "`{from}` is not a source: expected `path:FOLDER`, `git:REPOSITORY[@REVISION]`, `archive:FILE` or `cargo:PACKAGE[@VERSION]`"
    )]
    NotASource {
        /// The text.
        from: String,
    },
    /// A glob pattern is malformed.
    #[error("source `{from}`: `{pattern}` is not a file pattern: {message}")]
    BadPattern {
        /// The source.
        from: String,
        /// The pattern.
        pattern: String,
        /// The problem.
        message: String,
    },
    /// No functions are found in such a language.
    #[error("source `{from}`: functions of `{language}` are not mined")]
    UnknownLanguage {
        /// The source.
        from: String,
        /// The name.
        language: String,
    },
    /// A folder or file could not be read.
    #[error("source `{from}`: cannot read `{}`: {message}", path.display())]
    Unreadable {
        /// The source.
        from: String,
        /// The folder or file.
        path: PathBuf,
        /// The message of the system.
        message: String,
    },
    /// The texts that licenses are recognized by cannot be read: no license would be known.
    #[error("the published texts of licenses cannot be read: {message} (out of memory?)")]
    NoLicenseTexts {
        /// The message of the library.
        message: String,
    },
    /// The repository has no such commit.
    #[error("source `{from}`: no commit `{revision}` in `{}`", repository.display())]
    NoRevision {
        /// The source.
        from: String,
        /// The revision.
        revision: String,
        /// The path of the repository.
        repository: PathBuf,
    },
    /// The repository or archive is damaged.
    #[error("source `{from}`: `{}` is damaged: {message}", path.display())]
    Corrupt {
        /// The source.
        from: String,
        /// The repository or archive.
        path: PathBuf,
        /// The problem that was found.
        message: String,
    },
    /// It is larger than the limit for reading.
    #[error("source `{from}`: {message}")]
    TooLarge {
        /// The source.
        from: String,
        /// The bound that was reached.
        message: String,
    },
    /// The package is missing, or present in more than one version.
    #[error("source `{from}`: {message}")]
    Package {
        /// The source.
        from: String,
        /// The packages found instead, and the advice to the user.
        message: String,
    },
    /// git or cargo is not installed.
    #[error("source `{from}`: cannot start `{program}`: {message}")]
    ProgramMissing {
        /// The source.
        from: String,
        /// The program.
        program: &'static str,
        /// The message of the system.
        message: String,
    },
    /// git or cargo refused.
    #[error("source `{from}`: `{command}` failed: {message}")]
    ProgramFailed {
        /// The source.
        from: String,
        /// The command line.
        command: String,
        /// The last line that it printed.
        message: String,
    },
}

impl SourceError {
    /// The reason to record in the account, if the recipe can do without the source; `None` if the recipe itself is
    /// wrong, or a program is missing.
    pub fn reason(&self) -> Option<Reason> {
        match self {
            SourceError::NotASource { .. }
            | SourceError::BadPattern { .. }
            | SourceError::UnknownLanguage { .. }
            | SourceError::NoLicenseTexts { .. }
            | SourceError::ProgramMissing { .. } => None,
            SourceError::Corrupt { .. } => Some(Reason::SourceCorrupt),
            SourceError::TooLarge { .. } => Some(Reason::SourceTooLarge),
            SourceError::Unreadable { .. }
            | SourceError::NoRevision { .. }
            | SourceError::Package { .. }
            | SourceError::ProgramFailed { .. } => Some(Reason::SourceUnreachable),
        }
    }

    /// The problem, without the source and without paths of this machine.
    pub fn detail(&self) -> String {
        match self {
            SourceError::NotASource { from } => from.clone(),
            SourceError::UnknownLanguage { language, .. } => language.clone(),
            SourceError::NoRevision { revision, .. } => format!("no commit `{revision}`"),
            SourceError::BadPattern { message, .. }
            | SourceError::NoLicenseTexts { message }
            | SourceError::Unreadable { message, .. }
            | SourceError::Corrupt { message, .. }
            | SourceError::TooLarge { message, .. }
            | SourceError::Package { message, .. }
            | SourceError::ProgramMissing { message, .. }
            | SourceError::ProgramFailed { message, .. } => message.clone(),
        }
    }
}
