//! MTEB's files of results.

use barecode_formats::{MtebResult, read_mteb_result, write_mteb_result};

// The keys and their order are those that mteb 2 writes.
const RESULT: &str = r#"{
  "dataset_revision": "bc44996",
  "task_name": "CosQA",
  "mteb_version": "2.26.24",
  "scores": {
    "test": [
      {
        "ndcg_at_1": 0.122,
        "ndcg_at_10": 0.31541,
        "nauc_ndcg_at_10_diff1": null,
        "main_score": 0.31541,
        "hf_subset": "default",
        "languages": ["eng-Latn", "python-Code"]
      }
    ]
  },
  "evaluation_time": 12.5,
  "kg_co2_emissions": null,
  "date": "2026-11-21"
}"#;

#[test]
fn results_come_back_with_all_that_they_say() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("CosQA.json");
    std::fs::write(&path, RESULT).unwrap();
    let result = read_mteb_result(&path).unwrap();
    let scores = &result.scores["test"][0];
    assert_eq!(scores.measure("ndcg_at_10"), Some(0.31541));
    assert_eq!(scores.measure("nauc_ndcg_at_10_diff1"), None);
    assert_eq!(result.extra["date"], "2026-11-21");
    let again = folder.path().join("again.json");
    write_mteb_result(&result, &again).unwrap();
    assert_eq!(read_mteb_result(&again).unwrap(), result);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
}

#[test]
fn what_is_no_number_is_refused_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("CosQA.json");
    std::fs::write(&path, RESULT.replace("0.122", "NaN")).unwrap();
    let error = read_mteb_result(&path).unwrap_err().to_string();
    assert!(error.contains("CosQA.json:8:"), "{error}");
    let mut result = MtebResult::default();
    let scores = barecode_formats::MtebScores {
        main_score: f64::NAN,
        ..Default::default()
    };
    result.scores.insert("test".to_owned(), vec![scores]);
    let error = write_mteb_result(&result, &folder.path().join("new.json"))
        .unwrap_err()
        .to_string();
    assert!(error.contains("is NaN"), "{error}");
    assert!(!folder.path().join("new.json").exists());
}
