//! A run's folder: `01-functions` … `08-report`, `manifest.json`, and a lock.
//!
//! One process at a time works in it, or several that share the shards of a stage among them, each with a share
//! of its own: these hold the lock together, and each holds one more for its share. Only files that barecode
//! knows as its own are ever removed, and only in the folders of its stages: a table names itself in its
//! footer, a file that was being written ends in `.partial`. A folder that holds other things is refused before
//! anything is written.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use anyhow::Context;
use barecode_records::{Manifest, Stage, guarded, table};

use crate::exit::Failure;
use crate::share::Share;

const LOCK: &str = "barecode.lock";
/// `barecode-1-of-2.lock`: held by the process that works on a share.
const SHARE_LOCK: &str = "barecode-";
const LOCK_ENDING: &str = ".lock";
const MANIFEST: &str = "manifest.json";
const PARTIAL: &str = "partial";

/// The number of tries of a lock that is held: two seconds in all.
const TRIES: u32 = 100;
const PAUSE: Duration = Duration::from_millis(20);

/// A run's folder.
#[derive(Debug)]
pub struct RunFolder {
    root: PathBuf,
    /// The share of a stage that is done in it, if not all of it is.
    share: Option<Share>,
    /// Held as long as the folder is worked in; the system lets go of them when the process ends, however.
    _locks: Vec<File>,
}

impl RunFolder {
    /// Creates the folder if it is missing and acquires its lock exclusively.
    pub fn work_in(root: &Path) -> Result<Self, Failure> {
        let (path, lock) = Self::lock_file(root)?;
        taken(|| lock.try_lock(), &path, || Self::busy(&path))?;
        // No process is between the two locks of a share now, so those of earlier shares can go.
        for (path, _) in share_locks(root) {
            fs::remove_file(&path).map_err(|error| Failure::cannot_write(&path, &error))?;
        }
        Ok(RunFolder {
            root: root.to_owned(),
            share: None,
            _locks: vec![lock],
        })
    }

    /// The same for a share of a stage: others may hold the lock too, if each has a share of its own and the number
    /// of shares is the same.
    pub fn work_on_share(root: &Path, share: Share) -> Result<Self, Failure> {
        let (path, common) = Self::lock_file(root)?;
        taken(|| common.try_lock_shared(), &path, || Self::busy(&path))?;
        let path = root.join(share_lock(share));
        let own = open_lock(&path)?;
        taken(
            || own.try_lock(),
            &path,
            || {
                Failure::invalid(format!(
                "another barecode is working on share {share} in this run folder: it holds the lock `{}`",
                path.display()
            ))
            .hint("give each process its own share: 1/N, 2/N, …, N/N")
            },
        )?;
        // Both of two that meet here hold their own lock already, so at least one of them sees the other.
        for (path, parts) in share_locks(root) {
            if parts == share.parts {
                continue;
            }
            let other = open_lock(&path)?;
            taken(
                || other.try_lock(),
                &path,
                || {
                    Failure::invalid(format!(
                    "another barecode is working on a share of {parts} in this run folder, and {share} is one of {}: it holds the lock `{}`",
                    share.parts,
                    path.display()
                ))
                .hint("all processes in one folder must have the same N in --shard I/N")
                },
            )?;
        }
        Ok(RunFolder {
            root: root.to_owned(),
            share: Some(share),
            _locks: vec![common, own],
        })
    }

    fn lock_file(root: &Path) -> Result<(PathBuf, File), Failure> {
        refuse_foreign(root)?;
        fs::create_dir_all(root).map_err(|error| Failure::cannot_write(root, &error))?;
        let path = root.join(LOCK);
        let lock = open_lock(&path)?;
        Ok((path, lock))
    }

    fn busy(path: &Path) -> Failure {
        Failure::invalid(format!(
            "another barecode is working in this run folder: it holds the lock `{}`",
            path.display()
        ))
        .hint("wait until it is done, or give this run another folder with --out")
    }

