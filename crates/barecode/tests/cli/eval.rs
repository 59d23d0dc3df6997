//! `eval`.

use std::fs;

use serde_json::{Value, json};

use crate::project::Project;

/// Three functions with a query each, one of which is told by no word.
fn dataset(project: &Project) {
    let rows = json!([
        { "query_id": "q1", "query_text": "copy bytes of a buffer", "code_id": "c1", "code_text": "copy bytes buffer", "relevance": 1 },
        { "query_id": "q2", "query_text": "free the list", "code_id": "c2", "code_text": "free list", "relevance": 1 },
        { "query_id": "q3", "query_text": "something else", "code_id": "c3", "code_text": "int zero", "relevance": 1 },
    ]);
    project.write("set.json", rows.to_string());
}

/// A program that answers a vector for each text: how often the letters a to d stand in it.
const PROGRAM: &str = "while IFS= read -r line; do [ -n \"$line\" ] || continue; \
    index=${line#*\\\"index\\\":}; index=${index# }; index=${index%%,*}; \
    printf '{\"index\": %s, \"vector\": [1.0, %s.0]}\\n' \"$index\" \"${#line}\"; done";

#[test]
fn words_and_vectors_are_evaluated_side_by_side() {
    let project = Project::new();
    dataset(&project);
    let process = format!("process:{PROGRAM}");
    let arguments = [
        "eval",
        "set.json",
        "--model",
        "bm25",
        "--model",
        &process,
        "--measure",
        "RR",
        "--out",
        "out",
        "--json",
    ];
    let ended = project.run(&arguments);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let account: Value = serde_json::from_str(&ended.stdout).unwrap();
    let row = &account["scores"][0];
    assert_eq!((&row["queries"], &row["documents"]), (&json!(3), &json!(3)));
    assert_eq!(row["ceiling"], 1.0);
    // Two answers have words in common with their query; the third query has none with any document, and BM25
    // returns nothing for it.
    assert_eq!(row["models"][0]["value"], 2.0 / 3.0);
    assert_eq!(row["models"][0]["model"], "bm25");
    let run = fs::read_to_string(project.path("out/bm25/set.test.trec")).unwrap();
    assert!(run.starts_with("q1 Q0 c1 1 "), "{run}");
    assert_eq!(account["ledger"].as_object().unwrap().len(), 1);
    // What was embedded once is not embedded again, and nothing else changes.
    let again: Value = serde_json::from_str(&project.run(&arguments).stdout).unwrap();
    assert_eq!(account["scores"], again["scores"]);
    let hits = |account: &Value| {
        let mut usage = account["ledger"].as_object().unwrap().values();
        usage.next().unwrap()["cache-hits"].as_u64().unwrap()
    };
    assert_eq!((hits(&account), hits(&again)), (0, 6));
}

#[test]
fn a_dry_run_tells_the_price_and_needs_no_key() {
    let project = Project::new();
    dataset(&project);
    let ended = project.run(&[
        "eval",
        "set.json",
        "--model",
        "openai:text-embedding-3-large",
        "--dry-run",
        "--json",
    ]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let told: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(told[0]["new_texts"], 6);
    assert!(told[0]["dollars"].as_f64().unwrap() > 0.0);
    assert!(!project.path("eval").exists());
}

#[test]
fn a_model_that_is_none_is_told_with_what_there_is() {
    let project = Project::new();
    dataset(&project);
    let unknown = project.run(&["eval", "set.json", "--model", "bm52"]);
    assert_eq!(unknown.code, Some(4), "{}", unknown.stderr);
    let twice = project.run(&["eval", "set.json", "--model", "bm25", "--model", "bm25"]);
    assert_eq!(twice.code, Some(4), "{}", twice.stderr);
    assert!(
        twice.stderr.contains("two models are called `bm25`"),
        "{}",
        twice.stderr
    );
    let empty = project.run(&["eval", "set.json", "--model", "local:nowhere"]);
    assert_eq!(empty.code, Some(4), "{}", empty.stderr);
}
