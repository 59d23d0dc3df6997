//! The locks that hold on this machine.

use std::fmt;
use std::io;
use std::time::Duration;

use barecode_records::python::{Case, TestKind, Tests};

use crate::CheckError;
use crate::confine::has_landlock;
use crate::python::PythonConfig;
use crate::python::filter::filters;
use crate::python::interpreter::Interpreter;
use crate::python::ran::Ran;
use crate::python::session::Session;
use crate::python::zygote::Zygote;

/// The locks that hold, determined by testing them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Level {
    /// Files are out of reach.
    pub landlock: bool,
    /// System calls that reach beyond the process fail.
    pub seccomp: bool,
    /// The network is an empty one; without it, seccomp blocks access to the network.
    pub own_network: bool,
    /// The attacks that were tried.
    pub tried: u32,
    /// The attacks that succeeded.
    pub succeeded: Vec<String>,
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let locks = [
            (self.landlock, "landlock"),
            (self.seccomp, "seccomp"),
            (self.own_network, "empty network"),
        ];
        let locks = locks.iter().filter(|(holds, _)| *holds);
        let locks: Vec<&str> = locks.map(|(_, name)| *name).collect();
        if locks.is_empty() {
            f.write_str("NO SANDBOX, limits only")?;
        } else {
            write!(f, "{}, limits", locks.join(", "))?;
        }
        let stopped = self
            .tried
            .saturating_sub(u32::try_from(self.succeeded.len()).unwrap_or(0));
        write!(f, "; {stopped} of {} attacks stopped", self.tried)
    }
}

/// The attacks of `child/attacks.py`.
const ATTACKS: u32 = 10;

/// Tests the locks; returns the filters that hold together with the level.
pub(crate) fn probe(
    interpreter: &Interpreter,
    config: &PythonConfig,
) -> Result<(Level, Vec<Vec<u8>>), CheckError> {
    let landlock = has_landlock();
    let filters = filters().unwrap_or_default();
    let allowed = config.unsafe_no_sandbox;
    let refuse = |missing: &str| {
        Err(CheckError::NoSandbox {
            missing: missing.to_owned(),
        })
    };
    if !landlock && !allowed {
        return refuse("its kernel has no landlock, or a container forbids it");
    }
    if filters.is_empty() && !allowed {
        return refuse("the filter of system calls is written for x86-64 and ARM64 only");
    }
    let mut level = Level {
        landlock,
        seccomp: !filters.is_empty(),
        own_network: false,
        tried: ATTACKS,
        succeeded: Vec::new(),
    };
    let tried = attack(interpreter, config, &filters, &mut level)?;
    if let Err(why) = tried {
        if !allowed {
            return refuse(&why);
        }
        level.seccomp = false;
        if let Err(why) = attack(interpreter, config, &[], &mut level)? {
            return Err(unusable(interpreter, why));
        }
        return Ok((level, Vec::new()));
    }
    if !level.succeeded.is_empty() && !allowed {
        return refuse(&format!(
            "these were not stopped: {}",
            level.succeeded.join(", ")
        ));
    }
    Ok((level, filters))
}

/// Runs the attacks; why they could not run, if they could not.
fn attack(
    interpreter: &Interpreter,
    config: &PythonConfig,
    filters: &[Vec<u8>],
    level: &mut Level,
) -> Result<Result<(), String>, CheckError> {
    let failed = |source: io::Error| unusable(interpreter, source.to_string());
    let mut zygote = Zygote::start(interpreter, config, filters).map_err(failed)?;
    level.own_network = zygote.has_own_network;
    // A case that expects output that is never printed: the actual output is then in the message.
    let tests = Tests {
        kind: TestKind::Stdio,
        setup: String::new(),
        code: String::new(),
        entry: None,
        cases: vec![Case::default()],
    };
    let mut session = Session::new(&mut zygote, &tests, Duration::from_mins(1), false);
    let printed = session
        .printed(include_str!("child/attacks.py"))
        .map_err(failed)?;
    Ok(match printed {
        Ok(printed) => {
            level.succeeded = printed.lines().map(str::to_owned).collect();
            Ok(())
        }
        Err(Ran::Failed { message, .. }) => Err(message),
        Err(other) => Err(format!("{other:?}")),
    })
}

fn unusable(interpreter: &Interpreter, message: String) -> CheckError {
    CheckError::InterpreterUnusable {
        program: interpreter.executable.display().to_string(),
        message,
        hint: "name another CPython, 3.9 or later, with `python = …` in `[python]`".to_owned(),
    }
}
