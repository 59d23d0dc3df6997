//! Means as a result of MTEB: one split `test`, one subset `default`; the first measure is the main score.
//!
//! Measures that have no name in MTEB appear under their own.

use std::path::Path;

use barecode_formats::{MtebResult, MtebScores, mteb_measure, write_mteb_result};
use barecode_results::files::Scored;
use serde_json::json;

use crate::exit::Failure;

/// Writes the means of a run; the file's name is the task's.
pub(super) fn write(path: &Path, scored: &Scored) -> anyhow::Result<()> {
    let Some(task) = path.file_stem().and_then(|name| name.to_str()) else {
        let message = format!("`{}` has no name that a task could have", path.display());
        return Err(Failure::invalid(message)
            .hint("name the file by the task: `CosQA.json`")
            .into());
    };
    let mut scores = MtebScores {
        hf_subset: "default".to_owned(),
        languages: vec!["eng-Latn".to_owned()],
        main_score: scored.aggregate(0),
        ..MtebScores::default()
    };
    for (at, measure) in scored.measures.iter().enumerate() {
        let name = measure.to_string();
        let name = mteb_measure(&name).unwrap_or(name);
        scores.measures.insert(name, json!(scored.aggregate(at)));
    }
    let result = MtebResult {
        task_name: task.to_owned(),
        scores: [("test".to_owned(), vec![scores])].into(),
        ..MtebResult::default()
    };
    Ok(write_mteb_result(&result, path)?)
}
