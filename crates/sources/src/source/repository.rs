//! Whether a repository on this machine is all in its folder.
//!
//! A folder that came from elsewhere may name other places of this machine as its own: a `.git` file with
//! `gitdir: …`, a `commondir`, `objects/info/alternates`, links. To follow those would be to read the files of
//! other repositories into a benchmark. A worktree and a submodule do lie apart from their repository; they are read
//! where that repository names the folder as its own in turn, which a stranger cannot arrange.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Files that name other places are short.
const MOST_BYTES: u64 = 64 << 10;

/// Says what leads out of the folder, if anything does.
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
    let objects = control.join("objects");
    let lists = ["alternates", "http-alternates"].map(|name| objects.join("info").join(name));
    for list in lists {
        let text = short_text(&list)?.unwrap_or_default();
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            refuse_outside(&root, &objects, line.trim(), "objects/info/alternates")?;
        }
    }
    let inside = fs::read_dir(&objects).into_iter().flatten().flatten();
    let packs = fs::read_dir(objects.join("pack"))
        .into_iter()
        .flatten()
        .flatten();
    let parts = ["refs", "packed-refs", "HEAD", "config"].map(|name| control.join(name));
    let parts = parts.into_iter().chain([control.clone(), objects]);
    let entries = inside.chain(packs).map(|entry| entry.path());
    for part in parts.chain(entries) {
        let is_link = fs::symlink_metadata(&part).is_ok_and(|metadata| metadata.is_symlink());
        if is_link && !part.canonicalize().is_ok_and(|to| to.starts_with(&root)) {
            let part = part.strip_prefix(&root).unwrap_or(&part);
            return Err(format!("its `{}` is a link out of it", part.display()));
        }
    }
    Ok(())
}

/// Whether what a `.git` file leads to is a worktree or a submodule of that folder by its own account.
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

/// The one line of a file behind a prefix; `None` where there is no such file.
fn named_in(file: &Path, prefix: &str) -> Result<Option<String>, String> {
    let text = short_text(file)?;
    Ok(text.and_then(|text| Some(text.trim().strip_prefix(prefix)?.trim().to_owned())))
}

/// The text of a short file; `None` where there is none.
fn short_text(file: &Path) -> Result<Option<String>, String> {
    let Ok(metadata) = fs::symlink_metadata(file) else {
        return Ok(None);
    };
    let name = file.file_name().unwrap_or_default().display();
    if !metadata.is_file() {
        return Err(format!("its `{name}` is not a file"));
    }
    let mut bytes = Vec::new();
    let opened = fs::File::open(file).map_err(|error| format!("its `{name}`: {error}"))?;
    let read = opened.take(MOST_BYTES + 1).read_to_end(&mut bytes);
    read.map_err(|error| format!("its `{name}`: {error}"))?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(format!("its `{name}` is longer than {MOST_BYTES} bytes"));
    }
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}

/// Where a path leads, with links followed; what is not there leads nowhere else than it says.
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
