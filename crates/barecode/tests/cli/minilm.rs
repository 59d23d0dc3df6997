//! `eval` of one model twice: from its folder, and behind a server that computes it by other means, with faults on the
//! way.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::project::Project;
use crate::started::Started;

/// Rows of CLARC's group 1 that are evaluated; all of them take minutes where the matrices are numpy's.
const ROWS: usize = 90;

/// Writes the rows as a dataset; `None`, said on stderr, where there are no data.
fn dataset(project: &Project) -> Option<()> {
    let Some(data) = std::env::var_os("BARECODE_DATA") else {
        eprintln!("skipped: BARECODE_DATA names no folder with CLARC's files");
        return None;
    };
    let file = PathBuf::from(data).join("clarc/reconstructed_group1_original_cleaned.json");
    let rows: Vec<Value> = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    project.write("set.json", json!(&rows[..ROWS]).to_string());
    Some(())
}

#[test]
fn a_model_has_one_score_on_this_machine_and_behind_a_server() {
    let project = Project::empty();
    if dataset(&project).is_none() {
        return;
    }
    let Some(server) = Started::start("minilm_server.py", &[]) else {
        return;
    };
    let Some(proxy) = Started::start("proxy.py", &[&server.url("")]) else {
        return;
    };
    let refusal = json!({ "kind": "status", "status": 429, "headers": { "retry-after-ms": "50" } });
    proxy.set(
        &json!({ "faults": [refusal, { "kind": "html" }, { "kind": "cut" }, { "kind": "nan" }] }),
    );
    let there = format!("openai+{}", proxy.url("/v1"));
    let here = format!("local:{}", server.told()["folder"].as_str().unwrap());
    let models = ["--model", &there, "--model", &here];
    let told = |arguments: &[&str]| -> Value {
        let ended =
            project.run(&[&["eval", "set.json", "--json"], &models[..], arguments].concat());
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        serde_json::from_str(&ended.stdout).unwrap()
    };
    // The model's own tokenizer counts before anything is loaded; a server's is not here.
    let estimates = told(&["--dry-run"]);
    let account = told(&["--measure", "nDCG@10", "--out", "out"]);
    let row = &account["scores"][0];
    assert_eq!(row["queries"], ROWS);
    let score = |model: usize| row["models"][model]["value"].as_f64().unwrap();
    assert!(score(0) > 0.5, "{}", score(0));
    assert!(
        (score(0) - score(1)).abs() <= 0.001,
        "{} {}",
        score(0),
        score(1)
    );
    let ledger = |model: &str, count: &str| account["ledger"][model][count].as_u64().unwrap();
    assert_eq!(ledger(&there, "retries"), 4);
    for count in ["texts", "tokens"] {
        assert_eq!(ledger(&there, count), ledger(&here, count), "{count}");
    }
    assert_eq!(ledger(&here, "requests"), 0);
    assert_eq!(estimates[1]["tokens"], ledger(&here, "tokens"));
    let exact = [0, 1].map(|model: usize| &estimates[model]["tokens_are_exact"]);
    assert_eq!(exact, [&json!(false), &json!(true)]);
    let served = proxy.told();
    assert_eq!(served["faults"], json!([]));
    let texts = served["served"].as_object().unwrap();
    assert_eq!(texts.len() as u64, ledger(&there, "texts"));
    assert!(texts.values().all(|times| *times == 1), "{texts:?}");
}
