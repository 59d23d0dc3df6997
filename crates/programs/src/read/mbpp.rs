//! `MBPP`, whole (JSON Lines) and sanitized (a JSON array).
//!
//! Its set-up code makes objects of the program's own classes, so it comes before the asserts and after the program.
//! Challenge tests are tests.

use barecode_formats::Row;
use barecode_records::Reason;
use barecode_records::python::{TestKind, Tests};
use serde_json::Value;

use super::problem::{Problem, Refused, Solution};

pub(super) fn problem(row: &mut Row) -> Result<Problem, Refused> {
    let name = format!("Mbpp/{}", row.id(&["task_id"])?);
    let statement = row.text(&["text", "prompt"])?;
    let program = row.text(&["code"])?;
    let mut lines = lines(row, "test_imports")?;
    lines.push(
        row.text_or_empty(&["test_setup_code"])?
            .replace("\r\n", "\n"),
    );
    lines.retain(|line| !line.trim().is_empty());
    let asserts = lines_required(row, "test_list")?;
    if asserts.is_empty() {
        return Err(Refused::row(Reason::NoTests, "`test_list` is empty"));
    }
    lines.extend(asserts);
    lines.extend(self::lines(row, "challenge_test_list")?);
    let code = lines.join("\n") + "\n";
    Ok(Problem {
        name,
        statement: Some(statement),
        tests: Tests {
            kind: TestKind::Asserts,
            setup: String::new(),
            code,
            entry: None,
            cases: Vec::new(),
        },
        cut_cases: 0,
        solutions: vec![Solution::new(program)],
    })
}

fn lines_required(row: &mut Row, name: &str) -> Result<Vec<String>, Refused> {
    if row.get(name).is_none() {
        return Err(Refused::row(
            Reason::RowIncomplete,
            format!("row {}: no `{name}`", row.number),
        ));
    }
    lines(row, name)
}

/// A list of texts; empty if it is absent.
fn lines(row: &mut Row, name: &str) -> Result<Vec<String>, Refused> {
    let wrong = |row: &Row| {
        let detail = format!("row {}: `{name}` is not a list of texts", row.number);
        Refused::row(Reason::RowIncomplete, detail)
    };
    let items = match row.take(&[name]) {
        None => return Ok(Vec::new()),
        Some(Value::Array(items)) => items,
        Some(_) => return Err(wrong(row)),
    };
    let text = |item| match item {
        Value::String(text) => Ok(text.replace("\r\n", "\n")),
        _ => Err(wrong(row)),
    };
    items.into_iter().map(text).collect()
}
