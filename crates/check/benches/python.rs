//! Verified runs in the sandbox against an interpreter that is started for each, in one run.
//!
//! ```text
//! BARECODE_DATA=… cargo bench -p barecode-check --bench python
//! ```
//!
//! Programs and tests are those of `HumanEval`. The other side starts the same interpreter with `-S -s` for each run, which imports the same
//! modules, sets the same limits, and runs program and tests in one text. Each program is run with its clones: here,
//! the same text with another comment at its end, so that nothing is remembered. Both sides take turns, problem by
//! problem, on one thread. `BARECODE_BENCH_LIMIT` takes that many problems (60 unless given).
//! The figures are printed; what fails the bench is a verdict that differs.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]
#![expect(
    clippy::disallowed_methods,
    reason = "a benchmark looks at the clock, and starts what it compares with"
)]
#![expect(clippy::unwrap_used, reason = "a benchmark is a test")]

use std::fs::File;
use std::io::Read;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use barecode_check::{Python, PythonConfig, Ran};
use barecode_records::python::{TestKind, Tests};
use barecode_testing::needs::data;
use serde_json::Value;

/// What the sandbox imports.
const IMPORTS: &str = "ast, bisect, cmath, collections, contextlib, copy, dataclasses, datetime, decimal, enum, fractions, functools, heapq, io, itertools, json, math, operator, os, random, re, string, sys, time, traceback, typing";

fn main() {
    let Some(path) = data("python/HumanEval.jsonl.gz") else {
        return;
    };
    let mut lines = String::new();
    flate2::read::GzDecoder::new(File::open(path).unwrap())
        .read_to_string(&mut lines)
        .unwrap();
    let limit = std::env::var("BARECODE_BENCH_LIMIT");
    let limit = limit.map_or(60, |limit| limit.parse().unwrap());
    let python = Python::open(&PythonConfig::default(), None).unwrap();
    println!("CPython {}; {}", python.version(), python.level());
    for clones in [1_usize, 10] {
        let (mut sandbox, mut started, mut runs) = (Duration::ZERO, Duration::ZERO, 0);
        for line in lines.lines().take(limit) {
            let row: Value = serde_json::from_str(line).unwrap();
            let text = |name: &str| row[name].as_str().unwrap();
            let tests = Tests {
                kind: TestKind::Asserts,
                setup: String::new(),
                code: text("test").to_owned(),
                entry: Some(text("entry_point").to_owned()),
                cases: Vec::new(),
            };
            let programs: Vec<String> = (0..clones)
                .map(|n| format!("{}{}\n# {n}\n", text("prompt"), text("canonical_solution")))
                .collect();
            let texts: Vec<&str> = programs.iter().map(String::as_str).collect();
            let start = Instant::now();
            let ran = python.run(&tests, &texts).unwrap();
            sandbox += start.elapsed();
            assert!(
                ran.iter().all(|ran| matches!(ran, Ran::Passed { .. })),
                "{}: {ran:?}",
                text("task_id")
            );
            let start = Instant::now();
            // A tenth of them is enough to know the rate.
            for program in programs.iter().take(clones.div_ceil(10)) {
                let whole = format!(
                    "import {IMPORTS}\nimport resource\nresource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))\nresource.setrlimit(resource.RLIMIT_CPU, (51, 52))\n{program}\n{}\ncheck({})\n",
                    text("test"),
                    text("entry_point")
                );
                let status = Command::new(python.executable())
                    .args(["-B", "-S", "-s", "-c", &whole])
                    .env_clear()
                    .envs(std::env::vars_os().filter(|(name, _)| name == "PATH"))
                    .stdin(Stdio::null())
                    .stdout(Stdio::null())
                    .status()
                    .unwrap();
                assert!(status.success(), "{}", text("task_id"));
            }
            started += start.elapsed() * u32::try_from(clones / clones.div_ceil(10)).unwrap();
            runs += clones;
        }
        let rate = |time: Duration| f64::from(u32::try_from(runs).unwrap()) / time.as_secs_f64();
        println!(
            "{clones} run(s) a problem: sandbox {:.1} runs/s, python3 {:.1} runs/s: {:.1} times faster",
            rate(sandbox),
            rate(started),
            rate(sandbox) / rate(started)
        );
    }
}
