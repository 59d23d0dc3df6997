//! Files of data sets: their text, their names, the entries of folders.

use std::fs;
use std::path::{Path, PathBuf};

use barecode_records::{Reason, guarded};

use super::problem::Refused;

/// The largest program or test file that is read.
const LARGEST: u64 = 16 << 20;

/// The text of a file, or the reason that it cannot be read.
pub(super) fn text(path: &Path) -> Result<String, Refused> {
    let refused = |reason, detail: String| Refused::program(reason, detail);
    let unreadable = |error: std::io::Error| refused(Reason::FileUnreadable, error.to_string());
    let kind = fs::symlink_metadata(path).map_err(unreadable)?;
    if kind.is_symlink() {
        return Err(refused(Reason::FileIsLink, "a symbolic link".to_owned()));
    }
    if kind.len() > LARGEST {
        return Err(refused(
            Reason::FileTooLarge,
            format!("{} bytes, at most {LARGEST} are read", kind.len()),
        ));
    }
    let bytes = guarded::read_at_most(path, LARGEST).map_err(unreadable)?;
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        refused(Reason::FileNotUtf8, format!("byte {at} is not UTF-8"))
    })
}

/// The files and folders of a folder by name; empty if it cannot be listed.
pub(super) fn entries(folder: &Path) -> Vec<PathBuf> {
    let Ok(read) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut paths: Vec<PathBuf> = read.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

/// A path relative to what is read, with `/`; the name of the file if it is itself what is read.
pub(super) fn relative(root: &Path, path: &Path) -> String {
    let inside = path.strip_prefix(root).unwrap_or(path);
    if inside.as_os_str().is_empty() {
        return name(path);
    }
    let parts = inside.components();
    let parts = parts.map(|part| part.as_os_str().to_string_lossy().into_owned());
    parts.collect::<Vec<_>>().join("/")
}

/// The path of what [`relative`] named.
pub(super) fn under(root: &Path, relative: &str) -> PathBuf {
    if root.is_file() {
        root.to_owned()
    } else {
        root.join(relative)
    }
}

/// The name of a file or folder.
pub(super) fn name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

/// Its name before the first dot.
pub(super) fn stem(path: &Path) -> String {
    let name = name(path);
    name.split_once('.')
        .map_or(name.clone(), |(stem, _)| stem.to_owned())
}
