//! How the program ends, as other programs read it.
//!
//! The table is part of the interface: a script may tell a missing compiler from a bad recipe without
//! reading a message. [`classify`] is the only place where an error becomes a number.

use std::fmt;
use std::fmt::Write as _;
use std::io;
use std::path::Path;

use barecode_check::CheckError;
use barecode_dataset::TokenizerError;
use barecode_formats::FormatError;
use barecode_models::ModelError;
use barecode_records::TableError;
use barecode_sources::SourceError;

/// The exit codes. `barecode --help` lists them too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Exit {
    /// Everything that was asked for is done.
    Done = 0,
    /// Something happened that nobody foresaw; a defect of barecode until shown otherwise.
    Unexpected = 1,
    /// The command line is wrong.
    Usage = 2,
    /// Done, but below a requested threshold or different from a record.
    Below = 3,
    /// The recipe or an input is invalid, or a stage that must come first is not current.
    Invalid = 4,
    /// A tool that is needed is missing, or a server: it cannot be reached, refuses, or keeps answering what cannot be
    /// right.
    ToolMissing = 5,
    /// A file cannot be written: the disk is full, or it is not allowed.
    CannotWrite = 6,
    /// Interrupted; what was finished is kept, and the same command goes on.
    Interrupted = 130,
}

impl Exit {
    /// All codes, in order.
    pub(crate) const ALL: [Exit; 8] = [
        Exit::Done,
        Exit::Unexpected,
        Exit::Usage,
        Exit::Below,
        Exit::Invalid,
        Exit::ToolMissing,
        Exit::CannotWrite,
        Exit::Interrupted,
    ];

    /// What the code means, as the help text says it.
    pub(crate) fn meaning(self) -> &'static str {
        match self {
            Exit::Done => "done",
            Exit::Unexpected => "something unexpected happened",
            Exit::Usage => "the command line is wrong",
            Exit::Below => "done, but below a requested threshold or different from a record",
            Exit::Invalid => {
                "the recipe or an input is invalid, or an earlier stage is not current"
            }
            Exit::ToolMissing => {
                "a needed tool is missing, or a server does not answer as it should"
            }
            Exit::CannotWrite => "a file cannot be written: disk full, or no permission",
            Exit::Interrupted => "interrupted; the same command goes on",
        }
    }

    /// The table of codes for the help text.
    pub(crate) fn table() -> String {
        let mut text = String::from("Exit codes:\n");
        for exit in Exit::ALL {
            writeln!(text, "  {:>3}  {}", exit as u8, exit.meaning())
                .expect("memory takes any text");
        }
        text
    }
}

/// An error that knows how the program must end, and what to do about it.
#[derive(Debug, Clone)]
pub(crate) struct Failure {
    /// The exit code.
    pub(crate) exit: Exit,
    /// What was wrong: a lowercase fragment with the value and the place.
    pub(crate) message: String,
    /// What to do.
    pub(crate) hint: Option<String>,
}

impl Failure {
    /// An input or a recipe that is invalid.
    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Failure {
            exit: Exit::Invalid,
            message: message.into(),
            hint: None,
        }
    }

    /// A tool that is not here.
    pub(crate) fn missing_tool(message: impl Into<String>) -> Self {
        Failure {
            exit: Exit::ToolMissing,
            message: message.into(),
            hint: None,
        }
    }

    /// A broken promise of our own code.
    pub(crate) fn internal(message: impl Into<String>) -> Self {
        Failure {
            exit: Exit::Unexpected,
            message: format!("internal error: {}", message.into()),
            hint: Some(
                "this is a defect of barecode; please report it with the run's manifest.json"
                    .to_owned(),
            ),
        }
    }

    /// The stop that Ctrl-C asks for.
    pub(crate) fn interrupted() -> Self {
        Failure {
            exit: Exit::Interrupted,
            message: "interrupted".to_owned(),
            hint: None,
        }
    }

    /// A file that cannot be written.
    pub(crate) fn cannot_write(path: &Path, error: &io::Error) -> Self {
        let (what, hint) = match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => (
                "no space left".to_owned(),
                "free some space and run the same command again: every finished shard is kept",
            ),
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => (
                "not allowed to write here".to_owned(),
                "choose another folder with --out, or ask for the right to write into this one",
            ),
            _ => (
                error.to_string(),
                "look at the path, then run the same command again",
            ),
        };
        Failure {
            exit: Exit::CannotWrite,
            message: format!("cannot write `{}`: {what}", path.display()),
            hint: Some(hint.to_owned()),
        }
    }

    /// Adds what to do about it.
    #[must_use]
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}

