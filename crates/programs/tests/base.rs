//! Candidates to programs: what gates and filters leave out, and what normalization keeps.

use barecode_programs::base::{Base, prepare};
use barecode_programs::normalize::{Keep, normalize};
use barecode_programs::{Candidate, Format, ProgramConfig};
use barecode_python::{Context, Pipeline};
use barecode_records::Reason;
use barecode_records::python::{Case, TestKind, Tests};
use barecode_testing::made;

fn stdio(cases: &[(&str, &str)]) -> Tests {
    let case = |(input, output): &(&str, &str)| Case {
        input: (*input).to_owned(),
        output: (*output).to_owned(),
    };
    Tests {
        kind: TestKind::Stdio,
        setup: String::new(),
        code: String::new(),
        entry: None,
        cases: cases.iter().map(case).collect(),
    }
}

fn asserts(code: &str) -> Tests {
    Tests {
        kind: TestKind::Asserts,
        code: code.to_owned(),
        ..stdio(&[])
    }
}

fn candidate(text: &str, tests: Tests) -> Candidate {
    Candidate {
        origin: made::origin("path:set", None),
        problem: "p".to_owned(),
        statement: None,
        text: text.to_owned(),
        tests,
        cut_cases: 0,
        wrong: None,
    }
}

/// The reason for which a program is left out, with its detail; `kept` if it is not.
fn fate(text: &str, tests: Tests) -> (String, String) {
    match prepare(candidate(text, tests), &ProgramConfig::default()) {
        Ok(_) => ("kept".to_owned(), String::new()),
        Err(row) => (row.reason.code().to_owned(), row.detail),
    }
}

fn gate(text: &str) -> String {
    let (reason, detail) = fate(text, stdio(&[("1", "2")]));
    format!("{reason}: {detail}")
        .trim_end_matches(": ")
        .to_owned()
}

#[test]
fn python_2_is_recognized() {
    for text in [
        "print 'a'",
        "x = 1\nprint x",
        "try:\n    f()\nexcept ValueError, e:\n    pass",
        "x = `1`",
        "if 1 <> 2: pass",
        "exec 'x = 1'",
        "raise ValueError, 'no'",
        "x = 10L",
        "x = raw_input()",
        "for i in xrange(3): print(i)",
    ] {
        assert!(
            gate(text).starts_with("python2: line "),
            "{text}: {}",
            gate(text)
        );
    }
    for text in [
        "print('a', input())",
        "try:\n    input = raw_input\nexcept NameError:\n    pass",
        "xrange = range\nfor i in xrange(3): print(i)",
        "try:\n    f()\nexcept (ValueError, TypeError) as e:\n    pass",
        "raise ValueError(1, 2)",
    ] {
        assert!(gate(text).starts_with("kept"), "{text}: {}", gate(text));
    }
    assert!(
        gate("def f(:\n").starts_with("parse_error: line 1"),
        "{}",
        gate("def f(:\n")
    );
}

#[test]
fn sensitive_interfaces_are_found_by_what_names_mean() {
    let unsafe_use = |text: &str| gate(text).starts_with("unsafe_interface: ");
    for text in [
        "import os",
        "from os import system as s\ns('ls')",
        "from subprocess import *",
        "import numbers, shutil as sh\nsh.rmtree('x')",
        "open('x')",
        "f = open\nf('x')",
        "def f():\n    import socket",
        "eval(input())",
        "__import__('math')",
        "import sys\nsys.exit(0)",
        "from sys import exit as leave\nleave()",
        "exit()",
        "import sys as s\nm = s.modules",
        "from pathlib import Path\nPath('x').open()",
    ] {
        assert!(unsafe_use(text), "{text}: {}", gate(text));
    }
    for text in [
        "import sys\nprint(sys.stdin.readline())",
        "print(open(0).read())",
        "def open(x): return x\nprint(open(1))",
        "class A:\n    def exit(self): pass\nA().exit()",
        "x = 'os.system'\nprint(x + input())",
        "import re\nprint(re.compile(input()))",
        "compile = 1\nprint(compile + 1)",
    ] {
        assert_eq!(gate(text), "kept", "{text}");
    }
    assert_eq!(
        gate("import sys\n\nsys.exit(0)"),
        "unsafe_interface: line 3: `sys.exit` (exit)"
    );
}

