//! The workspace → its crates, with their files.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// One crate of the workspace.
pub(crate) struct Member {
    /// Its folder's name, such as `corpus`.
    pub(crate) name: String,
    pub(crate) folder: PathBuf,
    /// Whether it is shipped: it lies in `crates/` and is no help for tests.
    pub(crate) shipped: bool,
}

/// The root of the workspace.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .expect("this crate lies two folders below the root")
        .to_owned()
}

/// All crates below `crates/` and `tools/`, by name.
pub(crate) fn members() -> Vec<Member> {
    let mut members = Vec::new();
    for shelf in ["crates", "tools"] {
        let Ok(entries) = fs::read_dir(root().join(shelf)) else {
            continue;
        };
        for entry in entries {
            let folder = entry.expect("a folder can be listed").path();
            if folder.join("Cargo.toml").is_file() {
                let name = folder
                    .file_name()
                    .and_then(OsStr::to_str)
                    .expect("names are text")
                    .to_owned();
                let shipped = shelf == "crates" && name != "testing";
                members.push(Member {
                    name,
                    folder,
                    shipped,
                });
            }
        }
    }
    members.sort_by(|one, other| one.name.cmp(&other.name));
    assert!(members.len() > 20, "{} crates were found", members.len());
    members
}

/// The files of Rust below `folder`, sorted, without those of tests.
pub(crate) fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.join("src")];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).expect("a crate has sources") {
            let path = entry.expect("a folder can be listed").path();
            let name = path
                .file_name()
                .and_then(OsStr::to_str)
                .expect("names are text");
            if path.is_dir() && name != "tests" {
                open.push(path);
            } else if path.extension() == Some(OsStr::new("rs")) && name != "tests.rs" {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}