/// What an error means to whoever called the program.
pub(crate) fn classify(error: &anyhow::Error) -> Failure {
    for cause in error.chain() {
        if let Some(failure) = cause.downcast_ref::<Failure>() {
            return Failure {
                message: format!("{error:#}"),
                ..failure.clone()
            };
        }
        if let Some(TableError::Io {
            action,
            path,
            source,
        }) = cause.downcast_ref::<TableError>()
        {
            if *action != "read" {
                return Failure::cannot_write(path, source);
            }
            return Failure::invalid(format!("cannot read `{}`: {source}", path.display()))
                .hint("remove the file and run `barecode build` again: it will be made anew");
        }
        if cause.downcast_ref::<TableError>().is_some() {
            return Failure::invalid(format!("{error:#}"))
                .hint("remove the file and run `barecode build` again: it will be made anew");
        }
        if let Some(error) = cause.downcast_ref::<CheckError>() {
            return with_hint(of_check(error), error);
        }
        if let Some(error) = cause.downcast_ref::<TokenizerError>() {
            return with_hint(Exit::Invalid, error);
        }
        if let Some(error) = cause.downcast_ref::<FormatError>() {
            return with_hint(of_format(error), error);
        }
        if let Some(error) = cause.downcast_ref::<ModelError>() {
            return with_hint(of_model(error), error);
        }
        if let Some(error) = cause.downcast_ref::<SourceError>() {
            return with_hint(of_source(error), error);
        }
        // Files have their errors above; what is left is standard output.
        if let Some(error) = cause.downcast_ref::<io::Error>()
            && error.kind() == io::ErrorKind::StorageFull
        {
            return Failure::cannot_write(Path::new("standard output"), error);
        }
    }
    Failure {
        exit: Exit::Unexpected,
        message: format!("{error:#}"),
        hint: None,
    }
}

fn of_check(error: &CheckError) -> Exit {
    match error {
        CheckError::CompilerMissing { .. } | CheckError::CompilerUnusable { .. } => {
            Exit::ToolMissing
        }
        CheckError::Scratch { .. } | CheckError::DiskFull { .. } | CheckError::Cache { .. } => {
            Exit::CannotWrite
        }
        CheckError::Start { .. } | CheckError::ObjectUnreadable { .. } => Exit::Unexpected,
    }
}

fn of_format(error: &FormatError) -> Exit {
    match error {
        FormatError::Io { action, .. } if *action != "read" => Exit::CannotWrite,
        FormatError::Io { .. } | FormatError::Invalid { .. } => Exit::Invalid,
    }
}

fn of_model(error: &ModelError) -> Exit {
    match error {
        ModelError::DiskFull { .. } => Exit::CannotWrite,
        ModelError::Interrupted => Exit::Interrupted,
        ModelError::Budget { .. } => Exit::Below,
        ModelError::Remote { .. } => Exit::ToolMissing,
        ModelError::Unusable { .. } | ModelError::Io { .. } | ModelError::Cache { .. } => {
            Exit::Invalid
        }
    }
}

fn of_source(error: &SourceError) -> Exit {
    if let SourceError::ProgramMissing { .. } = error {
        Exit::ToolMissing
    } else {
        Exit::Invalid
    }
}

/// The crates end a message with a blank line and what to do, where there is something to do.
fn with_hint(exit: Exit, error: &dyn fmt::Display) -> Failure {
    let text = error.to_string();
    match text.split_once("\n\nhint: ") {
        Some((message, hint)) => Failure {
            exit,
            message: message.to_owned(),
            hint: Some(hint.to_owned()),
        },
        None => Failure {
            exit,
            message: text,
            hint: None,
        },
    }
}

/// Whether the reader of our output went away, which is how `barecode … | head` ends.
pub(crate) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause
            .downcast_ref::<io::Error>()
            .is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
    })
}
