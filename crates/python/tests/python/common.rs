//! Programs, and what running them gives.

use std::path::Path;

use barecode_testing::needs;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Program {
    pub(crate) id: String,
    pub(crate) text: String,
    pub(crate) tests: String,
    pub(crate) entry: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub(crate) struct Outcome {
    pub(crate) printed: String,
    pub(crate) error: Option<String>,
}

fn ask<T: for<'d> Deserialize<'d>>(wish: &Value) -> Option<T> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs.py");
    let answer = needs::ask(&script, wish, &[])?;
    Some(serde_json::from_value(answer).expect("programs.py answers in this form"))
}

/// The programs of `HumanEval` and MBPP.
pub(crate) fn programs() -> Option<Vec<Program>> {
    let folder = needs::data("python")?;
    ask(&json!({"do": "list", "folder": folder}))
}

/// Files of the standard library that are UTF-8.
pub(crate) fn files() -> Option<Vec<String>> {
    ask(&json!({"do": "files"}))
}

/// What programs print, and how they end.
pub(crate) fn run(programs: &[String], seconds: f64) -> Option<Vec<Outcome>> {
    ask(&json!({"do": "run", "seconds": seconds, "programs": programs}))
}

/// The same for programs that leave each other alone, which may share a process.
pub(crate) fn run_together(programs: &[String], seconds: f64) -> Option<Vec<Outcome>> {
    ask(&json!({"do": "run", "seconds": seconds, "programs": programs, "together": 40}))
}

/// What the examples of docstrings give.
pub(crate) fn run_doctests(programs: &[String], folder: &str) -> Option<Vec<Outcome>> {
    let wish = json!({"do": "run", "seconds": 5.0, "programs": programs, "doctests": folder});
    ask(&wish)
}
