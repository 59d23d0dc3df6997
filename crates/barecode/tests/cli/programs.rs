//! Programs with tests through all stages: a small data set in `HumanEval`'s form, written for this test.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::interrupted::wait_for;
use crate::project::{Ended, Project, assert_same, bytes_of};

/// Programs with their tests: the head of a function, its body, and asserts about `candidate`.
const PROGRAMS: [(&str, &str, &str, &str); 12] = [
    (
        "sum_to",
        "def sum_to(n):\n",
        "    total = 0\n    for i in range(n + 1):\n        total += i\n    return total\n",
        "assert candidate(4) == 10\n    assert candidate(0) == 0",
    ),
    (
        "count_even",
        "def count_even(numbers):\n",
        "    found = 0\n    for number in numbers:\n        if number % 2 == 0:\n            found += 1\n    return found\n",
        "assert candidate([1, 2, 4]) == 2\n    assert candidate([]) == 0",
    ),
    (
        "largest",
        "def largest(values):\n",
        "    best = values[0]\n    for value in values:\n        best = value if value > best else best\n    return best\n",
        "assert candidate([3, 9, 2]) == 9\n    assert candidate([-5]) == -5",
    ),
    (
        "squares",
        "def squares(limit):\n",
        "    result = [x * x for x in range(limit)]\n    return result\n",
        "assert candidate(4) == [0, 1, 4, 9]\n    assert candidate(0) == []",
    ),
    (
        "greeting",
        "def greeting(name, age):\n",
        "    text = f\"{name} is {age} years old\"\n    return text\n",
        "assert candidate('Ada', 36) == 'Ada is 36 years old'",
    ),
    (
        "between",
        "def between(low, x, high):\n",
        "    return low <= x < high\n",
        "assert candidate(1, 2, 3)\n    assert not candidate(1, 3, 3)\n    assert candidate(1, 1, 3)",
    ),
    (
        "power",
        "def power(base, exponent):\n",
        "    result = 1\n    while exponent > 0:\n        result = result * base\n        exponent -= 1\n    return result\n",
        "assert candidate(2, 10) == 1024\n    assert candidate(5, 0) == 1",
    ),
    (
        "reverse_words",
        "def reverse_words(text):\n",
        "    words = text.split()\n    backwards = []\n    for index in range(len(words)):\n        backwards.append(words[len(words) - 1 - index])\n    return ' '.join(backwards)\n",
        "assert candidate('a b c') == 'c b a'\n    assert candidate('') == ''",
    ),
    (
        "is_sorted",
        "def is_sorted(items):\n",
        "    for i in range(1, len(items)):\n        if items[i] < items[i - 1]:\n            return False\n    return True\n",
        "assert candidate([1, 2, 2])\n    assert not candidate([2, 1])",
    ),
    (
        "clamp",
        "def clamp(x, low, high):\n",
        "    if x < low:\n        return low\n    if not x <= high:\n        return high\n    return x\n",
        "assert candidate(5, 1, 3) == 3\n    assert candidate(0, 1, 3) == 1\n    assert candidate(2, 1, 3) == 2",
    ),
    (
        "digits",
        "def digits(n):\n",
        "    total = 0\n    while n > 0:\n        total += n % 10\n        n //= 10\n    return total\n",
        "assert candidate(123) == 6\n    assert candidate(0) == 0",
    ),
    (
        "broken",
        "def broken(n):\n",
        "    return n + 2\n",
        "assert candidate(1) == 2",
    ),
];

const RECIPE: &str = r#"
name = "programs"
seed = 7

[[programs]]
from = "programs.jsonl"
license = "MIT"

[[pipeline]]
name = "positive"
kind = "clone"

[[pipeline]]
name = "renamed"
kind = "clone"
steps = [{ transform = "ChangeNames", strategy = "funky" }]

[[pipeline]]
name = "negative"
kind = "bug"

[probe]
random = 5
nearest = 5
bins = 2

[[retriever]]
name = "tiny"
kind = "dense"
model = "local:models/tiny"
"#;

fn rows() -> String {
    let row = |(at, (name, head, body, asserts)): (usize, &(&str, &str, &str, &str))| {
        let row = json!({
            "task_id": format!("Test/{at}"),
            "prompt": head,
            "entry_point": name,
            "canonical_solution": body,
            "test": format!("def check(candidate):\n    {asserts}\n"),
        });
        format!("{row}\n")
    };
    PROGRAMS.iter().enumerate().map(row).collect()
}

fn project() -> Project {
    let project = Project::empty();
    project.write("recipe.toml", RECIPE);
    project.write("programs.jsonl", rows());
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../encoders/tests/checkpoints");
    for file in ["config.json", "model.safetensors", "tokenizer.json"] {
        let bytes = fs::read(folder.join("bert").join(file)).unwrap();
        project.write(&format!("models/tiny/{file}"), bytes);
    }
    project
}

