//! Errors that stop a run.
//!
//! A function that does not compile is data. These are the cases in which no verdict could be reached at all.

use std::io;
use std::path::PathBuf;

use barecode_languages::title;
use barecode_records::Language;

/// The reasons why a verdict could not be reached.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    /// The program does not exist.
    #[error("compiler `{program}` for {} not found", title(*language))]
    CompilerMissing {
        /// The program as the recipe names it.
        program: String,
        /// The language that it would judge.
        language: Language,
        /// The command that installs it.
        hint: String,
    },
    /// The language is not one that is compiled.
    #[error("{} is not compiled here, only C and C++ are", title(*language))]
    NotCompiled {
        /// The language.
        language: Language,
    },
    /// The program runs, but not as a compiler of its language.
    #[error("`{program}` does not work as a compiler of {}: {message}", title(*language))]
    CompilerUnusable {
        /// The program as the recipe names it.
        program: String,
        /// The language that it should judge.
        language: Language,
        /// Its message or behavior.
        message: String,
        /// The advice to the user.
        hint: String,
    },
    /// The kernel cannot prevent compilers from reading the files of this machine.
    #[error(
        "this kernel has no landlock, so a text could have a compiler read any file that you can read"
    )]
    Unconfined,
    /// The interpreter does not exist.
    #[error("Python interpreter `{program}` not found")]
    InterpreterMissing {
        /// The interpreter as the recipe names it.
        program: String,
    },
    /// The interpreter does not run programs as it should.
    #[error("`{program}` does not work as an interpreter of Python: {message}")]
    InterpreterUnusable {
        /// The interpreter.
        program: String,
        /// Its message or behavior.
        message: String,
        /// The advice to the user.
        hint: String,
    },
    /// The kernel cannot isolate programs from this machine.
    #[error("this system cannot confine Python programs: {missing}")]
    NoSandbox {
        /// The missing locks, or the attacks that were not stopped.
        missing: String,
    },
    /// A program could not be started, or could not be confined.
    #[error("start `{program}`: {source}")]
    Start {
        /// The program.
        program: String,
        /// The error of the system.
        source: io::Error,
    },
    /// The folder that a compiler works in could not be created or used.
    #[error("temporary folder in `{}`: {source}", folder.display())]
    Scratch {
        /// The folder in which it should be.
        folder: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The disk is full: the code cannot be judged.
    #[error("no space left on the disk of `{}`", path.display())]
    DiskFull {
        /// A folder or file on it.
        path: PathBuf,
        /// The advice to the user.
        hint: String,
    },
    /// The compiler reported success, and left something that is not an object file.
    #[error("object file made by `{program}` cannot be read: {message}")]
    ObjectUnreadable {
        /// The compiler.
        program: String,
        /// The message of the reader.
        message: String,
    },
}

impl CheckError {
    /// The advice to the user.
    pub fn hint(&self) -> Option<&str> {
        match self {
            CheckError::CompilerMissing { hint, .. }
            | CheckError::CompilerUnusable { hint, .. }
            | CheckError::InterpreterUnusable { hint, .. }
            | CheckError::DiskFull { hint, .. } => Some(hint),
            CheckError::Unconfined => Some(
                "use a kernel with landlock (Linux 5.13 or later, not blocked by a container); for sources that you trust, set `unconfined = true` in `[check]`",
            ),
            CheckError::InterpreterMissing { .. } => Some(
                "apt-get install --yes python3, or name an interpreter with `python = …` in `[python]`",
            ),
            CheckError::NoSandbox { .. } => Some(
                "use Linux 5.13 or later on x86-64 or ARM64 with landlock and seccomp, in a container that permits both (macOS: a Linux container); for programs that you trust, give `--unsafe-no-sandbox`",
            ),
            CheckError::Scratch { .. } => Some("set TMPDIR to use another folder"),
            CheckError::NotCompiled { .. }
            | CheckError::Start { .. }
            | CheckError::ObjectUnreadable { .. } => None,
        }
    }
}
