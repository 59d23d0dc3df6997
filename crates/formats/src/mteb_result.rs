//! MTEB's result of a model on a task: `results/{org}__{model}/{revision}/{Task}.json`.
//!
//! `scores` has a list for each split, with an entry for each subset: `main_score`, `hf_subset`, `languages` and one
//! number for each measure, `ndcg_at_10` and its like. A number may be absent or null there, never infinite:
//! JSON has no name for that, and Python's `NaN` is refused with its position. Everything else in the file is
//! preserved.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{FormatError, Place, row, source, staging};

/// The result of one model on one task.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct MtebResult {
    /// The revision of the dataset.
    pub dataset_revision: String,
    /// The task's name.
    pub task_name: String,
    /// The version of MTEB that measured, if one did.
    pub mteb_version: Option<String>,
    /// The scores of each split, an entry for each subset.
    pub scores: BTreeMap<String, Vec<MtebScores>>,
    /// Seconds.
    pub evaluation_time: Option<f64>,
    /// Kilograms of carbon dioxide.
    pub kg_co2_emissions: Option<f64>,
    /// Whatever else the file has.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// The scores of one subset.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct MtebScores {
    /// The subset: `default` if a task has none.
    pub hf_subset: String,
    /// Its languages: `eng-Latn`, `c++-Code`.
    pub languages: Vec<String>,
    /// The value of the task's main measure.
    pub main_score: f64,
    /// The measures by MTEB's names, and all other fields.
    #[serde(flatten)]
    pub measures: Map<String, Value>,
}

impl MtebScores {
    /// The value of a measure by MTEB's name, if it is a number.
    pub fn measure(&self, name: &str) -> Option<f64> {
        self.measures.get(name).and_then(Value::as_f64)
    }
}

/// MTEB's name of a measure of `ir_measures`' grammar; `None` if it has none.
///
/// ```
/// use barecode_formats::mteb_measure;
///
/// assert_eq!(mteb_measure("nDCG@10").as_deref(), Some("ndcg_at_10"));
/// assert_eq!(mteb_measure("RR@5").as_deref(), Some("mrr_at_5"));
/// assert_eq!(mteb_measure("AP"), None);
/// ```
pub fn mteb_measure(measure: &str) -> Option<String> {
    let (name, cutoff) = measure.split_once('@')?;
    let name = match name {
        "nDCG" => "ndcg",
        "AP" => "map",
        "R" => "recall",
        "P" => "precision",
        "RR" => "mrr",
        "Success" => "hit_rate",
        _ => return None,
    };
    let cutoff: u32 = cutoff.parse().ok()?;
    Some(format!("{name}_at_{cutoff}"))
}

/// Reads a result.
///
/// # Errors
/// [`FormatError`] with the position if the file is not a result.
pub fn read_mteb_result(path: &Path) -> Result<MtebResult, FormatError> {
    let read: Result<MtebResult, _> = serde_json::from_reader(source::open(path)?);
    read.map_err(|error| row::invalid_json(path, &error))
}

/// Writes a result, under a hidden name until it is complete.
///
/// # Errors
/// [`FormatError::Invalid`] if a number is not finite, [`FormatError::Io`] if the disk refuses.
pub fn write_mteb_result(result: &MtebResult, path: &Path) -> Result<(), FormatError> {
    for (split, entries) in &result.scores {
        for entry in entries {
            if !entry.main_score.is_finite() {
                let message = format!(
                    "the main score of {split} ({}) is {}, and JSON has no name for it",
                    entry.hf_subset, entry.main_score
                );
                return Err(FormatError::invalid(Place::file(path), message));
            }
        }
    }
    let text = serde_json::to_string_pretty(result)
        .map_err(|error| staging::cannot("write", path, std::io::Error::other(error)))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let hidden = path.with_file_name(format!(".{name}.partial-{}", std::process::id()));
    std::fs::write(&hidden, text + "\n")
        .map_err(|error| staging::cannot("write", &hidden, error))?;
    std::fs::rename(&hidden, path).map_err(|error| staging::cannot("rename", path, error))
}
