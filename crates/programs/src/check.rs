//! Programs to programs that pass their tests.
//!
//! Each is run with its tests; of those that pass, the lines that the tests run are kept. A bug that is published for a
//! program that is left out goes with it.

use barecode_check::{CheckError, Python, Ran};
use barecode_records::python::Program;
use barecode_records::{Outcome, Reason, SetAside, Stage};

/// The word for programs in the account.
pub const PROGRAMS: &str = "programs";

/// The word for published bugs in the account.
pub const BUGS: &str = "published bugs";

/// Runs programs; `done` is called for each.
///
/// # Errors
/// An interpreter that does not work any more.
pub fn check(
    programs: Vec<Program>,
    python: &Python,
    done: impl Fn(),
) -> Result<Outcome<Vec<Program>>, CheckError> {
    let mut outcome = Outcome::counting([PROGRAMS]);
    for mut program in programs {
        let ran = python.run(&program.tests, &[&program.text])?;
        match ran.first() {
            Some(Ran::Passed { tests: 0 }) => {
                let (reason, detail) = (Reason::TestsMissing, "no test was reached");
                leave_out(&mut outcome, &program, reason, detail);
            }
            Some(Ran::Passed { .. }) => {
                program.covered = python.coverage(&program.tests, &program.text)?;
                for _ in &program.bugs {
                    outcome.count_kept(BUGS);
                }
                outcome.keep(PROGRAMS, program);
            }
            other => {
                let (reason, detail) =
                    unread(other, python.version()).unwrap_or_else(|| failed(other));
                leave_out(&mut outcome, &program, reason, &detail);
            }
        }
        done();
    }
    Ok(outcome)
}

/// Says so where the interpreter does not read a program, which was parsed before: it has newer syntax.
fn unread(ran: Option<&Ran>, version: &str) -> Option<(Reason, String)> {
    match ran? {
        Ran::Failed {
            test: None,
            message,
            ..
        } if message.starts_with("SyntaxError: ") && message.contains("(<program>, line ") => {
            Some((
                Reason::NewerPython,
                format!("Python {version} does not read it: {message}"),
            ))
        }
        _ => None,
    }
}

/// The reason that a program that was run is left out.
pub(crate) fn failed(ran: Option<&Ran>) -> (Reason, String) {
    match ran {
        Some(Ran::Failed {
            fault,
            test,
            message,
        }) => {
            let test = test.map_or_else(String::new, |test| format!(" in test {test}"));
            (
                Reason::TestsFail,
                format!("{}{test}: {message}", fault.name()),
            )
        }
        Some(Ran::NotSeparable { reason }) => (Reason::TestsNotSeparable, reason.clone()),
        Some(Ran::Passed { tests }) => (Reason::TestsMissing, format!("{tests} tests passed")),
        None => (Reason::TestsMissing, "it was not run".to_owned()),
    }
}

/// Leaves out a program, and the bugs that are published for it.
fn leave_out(outcome: &mut Outcome<Vec<Program>>, program: &Program, reason: Reason, detail: &str) {
    let row = |kind: &str, reason: Reason, detail: &str| SetAside {
        id: Some(program.id.clone()),
        origin: Some(program.origin.clone()),
        name: Some(program.problem.clone()),
        ..SetAside::new(Stage::Check, kind, reason, detail)
    };
    outcome.set_aside(PROGRAMS, row("program", reason, detail));
    for bug in &program.bugs {
        let detail = format!("{}: its program is {}", bug.kind.name(), reason.code());
        outcome.set_aside(BUGS, row("published bug", Reason::BugAlone, &detail));
    }
}
