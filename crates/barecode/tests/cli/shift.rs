//! `shift`, on a tiny checkpoint of random weights.

use std::path::Path;

use barecode_testing::needs::data;
use serde_json::{Value, json};

use crate::project::Project;

fn model() -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../encoders/tests/checkpoints/bert");
    format!("local:{}", folder.display())
}

/// Functions of which each has one more statement, and the same with some names taken away.
fn dataset(project: &Project) {
    let (mut original, mut renamed, mut lowered) = (Vec::new(), Vec::new(), Vec::new());
    for number in 0..12 {
        let lines: Vec<String> = (0..number)
            .map(|line| format!("  if (left > {line}) total += left;\n"))
            .collect();
        let body = lines.concat();
        let text = format!("int add{number}(int left)\n{{\n{body}  return left;\n}}");
        let other = text.replace(&format!("add{number}"), "func_0");
        let row = |text: &str| {
            json!({
                "query_id": format!("q{number}"), "query_text": format!("query number {number}"),
                "code_id": format!("c{number}"), "code_text": text, "relevance": 2,
                "repository": format!("r{}", number % 4),
            })
        };
        original.push(row(&text));
        // The first one keeps its name.
        renamed.push(row(if number == 0 { &text } else { &other }));
        lowered.push(row(&format!("mov eax, {number}")));
    }
    project.write("set/one_original.json", json!(original).to_string());
    project.write("set/one_renamed.json", json!(renamed).to_string());
    project.write("set/one_lowered.json", json!(lowered).to_string());
}

fn shift(project: &Project, more: &[&str]) -> Value {
    let model = model();
    let mut arguments = vec![
        "shift",
        "set",
        "--model",
        &model,
        "--json",
        "--resamples",
        "200",
    ];
    arguments.extend(more);
    let ended = project.run(&arguments);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    serde_json::from_str(&ended.stdout).unwrap()
}

fn setting<'v>(told: &'v Value, name: &str) -> &'v Value {
    let settings = told["settings"].as_array().unwrap();
    let found = settings.iter().find(|one| one["setting"] == name);
    found.unwrap_or_else(|| panic!("no {name} in {told}"))
}

#[test]
fn what_moved_is_told_with_what_was_renamed() {
    let project = Project::empty();
    dataset(&project);
    let told = shift(&project, &[]);
    let renamed = setting(&told, "one_renamed");
    assert_eq!(renamed["original"], "one_original");
    assert_eq!(renamed["functions"], 12);
    let documents = renamed["documents"].as_array().unwrap();
    let of = |id: &str| documents.iter().find(|one| one["id"] == id).unwrap();
    assert_eq!(of("c0")["shift"], 0.0);
    assert_eq!(of("c0")["perturbation"], 0.0);
    assert!(of("c3")["shift"].as_f64().unwrap() > 0.0);
    assert_eq!(of("c3")["lines"], 7);
    assert_eq!(of("c3")["complexity"], 4);
    // One identifier of four letters.
    let text = "int add3(int left)\n{\n  if (left > 0) total += left;\n  if (left > 1) total += left;\n  \
                if (left > 2) total += left;\n  return left;\n}";
    assert_eq!(of("c3")["perturbation"], 4.0 / text.len() as f64);
    let features: Vec<&Value> = renamed["correlations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|with| &with["feature"])
        .collect();
    let names = [
        "lines",
        "complexity",
        "perturbation fraction",
        "share of tokens",
    ];
    assert_eq!(features, names);
    // Assembly is no renaming: it has a shift, and no share that was renamed.
    let lowered = setting(&told, "one_lowered");
    assert_eq!(lowered["correlations"][0]["functions"], 12);
    assert_eq!(lowered["correlations"][2]["functions"], 0);
    assert_eq!(lowered["correlations"][2]["pearson"], Value::Null);
    // The same on any number of threads.
    assert_eq!(
        shift(&project, &["--threads", "1", "--no-cache"])["settings"],
        told["settings"]
    );
}

#[test]
fn both_distances_give_the_same_ranks_for_vectors_of_length_one() {
    let project = Project::empty();
    dataset(&project);
    let only = ["--subset", "one_renamed", "--original", "one_original"];
    let cosine = shift(&project, &only);
    let euclid = shift(&project, &[&only[..], &["--distance", "euclid"]].concat());
    assert_eq!(cosine["settings"].as_array().unwrap().len(), 1);
    let spearman =
        |told: &Value| told["settings"][0]["correlations"][2]["spearman"]["bootstrap"].clone();
    assert_eq!(spearman(&cosine), spearman(&euclid));
    let of = |told: &Value| {
        told["settings"][0]["documents"][5]["shift"]
            .as_f64()
            .unwrap()
    };
    let (one, two) = (of(&cosine), of(&euclid));
    assert!((two * two / 2.0 - one).abs() < 1e-6, "{one} {two}");
}

#[test]
fn a_table_is_told_and_a_set_without_settings_is_refused() {
    let project = Project::empty();
    dataset(&project);
    let model = model();
    let ended = project.run(&["shift", "set", "--model", &model, "--resamples", "100"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    for wanted in [
        "mean shift",
        "only 4 repositories",
        "perturbation fraction",
        "Spearman",
        "one_renamed",
    ] {
        assert!(ended.stdout.contains(wanted), "{}", ended.stdout);
    }
    let alone = project.run(&["shift", "set/one_original.json", "--model", &model]);
    assert_eq!(alone.code, Some(4), "{}", alone.stderr);
    assert!(
        alone
            .stderr
            .contains("no two subsets over the same documents"),
        "{}",
        alone.stderr
    );
    let unknown = project.run(&["shift", "set", "--model", &model, "--original", "two"]);
    assert_eq!(unknown.code, Some(4), "{}", unknown.stderr);
}

#[test]
fn what_was_renamed_tells_how_far_published_code_moves() {
    let Some(clarc) = data("clarc") else { return };
    let project = Project::empty();
    let model = model();
    let ended = project.run(&[
        "shift",
        clarc.to_str().unwrap(),
        "--model",
        &model,
        "--subset",
        "group1-usual_renamed",
        "--resamples",
        "200",
        "--json",
    ]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let told: Value = serde_json::from_str(&ended.stdout).unwrap();
    let moved = setting(&told, "group1-usual_renamed");
    assert_eq!(moved["original"], "group1-original");
    assert_eq!(
        (&moved["functions"], &moved["drawn"]),
        (&json!(526), &json!("functions"))
    );
    let with = |feature: &str| {
        let of = moved["correlations"].as_array().unwrap().iter();
        of.clone()
            .find(|with| with["feature"] == feature)
            .unwrap()
            .clone()
    };
    // One function of CLARC's changed more than names. Even random weights move more where more was renamed.
    let fraction = with("perturbation fraction");
    assert_eq!(fraction["functions"], 525);
    assert!(
        fraction["pearson"]["bootstrap"]["low"].as_f64().unwrap() > 0.1,
        "{fraction}"
    );
    // What the table of the book says of these functions as they were written.
    let documents = moved["documents"].as_array().unwrap();
    let mean = |feature: &str| {
        let values = documents.iter().map(|one| one[feature].as_f64().unwrap());
        values.sum::<f64>() / documents.len() as f64
    };
    assert!((mean("lines") - 12.8).abs() < 0.05, "{}", mean("lines"));
    assert!(
        (mean("complexity") - 2.5).abs() < 0.05,
        "{}",
        mean("complexity")
    );
}
