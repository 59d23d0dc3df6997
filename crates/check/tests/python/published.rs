//! Published programs: the verdicts are those of plain `CPython`.

use std::fs::File;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use barecode_check::{Python, PythonConfig, Ran};
use barecode_records::python::Tests;
use barecode_testing::needs::data;
use serde_json::{Value, json};

use crate::asserts;

/// A program with its tests, and both as one text.
struct Problem {
    name: String,
    program: String,
    tests: Tests,
    whole: String,
}

/// The lines of a file of published data.
fn read(file: &str) -> Option<Vec<Value>> {
    let path = data(&format!("python/{file}"))?;
    let mut text = String::new();
    let mut file = File::open(&path).unwrap();
    if path.extension().is_some_and(|ending| ending == "gz") {
        flate2::read::GzDecoder::new(file)
            .read_to_string(&mut text)
            .unwrap();
    } else {
        file.read_to_string(&mut text).unwrap();
    }
    Some(
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect(),
    )
}

fn text<'a>(row: &'a Value, name: &str) -> &'a str {
    row[name].as_str().unwrap_or_default()
}

fn human_eval() -> Option<Vec<Problem>> {
    let problem = |row: &Value| {
        let [prompt, solution, test, entry] =
            ["prompt", "canonical_solution", "test", "entry_point"].map(|name| text(row, name));
        let program = format!("{prompt}{solution}");
        Problem {
            name: text(row, "task_id").to_owned(),
            whole: format!("{program}\n{test}\ncheck({entry})\n"),
            program,
            tests: Tests {
                entry: Some(entry.to_owned()),
                ..asserts(test)
            },
        }
    };
    Some(read("HumanEval.jsonl.gz")?.iter().map(problem).collect())
}

fn mbpp() -> Option<Vec<Problem>> {
    let problem = |row: &Value| {
        let list = row["test_list"].as_array().unwrap().iter();
        let list: Vec<&str> = list.map(|test| test.as_str().unwrap()).collect();
        // The code for the tests uses classes of the program.
        let code = format!("{}\n{}\n", text(row, "test_setup_code"), list.join("\n"));
        let program = text(row, "code").to_owned();
        Problem {
            name: format!("MBPP/{}", row["task_id"]),
            whole: format!("{program}\n{code}"),
            program,
            tests: asserts(&code),
        }
    };
    Some(read("mbpp.jsonl")?.iter().map(problem).collect())
}

fn python() -> Python {
    let config = PythonConfig {
        python: interpreter(),
        seconds: 60,
        ..PythonConfig::default()
    };
    Python::open(&config, None).unwrap()
}

/// The one that other tests use, where there is one.
fn interpreter() -> Option<PathBuf> {
    std::env::var_os("BARECODE_PYTHON").map(PathBuf::from)
}

/// The problems that plain `CPython` fails.
fn plain(problems: &[Problem]) -> Vec<String> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/python/plain.py");
    let program = interpreter().unwrap_or("python3".into());
    let mut child = Command::new(program)
        .arg(script)
        .env("PYTHONHASHSEED", "0")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    for problem in problems {
        writeln!(
            stdin,
            "{}",
            json!({"name": problem.name, "text": problem.whole})
        )
        .unwrap();
    }
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The problems that fail here, on two threads; each has passed at least one test otherwise.
fn fail_here(problems: &[Problem]) -> Vec<(String, Ran)> {
    let python = python();
    let half = problems.len().div_ceil(2);
    let run = |problems: &[Problem]| {
        let mut failed = Vec::new();
        for problem in problems {
            let ran = python
                .run(&problem.tests, &[&problem.program])
                .unwrap()
                .remove(0);
            if !matches!(ran, Ran::Passed { tests: 1.. }) {
                failed.push((problem.name.clone(), ran));
            }
        }
        failed
    };
    std::thread::scope(|threads| {
        let halves = problems
            .chunks(half)
            .map(|half| threads.spawn(|| run(half)));
        let halves: Vec<_> = halves.collect();
        halves
            .into_iter()
            .flat_map(|half| half.join().unwrap())
            .collect()
    })
}

/// The same problems fail here and in plain `CPython`, and at least so many pass.
fn agrees(problems: &[Problem], passing: usize) {
    let plain = plain(problems);
    let here = fail_here(problems);
    let names: Vec<&String> = here.iter().map(|(name, _)| name).collect();
    assert_eq!(names, plain.iter().collect::<Vec<_>>(), "{here:#?}");
    assert!(problems.len() - here.len() >= passing, "{here:#?}");
}

#[test]
fn every_solution_of_human_eval_passes() {
    if let Some(problems) = human_eval() {
        agrees(&problems, 164);
    }
}

#[test]
fn the_solutions_of_mbpp_pass_that_pass_in_plain_python() {
    if let Some(problems) = mbpp() {
        agrees(&problems, 973);
    }
}

#[test]
fn every_bug_of_human_eval_pack_fails_and_every_solution_passes() {
    let Some(rows) = read("humanevalpack_python.jsonl") else {
        return;
    };
    let config = PythonConfig {
        python: interpreter(),
        seconds: 5,
        ..PythonConfig::default()
    };
    let python = Python::open(&config, None).unwrap();
    let mut wrong = Vec::new();
    for row in &rows {
        let [prompt, solution, bug, test] =
            ["prompt", "canonical_solution", "buggy_solution", "test"].map(|name| text(row, name));
        let programs = [format!("{prompt}{solution}"), format!("{prompt}{bug}")];
        let ran = python
            .run(&asserts(test), &[&programs[0], &programs[1]])
            .unwrap();
        let is_right =
            matches!(ran[0], Ran::Passed { tests: 1.. }) && matches!(ran[1], Ran::Failed { .. });
        if !is_right {
            wrong.push((text(row, "task_id"), ran));
        }
    }
    assert_eq!(rows.len(), 164);
    assert!(wrong.is_empty(), "{wrong:#?}");
}