#[test]
fn packages_of_programs_and_tests_are_needed() {
    assert_eq!(gate("import numpy as np"), "needs_package: line 1: `numpy`");
    assert_eq!(gate("from . import x"), "needs_package: line 1: `.`");
    assert_eq!(
        gate("try:\n    import numpy\nexcept ImportError:\n    pass\nprint(int(input()))"),
        "kept"
    );
    let (reason, _) = fate(
        "def f(): return 1",
        asserts("import pandas\nassert f() == 1"),
    );
    assert_eq!(reason, "needs_package");
}

#[test]
fn tests_have_to_expect_something() {
    assert_eq!(fate("x = 1", stdio(&[])).0, "no_tests");
    assert_eq!(
        fate("print(input())", stdio(&[("1", "1"), ("2", "\n")])).0,
        "no_expected_output"
    );
    assert_eq!(fate("x = 1", asserts("x")).0, "no_tests");
    assert_eq!(fate("x = 1", asserts("assert x ==")).0, "parse_error");
    assert_eq!(fate("x = 1", asserts("assert x == 1")).0, "kept");
    let config = ProgramConfig {
        fewest_tests: 2,
        ..ProgramConfig::default()
    };
    let row = prepare(candidate("x = 1", asserts("assert x == 1")), &config).expect_err("one test");
    assert_eq!(row.reason, Reason::TooFewTests);
}

#[test]
fn programs_that_compute_nothing_are_found() {
    let cases = [("1", "red cat"), ("2", "blue dog"), ("3", "old cow")];
    let tests = || stdio(&cases);
    assert_eq!(
        fate("print('a\\nb')\nprint(1, 2)", tests()).0,
        "prints_expected"
    );
    let by_hand = "n = input()\nif n == '1': print('red cat')\nelif n == '2': print('blue dog')\nelse: print('old cow')\n";
    assert_eq!(fate(by_hand, tests()).0, "prints_expected");
    let two = stdio(&[("1", "not possible"), ("2", "very possible")]);
    assert_eq!(
        fate(
            "print(['not possible', 'very possible'][int(input()) % 2])",
            two
        )
        .0,
        "kept"
    );

    let numbers: Vec<String> = (100..120).map(|n: u32| (n * n).to_string()).collect();
    let outputs: Vec<(&str, &str)> = numbers.iter().map(|n| ("1", n.as_str())).take(6).collect();
    let table = format!("t = [{}]\nprint(t[int(input())])\n", numbers.join(", "));
    assert_eq!(fate(&table, stdio(&outputs)).0, "lookup_table");
    assert_eq!(fate(&table, stdio(&cases)).0, "kept");
    let test = numbers
        .iter()
        .map(|n| format!("assert f() == {n}"))
        .collect::<Vec<String>>()
        .join("\n");
    assert_eq!(fate(&table, asserts(&test)).0, "lookup_table");

    let long = format!("x = '{}'\nprint(x[int(input())])\n", "ab".repeat(600));
    assert_eq!(fate(&long, tests()).0, "oversized_literals");
    let lines = format!("x = int(input())\n{}print(x)\n", "x += 1\n".repeat(30));
    let (reason, detail) = fate(&lines, tests());
    assert_eq!(
        (reason.as_str(), detail.as_str()),
        ("repetitive", "3 different lines of 32")
    );
}

#[test]
fn normalization_says_what_it_changed() {
    let text = "\u{feff}#!/usr/bin/env python\r\n# -*- coding: utf-8 -*-\r\n'''Doc.'''\r\nclass A:\r\n\t'doc'\r\n\r\n\r\n\r\n\tx = 'a\tb'  # why\r\n\tdef f(self): 'only'\r\n";
    let normalized = normalize(text, Keep::default()).expect("it is Python");
    assert_eq!(
        normalized.text,
        "class A:\n        x = 'a\tb'\n        def f(self): pass\n"
    );
    assert_eq!(
        normalized.changes,
        [
            "byte order mark",
            "line ends",
            "shebang",
            "coding cookie",
            "comments",
            "docstrings",
            "tabs",
            "blank lines"
        ]
        .into_iter()
        .filter(|change| normalized.changes.contains(change))
        .collect::<Vec<_>>()
    );
    assert!(normalized.changes.len() >= 7, "{:?}", normalized.changes);
    let clean = normalize(&normalized.text, Keep::default()).expect("it is Python");
    assert!(clean.changes.is_empty(), "{:?}", clean.changes);
}