    /// Looks into a folder without working in it.
    pub fn look_at(root: &Path) -> Self {
        RunFolder {
            root: root.to_owned(),
            share: None,
            _locks: Vec::new(),
        }
    }

    /// Looks into a folder that must hold a run.
    pub fn existing(root: &Path) -> Result<Self, Failure> {
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
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The share of a stage that is done in it, if not all of it is.
    pub fn share(&self) -> Option<Share> {
        self.share
    }

    /// The folder of a stage.
    pub fn stage(&self, stage: Stage) -> PathBuf {
        self.root.join(stage.folder())
    }

    /// The manifest, if it exists and can be read.
    pub fn manifest(&self) -> Option<Manifest> {
        serde_json::from_slice(&guarded::read(self.root.join(MANIFEST)).ok()?).ok()
    }

    /// Writes the manifest, whole or not at all.
    pub fn write_manifest(&self, manifest: &Manifest) -> anyhow::Result<()> {
        let mut text =
            serde_json::to_string_pretty(manifest).context("the manifest is plain data")?;
        text.push('\n');
        table::write_atomically(&self.root.join(MANIFEST), |file| {
            file.write_all(text.as_bytes())
        })?;
        Ok(())
    }

    /// All tables of ours directly in a stage's folder or one below it, sorted by path.
    pub fn tables(&self, stage: Stage) -> Vec<PathBuf> {
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

    /// Removes the output of an earlier plan in a stage's folder: our tables and numbered pages that are not among `keep`
    /// (paths relative to the stage's folder), half-written files, and folders that are empty then.
    pub fn sweep(&self, stage: Stage, keep: &BTreeSet<PathBuf>) -> Result<(), Failure> {
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
                Some("html" | "js") => stage == Stage::Report && is_numbered(relative),
                _ => false,
            };
            if ours && !keep.contains(relative) {
                remove(path)?;
                parents.extend(path.parent().map(Path::to_owned));
            }
            Ok(())
        })?;
        for parent in parents.iter().rev().filter(|parent| **parent != folder) {
            // Fails if the folder is not empty, and then it must stay.
            let _ = fs::remove_dir(parent);
        }
        Ok(())
    }

    /// BLAKE3 of each file of a stage, by path relative to the run folder, as `b3sum` prints it.
    pub fn digests<'f>(
        &self,
        stage: Stage,
        files: impl IntoIterator<Item = &'f PathBuf>,
    ) -> Result<BTreeMap<String, String>, Failure> {
        let named = files.into_iter().map(|file| {
            let digest = digest(&self.stage(stage).join(file))?;
            Ok((shown(&Path::new(stage.folder()).join(file)), digest))
        });
        named.collect()
    }

    /// The same of its ledgers, which are directly in the stages' folders.
    pub fn ledgers(&self) -> Result<BTreeMap<String, String>, Failure> {
        let mut all = BTreeMap::new();
        for stage in Stage::ALL {
            let entries = fs::read_dir(self.stage(stage)).into_iter().flatten();
            let names = entries.flatten().map(|entry| entry.file_name());
            let names: Vec<PathBuf> = names.map(PathBuf::from).collect();
            let ledgers = names.iter().filter(|name| {
                let name = name.to_string_lossy();
                name.starts_with("ledger") && (name.ends_with(".json") || name.ends_with(".jsonl"))
            });
            all.extend(self.digests(stage, ledgers)?);
        }
        Ok(all)
    }

    /// Writes the cost of models for a stage that failed into the manifest, if it exists.
    pub fn keep_ledgers(&self) {
        let Some(mut manifest) = self.manifest() else {
            return;
        };
        if let Ok(ledgers) = self.ledgers()
            && ledgers != manifest.ledgers
        {
            manifest.ledgers = ledgers;
            // The failure of the stage is reported instead.
            let _ = self.write_manifest(&manifest);
        }
    }

    /// Every file below the folder, by path relative to it, but the manifest and locks.
    pub(crate) fn files(&self) -> BTreeSet<String> {
        let locks = share_locks(&self.root).into_iter().map(|(path, _)| path);
        let mut apart: BTreeSet<PathBuf> = locks.collect();
        apart.extend([MANIFEST, LOCK].map(|name| self.root.join(name)));
        let mut found = BTreeSet::new();
        let _ = walk(&self.root, &mut |path| {
            if !apart.contains(path) {
                let relative = path.strip_prefix(&self.root);
                found.insert(shown(relative.expect("walked from the folder")));
            }
            Ok(())
        });
        found
    }

    /// The run that contains a path, if any, and the path below it.
    pub(crate) fn around(path: &Path) -> Option<(Self, PathBuf)> {
        let path = path.canonicalize().ok()?;
        let root = path.ancestors().find(|root| root.join(LOCK).is_file())?;
        let below = path.strip_prefix(root).ok()?.to_owned();
        Some((Self::look_at(root), below))
    }
}

