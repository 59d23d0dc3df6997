//! A run's folder: `01-functions` … `08-report`, `manifest.json`, and a lock.
//!
//! One process at a time works in it. Only files that barecode knows as its own are ever removed, and only in
//! the folders of its stages: a table names itself in its footer, a file that was being written ends in
//! `.partial`. A folder that holds other things is refused before anything is written.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use barecode_records::{Manifest, Stage, table};

use crate::exit::Failure;

const LOCK: &str = "barecode.lock";
const MANIFEST: &str = "manifest.json";
const PARTIAL: &str = "partial";

/// A run's folder.
#[derive(Debug)]
pub(crate) struct RunFolder {
    root: PathBuf,
    /// Held as long as the folder is worked in; the system lets go of it when the process ends, however.
    _lock: Option<File>,
}

impl RunFolder {
    /// Makes the folder where it is missing and takes its lock.
    pub(crate) fn work_in(root: &Path) -> Result<Self, Failure> {
        refuse_foreign(root)?;
        fs::create_dir_all(root).map_err(|error| Failure::cannot_write(root, &error))?;
        let path = root.join(LOCK);
        let lock = File::create(&path).map_err(|error| Failure::cannot_write(&path, &error))?;
        match lock.try_lock() {
            Ok(()) => Ok(RunFolder {
                root: root.to_owned(),
                _lock: Some(lock),
            }),
            Err(TryLockError::WouldBlock) => Err(Failure::invalid(format!(
                "another barecode works in this run folder: it holds the lock `{}`",
                path.display()
            ))
            .hint("wait until it is done, or give this run another folder with --out")),
            Err(TryLockError::Error(error)) => Err(Failure::cannot_write(&path, &error)),
        }
    }

    /// Looks into a folder without working in it.
    pub(crate) fn look_at(root: &Path) -> Self {
        RunFolder {
            root: root.to_owned(),
            _lock: None,
        }
    }

    /// Looks into a folder that must hold a run.
    pub(crate) fn existing(root: &Path) -> Result<Self, Failure> {
        if root.join(MANIFEST).is_file() {
            return Ok(Self::look_at(root));
        }
        Err(Failure::invalid(format!(
            "`{}` is not a run folder: it has no {MANIFEST}",
            root.display()
        ))
        .hint("run `barecode build RECIPE` first, or name the folder with --run"))
    }

    /// The folder itself.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// The folder of a stage.
    pub(crate) fn stage(&self, stage: Stage) -> PathBuf {
        self.root.join(stage.folder())
    }

    /// The manifest, if there is one that can be read.
    pub(crate) fn manifest(&self) -> Option<Manifest> {
        serde_json::from_slice(&fs::read(self.root.join(MANIFEST)).ok()?).ok()
    }

    /// Writes the manifest, whole or not at all.
    pub(crate) fn write_manifest(&self, manifest: &Manifest) -> anyhow::Result<()> {
        let mut text =
            serde_json::to_string_pretty(manifest).context("the manifest is plain data")?;
        text.push('\n');
        table::write_atomically(&self.root.join(MANIFEST), |file| {
            file.write_all(text.as_bytes())
        })?;
        Ok(())
    }

    /// All tables of ours directly in a stage's folder or one below it, sorted by path.
    pub(crate) fn tables(&self, stage: Stage) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let _ = walk(&self.stage(stage), &mut |path| {
            if path
                .extension()
                .is_some_and(|extension| extension == "parquet")
            {
                found.push(path.to_owned());
            }
            Ok(())
        });
        found
    }

    /// Removes what an earlier plan left in a stage's folder: our tables that are not among `wanted` (paths
    /// relative to the stage's folder), half-written files, and folders that are empty then.
    pub(crate) fn sweep(&self, stage: Stage, wanted: &BTreeSet<PathBuf>) -> Result<(), Failure> {
        let folder = self.stage(stage);
        let remove = |path: &Path| {
            fs::remove_file(path).map_err(|error| Failure::cannot_write(path, &error))
        };
        let mut parents = BTreeSet::new();
        walk(&folder, &mut |path| {
            let relative = path.strip_prefix(&folder).expect("walked from the folder");
            let ours = match path.extension().and_then(|extension| extension.to_str()) {
                Some(PARTIAL) => true,
                Some("parquet") => table::footer(path).is_ok_and(|footer| !footer.key.is_empty()),
                _ => false,
            };
            if ours && !wanted.contains(relative) {
                remove(path)?;
                parents.extend(path.parent().map(Path::to_owned));
            }
            Ok(())
        })?;
        for parent in parents.iter().rev().filter(|parent| **parent != folder) {
            // Fails where the folder still holds something, and then it shall stay.
            let _ = fs::remove_dir(parent);
        }
        Ok(())
    }

    /// BLAKE3 of each file, by path relative to the run folder, as `b3sum` prints it.
    pub(crate) fn digests(
        &self,
        stage: Stage,
        files: &BTreeSet<PathBuf>,
    ) -> anyhow::Result<BTreeMap<String, String>> {
        let mut digests = BTreeMap::new();
        for file in files {
            let path = self.stage(stage).join(file);
            let bytes =
                fs::read(&path).with_context(|| format!("cannot read `{}`", path.display()))?;
            let name = Path::new(stage.folder())
                .join(file)
                .to_string_lossy()
                .replace('\\', "/");
            digests.insert(name, blake3::hash(&bytes).to_hex().to_string());
        }
        Ok(digests)
    }
}

/// A folder with other things in it is not ours to write into.
fn refuse_foreign(root: &Path) -> Result<(), Failure> {
    let entries = match fs::read_dir(root) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => {
            return Err(Failure::invalid(format!(
                "cannot use `{}` as a run folder: {error}",
                root.display()
            ))
            .hint("choose another folder with --out"));
        }
    };
    let names: BTreeSet<String> = entries
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    // Other programs have a file called `manifest.json` too; the lock is what every run has.
    if names.is_empty() || names.contains(LOCK) {
        return Ok(());
    }
    let first = names.first().expect("the folder is not empty");
    Err(Failure::invalid(format!(
        "`{}` holds other things than a run, such as `{first}`",
        root.display()
    ))
    .hint("choose an empty or a new folder with --out"))
}

/// Visits the files below a folder in the order of their paths; a missing folder has none.
fn walk(
    folder: &Path,
    visit: &mut impl FnMut(&Path) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Ok(());
    };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        // A link leads out of the folder.
        if path.is_symlink() {
            continue;
        }
        if path.is_dir() {
            walk(&path, visit)?;
        } else {
            visit(&path)?;
        }
    }
    Ok(())
}