fn json_of(ended: &Ended) -> Value {
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    serde_json::from_str(&ended.stdout).unwrap()
}

#[test]
fn programs_become_clones_and_bugs_that_tests_vouch_for_and_models_are_probed() {
    let project = project();
    let file = project.path("programs.jsonl");
    let absolute = format!("from = \"{}\"", file.display());
    let recipe = RECIPE.replace("from = \"programs.jsonl\"", &absolute);
    project.write("recipe.toml", recipe);
    let built = json_of(&project.run(&["build", "recipe.toml", "--json"]));
    let counts = |stage: &str, kind: &str| built["stages"][stage]["counts"][kind].clone();
    assert_eq!(counts("extract", "programs")["kept"], 12);
    // One does not pass its own tests.
    assert_eq!(counts("check", "programs")["kept"], 11);
    assert_eq!(counts("check", "programs")["set_aside"]["tests_fail"], 1);
    let variants = counts("vary", "program variants");
    assert_eq!(variants["entered"], 33);
    assert!(variants["kept"].as_u64().unwrap() >= 30, "{variants}");
    assert_eq!(variants["set_aside"].get("clone_fails"), None, "{variants}");

    let probe = built["probe"].as_array().unwrap();
    let find = |measure: &str, relation: &str, pipeline: Option<&str>| {
        let mut rows = probe.iter().filter(|row| {
            row["measure"] == measure
                && row["relation"] == relation
                && row["pipeline"].as_str() == pipeline
                && row["bin"].is_null()
                && row["transform"].is_null()
        });
        let row = rows
            .next()
            .unwrap_or_else(|| panic!("no {measure} of {relation}"));
        row["value"].as_f64().unwrap()
    };
    assert!(find("similarity", "bug", Some("negative")) <= 1.0);
    assert!(find("similarity", "random", None) < find("similarity", "bug", Some("negative")));
    find("auc", "clone", Some("renamed"));
    find("top-1", "clone", Some("positive"));

    // A second call finds everything done; the table says what it is.
    let again = project.run(&["build", "recipe.toml"]);
    assert_eq!(again.code, Some(0), "{}", again.stderr);
    assert!(again.stderr.contains("nothing to do"), "{}", again.stderr);
    assert!(again.stdout.contains("clone over bug"), "{}", again.stdout);
    let page = fs::read_to_string(project.path("runs/programs/08-report/index.html")).unwrap();
    assert!(page.contains("Clones and bugs"));
    // A page that is published names no folder of the machine.
    assert!(page.contains("…/programs.jsonl") && !page.contains(&*file.to_string_lossy()));

    // The same numbers from the dataset alone.
    let probed = project.run(&[
        "probe",
        "runs/programs",
        "--model",
        "tiny=local:models/tiny",
        "--random",
        "5",
        "--nearest",
        "5",
        "--bins",
        "2",
        "--seed",
        "7",
        "--json",
        "--out",
        "probed",
    ]);
    let probed = json_of(&probed);
    let values = |rows: &[Value]| -> Vec<f64> {
        rows.iter()
            .filter_map(|row| row["value"].as_f64())
            .collect()
    };
    assert_eq!(values(probe), values(probed["probe"].as_array().unwrap()));
}

#[test]
fn a_run_of_programs_is_the_same_on_any_number_of_threads() {
    let (one, two) = (project(), project());
    for (project, threads) in [(&one, "1"), (&two, "2")] {
        let ended = project.run(&["build", "recipe.toml", "--threads", threads]);
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    }
    assert_same(
        &bytes_of(&one.path("runs/programs")),
        &bytes_of(&two.path("runs/programs")),
    );
}

/// The same problems again, each solved with a constant of its own, so that `check` has three shards.
fn more_rows() -> String {
    let mut lines = rows();
    for copy in 1..6 {
        for (at, (name, head, body, asserts)) in PROGRAMS.iter().enumerate() {
            let row = json!({
                "task_id": format!("Copy{copy}/{at}"),
                "prompt": head,
                "entry_point": name,
                "canonical_solution": format!("    copy = {copy}\n{body}"),
                "test": format!("def check(candidate):\n    {asserts}\n"),
            });
            lines += &row.to_string();
            lines.push('\n');
        }
    }
    lines
}

