//! The paths of the vectors and runs that a system names for a task.

use std::path::{Path, PathBuf};

use crate::error::EvaluateError;

/// The path, if it exists.
pub(crate) fn there(path: &Path) -> Result<PathBuf, EvaluateError> {
    if path.exists() {
        Ok(path.to_owned())
    } else {
        let message = format!("`{}` does not exist", path.display());
        Err(EvaluateError::invalid(message))
    }
}

/// The run of a task: the path itself, or in a folder `SUBSET.SPLIT.trec`.
pub(crate) fn run_file(path: &Path, file: &str) -> PathBuf {
    if path.is_dir() {
        path.join(format!("{file}.trec"))
    } else {
        path.to_owned()
    }
}

/// A file of vectors: the path itself, or in a folder `SUBSET.SPLIT/documents.parquet`, or `documents.parquet` for all
/// subsets.
pub(crate) fn vector_file(path: &Path, name: &str, side: &str) -> Result<PathBuf, EvaluateError> {
    if !path.is_dir() {
        return there(path);
    }
    let endings = ["parquet", "npy", "jsonl"];
    let folders = [path.join(name), path.to_owned()];
    let mut files = folders
        .iter()
        .flat_map(|folder| endings.map(|ending| folder.join(format!("{side}.{ending}"))));
    files.find(|file| file.exists()).ok_or_else(|| {
        let message = format!("no vectors of {side} of `{name}` in `{}`", path.display());
        let hint = format!(
            "write them to {name}/{side}.parquet, .npy or .jsonl, or one folder up for all subsets"
        );
        EvaluateError::invalid(message).hint(hint)
    })
}