/// A path as the manifest has it.
fn shown(relative: &Path) -> String {
    relative.to_string_lossy().replace('\\', "/")
}

/// BLAKE3 of a file.
pub(crate) fn digest(path: &Path) -> Result<String, Failure> {
    let mut hasher = blake3::Hasher::new();
    guarded::open(path)
        .and_then(|file| hasher.update_reader(file).map(drop))
        .map_err(|error| Failure::invalid(format!("cannot read `{}`: {error}", path.display())))?;
    Ok(hasher.finalize().to_hex().to_string())
}

/// Opens a lock file, or makes it. Some network disks need it opened for reading and writing both.
fn open_lock(path: &Path) -> Result<File, Failure> {
    let mut options = File::options();
    options.read(true).write(true).create(true).truncate(false);
    options
        .open(path)
        .map_err(|error| Failure::cannot_write(path, &error))
}

/// Acquires a lock. Distinguishes one that is held from one that cannot be acquired at all.
///
/// A process that was killed while it started a program leaves its locks to that program until it runs, so a lock that is
/// held is tried again for a moment.
fn taken(
    lock: impl Fn() -> Result<(), TryLockError>,
    path: &Path,
    busy: impl FnOnce() -> Failure,
) -> Result<(), Failure> {
    for _ in 0..TRIES {
        match lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) => thread::sleep(PAUSE),
            Err(TryLockError::Error(error)) => return Err(Failure::cannot_write(path, &error)),
        }
    }
    Err(busy())
}

/// The file that a share is locked with.
fn share_lock(share: Share) -> String {
    format!(
        "{SHARE_LOCK}{}-of-{}{LOCK_ENDING}",
        share.number, share.parts
    )
}

/// Returns `true` for a page or a file of pages that has a number: `queries/00012.html`, `queries/rows-000.js`.
fn is_numbered(file: &Path) -> bool {
    let stem = file.file_stem().and_then(|stem| stem.to_str());
    let number = stem.map(|stem| stem.strip_prefix("rows-").unwrap_or(stem));
    file.components().count() == 2
        && number
            .is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
}

/// The locks of shares in a folder, with the number of parts of each.
fn share_locks(root: &Path) -> Vec<(PathBuf, u32)> {
    let parts = |name: &str| {
        let inner = name.strip_prefix(SHARE_LOCK)?.strip_suffix(LOCK_ENDING)?;
        let (number, parts) = inner.split_once("-of-")?;
        number.parse::<u32>().ok()?;
        parts.parse().ok()
    };
    let entries = fs::read_dir(root).into_iter().flatten().flatten();
    let mut locks: Vec<(PathBuf, u32)> = entries
        .filter_map(|entry| Some((entry.path(), parts(entry.file_name().to_str()?)?)))
        .collect();
    locks.sort();
    locks
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
    // Other programs have a file `manifest.json` too; every run has the lock.
    if names.is_empty() || names.contains(LOCK) {
        return Ok(());
    }
    let first = names.first().expect("the folder is not empty");
    Err(Failure::invalid(format!(
        "`{}` contains other files than a run's, such as `{first}`",
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
