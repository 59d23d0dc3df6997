//! `pairs`: a run as pairs to train on.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::project::{Project, RECIPE, program};

fn written(project: &Project, arguments: &[&str]) -> Value {
    let ended = project.run(&[&["pairs", "recipe.toml", "--json"], arguments].concat());
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    serde_json::from_str(&ended.stdout).unwrap()
}

fn counts(value: &Value) -> BTreeMap<(String, String), u64> {
    let parts = value["parts"].as_array().unwrap().iter();
    let text = |part: &Value, key: &str| part[key].as_str().unwrap().to_owned();
    parts
        .map(|part| {
            let key = (text(part, "split"), text(part, "name"));
            (key, part["pairs"].as_u64().unwrap())
        })
        .collect()
}

/// The rows of a written table, by the program itself: as BEIR, for which the columns have to be there.
fn rows(project: &Project, table: &str, columns: &str) -> Vec<Value> {
    let read = ["audit", table, "--columns", columns, "--json"];
    let ended = project.run(&read);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let value: Value = serde_json::from_str(&ended.stdout).unwrap();
    value["subsets"].as_array().unwrap().clone()
}

#[test]
fn a_run_becomes_pairs_without_what_an_evaluation_set_has() {
    let project = Project::new();
    let ended = project.run(&["pairs", "recipe.toml", "--to", "early"]);
    assert_eq!(ended.code, Some(4));
    assert!(ended.stderr.contains("barecode build"), "{}", ended.stderr);
    project.write(
        "recipe.toml",
        format!("{RECIPE}\n[dataset]\ntrain = [\"path:shelf\"]\n"),
    );
    project.build();
    let all = written(&project, &["--to", "all"]);
    let of = |value: &Value, split: &str, name: &str| {
        counts(value)
            .get(&(split.to_owned(), name.to_owned()))
            .copied()
            .unwrap_or(0)
    };
    let standard = of(&all, "train", "standard");
    assert!(standard > 5, "{all}");
    assert_eq!(of(&all, "dev", "standard"), 1);
    assert_eq!(of(&all, "train", "neutralized"), standard);
    assert_eq!(of(&all, "train", "randomized"), 2 * standard, "two draws");
    assert_eq!(of(&all, "train", "views"), 0);
    // The function of the other source, in another layout, and one that nobody has.
    let twin = "int add_below ( int a, int b, int bound ) { int sum = a + b; return sum < bound ? sum : bound; }";
    let rows_of_set = json!([
        { "query_id": "q1", "query_text": "sum below a bound", "code_id": "c1", "code_text": twin, "relevance": 1 },
        { "query_id": "q2", "query_text": "nothing", "code_id": "c2", "code_text": "void nothing(void) { ; ; ; }", "relevance": 1 },
    ]);
    project.write("set.json", rows_of_set.to_string());
    let less = written(
        &project,
        &[
            "--to",
            "less",
            "--exclude",
            "set.json",
            "--views",
            "--negatives",
            "2",
        ],
    );
    assert_eq!(of(&less, "dev", "standard"), 0, "{less}");
    assert_eq!(of(&less, "train", "standard"), standard);
    assert_eq!(less["left_out"].as_object().unwrap().len(), 1, "{less}");
    // Each function in two other settings, the drawn one once.
    assert_eq!(of(&less, "train", "views"), 2 * standard);
    let left_out = std::fs::read_to_string(project.path("less/left_out.csv")).unwrap();
    assert!(
        left_out.contains("path:extra,add.c,2,set.json,1.000"),
        "{left_out}"
    );
    let card = std::fs::read_to_string(project.path("less/README.md")).unwrap();
    assert!(
        card.contains("config_name: randomized") && card.contains("set.json"),
        "{card}"
    );
    let read = rows(
        &project,
        "less/train/standard.parquet",
        "query=anchor,document=positive,negative=negative_1",
    );
    assert_eq!(read.len(), 1, "{read:?}");
    // Where each pair is from goes with it.
    let table = std::fs::read(project.path("less/train/standard.parquet")).unwrap();
    for column in [
        "repository",
        "commit",
        "path",
        "start_line",
        "end_line",
        "license",
        "language",
        "draw",
    ] {
        let holds = table
            .windows(column.len())
            .any(|it| it == column.as_bytes());
        assert!(holds, "{column}");
    }
    // A repository by its name, and a folder that is there already.
    let none = project.run(&[
        "pairs",
        "recipe.toml",
        "--to",
        "none",
        "--exclude-repository",
        "path:shelf",
        "--exclude-repository",
        "path:extra",
    ]);
    assert_eq!(none.code, Some(4), "{}", none.stderr);
    assert!(none.stderr.contains("nothing is left"), "{}", none.stderr);
    assert!(!project.path("none").exists());
    let again = project.run(&["pairs", "recipe.toml", "--to", "less"]);
    assert_eq!(again.code, Some(4));
    assert!(again.stderr.contains("--force"), "{}", again.stderr);
}

