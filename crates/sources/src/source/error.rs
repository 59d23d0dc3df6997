//! Why a source cannot be read, and what that is for the account.

use std::path::PathBuf;

use barecode_records::Reason;

/// Why a source could not be read.
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
        /// What the system said.
        message: String,
    },
    /// The texts that licenses are recognized by cannot be read: no license would be known.
    #[error("the published texts of licenses cannot be read: {message} (out of memory?)")]
    NoLicenseTexts {
        /// What the library said.
        message: String,
    },
    /// The repository has no such commit.
    #[error("source `{from}`: no commit `{revision}` in `{}`", repository.display())]
    NoRevision {
        /// The source.
        from: String,
        /// The revision.
        revision: String,
        /// Where the repository lies.
        repository: PathBuf,
    },
    /// The repository or archive is damaged.
    #[error("source `{from}`: `{}` is damaged: {message}", path.display())]
    Corrupt {
        /// The source.
        from: String,
        /// The repository or archive.
        path: PathBuf,
        /// What was found.
        message: String,
    },
    /// There is more of it than is read.
    #[error("source `{from}`: {message}")]
    TooLarge {
        /// The source.
        from: String,
        /// The bound that was reached.
        message: String,
    },
    /// The package is not there, or not in one version only.
    #[error("source `{from}`: {message}")]
    Package {
        /// The source.
        from: String,
        /// What was found instead, and what to do.
        message: String,
    },
    /// git or cargo is not there.
    #[error("source `{from}`: cannot start `{program}`: {message}")]
    ProgramMissing {
        /// The source.
        from: String,
        /// The program.
        program: &'static str,
        /// What the system said.
        message: String,
    },
    /// git or cargo refused.
    #[error("source `{from}`: `{command}` failed: {message}")]
    ProgramFailed {
        /// The source.
        from: String,
        /// The command line.
        command: String,
        /// The last line it said.
        message: String,
    },
}

impl SourceError {
    /// What it is for the account, where the recipe can do without the source; `None` where the recipe itself is
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

    /// What was wrong, without the source and without places of this machine.
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
