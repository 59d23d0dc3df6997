//! Writing, then reading.

use std::collections::BTreeMap;
use std::path::Path;

use barecode_formats::run::{Table, open_run, read_qrels};
use barecode_formats::trec::{Qrels, write_qrels, write_run};
use barecode_formats::{FormatError, ranx};
use proptest::prelude::*;

/// What a run file holds, in the order of the file.
pub(crate) fn table_of(path: &Path) -> Result<Table, FormatError> {
    open_run(path)?.for_each_query(|run| {
        let documents = run.documents.iter();
        Ok(documents
            .map(|document| (document.doc.to_owned(), document.score))
            .collect())
    })
}

pub(crate) fn tables() -> impl Strategy<Value = Table> {
    let score = prop_oneof![
        any::<f64>().prop_filter("finite", |score| score.is_finite()),
        (-3_i8..3).prop_map(f64::from),
    ];
    let documents = prop::collection::btree_map("[a-zé#/.-]{1,5}", score, 1..12);
    prop::collection::btree_map("[a-z0-9ß:.]{1,4}", documents, 1..8).prop_map(|table| {
        table
            .into_iter()
            .map(|(q, docs)| (q, docs.into_iter().collect()))
            .collect()
    })
}

fn qrels() -> impl Strategy<Value = Qrels> {
    let grades = prop::collection::btree_map("[a-zé#/.-]{1,5}", any::<i32>(), 1..12);
    prop::collection::btree_map("[a-z0-9ß:.]{1,4}", grades, 1..8)
}

proptest! {
    #[test]
    fn runs_come_back_as_they_were(table in tables()) {
        let folder = tempfile::tempdir().unwrap();
        let trec = folder.path().join("run.trec");
        let rows = table.iter().flat_map(|(query, documents)| {
            let documents = (1..).zip(documents);
            documents.map(|(rank, (document, score))| {
                (query.as_str(), document.as_str(), rank, *score)
            })
        });
        write_run(&trec, rows, "tag").unwrap();
        prop_assert_eq!(&table_of(&trec).unwrap(), &table);
        let json = folder.path().join("run.json");
        ranx::write_run_json(&json, &table).unwrap();
        prop_assert_eq!(&table_of(&json).unwrap(), &table);
        let parquet = folder.path().join("run.parquet");
        ranx::write_run_parquet(&parquet, &table).unwrap();
        prop_assert_eq!(&table_of(&parquet).unwrap(), &table);
        prop_assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 3, "nothing is left beside");
    }

    #[test]
    fn judgments_come_back_as_they_were(qrels in qrels()) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("qrels");
        write_qrels(&path, &qrels).unwrap();
        prop_assert_eq!(&read_qrels(&path).unwrap(), &qrels);
        ranx::write_qrels_json(&path, &qrels).unwrap();
        prop_assert_eq!(&read_qrels(&path).unwrap(), &qrels);
        ranx::write_qrels_parquet(&path, &qrels).unwrap();
        prop_assert_eq!(&read_qrels(&path).unwrap(), &qrels);
    }
}

#[test]
fn ids_that_a_text_file_cannot_hold_are_refused_and_nothing_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("qrels");
    for (query, document) in [("q 1", "d"), ("q", ""), ("#q", "d"), ("q", "d\n")] {
        let qrels =
            BTreeMap::from([(query.to_owned(), BTreeMap::from([(document.to_owned(), 1)]))]);
        let error = write_qrels(&path, &qrels).unwrap_err();
        let hint = error.hint().unwrap_or_default();
        assert!(hint.contains("write JSON or Parquet"), "{error}");
        assert!(!path.exists());
    }
    let run = [("q", "d", 1, f64::NAN)];
    let message = write_run(&path, run, "tag").unwrap_err().to_string();
    assert!(message.contains("NaN"), "{message}");
}

#[test]
fn predictions_of_mteb_are_read_where_there_is_one_run() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("predictions.json");
    let one = r#"{"mteb_model_meta": {"model_name": "m"}, "default": {"test": {"q": {"d": 0.5}}}}"#;
    std::fs::write(&path, one).unwrap();
    assert_eq!(
        table_of(&path).unwrap(),
        [("q".to_owned(), vec![("d".to_owned(), 0.5)])]
    );
    let two = r#"{"c": {"test": {"q": {"d": 0.5}}}, "cpp": {"test": {"q": {"d": 0.5}}}}"#;
    std::fs::write(&path, two).unwrap();
    let message = table_of(&path).unwrap_err().to_string();
    assert!(
        message.contains("2 runs in one file: c/test, cpp/test"),
        "{message}"
    );
}
