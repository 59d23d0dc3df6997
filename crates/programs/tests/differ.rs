//! Clones on inputs that no test has: programs on which a rewrite shows only there.

#![expect(clippy::unwrap_used, reason = "the helpers of tests are tests")]

use std::path::PathBuf;

use barecode_check::{Python, PythonConfig};
use barecode_programs::{PipelineConfig, vary};
use barecode_python::StepConfig;
use barecode_records::python::{
    Case, Program, ProgramVariant, Safety, TestKind, Tests, VariantKind,
};
use barecode_records::{Outcome, Reason, Stage};
use barecode_testing::made;

fn program(kind: TestKind, text: &str, code: &str, cases: &[(&str, &str)]) -> Program {
    let case = |(input, output): &(&str, &str)| Case {
        input: (*input).to_owned(),
        output: (*output).to_owned(),
    };
    let tests = Tests {
        kind,
        setup: String::new(),
        code: code.to_owned(),
        entry: None,
        cases: cases.iter().map(case).collect(),
    };
    made::program(text, tests)
}

/// So many clones of a program.
fn clones(
    program: &Program,
    steps: &[&str],
    (safety, draws): (Safety, u32),
) -> Outcome<Vec<ProgramVariant>> {
    let config = PythonConfig {
        python: Some(PathBuf::from("/usr/bin/python3")),
        seconds: 8,
        ..PythonConfig::default()
    };
    let python = Python::open(&config, None).unwrap();
    let steps = steps.iter().map(|name| {
        let step = serde_json::json!({"transform": name});
        serde_json::from_value::<StepConfig>(step).unwrap()
    });
    let pipeline = PipelineConfig {
        name: "positive".to_owned(),
        kind: VariantKind::Clone,
        steps: steps.collect(),
        safety,
        draws,
        at_least: 1,
        tries: 1,
        faults: Vec::new(),
    };
    let ready = pipeline.pipeline().unwrap();
    vary(
        std::slice::from_ref(program),
        &[(&pipeline, ready)],
        1,
        &python,
        |_| (),
    )
    .unwrap()
}

/// Programs whose clones may do something else where no test looks.
const NASTY: &[(&str, &str)] = &[
    (
        "def helper(value):\n    return value + 1\n\ndef f(n):\n    try:\n        return helper(n) if n < 5 else helper(n, n)\n    except TypeError as error:\n        return str(error)\n",
        "assert f(1) == 2",
    ),
    (
        "class Box:\n    def __init__(self, n):\n        self.__value = n\n\ndef f(n):\n    box = Box(n)\n    return getattr(box, '_Box__value', 'none') if n > 4 else n\n",
        "assert f(1) == 1",
    ),
    (
        "def numbers(n, log):\n    try:\n        yield from range(n)\n    finally:\n        log.append(n)\n\ndef f(n, k):\n    log = []\n    for a, b in zip(numbers(n, log), numbers(k, log)):\n        pass\n    return log[:]\n",
        "assert f(1, 1)",
    ),
    (
        "def f(n):\n    if n < 3:\n        items = [n]\n    try:\n        return [item for item in items]\n    except NameError as error:\n        return type(error).__name__\n",
        "assert f(1) == [1]",
    ),
    (
        "class Shown:\n    def __init__(self, n):\n        self.n = n\n    def __str__(self):\n        return 's' if self.n < 5 else 'big'\n    def __format__(self, how):\n        return 's' if self.n < 5 else 'other'\n\ndef f(n):\n    return f'{Shown(n)}'\n",
        "assert f(1) == 's'",
    ),
    (
        "def f(items):\n    result = []\n    for item in items:\n        if item % 2 == 0 and item > 0:\n            result.append(item * 2)\n        else:\n            result.append(-item)\n    return result\n",
        "assert f([1, 2, 3]) == [-1, 4, -3]",
    ),
];

