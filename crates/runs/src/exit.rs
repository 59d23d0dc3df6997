//! The exit codes of the program, as other programs read them.
//!
//! The table is part of the interface: a script may tell a missing compiler from a bad recipe without reading a
//! message. [`classify`] is the only function that turns an error into a number.

use std::fmt;
use std::io;
use std::path::Path;

use barecode_check::CheckError;
use barecode_dataset::TokenizerError;
use barecode_evaluate::EvaluateError;
use barecode_formats::FormatError;
use barecode_models::ModelError;
use barecode_records::{TableError, guarded};
use barecode_scores::StatisticsError;
use barecode_sources::SourceError;
use barecode_train::TrainError;
use barecode_web::StudyError;

/// The exit codes. `barecode --help` lists them too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Everything that was requested is done.
    Done = 0,
    /// An unforeseen error; a defect of barecode until shown otherwise.
    Unexpected = 1,
    /// The command line is wrong.
    Usage = 2,
    /// Done, but below a requested threshold or different from a record.
    Below = 3,
    /// The recipe or an input is invalid, or a stage that must come first is not current.
    Invalid = 4,
    /// A tool that is needed is missing, or a server: it cannot be reached, refuses, or always returns answers that
    /// cannot be right.
    ToolMissing = 5,
    /// A file cannot be written: the disk is full, or it is not allowed.
    CannotWrite = 6,
    /// Interrupted; what was finished is kept, and the same command goes on.
    Interrupted = 130,
}

impl Exit {
    /// All codes in order, with their text in the help.
    const MEANINGS: [(Exit, &str); 8] = [
        (Exit::Done, "done"),
        (Exit::Unexpected, "something unexpected happened"),
        (Exit::Usage, "the command line is wrong"),
        (
            Exit::Below,
            "done, but below a requested threshold or different from the expected result",
        ),
        (
            Exit::Invalid,
            "the recipe or an input is invalid, or an earlier stage is not current",
        ),
        (
            Exit::ToolMissing,
            "a needed tool is missing, or a server does not answer as it should",
        ),
        (
            Exit::CannotWrite,
            "a file cannot be written: disk full, or no permission",
        ),
        (
            Exit::Interrupted,
            "interrupted; run the same command again to continue",
        ),
    ];

    /// The table of codes for the help text.
    pub fn table() -> String {
        let lines =
            Exit::MEANINGS.map(|(exit, meaning)| format!("  {:>3}  {meaning}\n", exit as u8));
        format!("Exit codes:\n{}", lines.concat())
    }
}

/// An error with the exit code of the program, and the remedy.
#[derive(Debug, Clone)]
pub struct Failure {
    /// The exit code.
    pub exit: Exit,
    /// The fault: a lowercase fragment with the value and the position.
    pub message: String,
    /// The remedy.
    pub hint: Option<String>,
}

impl Failure {
    /// A failure without anything to do about it.
    pub fn new(exit: Exit, message: impl Into<String>) -> Self {
        Failure {
            exit,
            message: message.into(),
            hint: None,
        }
    }

    /// An input or a recipe that is invalid.
    pub fn invalid(message: impl Into<String>) -> Self {
        Failure::new(Exit::Invalid, message)
    }

    /// A broken promise of our own code.
    pub fn internal(message: impl Into<String>) -> Self {
        let message = format!("internal error: {}", message.into());
        Failure::new(Exit::Unexpected, message)
            .hint("this is a defect of barecode; please report it with the run's manifest.json")
    }

    /// Creates a failure from an error of a crate, with its remedy.
    pub fn of(exit: Exit, error: &dyn fmt::Display, hint: Option<&str>) -> Self {
        Failure {
            exit,
            message: error.to_string(),
            hint: hint.map(str::to_owned),
        }
    }

    /// A file that cannot be written.
    pub fn cannot_write(path: &Path, error: &io::Error) -> Self {
        let (what, hint) = match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => (
                "no space left".to_owned(),
                "free some space and run the same command again: every finished shard is kept",
            ),
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => (
                "not allowed to write here".to_owned(),
                "choose another folder with --out, or ask for the right to write into this one",
            ),
            io::ErrorKind::FileTooLarge => (
                "a limit on the size of files is reached".to_owned(),
                "raise it (`ulimit -f`) and run the same command again: every finished shard is kept",
            ),
            _ => (
                error.to_string(),
                "look at the path, then run the same command again",
            ),
        };
        let message = format!("cannot write `{}`: {what}", path.display());
        Failure::new(Exit::CannotWrite, message).hint(hint)
    }

    /// Adds the remedy.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// The text of an input file.
///
/// # Errors
/// A file that cannot be read.
pub fn read_text(path: &Path) -> Result<String, Failure> {
    guarded::text(path)
        .map_err(|error| Failure::invalid(format!("cannot read `{}`: {error}", path.display())))
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}

