//! `DeepMind`'s `CodeContests` as Hugging Face serves it: Parquet, or the same rows as JSON Lines.
//!
//! Lists of structures are structures of lists in these files (`solutions` is `{language: […], solution: […]}`); both
//! forms are read. Tests are taken in the order public, private, generated, up to the limits. Solutions in other
//! languages than Python are not programs of this data set; a problem that has only these is a row that is set aside.
//! Incorrect solutions are published bugs; those in other languages are not reported.

use std::collections::BTreeMap;

use barecode_formats::Row;
use barecode_records::Reason;
use barecode_records::python::{Case, PublishedKind, TestKind, Tests};
use serde_json::Value;

use super::problem::{Problem, Refused, Solution};
use crate::Cases;

/// The columns that are read: that of bugs, which may be as large as the others together, only if they are requested.
pub(super) fn columns(limits: Cases) -> &'static [&'static str] {
    let all = COLUMNS;
    if limits.bugs {
        all
    } else {
        &all[..all.len() - 1]
    }
}

const COLUMNS: &[&str] = &[
    "name",
    "description",
    "public_tests",
    "private_tests",
    "generated_tests",
    "solutions",
    "incorrect_solutions",
];

/// The languages by number.
const LANGUAGES: [&str; 5] = ["unknown", "Python 2", "C++", "Python 3", "Java"];

pub(super) fn problem(row: &mut Row, limits: Cases) -> Result<Problem, Refused> {
    let name = row.id(&["name"])?;
    let statement = row.text_or_empty(&["description"])?;
    let mut cases = Vec::new();
    for column in ["public_tests", "private_tests", "generated_tests"] {
        let Some(value) = row.take(&[column]) else {
            continue;
        };
        for [input, output] in records(value, ["input", "output"]).ok_or_else(|| wrong(column))? {
            let (Value::String(input), Value::String(output)) = (input, output) else {
                return Err(wrong(column));
            };
            cases.push(Case { input, output });
        }
    }
    let (cases, cut_cases) = limits.within(cases);
    let value = row.take(&["solutions"]);
    let value = value.ok_or_else(|| Refused::row(Reason::RowIncomplete, "no `solutions`"))?;
    let found = records(value, ["language", "solution"]).ok_or_else(|| wrong("solutions"))?;
    let mut others: BTreeMap<&str, usize> = BTreeMap::new();
    let mut solutions = Vec::new();
    for [language, solution] in found {
        let (language, Value::String(text)) = (language_of(&language), solution) else {
            return Err(wrong("solutions"));
        };
        match language {
            "Python 3" => solutions.push(Solution::new(text)),
            "Python 2" => {
                let refused = Refused::program(Reason::Python2, "the data set says so");
                solutions.push(Solution::refused(None, refused));
            }
            other => *others.entry(other).or_default() += 1,
        }
    }
    if solutions.is_empty() {
        let others = others
            .iter()
            .map(|(name, count)| format!("{count} in {name}"));
        let others = others.collect::<Vec<_>>().join(", ");
        return Err(Refused::row(
            Reason::NoProgram,
            format!(
                "solutions: {}",
                if others.is_empty() { "none" } else { &others }
            ),
        ));
    }
    if let (true, Some(value)) = (limits.bugs, row.take(&["incorrect_solutions"])) {
        let column = "incorrect_solutions";
        for [language, text] in
            records(value, ["language", "solution"]).ok_or_else(|| wrong(column))?
        {
            let Value::String(text) = text else {
                return Err(wrong(column));
            };
            if language_of(&language) == "Python 3" {
                solutions.push(Solution::wrong(PublishedKind::IncorrectSolution, text));
            }
        }
    }
    Ok(Problem {
        name,
        statement: Some(statement).filter(|words| !words.is_empty()),
        tests: Tests {
            kind: TestKind::Stdio,
            setup: String::new(),
            code: String::new(),
            entry: None,
            cases,
        },
        cut_cases,
        solutions,
    })
}

/// A language by its number, or by its name where the export wrote that.
fn language_of(value: &Value) -> &'static str {
    match value {
        Value::Number(number) => {
            let index = number
                .as_u64()
                .and_then(|index| usize::try_from(index).ok());
            let name = index.and_then(|index| LANGUAGES.get(index));
            name.copied().unwrap_or("unknown")
        }
        Value::String(name) => match name.to_ascii_uppercase().as_str() {
            "PYTHON3" => "Python 3",
            "PYTHON" | "PYTHON2" => "Python 2",
            "CPP" => "C++",
            "JAVA" => "Java",
            _ => "unknown",
        },
        _ => "unknown",
    }
}

/// The records of a structure of lists, or of a list of structures.
fn records<const N: usize>(value: Value, names: [&str; N]) -> Option<Vec<[Value; N]>> {
    match value {
        Value::Object(mut fields) => {
            let mut columns = Vec::new();
            for name in names {
                let Some(Value::Array(column)) = fields.remove(name) else {
                    return None;
                };
                columns.push(column.into_iter());
            }
            let length = columns.first()?.len();
            if columns.iter().any(|column| column.len() != length) {
                return None;
            }
            let row = |_| columns.iter_mut().filter_map(Iterator::next).collect();
            let rows = (0..length).map(row);
            rows.map(|row: Vec<Value>| row.try_into().ok()).collect()
        }
        Value::Array(items) => {
            let record = |item| match item {
                Value::Object(mut fields) => {
                    let cells = names.map(|name| fields.remove(name).unwrap_or_default());
                    Some(cells)
                }
                _ => None,
            };
            items.into_iter().map(record).collect()
        }
        _ => None,
    }
}

fn wrong(column: &str) -> Refused {
    let detail = format!("`{column}` is not lists of equal length");
    Refused::row(Reason::RowIncomplete, detail)
}
