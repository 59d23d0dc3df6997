//! Bugs that data sets publish beside their programs: run like all others, and a kind of their own in the probe.

use std::collections::BTreeMap;
use std::fs;

use barecode_records::python::{Program, ProgramVariant, PublishedKind};
use barecode_records::{ProbePair, Reason, Relation, SetAside, table};
use barecode_testing::needs::data;
use serde_json::{Value, json};

use crate::project::{Project, assert_same, bytes_of};

/// A problem of `CodeContests` in the form of Hugging Face.
fn contest(name: &str, cases: &[(&str, &str)], right: &[&str], wrong: &[(u8, &str)]) -> String {
    let (inputs, outputs): (Vec<&str>, Vec<&str>) = cases.iter().copied().unzip();
    let (languages, texts): (Vec<u8>, Vec<&str>) = wrong.iter().copied().unzip();
    let none = json!({ "input": [], "output": [] });
    let row = json!({
        "name": name,
        "description": format!("The problem called {name}."),
        "public_tests": { "input": inputs, "output": outputs },
        "private_tests": none,
        "generated_tests": none,
        "solutions": { "language": vec![3; right.len()], "solution": right },
        "incorrect_solutions": { "language": languages, "solution": texts },
    });
    format!("{row}\n")
}

fn contests() -> String {
    let doubled = contest(
        "double",
        &[("4\n", "8\n"), ("-1\n", "-2\n")],
        &["n = int(input())\nresult = n + n\nprint(result)\n"],
        &[
            (
                3,
                "n = int(input())\nif n > 0:\n    print(n * 2)\nelse:\n    print(0)\n",
            ),
            (3, "number = input()\nprint(number * 2)\n"),
            // Of what was rejected for its time alone no test may tell.
            (
                3,
                "n = int(input())\ntotal = 0\nfor _ in range(2):\n    total += n\nprint(total)\n",
            ),
            (3, "n = int(input()\n"),
            (1, "print input() * 2\n"),
            (2, "int main() {}\n"),
        ],
    );
    let smaller = contest(
        "smaller",
        &[("1 2\n", "1\n"), ("5 3\n", "3\n")],
        &["a, b = map(int, input().split())\nprint(a if a < b else b)\n"],
        &[(3, "a, b = map(int, input().split())\nprint(a)\n")],
    );
    // The only solution does not pass, so nothing is there that its bug could be compared with.
    let broken = contest(
        "broken",
        &[("1\n", "2\n")],
        &["value = int(input())\nprint(value + 2)\n"],
        &[(3, "value = int(input())\nprint(value)\n")],
    );
    let unread = contest(
        "unread",
        &[("1\n", "1\n")],
        &["import numpy\nprint(numpy.abs(int(input())))\n"],
        &[(3, "print(-int(input()))\n")],
    );
    [doubled, smaller, broken, unread].concat()
}

const RECIPE: &str = "name = \"wrong\"\nseed = 5\n\n[[programs]]\nfrom = \"contests.jsonl\"\nbugs = 9\n\n\
    [[pipeline]]\nname = \"renamed\"\nkind = \"clone\"\nsteps = [{ transform = \"ChangeNames\", strategy = \"funky\" }]\n\n\
    [[pipeline]]\nname = \"negative\"\nkind = \"bug\"\n\n[probe]\nrandom = 1\nnearest = 1\nbins = 1\n\n\
    [[retriever]]\nkind = \"jaccard\"\n";