/// The meaning of an error for the caller of the program.
pub fn classify(error: &anyhow::Error) -> Failure {
    let found = error.chain().find_map(|cause| {
        let known = |exit, hint| Some(Failure::of(exit, cause, hint));
        if let Some(failure) = cause.downcast_ref::<Failure>() {
            return Some(Failure {
                message: format!("{error:#}"),
                ..failure.clone()
            });
        } else if let Some(table) = cause.downcast_ref() {
            return Some(of_table(table, error));
        } else if let Some(error) = cause.downcast_ref::<CheckError>() {
            return known(of_check(error), error.hint());
        } else if let Some(error) = cause.downcast_ref::<TokenizerError>() {
            return known(Exit::Invalid, error.hint());
        } else if let Some(error) = cause.downcast_ref::<FormatError>() {
            return known(of_format(error), error.hint());
        } else if let Some(error) = cause.downcast_ref::<EvaluateError>() {
            return Some(of_evaluate(error));
        } else if let Some(error) = cause.downcast_ref::<ModelError>() {
            return known(of_model(error), error.hint());
        } else if let Some(error) = cause.downcast_ref::<TrainError>() {
            return Some(of_train(error));
        } else if let Some(error) = cause.downcast_ref::<StatisticsError>() {
            return known(Exit::Unexpected, error.hint());
        } else if let Some(error) = cause.downcast_ref::<SourceError>() {
            return known(of_source(error), None);
        } else if let Some(error) = cause.downcast_ref::<StudyError>() {
            return known(of_study(error), error.hint());
        }
        // Files have their errors above; the rest is standard output.
        let error = cause.downcast_ref::<io::Error>();
        let full = error.filter(|error| error.kind() == io::ErrorKind::StorageFull);
        full.map(|error| Failure::cannot_write(Path::new("standard output"), error))
    });
    found.unwrap_or_else(|| Failure::new(Exit::Unexpected, format!("{error:#}")))
}

/// A table that cannot be read or written; `whole` is the error with its context.
fn of_table(error: &TableError, whole: &anyhow::Error) -> Failure {
    const REMOVE: &str = "remove the file and run `barecode build` again: it will be made anew";
    match error {
        TableError::Io {
            action,
            path,
            source,
        } if *action != "read" => Failure::cannot_write(path, source),
        TableError::Io { path, source, .. } => {
            Failure::invalid(format!("cannot read `{}`: {source}", path.display())).hint(REMOVE)
        }
        TableError::OtherVersion { .. } => Failure::invalid(format!("{whole:#}"))
            .hint("run `barecode build` on the recipe: it does again what has changed"),
        _ => Failure::invalid(format!("{whole:#}")).hint(REMOVE),
    }
}

fn of_study(error: &StudyError) -> Exit {
    match error {
        StudyError::Invalid { .. } => Exit::Invalid,
        StudyError::Full | StudyError::Io(_) => Exit::CannotWrite,
    }
}

fn of_check(error: &CheckError) -> Exit {
    match error {
        CheckError::CompilerMissing { .. }
        | CheckError::CompilerUnusable { .. }
        | CheckError::InterpreterMissing { .. }
        | CheckError::InterpreterUnusable { .. }
        | CheckError::NoSandbox { .. }
        | CheckError::Unconfined
        | CheckError::NotCompiled { .. } => Exit::ToolMissing,
        CheckError::Scratch { .. } | CheckError::DiskFull { .. } => Exit::CannotWrite,
        CheckError::Start { .. } | CheckError::ObjectUnreadable { .. } => Exit::Unexpected,
    }
}

fn of_format(error: &FormatError) -> Exit {
    match error {
        FormatError::Io { action, .. } if *action != "read" => Exit::CannotWrite,
        FormatError::Io { .. } | FormatError::Invalid { .. } => Exit::Invalid,
    }
}

fn of_evaluate(error: &EvaluateError) -> Failure {
    match error {
        EvaluateError::Model(error) => Failure::of(of_model(error), error, error.hint()),
        EvaluateError::Format(error) => Failure::of(of_format(error), error, error.hint()),
        EvaluateError::Invalid { message, hint } => Failure {
            hint: hint.clone(),
            ..Failure::invalid(message)
        },
        EvaluateError::Statistics(error) => Failure::of(Exit::Unexpected, error, error.hint()),
        EvaluateError::NotScored { .. } => Failure::invalid(error.to_string()),
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

fn of_train(error: &TrainError) -> Failure {
    let exit = match error {
        TrainError::Model(error) => of_model(error),
        TrainError::Format(error) => of_format(error),
        TrainError::Io { action, .. } if *action != "read" => Exit::CannotWrite,
        TrainError::Interrupted => Exit::Interrupted,
        TrainError::Io { .. }
        | TrainError::Invalid { .. }
        | TrainError::NotFinite { .. }
        | TrainError::Memory { .. } => Exit::Invalid,
    };
    Failure::of(exit, error, error.hint())
}

fn of_source(error: &SourceError) -> Exit {
    if let SourceError::ProgramMissing { .. } = error {
        Exit::ToolMissing
    } else {
        Exit::Invalid
    }
}

/// Returns `true` if the reader of our output went away, which is how `barecode … | head` ends.
pub fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause
            .downcast_ref::<io::Error>()
            .is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
    })
}
