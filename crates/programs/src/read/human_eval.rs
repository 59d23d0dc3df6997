//! `HumanEval`, and what was made of it: `HumanEvalPack` with a bug each, `HumanEval-X`.
//!
//! The program is the prompt (imports, helpers, signature, docstring) with the canonical solution. The test is a function
//! `check`, which `HumanEval` leaves to the harness to call and `HumanEvalPack` calls itself.

use barecode_formats::Row;
use barecode_records::Reason;
use barecode_records::python::{PublishedKind, TestKind, Tests};

use super::problem::{Problem, Refused, Solution};

pub(super) fn problem(row: &mut Row, bugs: bool) -> Result<Problem, Refused> {
    let name = row.id(&["task_id"])?;
    if let Some((language, _)) = name.split_once('/')
        && row.has(&["declaration"])
        && language != "Python"
    {
        return Err(Refused::row(
            Reason::NoProgram,
            format!("the solution is in {language}"),
        ));
    }
    let prompt = row.text(&["prompt"])?;
    let solution = row.text(&["canonical_solution"])?;
    let code = row.text(&["test"])?;
    let entry = match row.text_or_empty(&["entry_point"])? {
        entry if entry.is_empty() => checked(&code).map(str::to_owned),
        entry => Some(entry),
    };
    let Some(entry) = entry else {
        let detail = "no `entry_point`, and `check` is not given a name";
        return Err(Refused::row(Reason::RowIncomplete, detail));
    };
    let calls_itself = code.trim_end().ends_with(&format!("\ncheck({entry})"));
    let bug = row.text_or_empty(&["buggy_solution"])?;
    let bug = (bugs && !bug.is_empty()).then(|| {
        let text = format!("{prompt}{bug}");
        Solution::wrong(PublishedKind::BuggySolution, text)
    });
    let statement = match row.text_or_empty(&["docstring", "text"])? {
        words if words.is_empty() => prompt.clone(),
        words => words,
    };
    Ok(Problem {
        name,
        statement: Some(statement),
        tests: Tests {
            kind: TestKind::Asserts,
            setup: String::new(),
            code,
            entry: (!calls_itself).then_some(entry),
            cases: Vec::new(),
        },
        cut_cases: 0,
        solutions: [Solution::new(format!("{prompt}{solution}"))]
            .into_iter()
            .chain(bug)
            .collect(),
    })
}

/// The name that `check` uses for the function that it checks, which in `HumanEval-X` is the function's own.
fn checked(code: &str) -> Option<&str> {
    let (_, rest) = code.split_once("def check(")?;
    let (name, _) = rest.split_once(')')?;
    let is_name = !name.is_empty() && name.chars().all(|c| c == '_' || c.is_alphanumeric());
    (is_name && name != "candidate").then_some(name)
}
