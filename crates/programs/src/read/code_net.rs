//! Project `CodeNet`: a folder a problem with a folder a language, and tables of submissions.
//!
//! `data/p00001/Python/s123.py` are the submissions, `metadata/p00001.csv` has the status of each and the language in
//! the words of its judge, which reveals Python 2; `derived/input_output/data/p00001/` has one input with its output,
//! and `problem_descriptions/p00001.html` the problem. A submission that was not accepted, or has no row, is set
//! aside.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use barecode_records::Reason;
use barecode_records::python::{Case, TestKind, Tests};

use super::files;
use super::problem::{Place, PlacedProblem, Problem, Refused, Solution, Text};

/// The problems of a folder that has the layout; empty if it has another layout.
pub(super) fn problems(root: &Path) -> Vec<PathBuf> {
    let is_problem = |path: &PathBuf| path.join("Python").is_dir();
    let mut problems = files::entries(&root.join("data"));
    problems.retain(is_problem);
    problems
}

pub(super) fn problem(root: &Path, folder: &Path) -> std::iter::Once<PlacedProblem> {
    let name = files::name(folder);
    let place = Place {
        path: files::relative(root, folder),
        line: None,
    };
    std::iter::once((place, assembled(root, folder, name)))
}

fn assembled(root: &Path, folder: &Path, name: String) -> Result<Problem, Refused> {
    let submissions = submissions(&root.join("metadata").join(format!("{name}.csv")))?;
    let tests = root.join("derived/input_output/data").join(&name);
    let (input, output) = (tests.join("input.txt"), tests.join("output.txt"));
    let mut cases = Vec::new();
    if input.is_file() && output.is_file() {
        let in_row = |refused| Refused {
            kind: "row",
            ..refused
        };
        cases.push(Case {
            input: files::text(&input).map_err(in_row)?,
            output: files::text(&output).map_err(in_row)?,
        });
    }
    let description = root
        .join("problem_descriptions")
        .join(format!("{name}.html"));
    let is_program = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "py");
    let programs = files::entries(&folder.join("Python")).into_iter();
    let solutions = programs.filter(is_program).map(|file| {
        let path = files::relative(root, &file);
        match refusal(submissions.get(&files::stem(&file))) {
            Some(refused) => Solution::refused(Some(path), refused),
            None => Solution {
                text: Text::File(path),
                ..Solution::new(String::new())
            },
        }
    });
    Ok(Problem {
        solutions: solutions.collect(),
        name,
        statement: files::text(&description).ok(),
        tests: Tests {
            kind: TestKind::Stdio,
            setup: String::new(),
            code: String::new(),
            entry: None,
            cases,
        },
        cut_cases: 0,
    })
}

/// The row of a submission in the table.
struct Submission {
    language: String,
    status: String,
}

fn submissions(table: &Path) -> Result<BTreeMap<String, Submission>, Refused> {
    let wrong = |error: &dyn std::fmt::Display| {
        let table = files::name(table);
        Refused::row(Reason::RowIncomplete, format!("metadata/{table}: {error}"))
    };
    let mut reader = csv::ReaderBuilder::new()
        .flexible(true)
        .from_path(table)
        .map_err(|error| wrong(&error))?;
    let names = reader.headers().map_err(|error| wrong(&error))?.clone();
    let column = |name: &str| {
        let at = names.iter().position(|column| column == name);
        at.ok_or_else(|| wrong(&format!("no column `{name}`")))
    };
    let id = column("submission_id")?;
    let (language, status) = (column("original_language")?, column("status")?);
    let mut found = BTreeMap::new();
    // A row that is not one leaves its submission without a status.
    for row in reader.records().flatten() {
        let cell = |index| row.get(index).unwrap_or_default().to_owned();
        let submission = Submission {
            language: cell(language),
            status: cell(status),
        };
        found.insert(cell(id), submission);
    }
    Ok(found)
}

fn refusal(submission: Option<&Submission>) -> Option<Refused> {
    let Some(Submission { language, status }) = submission else {
        let detail = "the table of submissions has no row for it";
        return Some(Refused::program(Reason::NotAccepted, detail));
    };
    if status != "Accepted" {
        let detail = format!("status `{status}`");
        return Some(Refused::program(Reason::NotAccepted, detail));
    }
    let is_python2 = language.starts_with("Python2")
        || language.starts_with("Python (2")
        || language.starts_with("PyPy2")
        || language.starts_with("PyPy (2");
    is_python2.then(|| Refused::program(Reason::Python2, format!("language `{language}`")))
}
