//! `APPS`: JSON Lines with solutions and tests as JSON texts, or a folder a problem.
//!
//! Tests are inputs and outputs of a program, or (with `fn_name`) arguments and results of a function or of a method
//! of a class `Solution`. The latter become a `check` with the rules of the data set's own judge: a tuple counts as a
//! list, a result may be in a list of one, and keys that JSON made texts are whole numbers again.

use std::fmt::Write as _;
use std::path::Path;

use barecode_formats::Row;
use barecode_records::Reason;
use barecode_records::python::{Case, TestKind, Tests};
use serde_json::{Map, Value};

use super::problem::{Place, PlacedProblem, Problem, Refused, Solution};
use super::{files, literal};
use crate::Cases;

/// The imports of the data set's judge before a program, without `numpy`.
const PRELUDE: &str = "\
import sys
import time
import itertools
from itertools import accumulate, product, permutations, combinations
import collections
from collections import Counter, OrderedDict, deque, defaultdict, ChainMap
from functools import lru_cache
import math
from math import sqrt, sin, cos, tan, ceil, fabs, floor, gcd, exp, log, log2
import fractions
from typing import List, Tuple
import random
import heapq
from heapq import *
";

/// The comparison of results by the judge.
const SAME: &str = "    def same(result, expected):
        if isinstance(result, tuple):
            result = list(result)
        if result == expected:
            return True
        if not isinstance(expected, list) or not expected:
            return False
        if result == expected[0]:
            return True
        is_rows = isinstance(result, list) and result and isinstance(result[0], tuple)
        return bool(is_rows) and [list(row) for row in result] == expected[0]

";

/// A row; `split` is the name of its file, as problems are numbered from 0 in each.
pub(super) fn problem(row: &mut Row, split: &str, limits: Cases) -> Result<Problem, Refused> {
    let id = row.id(&["problem_id", "id"])?;
    let statement = row.text_or_empty(&["question"])?;
    let solutions = row.text_or_empty(&["solutions"])?;
    let tests = row.text_or_empty(&["input_output"])?;
    assembled(
        format!("{split}/{id}"),
        statement,
        &solutions,
        &tests,
        limits,
    )
}

/// A folder with `question.txt`, `solutions.json` and `input_output.json`.
pub(super) fn folder(root: &Path, folder: &Path, limits: Cases) -> std::iter::Once<PlacedProblem> {
    let path = files::relative(root, folder);
    let optional = |name: &str| {
        let file = folder.join(name);
        if file.exists() {
            files::text(&file)
        } else {
            Ok(String::new())
        }
    };
    let found = optional("question.txt").and_then(|statement| {
        let solutions = optional("solutions.json")?;
        let tests = optional("input_output.json")?;
        assembled(path.clone(), statement, &solutions, &tests, limits)
    });
    let found = found.map_err(|refused| Refused {
        kind: "row",
        ..refused
    });
    std::iter::once((Place { path, line: None }, found))
}

fn assembled(
    name: String,
    statement: String,
    solutions: &str,
    tests: &str,
    limits: Cases,
) -> Result<Problem, Refused> {
    let incomplete = |field: &str, detail: &dyn std::fmt::Display| {
        Refused::row(Reason::RowIncomplete, format!("`{field}`: {detail}"))
    };
    if solutions.trim().is_empty() {
        return Err(Refused::row(Reason::NoProgram, "solutions: none"));
    }
    let solutions: Vec<String> =
        serde_json::from_str(solutions).map_err(|error| incomplete("solutions", &error))?;
    if solutions.is_empty() {
        return Err(Refused::row(Reason::NoProgram, "solutions: none"));
    }
    if tests.trim().is_empty() {
        return Err(Refused::row(Reason::NoTests, "`input_output` is empty"));
    }
    let mut tests: Map<String, Value> =
        serde_json::from_str(tests).map_err(|error| incomplete("input_output", &error))?;
    let (Some(Value::Array(inputs)), Some(Value::Array(outputs))) =
        (tests.remove("inputs"), tests.remove("outputs"))
    else {
        return Err(incomplete(
            "input_output",
            &"no lists `inputs` and `outputs`",
        ));
    };
    if inputs.len() != outputs.len() {
        let detail = format!("{} inputs and {} outputs", inputs.len(), outputs.len());
        return Err(incomplete("input_output", &detail));
    }
    let pairs = inputs.iter().zip(&outputs);
    let (tests, cut_cases) = if let Some(function) = tests.get("fn_name").and_then(Value::as_str) {
        let calls = pairs.map(|(input, output)| call(input, output));
        let calls = calls.collect::<Option<Vec<Case>>>();
        let calls = calls.ok_or_else(|| incomplete("inputs", &"not lists of arguments"))?;
        let (calls, cut) = limits.within(calls);
        (check(function, &calls), cut)
    } else {
        let cases = pairs.map(|(input, output)| {
            let (input, output) = (text(input)?, text(output)?);
            Some(Case { input, output })
        });
        let cases = cases.collect::<Option<Vec<Case>>>();
        let cases = cases.ok_or_else(|| incomplete("input_output", &"not texts"))?;
        let (cases, cut) = limits.within(cases);
        (stdio(cases), cut)
    };
    let function = tests.entry.clone();
    let solution = |text: String| {
        let is_class = text.contains("class Solution");
        let method = function.as_ref().filter(|_| is_class);
        Solution {
            entry: method.map(|function| format!("Solution().{function}")),
            ..Solution::new(text)
        }
    };
    Ok(Problem {
        name,
        statement: Some(statement).filter(|words| !words.is_empty()),
        tests,
        cut_cases,
        solutions: solutions.into_iter().map(solution).collect(),
    })
}

fn stdio(cases: Vec<Case>) -> Tests {
    Tests {
        kind: TestKind::Stdio,
        setup: String::new(),
        code: String::new(),
        entry: None,
        cases,
    }
}

/// A text, or a list of lines.
fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Array(lines) => {
            let lines: Option<Vec<&str>> = lines.iter().map(Value::as_str).collect();
            Some(lines?.join("\n"))
        }
        _ => None,
    }
}

/// The arguments and the result of a call as source.
fn call(arguments: &Value, result: &Value) -> Option<Case> {
    let Value::Array(arguments) = arguments else {
        return None;
    };
    let input = match arguments.as_slice() {
        // The judge passes a leading object alone.
        [first @ Value::Object(_), ..] => literal::python_with_whole_keys(first),
        all => {
            let all: Vec<String> = all.iter().map(literal::python).collect();
            all.join(", ")
        }
    };
    let output = match result {
        Value::Object(_) => format!("[{}]", literal::python_with_whole_keys(result)),
        Value::Array(items) => match items.first() {
            Some(first @ Value::Object(_)) => {
                format!("[{}]", literal::python_with_whole_keys(first))
            }
            _ => literal::python(result),
        },
        other => literal::python(other),
    };
    Some(Case { input, output })
}

fn check(function: &str, calls: &[Case]) -> Tests {
    let mut code = format!("def check(candidate):\n{SAME}");
    for call in calls {
        let _ = writeln!(
            code,
            "    assert same(candidate({}), {})",
            call.input, call.output
        );
    }
    if calls.is_empty() {
        code.clear();
    }
    Tests {
        kind: TestKind::Asserts,
        setup: PRELUDE.to_owned(),
        code,
        entry: Some(function.to_owned()),
        cases: Vec::new(),
    }
}
