//! `path:FOLDER`: a folder on this machine.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use walkdir::WalkDir;

use super::{Content, Facts, NEVER_READ_ABOVE, SourceError, SourceFile, Wanted, Wish};

/// Reads the wanted files below a folder; symbolic links are not followed.
pub(super) fn read(
    from: &str,
    folder: &Path,
    wanted: &Wanted,
) -> Result<(Facts, BTreeMap<String, SourceFile>), SourceError> {
    let unreadable = |path: &Path, message: String| SourceError::Unreadable {
        from: from.to_owned(),
        path: path.to_owned(),
        message,
    };
    let metadata = fs::metadata(folder).map_err(|error| unreadable(folder, error.to_string()))?;
    if !metadata.is_dir() {
        return Err(unreadable(folder, "it is not a folder".to_owned()));
    }
    let mut files = BTreeMap::new();
    for entry in WalkDir::new(folder).sort_by_file_name() {
        let entry = entry.map_err(|error| {
            let path = error.path().unwrap_or(folder).to_owned();
            let message = error
                .into_io_error()
                .map_or_else(|| "a loop of links".to_owned(), |io| io.to_string());
            unreadable(&path, message)
        })?;
        let relative = entry.path().strip_prefix(folder).unwrap_or(entry.path());
        let parts: Vec<_> = relative.iter().map(|part| part.to_string_lossy()).collect();
        let path = parts.join("/");
        if !entry.file_type().is_file() {
            continue;
        }
        if let Some(wish) = wanted.wish(&path) {
            let content = match wish {
                Wish::Functions | Wish::Includes => content(entry.path()),
                Wish::Nothing => Content::NotRead,
            };
            let wanted = wish == Wish::Functions;
            files.insert(path, SourceFile { content, wanted });
        }
    }
    Ok((Facts::default(), files))
}

fn content(path: &Path) -> Content {
    match fs::metadata(path) {
        Ok(metadata) if metadata.len() > NEVER_READ_ABOVE => Content::TooLarge(metadata.len()),
        Ok(_) => match fs::read(path) {
            Ok(bytes) => Content::Bytes(bytes),
            Err(error) => Content::Unreadable(error.to_string()),
        },
        Err(error) => Content::Unreadable(error.to_string()),
    }
}