#[test]
fn functions_that_only_their_own_build_compiles_come_from_its_objects() {
    let project = Project::new();
    let source = "#include \"made_by_the_build.h\"\n\n/* Counts how many bits of a mask are set below the limit. */\nint bits_below(unsigned mask)\n{\n    int found = 0;\n    for (int bit = 0; bit < LIMIT; bit++)\n        found += (mask >> bit) & 1u;\n    return found;\n}\n\nint bits_silent(unsigned mask)\n{\n    return bits_below(mask ^ FLIPPED);\n}\n";
    project.write("shelf/bits.c", source);
    project.build();
    // The run has no train split, so all of its pairs are those of its test.
    let refused = project.run(&["pairs", "recipe.toml", "--to", "before"]);
    assert_eq!(refused.code, Some(4), "{}", refused.stderr);
    for said in ["has no train split", "`--all`", "`train = 0.5`"] {
        assert!(refused.stderr.contains(said), "{}", refused.stderr);
    }
    assert!(!project.path("before").exists());
    let written = |arguments: &[&str]| written(&project, &[&["--all"], arguments].concat());
    let before = counts(&written(&["--to", "before"]));
    let standard = ("train".to_owned(), "standard".to_owned());
    let nothing = project.run(&[
        "pairs",
        "recipe.toml",
        "--all",
        "--to",
        "x",
        "--objects",
        "shelf",
    ]);
    assert_eq!(nothing.code, Some(4), "{}", nothing.stderr);
    assert!(
        nothing.stderr.contains("there is none"),
        "{}",
        nothing.stderr
    );
    // The project's own build, elsewhere, with a header that it makes.
    project.write(
        "build/made_by_the_build.h",
        "#define LIMIT 32\n#define FLIPPED 5u\n",
    );
    let compile = |flags: &[&str]| {
        let made = program("gcc")
            .args(flags)
            .args(["-c", "-Ibuild", "shelf/bits.c", "-o", "build/bits.o"])
            .current_dir(project.path("."))
            .status();
        assert!(made.unwrap().success());
    };
    compile(&["-O1"]);
    let bare = project.run(&[
        "pairs",
        "recipe.toml",
        "--all",
        "--to",
        "x",
        "--objects",
        "build",
    ]);
    assert_eq!(bare.code, Some(4), "{}", bare.stderr);
    assert!(bare.stderr.contains("build with `-g`"), "{}", bare.stderr);
    assert!(!project.path("x").exists());
    compile(&["-g", "-O1"]);
    let all = written(&["--to", "after", "--objects", "build", "--views"]);
    let after = counts(&all);
    assert_eq!(after[&standard], before[&standard] + 1, "{all}");
    assert_eq!(after[&("train".to_owned(), "assembly-o1".to_owned())], 1);
    assert_eq!(all["objects"]["functions added"], 1, "{all}");
    assert_eq!(
        all["objects"]["functions of the run in objects"], 2,
        "{all}"
    );
    assert_eq!(
        all["objects"]["functions that no comment asks for: no_doc_comment"], 1,
        "{all}"
    );
    let card = std::fs::read_to_string(project.path("after/README.md")).unwrap();
    assert!(card.contains("functions added: 1"), "{card}");
    // What is excluded is excluded here too.
    let twin = json!([{ "query_id": "q", "query_text": "bits", "code_id": "c", "relevance": 1,
        "code_text": source.split("limit. */\n").nth(1).unwrap().split("\n\nint").next().unwrap() }]);
    project.write("set.json", twin.to_string());
    let less = written(&[
        "--to",
        "less",
        "--objects",
        "build",
        "--exclude",
        "set.json",
    ]);
    assert_eq!(counts(&less), before, "{less}");
}
