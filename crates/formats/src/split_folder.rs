//! Folders whose splits share documents and queries, as BEIR's and Anserini's do: one, or a folder of them.

use std::path::Path;

use crate::gather::Read;
use crate::{FormatError, Place, Subset, source};

/// Reads a folder by `one`, or each folder in it that `is_one`, by its name; `missing` is the error if none exists.
pub(crate) fn read(
    path: &Path,
    read: &mut Read,
    is_one: fn(&Path) -> bool,
    one: fn(&Path, &str, &mut Read) -> Result<(), FormatError>,
    missing: String,
) -> Result<(), FormatError> {
    if is_one(path) {
        return one(path, "default", read);
    }
    let mut folders = source::entries(path)?;
    folders.retain(|entry| is_one(entry));
    if folders.is_empty() {
        return Err(FormatError::invalid(Place::file(path), missing));
    }
    for folder in folders {
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        one(&folder, &name, read)?;
    }
    Ok(())
}

/// The subsets of each name with the prefix of their folder: empty if the only name is `default`.
pub(crate) fn folders(subsets: &[Subset]) -> Vec<(String, Vec<&Subset>)> {
    let mut folders: Vec<(String, Vec<&Subset>)> = Vec::new();
    let is_bare = subsets.iter().all(|subset| subset.name == "default");
    for subset in subsets {
        let base = if is_bare {
            String::new()
        } else {
            format!("{}/", subset.name)
        };
        match folders.iter_mut().find(|(found, _)| *found == base) {
            Some((_, splits)) => splits.push(subset),
            None => folders.push((base, vec![subset])),
        }
    }
    folders
}
