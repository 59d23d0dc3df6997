//! A check that a repository on this machine is entirely in its folder.
//!
//! A folder that came from elsewhere may name other paths of this machine as its own: a `.git` file with `gitdir:
//! …`, a `commondir`, `objects/info/alternates`, links. Following those would read the files of other repositories
//! into a benchmark. A worktree and a submodule are apart from their repository. They are read if that repository
//! names the folder as its own in turn, which an attacker cannot arrange.

use barecode_records::guarded;
use std::fs;
use std::os::unix::fs::FileTypeExt as _;
use std::path::{Path, PathBuf};
use walkdir::{DirEntry, WalkDir};

/// Files that name other paths are short.
const MOST_BYTES: u64 = 64 << 10;

/// Lists of branches and their histories are longer, and no longer than this.
const MOST_LISTED: u64 = 256 << 20;

/// The folders of a repository that are read, besides its objects.
const READ: [&str; 5] = ["refs", "logs", "info", "worktrees", "reftable"];

/// Returns an error that names the path that leads out of the folder, if one does.
pub(super) fn stays_inside(folder: &Path) -> Result<(), String> {
    let Ok(root) = folder.canonicalize() else {
        return Ok(());
    };
    let control = root.join(".git");
    let metadata = fs::symlink_metadata(&control);
    let (control, root) = match metadata {
        // A bare repository is its own folder.
        Err(_) => (root.clone(), root),
        Ok(metadata) if metadata.is_file() => {
            let named = named_in(&control, "gitdir:")?.unwrap_or_default();
            let named = absolute(&root, &named);
            let is_known = named.starts_with(&root) || names_back(&named, &root);
            if !is_known {
                return Err(format!(
                    "its `.git` leads to `{}`, which does not name it in turn (name the repository itself)",
                    named.display()
                ));
            }
            let common = named_in(&named.join("commondir"), "")?.map(|to| absolute(&named, &to));
            let common = common.unwrap_or_else(|| named.clone());
            (common.clone(), common)
        }
        Ok(_) => (control, root),
    };
    if let Some(to) = named_in(&control.join("commondir"), "")? {
        refuse_outside(&root, &control, &to, "commondir")?;
    }
    only_files(&root, &control, Some(&READ))?;
    // A store of objects may name others, and those others.
    let mut stores = vec![control.join("objects")];
    let mut number = 0;
    while let Some(store) = stores.get(number).cloned() {
        only_files(&root, &store, None)?;
        for list in ["alternates", "http-alternates"] {
            let text = short_text(&store.join("info").join(list))?.unwrap_or_default();
            for line in text.lines().filter(|line| !line.starts_with('#')) {
                refuse_outside(&root, &store, line.trim(), "objects/info/alternates")?;
                let other = absolute(&store, line.trim());
                if !line.trim().is_empty() && !stores.contains(&other) {
                    stores.push(other);
                }
            }
        }
        number += 1;
    }
    Ok(())
}

/// Checks the files that the git library may open: it would wait for a pipe, read a device without end, and follow a
/// link anywhere. In a repository these folders are read, in a store of objects all.
fn only_files(root: &Path, folder: &Path, read: Option<&[&str]>) -> Result<(), String> {
    let is_read = |entry: &DirEntry| {
        let name = entry.file_name().to_str().unwrap_or_default();
        let is_folder = entry.file_type().is_dir();
        match read {
            Some(read) if entry.depth() == 1 && is_folder => read.contains(&name),
            _ => true,
        }
    };
    let entries = WalkDir::new(folder).sort_by_file_name().follow_links(true);
    for entry in entries.into_iter().filter_entry(is_read).flatten() {
        let part = entry.path().strip_prefix(root).unwrap_or(entry.path());
        let refuse = |what: &str| Err(format!("its `{}` is {what}", part.display()));
        let inside = || {
            entry
                .path()
                .canonicalize()
                .is_ok_and(|to| to.starts_with(root))
        };
        if entry.path_is_symlink() && !inside() {
            return refuse("a link out of it");
        }
        let kind = entry.file_type();
        // A socket, such as that of git's monitor, cannot be opened.
        if !kind.is_file() && !kind.is_dir() && !kind.is_socket() {
            return refuse("neither a file nor a folder");
        }
        let size = || entry.metadata().map_or(0, |about| about.len());
        if read.is_some() && kind.is_file() && size() > MOST_LISTED {
            return refuse(&format!("longer than {MOST_LISTED} bytes"));
        }
    }
    Ok(())
}

/// Returns `true` if the target of a `.git` file names itself a worktree or a submodule of that folder.
fn names_back(control: &Path, root: &Path) -> bool {
    let file = root.join(".git");
    let worktree = named_in(&control.join("gitdir"), "").ok().flatten();
    if let Some(worktree) = worktree {
        return absolute(control, &worktree) == file;
    }
    let config = short_text(&control.join("config")).ok().flatten();
    let config = config.unwrap_or_default();
    let mut lines = config.lines().map(str::trim);
    lines.any(|line| {
        let value = line.strip_prefix("worktree").map(str::trim_start);
        let value = value.and_then(|value| value.strip_prefix('='));
        value.is_some_and(|value| absolute(control, value.trim().trim_matches('"')) == *root)
    })
}

fn refuse_outside(root: &Path, from: &Path, to: &str, what: &str) -> Result<(), String> {
    if to.is_empty() || absolute(from, to).starts_with(root) {
        return Ok(());
    }
    Err(format!(
        "its `{what}` leads to `{to}`, outside of it (`git clone --no-local` makes a repository that has all of its objects)"
    ))
}

/// The one line of a file after a prefix; `None` if the file does not exist.
fn named_in(file: &Path, prefix: &str) -> Result<Option<String>, String> {
    let text = short_text(file)?;
    Ok(text.and_then(|text| Some(text.trim().strip_prefix(prefix)?.trim().to_owned())))
}

/// The text of a short file; `None` if it does not exist.
fn short_text(file: &Path) -> Result<Option<String>, String> {
    let Ok(metadata) = fs::symlink_metadata(file) else {
        return Ok(None);
    };
    let name = file.file_name().unwrap_or_default().display();
    if !metadata.is_file() {
        return Err(format!("its `{name}` is not a file"));
    }
    if metadata.len() > MOST_BYTES {
        return Err(format!("its `{name}` is longer than {MOST_BYTES} bytes"));
    }
    let bytes = guarded::read_at_most(file, MOST_BYTES);
    let bytes = bytes.map_err(|error| format!("its `{name}`: {error}"))?;
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}

/// The target of a path, with links followed; a path that does not exist is its own target.
fn absolute(from: &Path, to: &str) -> PathBuf {
    let path = from.join(to);
    let lexical = || {
        let mut parts = PathBuf::new();
        for part in path.components() {
            match part {
                std::path::Component::ParentDir => {
                    parts.pop();
                }
                std::path::Component::CurDir => {}
                part => parts.push(part),
            }
        }
        parts
    };
    path.canonicalize().unwrap_or_else(|_| lexical())
}
