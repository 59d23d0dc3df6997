//! Python programs in the sandbox, as the users of the crate see them, with a real interpreter.

#![expect(
    clippy::disallowed_methods,
    reason = "tests start what the sandbox is compared with, and look at a clock"
)]
#![expect(clippy::unwrap_used, reason = "the helpers of tests are tests")]

mod attacks;
mod bad_programs;
mod forged;
mod kinds;
mod life;
mod published;

use std::path::PathBuf;
use std::sync::OnceLock;

use barecode_check::{Python, PythonConfig, Ran};
use barecode_records::python::{Case, Fault, TestKind, Tests};

/// What a machine that runs other things, too, needs.
fn config() -> PythonConfig {
    PythonConfig {
        python: Some(PathBuf::from("/usr/bin/python3")),
        seconds: 30,
        ..PythonConfig::default()
    }
}

/// One for all tests, so that each has little to wait for.
fn python() -> &'static Python {
    static PYTHON: OnceLock<Python> = OnceLock::new();
    PYTHON.get_or_init(|| Python::open(&config(), None).unwrap())
}

fn of_kind(kind: TestKind) -> Tests {
    Tests {
        kind,
        setup: String::new(),
        code: String::new(),
        entry: None,
        cases: Vec::new(),
    }
}

fn asserts(code: &str) -> Tests {
    Tests {
        code: code.to_owned(),
        ..of_kind(TestKind::Asserts)
    }
}

fn pytest(entry: &str, code: &str) -> Tests {
    Tests {
        code: code.to_owned(),
        entry: Some(entry.to_owned()),
        ..of_kind(TestKind::Pytest)
    }
}

fn cases(kind: TestKind, cases: &[(&str, &str)]) -> Tests {
    let cases = cases.iter().map(|(input, output)| Case {
        input: (*input).to_owned(),
        output: (*output).to_owned(),
    });
    Tests {
        cases: cases.collect(),
        ..of_kind(kind)
    }
}

fn stdio(pairs: &[(&str, &str)]) -> Tests {
    cases(TestKind::Stdio, pairs)
}

fn run(tests: &Tests, program: &str) -> Ran {
    python().run(tests, &[program]).unwrap().remove(0)
}

fn passes(tests: &Tests, program: &str, count: u32) {
    assert_eq!(
        run(tests, program),
        Ran::Passed { tests: count },
        "{program}"
    );
}

/// How it failed, and on which test; the message is looked at here.
fn fails(tests: &Tests, program: &str, says: &str) -> (Fault, Option<u32>) {
    match run(tests, program) {
        Ran::Failed {
            fault,
            test,
            message,
        } => {
            assert!(message.contains(says), "`{says}` in `{message}`\n{program}");
            (fault, test)
        }
        other => panic!("{other:?}\n{program}"),
    }
}

fn is_not_separable(tests: &Tests, program: &str, says: &str) {
    match run(tests, program) {
        Ran::NotSeparable { reason } => {
            assert!(reason.contains(says), "`{says}` in `{reason}`\n{program}");
        }
        other => panic!("{other:?}\n{program}"),
    }
}
