//! A plain folder of programs, each with its tests beside it.
//!
//! `name.py` is a program. Its tests are the first of these that exist:
//!
//! | files | tests |
//! | --- | --- |
//! | `name.in` with `name.out`; `name.K.in` with `name.K.out`; in a folder `name`, `K.in` with `K.out` or `inputK.txt` with `outputK.txt` | standard input and output |
//! | `test_name.py` or `name_test.py`, beside it or in a folder `tests` | pytest |
//! | examples in its docstrings | doctest |
//!
//! An input without its output is a case without an expected output, which the gates check.

use std::path::{Path, PathBuf};

use barecode_records::python::{Case, TestKind, Tests};

use super::files;
use super::problem::{Place, PlacedProblem, Problem, Refused, Solution};
use crate::{Cases, doctest};

/// The depth to which folders are entered.
const DEEPEST: usize = 16;

/// The programs of a folder and its folders, by path.
pub(super) fn programs(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    collect(root, DEEPEST, &mut found);
    found
}

fn collect(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) {
    for entry in files::entries(folder) {
        let name = files::name(&entry);
        if name.starts_with('.') || name == "__pycache__" || entry.is_symlink() {
            continue;
        }
        if entry.is_dir() {
            if depth > 0 {
                collect(&entry, depth - 1, found);
            }
        } else if entry.extension().is_some_and(|ending| ending == "py") && !is_test(&name) {
            found.push(entry);
        }
    }
}

fn is_test(name: &str) -> bool {
    name.starts_with("test_") || name.ends_with("_test.py") || name == "conftest.py"
}

pub(super) fn program(root: &Path, file: &Path, limits: Cases) -> std::iter::Once<PlacedProblem> {
    let path = files::relative(root, file);
    let found = assembled(file, &path, limits);
    std::iter::once((Place { path, line: None }, found))
}

fn assembled(file: &Path, path: &str, limits: Cases) -> Result<Problem, Refused> {
    let text = files::text(file)?;
    let module = files::name(file);
    let module = module.strip_suffix(".py").unwrap_or(&module);
    let folder = file.parent().unwrap_or(file);
    let tests = |kind, cases| Tests {
        kind,
        setup: String::new(),
        code: String::new(),
        entry: None,
        cases,
    };
    let (cases, cut_cases) = limits.within(stdio(folder, module)?);
    let found = if !cases.is_empty() || cut_cases > 0 {
        tests(TestKind::Stdio, cases)
    } else if let Some(test) = pytest(folder, module) {
        Tests {
            code: without_unused_pytest(files::text(&test)?),
            entry: Some(module.to_owned()),
            ..tests(TestKind::Pytest, Vec::new())
        }
    } else {
        let examples = doctest::examples(&text);
        let kind = if examples.is_empty() {
            TestKind::Stdio
        } else {
            TestKind::Doctest
        };
        tests(kind, examples)
    };
    Ok(Problem {
        name: path.strip_suffix(".py").unwrap_or(path).to_owned(),
        statement: None,
        tests: found,
        cut_cases,
        solutions: vec![Solution::new(text)],
    })
}

fn pytest(folder: &Path, module: &str) -> Option<PathBuf> {
    let names = [format!("test_{module}.py"), format!("{module}_test.py")];
    let folders = [folder.to_owned(), folder.join("tests")];
    let mut places = folders
        .iter()
        .flat_map(|folder| names.iter().map(|name| folder.join(name)));
    places.find(|path| path.is_file())
}

/// Tests without an import of pytest that they do not use: plain functions and `assert` need no package.
fn without_unused_pytest(code: String) -> String {
    let is_import = |line: &str| line.trim_end() == "import pytest";
    if code.matches("pytest").count() != 1 || !code.lines().any(is_import) {
        return code;
    }
    // The lines of failures stay what they are.
    code.replacen("import pytest", "", 1)
}

fn stdio(folder: &Path, module: &str) -> Result<Vec<Case>, Refused> {
    let beside = files::entries(folder).into_iter().filter(|path| {
        let name = files::name(path);
        let rest = name.strip_prefix(module);
        rest.is_some_and(|rest| rest.starts_with('.') && rest.matches('.').count() <= 2)
    });
    let inside = files::entries(&folder.join(module)).into_iter();
    let mut pairs: Vec<(PathBuf, PathBuf)> = beside.chain(inside).filter_map(with_output).collect();
    // `2.in` comes before `10.in`.
    pairs.sort_by_cached_key(|(input, _)| {
        let name = files::name(input);
        (name.len(), name)
    });
    let case = |(input, output): (PathBuf, PathBuf)| {
        let output = if output.is_file() {
            files::text(&output)?
        } else {
            String::new()
        };
        let input = files::text(&input)?;
        Ok(Case { input, output })
    };
    pairs.into_iter().map(case).collect()
}

/// The input and the output that belongs to it.
fn with_output(input: PathBuf) -> Option<(PathBuf, PathBuf)> {
    let name = files::name(&input);
    let output = if let Some(stem) = name.strip_suffix(".in") {
        format!("{stem}.out")
    } else {
        let number = name.strip_prefix("input")?.strip_suffix(".txt")?;
        format!("output{number}.txt")
    };
    let output = input.with_file_name(output);
    Some((input, output))
}
