//! `LeetCodeDataset`: a class `Solution`, a prelude of imports and helper classes, and `check(candidate)`.

use barecode_formats::Row;
use barecode_records::python::{TestKind, Tests};

use super::problem::{Problem, Refused, Solution};

pub(super) fn problem(row: &mut Row) -> Result<Problem, Refused> {
    let name = row.id(&["task_id"])?;
    let setup = row.text(&["prompt"])?;
    let program = row.text(&["completion"])?;
    let entry = row.text(&["entry_point"])?;
    let code = row.text(&["test"])?;
    let statement = row.text_or_empty(&["problem_description", "query"])?;
    Ok(Problem {
        name,
        statement: Some(statement).filter(|words| !words.is_empty()),
        tests: Tests {
            kind: TestKind::Asserts,
            setup,
            code,
            entry: Some(entry),
            cases: Vec::new(),
        },
        cut_cases: 0,
        solutions: vec![Solution::new(program)],
    })
}