fn built(project: &Project, threads: &str) -> Value {
    let ended = project.run(&["build", "recipe.toml", "--json", "--threads", threads]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    serde_json::from_str(&ended.stdout).unwrap()
}

fn variants(project: &Project, run: &str) -> Vec<ProgramVariant> {
    let folder = project.path(&format!("runs/{run}/03-variants/programs"));
    let mut parts: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    parts.sort();
    let rows = parts
        .iter()
        .map(|part| table::read::<ProgramVariant>(part).unwrap());
    let mut rows: Vec<ProgramVariant> = rows.flatten().collect();
    rows.retain(|variant| PublishedKind::named(&variant.pipeline).is_some());
    rows
}

#[test]
fn incorrect_solutions_that_fail_a_test_are_bugs_of_their_own_kind() {
    let project = Project::empty();
    project.write("contests.jsonl", contests());
    project.write("recipe.toml", RECIPE);
    let account = built(&project, "1");
    let counts = |stage: &str, kind: &str| account["stages"][stage]["counts"][kind].clone();
    let extracted = counts("extract", "published bugs");
    // One does not parse, one is Python 1 or 2, and the package leaves one alone.
    assert_eq!(
        extracted,
        json!({ "entered": 7, "kept": 5, "set_aside": { "bug_alone": 1, "parse_error": 1 } })
    );
    let chosen = counts("choose", "published bugs");
    assert_eq!(chosen["kept"], 5);
    let checked = counts("check", "published bugs");
    assert_eq!(
        checked,
        json!({ "entered": 5, "kept": 4, "set_aside": { "bug_alone": 1 } })
    );
    let run = project.path("runs/wrong");
    let found = variants(&project, "wrong");
    assert_eq!(found.len(), 3);
    for variant in &found {
        assert_eq!(variant.pipeline, "incorrect-solution");
        assert!(
            variant.applied.is_empty() && variant.fault.is_some(),
            "{variant:?}"
        );
    }
    let part = "_set-aside/programs/part-00000.parquet";
    let left: Vec<SetAside> = table::read(&run.join("03-variants").join(part)).unwrap();
    let passes = left.iter().find(|row| row.reason == Reason::BugPasses);
    let name = passes.and_then(|row| row.name.as_deref());
    assert_eq!(name, Some("double incorrect-solution"));

    // In the probe they stand beside the bugs of pipelines, and apart from them.
    let pairs: Vec<ProbePair> =
        table::read(&run.join("05-dataset/programs/probe.parquet")).unwrap();
    let bugs = pairs.iter().filter(|pair| pair.relation == Relation::Bug);
    let mut by_pipeline: BTreeMap<&str, usize> = BTreeMap::new();
    for pair in bugs {
        *by_pipeline
            .entry(pair.pipeline.as_deref().unwrap())
            .or_default() += 1;
    }
    assert_eq!(by_pipeline["incorrect-solution"], 3);
    assert!(by_pipeline["negative"] >= 1, "{by_pipeline:?}");
    let against: Vec<&Value> = account["probe"].as_array().unwrap().iter().collect();
    let against = against.iter().filter(|row| {
        row["measure"] == "clone-above-bug" && row["against"] == "incorrect-solution"
    });
    let rows: Vec<_> = against.collect();
    assert_eq!((rows.len(), &rows[0]["n"]), (1, &json!(2)));
    let card = fs::read_to_string(run.join("05-dataset/README.md")).unwrap();
    assert!(
        card.contains("| bug by `incorrect-solution` | published | 3 | "),
        "{card}"
    );
    let page = fs::read_to_string(run.join("08-report/index.html")).unwrap();
    assert!(page.contains("that their data set publishes"));
    let manifest = fs::read_to_string(run.join("manifest.json")).unwrap();
    let manifest: Value = serde_json::from_str(&manifest).unwrap();
    assert_eq!(manifest["sources"][0]["bugs"], 5);

    // The same on two threads; a draw of one a problem; none.
    let other = Project::empty();
    other.write("contests.jsonl", contests());
    other.write("recipe.toml", RECIPE);
    built(&other, "2");
    assert_same(&bytes_of(&run), &bytes_of(&other.path("runs/wrong")));
    let of = |bugs: &str| {
        other.write("recipe.toml", RECIPE.replace("bugs = 9", bugs));
        let ended = other.run(&["extract", "recipe.toml", "--json"]);
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        let account: Value = serde_json::from_str(&ended.stdout).unwrap();
        account["stages"]["extract"]["counts"]["published bugs"].clone()
    };
    let one = of("bugs = 1");
    assert_eq!(
        (&one["kept"], &one["set_aside"]["not_sampled"]),
        (&json!(3), &json!(2))
    );
    assert_eq!(of("bugs = 0"), Value::Null);
    other.write(
        "recipe.toml",
        RECIPE.replace("\"negative\"", "\"buggy-solution\""),
    );
    let refused = other.run(&["extract", "recipe.toml"]);
    assert_eq!(refused.code, Some(4));
    assert!(
        refused.stderr.contains("published bugs"),
        "{}",
        refused.stderr
    );
}

#[test]
fn the_bugs_of_human_eval_pack_fail_the_tests_that_their_programs_pass() {
    let Some(set) = data("python/humanevalpack_python.jsonl") else {
        return;
    };
    let project = Project::empty();
    let text = fs::read_to_string(set).unwrap();
    let some: String = text.split_inclusive('\n').step_by(8).collect();
    project.write("contests.jsonl", &some);
    let recipe = RECIPE.replace("\"wrong\"", "\"pack\"");
    project.write("recipe.toml", recipe);
    built(&project, "2");
    let part = "runs/pack/02-units/programs/part-00000.parquet";
    let programs: Vec<Program> = table::read(&project.path(part)).unwrap();
    let found = variants(&project, "pack");
    // One of the 21 uses `eval`, which no program may.
    assert_eq!((programs.len(), found.len()), (20, 20));
    for variant in &found {
        let program = programs
            .iter()
            .find(|one| one.id == variant.program_id)
            .unwrap();
        let [place] = variant.places.as_slice() else {
            panic!("{variant:?}");
        };
        // What stands at the place is all that differs.
        let of = |text: &str, start: u32, end: u32| -> [String; 3] {
            let (head, rest) = text.split_at(start as usize);
            let (place, tail) = rest.split_at((end - start) as usize);
            [head, place, tail].map(str::to_owned)
        };
        let before = of(&program.text, place.before.start, place.before.end);
        let after = of(&variant.text, place.after.start, place.after.end);
        assert_eq!((&before[0], &before[2]), (&after[0], &after[2]));
        assert_ne!(before[1], after[1]);
    }
    let id = programs[0].id.to_string();
    let shown = project.run(&["show", &id, "recipe.toml", "--diff", "buggy-solution"]);
    assert_eq!(shown.code, Some(0), "{}", shown.stderr);
    assert!(shown.stdout.contains('‹'), "{}", shown.stdout);
}
