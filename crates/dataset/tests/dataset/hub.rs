//! The folder as Hugging Face `datasets` sees it.

use std::path::Path;

use barecode_dataset::{
    CORPUS_FILE, Configuration, DatasetConfig, PAIRS_FILE, QRELS_FILE, QUERIES_FILE, TRAIN_FILE,
    Train,
};
use barecode_records::{Record, table};
use barecode_testing::needs::ask;
use serde_json::{Value, json};

use crate::{Project, card};

/// What the script prints for this input.
fn python(input: &Value, home: &Path) -> Option<Value> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/oracle_load.py");
    let variables = [("HF_HUB_OFFLINE", Path::new("1")), ("HF_HOME", home)];
    ask(&script, input, &variables)
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
    let project = Project::small();
    let done = project.assembled();
    let folder = tempfile::tempdir().unwrap();
    let home = tempfile::tempdir().unwrap();
    for configuration in &done.kept.configurations {
        write(folder.path(), configuration);
    }
    std::fs::write(folder.path().join("README.md"), card(&project, &done.kept)).unwrap();

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
    let project = Project::of_two_repositories();
    let done = project.assembled_by(&config);
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
    std::fs::write(folder.path().join("README.md"), card(&project, &done.kept)).unwrap();
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
