//! Facts from the path of a file: whether it can be of use, and its readable form.

use std::fmt::Write as _;

use barecode_languages::{Entry, FileKind, ending, of_path};

use crate::license;

/// Returns `true` if the text of a path can be of use at all.
pub(super) fn may_be_read(path: &str) -> bool {
    mined(path).is_some() || license::is_license_file(path) || is_build_file(path) || is_page(path)
}

/// Returns `true` if a file may document functions.
pub(super) fn is_page(path: &str) -> bool {
    matches!(ending(path), "rst" | "md")
}

/// Returns `true` if a file is a template of a header, may describe how one is filled in, or names the source's
/// packages.
pub(super) fn is_build_file(path: &str) -> bool {
    let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
    matches!(
        name,
        "CMakeLists.txt" | "configure.ac" | "package.json" | "Cargo.toml"
    ) || matches!(ending(name), "in" | "cmake")
}

/// Returns `true` if a link is worth a row: it may lead to C, or to a folder, which has no ending.
pub(super) fn may_be_code(path: &str) -> bool {
    ending(path).is_empty() || mined(path).is_some()
}

/// The language and kind of a file by the ending of its path, if the language is mined.
pub(super) fn mined(path: &str) -> Option<(&'static Entry, FileKind)> {
    of_path(path).filter(|(entry, _)| entry.is_mined())
}

/// A path without `.` and double `/`, and whether it stays where it is.
pub(super) fn clean(raw: &[u8]) -> (String, Result<(), &'static str>) {
    let path = readable_path(raw);
    let parts: Vec<&str> = path
        .split('/')
        .filter(|part| !part.is_empty() && *part != ".")
        .collect();
    let safe = if path.starts_with('/') {
        Err("its path begins at the root")
    } else if parts.contains(&"..") {
        Err("its path leaves the source with `..`")
    } else if path.contains('\0') {
        Err("its path has a zero byte")
    } else {
        Ok(())
    };
    match safe {
        Ok(()) => (parts.join("/"), safe),
        Err(_) => (path, safe),
    }
}

/// The letters of a path that is not UTF-8, with `\xFC` for a byte that is not part of one.
pub(super) fn readable_path(bytes: &[u8]) -> String {
    let mut path = String::new();
    for chunk in bytes.utf8_chunks() {
        path.push_str(chunk.valid());
        for byte in chunk.invalid() {
            write!(path, "\\x{byte:02X}").expect("memory takes any text");
        }
    }
    path
}