#[test]
fn a_run_of_programs_killed_in_each_stage_ends_in_the_same_bytes() {
    let with_more = || {
        let project = project();
        project.write("programs.jsonl", more_rows());
        project
    };
    let build = |project: &Project, threads: &str| {
        let ended = project.run(&["build", "recipe.toml", "--threads", threads]);
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        bytes_of(&project.path("runs/programs"))
    };
    let expected = build(&with_more(), "2");
    let moments = [
        "01-functions",
        "02-units",
        "02-units/programs/part-00000.parquet",
        "03-variants",
        "03-variants/programs/part-00001.parquet",
        "05-dataset",
    ];
    // One run, killed again and again: what the verdict cache keeps is of killed processes, too.
    let project = with_more();
    let mut killed = 0;
    for (at, moment) in moments.iter().enumerate() {
        let threads = ["1", "2"][at % 2];
        let mut child = project.start(&["build", "recipe.toml", "--threads", threads]);
        let moment = format!("runs/programs/{moment}");
        wait_for(&project, &moment, &mut child);
        child.kill().unwrap();
        killed += usize::from(child.wait().unwrap().code().is_none());
    }
    assert!(
        killed >= 5,
        "only {killed} of 6 runs were killed before their end"
    );
    let resumed = build(&project, "1");
    assert_same(&expected, &resumed);
    let partial = resumed.keys().find(|name| name.ends_with(".partial"));
    assert_eq!(partial, None);
}

#[test]
fn a_program_stands_beside_its_clone_and_its_bug() {
    let project = project();
    let ended = project.run(&["vary", "recipe.toml"]);
    assert_eq!(ended.code, Some(4), "{}", ended.stderr);
    for stage in ["extract", "check", "vary"] {
        let ended = project.run(&[stage, "recipe.toml"]);
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    }
    let id = {
        let row = barecode_records::python::Program::id_of(
            "programs.jsonl",
            "Test/0",
            &format!("{}{}", PROGRAMS[0].1, PROGRAMS[0].2),
        );
        row.to_string()
    };
    let shown = project.run(&["show", &id, "recipe.toml"]);
    assert_eq!(shown.code, Some(0), "{}", shown.stderr);
    assert!(shown.stdout.contains("fails by"), "{}", shown.stdout);
    for pipeline in ["positive", "renamed", "negative"] {
        let beside = project.run(&["show", &id, "recipe.toml", "--diff", pipeline]);
        assert_eq!(beside.code, Some(0), "{}", beside.stderr);
        assert!(beside.stdout.contains('‹'), "{}", beside.stdout);
    }
    let wrong = project.run(&["show", &id, "recipe.toml", "--diff", "postive"]);
    assert_ne!(wrong.code, Some(0));
    assert!(wrong.stderr.contains("it has positive"), "{}", wrong.stderr);
}

#[test]
fn bad_programs_are_rows_with_reasons_and_the_rest_goes_on() {
    let project = project();
    let mut lines = rows();
    lines.push_str("{\"task_id\": \"Test/cut\", \"prompt\": \"def f(\n");
    let odd = |name: &str, body: &str| {
        let row = json!({
            "task_id": format!("Odd/{name}"),
            "prompt": format!("def {name}(n):\n"),
            "entry_point": name,
            "canonical_solution": body,
            "test": "def check(candidate):\n    assert candidate(1) == 1\n",
        });
        format!("{row}\n")
    };
    lines += &odd("syntax", "    return n +\n");
    lines += &odd("old", "    print n\n    return n\n");
    lines += &odd("package", "    import numpy\n    return numpy.abs(n)\n");
    lines += &odd("files", "    return len(open('/etc/passwd').read())\n");
    lines += &odd("leaves", "    import os\n    os._exit(0)\n");
    project.write("programs.jsonl", lines);
    project.write(
        "quick.toml",
        RECIPE.replace("[probe]", "[python]\nseconds = 2\n\n[probe]"),
    );
    let extracted = json_of(&project.run(&["extract", "quick.toml", "--json"]));
    let counts = &extracted["stages"]["extract"]["counts"];
    let reasons = |kind: &str| counts[kind]["set_aside"].clone();
    assert_eq!(reasons("rows")["row_corrupt"], 1, "{counts}");
    let programs = reasons("programs");
    assert_eq!(programs["parse_error"], 1, "{counts}");
    assert_eq!(programs["python2"], 1, "{counts}");
    assert_eq!(programs["needs_package"], 1, "{counts}");
    assert_eq!(programs["unsafe_interface"], 2, "{counts}");
    assert_eq!(counts["programs"]["kept"], 12);
}

#[test]
fn a_recipe_of_programs_that_cannot_be_is_refused() {
    let project = project();
    for (from, to, expected) in [
        ("programs.jsonl", "nowhere.jsonl", "are not there"),
        (
            "kind = \"bug\"",
            "kind = \"clone\"\nsteps = [{ transform = \"WrongBooleanOperator\" }]",
            "breaks programs",
        ),
        ("strategy = \"funky\"", "strategy = \"funny\"", "funny"),
        ("ChangeNames", "ChangeName", "ChangeName"),
        ("name = \"renamed\"", "name = \"positive\"", "two pipelines"),
        ("bins = 2", "bins = 0", "at least 1"),
    ] {
        project.write("bad.toml", RECIPE.replacen(from, to, 1));
        let ended = project.run(&["extract", "bad.toml"]);
        assert_ne!(ended.code, Some(0), "{to}");
        assert!(ended.stderr.contains(expected), "{to}: {}", ended.stderr);
    }
}
