//! The result of a program in its tests.

use barecode_records::python::Fault;
use serde::{Deserialize, Serialize};

/// The result of a program in its tests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ran {
    /// It passed.
    Passed {
        /// The number of tests that it passed: cases, examples, test functions, or `assert` statements that were
        /// reached; with 0 nothing was tested.
        tests: u32,
    },
    /// It failed.
    Failed {
        /// The kind of failure.
        fault: Fault,
        /// The first test that fails, from 1: the case, the example, the test function, or the `assert` statement in
        /// the order of the test code (the one that fails, or the next after the line that fails); `None` if it
        /// failed before its first test, or if that is unknown.
        test: Option<u32>,
        /// Its message, in one line.
        message: String,
    },
    /// The tests cannot be run apart from the program, so its result is unknown.
    NotSeparable {
        /// The reason.
        reason: String,
    },
}

impl Ran {
    pub(crate) fn failed(fault: Fault, test: Option<u32>, message: &str) -> Ran {
        Ran::Failed {
            fault,
            test,
            message: line(message),
        }
    }

    pub(crate) fn not_separable(reason: &str) -> Ran {
        Ran::NotSeparable {
            reason: line(reason),
        }
    }

    /// Returns `true` if it would be the same on any other day: limits are reached on one machine and not on another.
    pub(crate) fn is_lasting(&self) -> bool {
        match self {
            Ran::Passed { .. } | Ran::NotSeparable { .. } => true,
            Ran::Failed { fault, .. } => is_lasting(*fault),
        }
    }
}

/// Returns `true` if a program fails with this on any machine: limits depend on it.
pub(crate) fn is_lasting(fault: Fault) -> bool {
    match fault {
        Fault::WrongAnswer | Fault::Exception | Fault::Crash | Fault::Forbidden => true,
        Fault::Timeout | Fault::Memory | Fault::Output => false,
    }
}

/// The longest message, in characters.
const LONGEST: usize = 300;

/// A message in one line, not too long, without addresses of memory.
pub(crate) fn line(message: &str) -> String {
    let mut line = String::new();
    let mut words = message.split_whitespace().peekable();
    while let Some(word) = words.next() {
        match word.find("0x") {
            Some(at) => {
                let (before, number) = word.split_at(at);
                let digits = number.chars().skip(2);
                let digits = digits.take_while(char::is_ascii_hexdigit).count();
                if digits >= 6 {
                    line.push_str(before);
                    line.push_str("0x…");
                    line.extend(number.chars().skip(2 + digits));
                } else {
                    line.push_str(word);
                }
            }
            None => line.push_str(word),
        }
        if words.peek().is_some() {
            line.push(' ');
        }
        if line.chars().count() > LONGEST {
            line = line.chars().take(LONGEST).collect();
            line.push('…');
            break;
        }
    }
    line
}
