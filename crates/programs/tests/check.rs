//! Programs that are run with their tests: which are kept, and why others are not.

use std::path::PathBuf;

use barecode_check::{Python, PythonConfig};
use barecode_programs::check;
use barecode_records::Reason;
use barecode_records::python::{Program, TestKind, Tests};
use barecode_testing::made;

fn program(text: &str) -> Program {
    let tests = Tests {
        kind: TestKind::Asserts,
        setup: String::new(),
        code: "assert f(1) == 2".to_owned(),
        entry: None,
        cases: Vec::new(),
    };
    made::program(text, tests)
}

#[test]
fn a_program_in_a_newer_python_does_not_fail_its_tests() {
    let config = PythonConfig {
        python: Some(PathBuf::from("/usr/bin/python3")),
        ..PythonConfig::default()
    };
    let python = Python::open(&config, None).unwrap();
    let minor: u32 = python.version().split('.').nth(1).unwrap().parse().unwrap();
    let newer = [
        (12, "type X = int\ndef f(a: X) -> X:\n    return a + 1\n"),
        (14, "t''\ndef f(a):\n    return a + 1\n"),
    ];
    for (first, text) in newer {
        let outcome = check(vec![program(text)], &python, || ()).unwrap();
        let reasons: Vec<Reason> = outcome.set_aside.iter().map(|row| row.reason).collect();
        if minor < first {
            assert_eq!(reasons, [Reason::NewerPython], "{text}");
            let detail = &outcome.set_aside[0].detail;
            assert!(detail.contains(python.version()), "{detail}");
        } else {
            assert_eq!(reasons, [], "{text}");
        }
    }
    // An error of a text that the program makes itself is its own.
    let own = "def f(a):\n    return eval('1 +')\n";
    let outcome = check(vec![program(own)], &python, || ()).unwrap();
    assert_eq!(outcome.set_aside[0].reason, Reason::TestsFail);
}
