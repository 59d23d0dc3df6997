//! Comparison of clones with their programs on inputs that no test has.
//!
//! A clone that passes the tests may still behave differently where no test looks. Both are run with inputs made up
//! from those of the tests (`inputs`); their outputs, returned values, changed arguments and exceptions are compared.
//! An input is skipped if the program answers it differently in two runs. A program that one of the inputs ends, or
//! that needs more than a twentieth of its time, is not compared.

use std::time::Duration;

use barecode_check::{Answer, CheckError, Python};
use barecode_records::python::{Program, Tests};

use crate::inputs::made_up;

/// A program's answers to made-up inputs.
#[derive(Debug)]
pub(crate) struct Differ<'a> {
    python: &'a Python,
    wall: Duration,
    questions: Tests,
    answers: Vec<Answer>,
}

/// The outcome of a clone on made-up inputs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Compared {
    /// Inputs on which it does the same as the program; `None` if there were no inputs.
    pub(crate) agreed: Option<u32>,
    /// Inputs on which it does something else.
    pub(crate) differed: Option<u32>,
    /// The first of these, with what both do, in one line.
    pub(crate) difference: Option<String>,
}

impl<'a> Differ<'a> {
    /// Asks a program. It has a twentieth of the time of its clones, so that a clone beyond its time is another kind of slow.
    pub(crate) fn of(program: &Program, python: &'a Python) -> Result<Differ<'a>, CheckError> {
        let wall = Duration::from_secs(python.config().seconds.into());
        let mut questions = made_up(program, python.config().inputs);
        let ask = |again: bool| -> Result<Vec<Answer>, CheckError> {
            if questions.cases.is_empty() {
                return Ok(Vec::new());
            }
            let answers = python.answers(&questions, &program.text, wall / 20, again)?;
            // The first input beyond a limit may differ from run to run.
            Ok(match answers.end {
                None => answers.given,
                Some(_) => Vec::new(),
            })
        };
        let (first, again) = (ask(false)?, ask(true)?);
        let mut answers = Vec::new();
        let mut cases = Vec::new();
        for ((case, first), again) in questions.cases.into_iter().zip(first).zip(again) {
            if plain(&first) == plain(&again) {
                cases.push(case);
                answers.push(first);
            }
        }
        questions.cases = cases;
        Ok(Differ {
            python,
            wall,
            questions,
            answers,
        })
    }

    /// Asks a clone.
    pub(crate) fn compare(&self, text: &str) -> Result<Compared, CheckError> {
        if self.answers.is_empty() {
            return Ok(Compared::default());
        }
        let found = (self.python).answers(&self.questions, text, self.wall, false)?;
        let (mut agreed, mut differed, mut difference) = (0, 0, None);
        let asked = self.questions.cases.iter().zip(&self.answers);
        for (number, (case, answer)) in asked.enumerate() {
            let other = match (found.given.get(number), found.end) {
                (Some(given), _) if plain(given) == plain(answer) => {
                    agreed += 1;
                    continue;
                }
                (Some(given), _) => said(given),
                (None, Some(fault)) if number == found.given.len() => fault.name().to_owned(),
                // Its process has ended.
                (None, _) => break,
            };
            differed += 1;
            difference.get_or_insert_with(|| {
                let question = quoted(case.input.trim_start_matches("barecode_show"));
                format!("{question}: {other}, and the program {}", said(answer))
            });
        }
        Ok(Compared {
            agreed: Some(agreed),
            differed: Some(differed),
            difference,
        })
    }
}

/// An answer without the parts that differ between processes or spellings of a program: addresses, the depth of a
/// stack, the name of the variable that is unbound.
fn plain(answer: &Answer) -> (String, Option<String>) {
    const TYPE_ALONE: [&str; 3] = ["RecursionError", "NameError", "UnboundLocalError"];
    let error = answer.error.as_deref().map(|error| {
        let name = error.split(':').next().unwrap_or_default();
        if TYPE_ALONE.contains(&name) {
            name.to_owned()
        } else {
            without_addresses(error)
        }
    });
    (without_addresses(&answer.printed), error)
}

fn without_addresses(text: &str) -> String {
    let mut parts = text.split(" at 0x");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        plain.push_str(" at 0x");
        plain.push_str(part.trim_start_matches(|char: char| char.is_ascii_hexdigit()));
    }
    plain
}

/// An answer in a few words.
fn said(answer: &Answer) -> String {
    match &answer.error {
        Some(error) => format!("raises {}", quoted(error)),
        None => format!("gives {}", quoted(&answer.printed)),
    }
}

/// The first characters of a text, in quotes and on one line.
fn quoted(text: &str) -> String {
    const LONGEST: usize = 80;
    let text = text.trim_end();
    let short: String = text.chars().take(LONGEST).collect();
    let more = if short.len() < text.len() { "…" } else { "" };
    format!("{short:?}{more}")
}
