//! `train`: a small model on made-up pairs, from the command line to the folder that `eval` reads.

use serde_json::{Value, json};

use crate::project::{Project, repository};

/// Pairs with a repository, and a benchmark that has one of them.
fn project() -> Project {
    let project = Project::empty();
    let words = [
        "zero", "one", "two", "three", "four", "five", "six", "seven",
    ];
    let pair = |i: usize| {
        let number = format!("{} {}", words[i / 8], words[i % 8]);
        json!({
            "anchor": format!("gives {number}"), "positive": format!("int f(void) {{ return {number}; }}"),
            "repo": format!("r{}", i % 4), "setting": "standard",
        })
        .to_string()
    };
    let pairs: Vec<String> = (0..40).map(pair).collect();
    project.write("pairs.jsonl", pairs.join("\n"));
    project.write("tested.jsonl", &pairs[3]);
    project
}

fn model() -> String {
    let folder = repository().join("crates/encoders/tests/checkpoints/bert");
    format!("local:{}", folder.display())
}

#[test]
fn a_model_is_tuned_and_evaluated() {
    let project = project();
    let model = model();
    let command = |extra: &[&str]| {
        let usual = [
            "train",
            "pairs.jsonl",
            "--model",
            &model,
            "--out",
            "tuned",
            "--dev-share",
            "0.2",
            "--exclude",
            "tested.jsonl",
            "--epochs",
            "2",
            "--batch",
            "8",
            "--learning-rate",
            "1e-3",
            "--max-length",
            "24",
        ];
        project.run(&[&usual[..], extra].concat())
    };
    let ended = command(&["--json"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let report: Value = serde_json::from_str(&ended.stdout).unwrap();
    let training = &report["training"];
    assert_eq!(
        training["left_out"]["the positive is in an excluded benchmark"],
        1
    );
    assert_eq!(
        training["pairs"].as_u64().unwrap() + training["dev_pairs"].as_u64().unwrap(),
        39
    );
    assert!(
        ended.stderr.contains("on the dev split"),
        "{}",
        ended.stderr
    );
    let curve = std::fs::read_to_string(project.path("tuned/curve.csv")).unwrap();
    assert!(curve.starts_with("step,epoch,loss"), "{curve}");
    let page = std::fs::read_to_string(project.path("tuned/report.html")).unwrap();
    assert!(
        page.contains("<polyline") && page.contains("Learning curve"),
        "{page}"
    );
    // Again: nothing is done, and the same is said.
    let again = command(&[]);
    assert_eq!(again.code, Some(0), "{}", again.stderr);
    assert!(again.stdout.contains("dev nDCG@10"), "{}", again.stdout);
    let before = format!("before={model}");
    let ended = project.run(&[
        "eval",
        "pairs.jsonl",
        "--model",
        &before,
        "--model",
        "after=local:tuned",
        "--json",
        "--out",
        "evaluated",
    ]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    // The folder remembers what it was trained on: all but the excluded pair.
    let account: Value = serde_json::from_str(&ended.stdout).unwrap();
    let seen = |at: usize| {
        let cut = &account["cut"][at];
        [
            "system",
            "queries_seen",
            "queries",
            "documents_seen",
            "documents",
        ]
        .map(|key| cut[key].clone())
    };
    assert_eq!(json!(seen(0)), json!(["before", 0, 40, 0, 40]));
    assert_eq!(json!(seen(1)), json!(["after", 39, 40, 39, 40]));
    let said = project.run(&[
        "eval",
        "pairs.jsonl",
        "-m",
        "after=local:tuned",
        "--out",
        "evaluated",
    ]);
    assert!(
        said.stdout.contains(
            "after: 39 of 40 documents and 39 of 40 queries, of all subsets together, are texts that it was trained on"
        ),
        "{}",
        said.stdout
    );
}

#[test]
fn what_cannot_be_trained_is_an_invalid_input() {
    let project = project();
    let model = model();
    let code = |arguments: &[&str]| {
        let ended = project.run(arguments);
        assert!(ended.stderr.contains("hint"), "{}", ended.stderr);
        ended.code
    };
    assert_eq!(
        code(&["train", "pairs.jsonl", "--model", &model]),
        Some(2),
        "no --out"
    );
    assert_eq!(
        code(&["train", "pairs.jsonl", "--model", "bm25", "--out", "out"]),
        Some(4)
    );
    assert_eq!(
        code(&[
            "train",
            "pairs.jsonl",
            "--model",
            &model,
            "--out",
            "out",
            "--lora",
            "4",
            "--lora-layers",
            "c_attn"
        ]),
        Some(4)
    );
    assert_eq!(
        code(&[
            "train",
            "pairs.jsonl",
            "--model",
            &model,
            "--out",
            "out",
            "--patience",
            "2"
        ]),
        Some(4)
    );
    assert!(!project.path("out/model.safetensors").exists());
}

#[test]
fn a_matrix_has_a_model_for_each_setting() {
    let project = project();
    let text = std::fs::read_to_string(project.path("pairs.jsonl")).unwrap();
    let other = text
        .replace("int f(", "int f_93(")
        .replace("\"standard\"", "\"randomized\"");
    project.write("both.jsonl", format!("{text}\n{other}"));
    let model = model();
    let command = |extra: &[&str]| {
        let usual = [
            "train",
            "both.jsonl",
            "--model",
            &model,
            "--out",
            "matrix",
            "--epochs",
            "1",
            "--batch",
            "8",
            "--max-length",
            "24",
            "--matrix",
            "pairs.jsonl",
            "--matrix",
            "both.jsonl",
        ];
        project.run(&[&usual[..], extra].concat())
    };
    let ended = command(&["--json"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let account: Value = serde_json::from_str(&ended.stdout).unwrap();
    let names = |key: &str, field: &str| -> Vec<String> {
        let rows = account[key].as_array().unwrap().iter();
        rows.map(|row| row[field].as_str().unwrap().to_owned())
            .collect()
    };
    let models = ["zero-shot", "on randomized", "on standard"];
    assert_eq!(names("scores", "retriever"), [models, models].concat());
    let tuned = ["on randomized", "on standard"];
    assert_eq!(names("differences", "second"), [tuned, tuned].concat());
    assert!(
        names("differences", "first")
            .iter()
            .all(|name| name == "zero-shot")
    );
    for folder in ["randomized", "standard"] {
        assert!(
            project
                .path(&format!("matrix/{folder}/model.safetensors"))
                .is_file()
        );
    }
    let again = command(&[]);
    assert_eq!(again.code, Some(0), "{}", again.stderr);
    assert!(
        again.stdout.contains("RR@10, with 95 % intervals")
            && again.stdout.contains("Tuned minus zero-shot"),
        "{}",
        again.stdout
    );
    assert!(project.path("matrix/matrix.html").is_file());
}

#[test]
fn descriptions_train_to_the_same_model_whatever_their_names_are() {
    let project = project();
    let pair = |n: usize, name: &str| {
        let positive = format!("int {name}_{n}(int a) {{ return a * {n} + {}; }}", n % 7);
        json!({ "anchor": format!("multiplies by {n}"), "positive": positive }).to_string()
    };
    let tuned = |name: &str| {
        let mut rows: Vec<String> = (0..24).map(|n| pair(n, name)).collect();
        let python = json!({ "anchor": "gives three", "positive": "def third():\n    return 3\n" });
        rows.push(python.to_string());
        project.write("named.jsonl", rows.join("\n"));
        let out = format!("tuned-{name}");
        let ended = project.run(&[
            "train",
            "named.jsonl",
            "--model",
            &model(),
            "--out",
            &out,
            "--epochs",
            "1",
            "--batch",
            "8",
            "--described",
            "--save-every",
            "2",
        ]);
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        // A line for every checkpoint, for there is no bar.
        let lines = ended.stderr.matches("    train  step ").count();
        assert_eq!(lines, 1, "{}", ended.stderr);
        assert!(
            ended.stderr.contains("train  step 2 of 3, loss "),
            "{}",
            ended.stderr
        );
        let card = std::fs::read_to_string(project.path(&format!("{out}/README.md"))).unwrap();
        assert!(card.contains("`barecode eval --described`"), "{card}");
        assert!(
            card.contains("the positive cannot be described: `structural` does not read it"),
            "{card}"
        );
        std::fs::read(project.path(&format!("{out}/model.safetensors"))).unwrap()
    };
    let is_same = tuned("scaled") == tuned("f");
    assert!(is_same, "the weights depend on names");
    let words = ["train", "named.jsonl", "--model", "none", "--out", "other"];
    let refused = project.run(&[&words[..], &["--described", "--matrix", "named.jsonl"]].concat());
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    assert!(
        refused.stderr.contains("cannot be used with"),
        "{}",
        refused.stderr
    );
}
