//! Published programs with their tests: what passed before a transform passes after it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use barecode_python::Module;
use barecode_python::transforms::{CHANGE_NAMES, positive};
use barecode_records::python::Safety;
use barecode_testing::needs;
use serde_json::Value;

use crate::applied::{everywhere, run};

/// A program and the code that tests it.
struct Program {
    text: String,
    tests: String,
}

fn lines(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).expect("the file can be read");
    let lines = text.lines().filter(|line| !line.is_empty());
    lines
        .map(|line| serde_json::from_str(line).expect("a line is JSON"))
        .collect()
}

fn programs(folder: &Path) -> Vec<Program> {
    let of = |value: &Value, key: &str| value[key].as_str().unwrap_or_default().to_owned();
    let human_eval = lines(&folder.join("humanevalpack_python.jsonl"));
    let human_eval = human_eval.iter().map(|line| Program {
        text: of(line, "prompt") + &of(line, "canonical_solution"),
        tests: of(line, "test"),
    });
    let mbpp = lines(&folder.join("mbpp.jsonl"));
    let mbpp = mbpp.iter().map(|line| {
        let tests = line["test_list"].as_array().expect("tests").iter();
        let tests: Vec<&str> = tests.filter_map(Value::as_str).collect();
        Program {
            text: of(line, "code"),
            tests: format!("{}\n{}", of(line, "test_setup_code"), tests.join("\n")),
        }
    });
    human_eval.chain(mbpp).collect()
}

/// How a transform did.
#[derive(Default)]
struct Account {
    programs: u32,
    nodes: u32,
    by_tests_only: u32,
    failures: Vec<String>,
}

#[test]
fn programs_that_pass_their_tests_pass_them_after_each_transform() {
    let Some(folder) = needs::data("python") else {
        return;
    };
    let programs = programs(&folder);
    assert_eq!(programs.len(), 164 + 974);
    let with_tests = |text: &str, program: &Program| format!("{text}\n\n{}\n", program.tests);
    let originals: Vec<String> = programs
        .iter()
        .map(|program| with_tests(&program.text, program))
        .collect();
    let Some(answers) = run(&originals) else {
        return;
    };
    let parses = |program: &Program| Module::parse(&program.text).is_ok();
    let passing: Vec<&Program> = programs
        .iter()
        .zip(&answers)
        .filter(|(program, answer)| answer["error"].is_null() && parses(program))
        .map(|(program, _)| program)
        .collect();
    assert!(
        passing.len() >= 1100,
        "{} of {} pass",
        passing.len(),
        programs.len()
    );

    let mut accounts: BTreeMap<(&str, bool), Account> = BTreeMap::new();
    let (mut texts, mut keys) = (Vec::new(), Vec::new());
    // Renaming has to know the names that tests use, and has its own tests.
    let mut transforms = positive();
    transforms.retain(|transform| transform.name() != CHANGE_NAMES);
    for safety in [Safety::Safe, Safety::Paper] {
        for transform in &transforms {
            for program in &passing {
                let Some((text, applied)) = everywhere(transform.as_ref(), &program.text, safety)
                else {
                    continue;
                };
                let key = (transform.name(), safety == Safety::Paper);
                let account = accounts.entry(key).or_default();
                account.programs += 1;
                account.nodes += applied.nodes;
                account.by_tests_only += applied.by_tests_only;
                assert_ne!(text, program.text, "{key:?}");
                texts.push(with_tests(&text, program));
                keys.push((key, applied.by_tests_only));
            }
        }
    }
    let mut answers = run(&texts).expect("the interpreter was there before");
    // A machine at work reaches a limit of time where an idle one does not: who fails is asked twice.
    let failing: Vec<usize> = (0..texts.len())
        .filter(|at| !answers[*at]["error"].is_null())
        .collect();
    let again: Vec<String> = failing.iter().map(|at| texts[*at].clone()).collect();
    let again = run(&again).expect("the interpreter was there before");
    for (at, answer) in failing.into_iter().zip(again) {
        answers[at] = answer;
    }
    for ((text, (key, by_tests_only)), answer) in texts.iter().zip(&keys).zip(&answers) {
        if !answer["error"].is_null() {
            // Only what is left to the tests may fail them.
            assert!(*by_tests_only > 0, "{key:?}: {}\n{text}", answer["error"]);
            let account = accounts.get_mut(key).expect("it was applied");
            account
                .failures
                .push(format!("{}\n{text}", answer["error"]));
        }
    }
    let total = passing.len();
    println!(
        "{total} programs pass; per transform: programs, share, nodes a program, by tests only, failures"
    );
    for ((name, paper), account) in &accounts {
        let share = f64::from(account.programs) / total as f64;
        let mean = f64::from(account.nodes) / f64::from(account.programs);
        println!(
            "{name:24} {:5} {:5} {share:5.3} {mean:5.2} {:5} {}",
            if *paper { "paper" } else { "safe" },
            account.programs,
            account.by_tests_only,
            account.failures.len()
        );
    }
    for ((name, paper), account) in &accounts {
        let failures = account.failures.len();
        let allowed = if *paper {
            account.programs / 5
        } else {
            account.programs / 1000
        };
        assert!(
            failures <= allowed as usize,
            "{name}, paper {paper}: {failures} fail\n{}",
            account.failures.join("\n")
        );
    }
    // These programs have no f-strings.
    assert_eq!(
        accounts.len(),
        2 * (transforms.len() - 1),
        "each transform but one was applied"
    );
}
