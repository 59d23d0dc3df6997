//! The interpreter, and its parts.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;

use crate::CheckError;
use crate::confine::{self, Ending, Job, Limits, Sight};
use crate::purpose::find;
use crate::workplace::Workplace;

/// The modules that are imported for programs: those that contest and benchmark programs use, and those that the
/// harness itself needs.
pub(crate) fn imports() -> std::str::Lines<'static> {
    include_str!("imports.txt").lines()
}

/// The oldest version with the functions that the zygote needs (`os.pidfd_open`).
const OLDEST: [u32; 2] = [3, 9];

#[derive(Debug, Deserialize)]
pub(crate) struct Interpreter {
    pub(crate) executable: PathBuf,
    /// `3.11.7`.
    pub(crate) version: String,
    /// A description that distinguishes it from others.
    pub(crate) build: String,
    number: [u32; 2],
    /// The files and folders that it reads.
    pub(crate) files: Vec<PathBuf>,
}

impl Interpreter {
    /// Finds the interpreter and queries it about itself.
    pub(crate) fn find(named: Option<&Path>) -> Result<Interpreter, CheckError> {
        let program = named.unwrap_or(Path::new("python3"));
        let missing = || CheckError::InterpreterMissing {
            program: program.display().to_string(),
        };
        let path = find(&program.to_string_lossy()).ok_or_else(missing)?;
        let unusable = |message: String| CheckError::InterpreterUnusable {
            program: path.display().to_string(),
            message,
            hint: "name another CPython, 3.9 or later, with `python = …` in `[python]`".to_owned(),
        };
        let scratch = Workplace::open()?;
        let scratch = scratch.scratch()?;
        let options = ["-B", "-S", "-s", "-c", include_str!("child/describe.py")];
        let arguments = options.into_iter().chain(imports());
        let arguments: Vec<&OsStr> = arguments.map(OsStr::new).collect();
        let job = Job {
            program: &path,
            arguments: &arguments,
            folder: scratch.path(),
            sight: Sight::Everything,
            limits: LIMITS,
        };
        let finished = confine::run(&job).map_err(|source| CheckError::Start {
            program: path.display().to_string(),
            source,
        })?;
        if finished.ending != Ending::Exited(0) {
            let said = String::from_utf8_lossy(&finished.stderr);
            let said = said.trim().lines().last().unwrap_or_default().to_owned();
            return Err(unusable(format!("{:?}: {said}", finished.ending)));
        }
        let interpreter: Interpreter = serde_json::from_slice(&finished.stdout)
            .map_err(|error| unusable(format!("it does not describe itself: {error}")))?;
        if interpreter.number < OLDEST {
            return Err(unusable(format!("its version is {}", interpreter.version)));
        }
        Ok(interpreter)
    }

    /// Its environment when it runs programs: the same for all users.
    pub(crate) fn environment() -> Vec<(&'static str, OsString)> {
        let variables = [
            ("LC_ALL", "C.UTF-8"),
            ("PYTHONHASHSEED", "0"),
            ("PYTHONUTF8", "1"),
            ("PYTHONDONTWRITEBYTECODE", "1"),
        ];
        variables.map(|(name, value)| (name, value.into())).into()
    }
}

const LIMITS: Limits = Limits {
    seconds: 30,
    wall: Duration::from_mins(1),
    memory_bytes: 8 << 30,
    file_bytes: 1 << 20,
    printed_bytes: 1 << 20,
    kept_bytes: 1 << 20,
};