#[test]
fn clones_under_safe_do_the_same_on_made_up_inputs() {
    let mut kept = 0;
    let mut left_out = Vec::new();
    for (text, code) in NASTY {
        let program = program(TestKind::Asserts, text, code, &[]);
        let made = clones(&program, &[], (Safety::Safe, 70));
        for clone in &made.kept {
            assert_eq!(clone.differed, Some(0), "{}", clone.text);
            assert!(clone.agreed > Some(5), "{:?} of {text}", clone.agreed);
            kept += 1;
        }
        left_out.extend(
            made.set_aside
                .into_iter()
                .filter(|row| row.reason == Reason::CloneDiffers),
        );
    }
    assert!(kept >= 250, "{kept}");
    // The name of a function in the text of an error.
    assert!(!left_out.is_empty());
    for row in &left_out {
        assert_eq!(row.stage, Stage::Vary);
        assert!(row.detail.contains("(after "), "{}", row.detail);
        assert!(
            row.detail.contains(", and the program gives"),
            "{}",
            row.detail
        );
    }
}

#[test]
fn clones_under_paper_are_kept_with_what_they_do_otherwise() {
    let (text, code) = NASTY[0];
    let program = program(TestKind::Asserts, text, code, &[]);
    let made = clones(&program, &["ChangeNames"], (Safety::Paper, 8));
    assert_eq!(made.kept.len(), 8);
    for clone in made.kept {
        assert!(
            clone.differed > Some(0) && clone.agreed > Some(0),
            "{}",
            clone.text
        );
        let difference = clone.difference.unwrap();
        assert!(difference.contains("helper()"), "{difference}");
    }
}

#[test]
fn standard_input_and_examples_are_made_up_too() {
    let sums = "numbers = [int(word) for word in input().split()]\nprint(sum(numbers))\n";
    let script = program(TestKind::Stdio, sums, "", &[("1 2 3\n", "6\n")]);
    let made = clones(&script, &["ChangeNames"], (Safety::Safe, 2));
    assert_eq!(made.kept.len(), 2);
    assert!(
        made.kept
            .iter()
            .all(|clone| clone.agreed > Some(20) && clone.differed == Some(0))
    );

    let text =
        "def twice(word):\n    letters = list(word)\n    return ''.join(letters + letters)\n";
    let examples = program(
        TestKind::Doctest,
        text,
        "",
        &[("twice('ab')\n", "'abab'\n")],
    );
    let made = clones(&examples, &["ChangeNames"], (Safety::Safe, 2));
    assert!(
        made.kept
            .iter()
            .all(|clone| clone.agreed > Some(10) && clone.differed == Some(0))
    );
}

#[test]
fn what_cannot_be_asked_says_so_and_what_is_not_the_same_twice_is_no_question() {
    let text =
        "import time\n\ndef f(n):\n    local = time.time_ns() if n > 2 else n\n    return local\n";
    let clock = program(TestKind::Asserts, text, "assert f(1) == 1", &[]);
    let made = clones(&clock, &["ChangeNames"], (Safety::Safe, 1));
    assert_eq!(made.kept[0].differed, Some(0));
    assert!(made.kept[0].agreed < Some(20));

    let code = "for n in [1, 2]:\n    assert f(n) == n";
    let silent = program(TestKind::Asserts, text, code, &[]);
    let made = clones(&silent, &["ChangeNames"], (Safety::Safe, 1));
    assert_eq!((made.kept[0].agreed, made.kept[0].differed), (None, None));
}

#[test]
fn a_program_that_never_ends_on_an_input_is_not_compared() {
    let text = "def f(n):\n    count = 0\n    while n != 0 and n != -1:\n        n -= 1\n        count += 1\n    return count\n";
    let endless = program(
        TestKind::Asserts,
        text,
        "assert f(3) == 3\nassert f(8) == 8",
        &[],
    );
    let made = clones(&endless, &["ChangeNames"], (Safety::Safe, 1));
    assert_eq!(made.kept.len(), 1);
    assert_eq!(made.kept[0].agreed, None);
}