#[test]
fn comments_stay_where_they_are_wanted_and_decide_nothing() {
    let text = "#!/usr/bin/env python\n# coding: utf-8\n# vim: coding=utf-8\n# Sums.\ndef f(a):  # a: a list\n    \"\"\"Doc.\"\"\"  # doc\n\n    # all of it\n    return sum(a)\n# end\n";
    let keep = Keep {
        docstrings: false,
        comments: true,
    };
    let normalized = normalize(text, keep).expect("it is Python");
    assert_eq!(
        normalized.text,
        "# Sums.\ndef f(a):  # a: a list\n    # doc\n    # all of it\n    return sum(a)\n# end\n"
    );
    assert_eq!(
        normalized.changes,
        ["shebang", "coding cookie", "docstrings"]
    );
    let pipeline = Pipeline::paper_positive();
    let cleared = pipeline
        .run(&normalized.text, &Context::default(), 1)
        .expect("it is Python");
    assert_eq!(cleared.applied[0].transform, "CommentDeletion");
    assert!(!cleared.text.contains('#'), "{}", cleared.text);

    // Thirty comments alike would make a program repetitive if they counted.
    let commented = "x = int(input())\n".to_owned() + &"# x\n".repeat(30) + "print(x)\n";
    let config = ProgramConfig {
        comments: true,
        ..ProgramConfig::default()
    };
    let prepared =
        prepare(candidate(&commented, stdio(&[("1", "1")])), &config).expect("it passes");
    assert_eq!(prepared.program.text, commented);
}

#[test]
fn what_a_program_shows_of_itself_stays() {
    let strings = "x = '''a \t\n\n\n# no comment\n\tb'''\nprint(f'{x = # shown\n}')\nprint(x)\n";
    assert_eq!(
        normalize(strings, Keep::default())
            .expect("it is Python")
            .text,
        strings
    );
    let reads = "def f():\n    'doc'\nprint(f.__doc__)\n";
    let normalized = normalize(reads, Keep::default()).expect("it is Python");
    assert_eq!(normalized.text, reads);
    assert_eq!(normalized.changes, ["docstrings kept"]);
    let decomposed = "e\u{301}t = 'e\u{301}'\nprint(e\u{301}t)\n";
    let normalized = normalize(decomposed, Keep::default()).expect("it is Python");
    assert_eq!(normalized.text, "\u{e9}t = 'e\u{301}'\nprint(\u{e9}t)\n");
    assert_eq!(normalized.changes, ["composed characters"]);
    let blanks = "x\u{a0}= 1\n";
    assert_eq!(
        normalize(blanks, Keep::default())
            .expect("blanks are mended")
            .text,
        "x = 1\n"
    );
}

#[test]
fn the_first_of_two_equal_programs_stays() {
    let config = ProgramConfig::default();
    let prepared = |text: &str, problem: &str| {
        let mut one = candidate(text, asserts("assert f(1)"));
        one.problem = problem.to_owned();
        prepare(one, &config).expect("it passes")
    };
    let mut base = Base::new();
    base.admit(prepared("def f(x):\n    return x\n", "a"))
        .expect("it is new");
    let row = base
        .admit(prepared(
            "def f( x ):\n\n  '''doc'''\n  return (x) # c\n",
            "b",
        ))
        .expect_err("it is there");
    assert_eq!(row.reason, Reason::DuplicateProgram);
    assert!(row.detail.contains("path:set/"), "{}", row.detail);
}

#[test]
fn a_configuration_with_an_unknown_field_is_refused() {
    let read = |text: &str| serde_json::from_str::<ProgramConfig>(text);
    assert_eq!(
        read("{}").expect("all fields have defaults"),
        ProgramConfig::default()
    );
    assert!(read("{\"fewest-tests\": 3, \"allow\": [\"exit\"]}").is_ok());
    assert!(read("{\"fewest_tests\": 3}").is_err());
    for format in Format::ALL {
        assert_eq!(serde_json::to_value(format).expect("JSON"), format.name());
        assert_eq!(format.name().parse(), Ok(format));
    }
}
