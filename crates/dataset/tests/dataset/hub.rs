//! The folder as Hugging Face `datasets` sees it.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use barecode_dataset::{
    CORPUS_FILE, Configuration, DatasetConfig, PAIRS_FILE, QRELS_FILE, QUERIES_FILE, TRAIN_FILE,
    Train, card,
};
use barecode_records::{Record, table};
use serde_json::{Value, json};

use crate::{Project, facts};

/// What the script prints for this input; `None`, said on stderr, where there is no interpreter.
#[expect(
    clippy::disallowed_methods,
    reason = "a test asks another program to read the folder"
)]
fn python(input: &Value, home: &Path) -> Option<Value> {
    let Some(python) = std::env::var_os("BARECODE_PYTHON") else {
        eprintln!("skipped: BARECODE_PYTHON names no Python interpreter");
        return None;
    };
    let mut child = Command::new(python)
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/oracle_load.py"))
        .env("HF_HUB_OFFLINE", "1")
        .env("HF_HOME", home)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(input.to_string().as_bytes())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "the script failed");
    Some(serde_json::from_slice(&output.stdout).unwrap())
}

fn write(folder: &Path, configuration: &Configuration) {
    let folder = folder.join(configuration.name());
    std::fs::create_dir_all(&folder).unwrap();
    table::write(&folder.join(CORPUS_FILE), &configuration.documents, "key").unwrap();
    table::write(&folder.join(QUERIES_FILE), &configuration.queries, "key").unwrap();
    table::write(&folder.join(QRELS_FILE), &configuration.judgments, "key").unwrap();
    table::write(&folder.join(PAIRS_FILE), &configuration.pairs(), "key").unwrap();
}

fn rows<T: Record>(records: &[T]) -> Value {
    serde_json::to_value(records).unwrap()
}

#[test]
fn every_configuration_loads_with_datasets() {
    let done = Project::small().assembled();
    let folder = tempfile::tempdir().unwrap();
    let home = tempfile::tempdir().unwrap();
    for configuration in &done.kept.configurations {
        write(folder.path(), configuration);
    }
    let facts = facts(&done);
    std::fs::write(
        folder.path().join("README.md"),
        card(&facts, &done.kept.configurations),
    )
    .unwrap();

    let mut expected = Vec::new();
    for configuration in &done.kept.configurations {
        let name = configuration.name();
        expected.push((format!("{name}-corpus"), rows(&configuration.documents)));
        expected.push((format!("{name}-queries"), rows(&configuration.queries)));
        expected.push((format!("{name}-qrels"), rows(&configuration.judgments)));
        expected.push((name.to_owned(), rows(&configuration.pairs())));
    }
    let names: Vec<&str> = expected.iter().map(|(name, _)| name.as_str()).collect();
    let input = json!({ "folder": folder.path(), "names": names });
    let Some(answer) = python(&input, home.path()) else {
        return;
    };

    let mut offered: Vec<&str> = answer["configs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|name| name.as_str().unwrap())
        .collect();
    let mut names = names.clone();
    offered.sort_unstable();
    names.sort_unstable();
    assert_eq!(offered, names);
    assert_eq!(answer["default"], json!(1));
    assert_eq!(
        answer["card"],
        json!({ "license": "mit", "pretty_name": "Bare: a \"small\" project" })
    );
    for (name, rows) in &expected {
        assert_eq!(&answer["rows"][name], rows, "{name}");
        assert_eq!(answer["splits"][name], json!(["test"]), "{name}");
    }
}

#[test]
fn both_splits_load_with_datasets() {
    let config = DatasetConfig {
        train: Train::Sources(vec!["cargo:other".to_owned()]),
        ..DatasetConfig::default()
    };
    let done = Project::of_two_repositories().assembled_by(&config);
    let folder = tempfile::tempdir().unwrap();
    let home = tempfile::tempdir().unwrap();
    for configuration in &done.kept.configurations {
        write(folder.path(), configuration);
    }
    for configuration in &done.kept.train {
        let folder = folder.path().join(configuration.name());
        std::fs::create_dir_all(&folder).unwrap();
        table::write(&folder.join(TRAIN_FILE), &configuration.pairs(), "key").unwrap();
    }
    let text = card(&facts(&done), &done.kept.configurations);
    std::fs::write(folder.path().join("README.md"), text).unwrap();
    let input = json!({
        "folder": folder.path(),
        "names": ["group1-standard", "group1-standard-corpus"],
        "trains": ["group1-standard", "group2-standard"],
    });
    let Some(answer) = python(&input, home.path()) else {
        return;
    };
    let train = |name: &str| {
        let mut of_name = done.kept.train.iter().filter(|one| one.name() == name);
        rows(&of_name.next().unwrap().pairs())
    };
    assert_eq!(
        answer["splits"]["group1-standard"],
        json!(["test", "train"])
    );
    assert_eq!(answer["splits"]["group1-standard-corpus"], json!(["test"]));
    // Group 2 has a query on the train side only.
    assert_eq!(answer["splits"]["group2-standard"], json!(["train"]));
    for name in ["group1-standard", "group2-standard"] {
        assert_eq!(answer["trains"][name], train(name), "{name}");
    }
}
