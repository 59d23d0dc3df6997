//! The check that a run is as it was written: the bytes of every file against the digests of the manifest.
//!
//! Enters: a run folder. Leaves: the files that are damaged or missing, and those that the manifest does not name. It
//! repairs nothing and does not rely on the manifest alone: a table must be valid by itself too, because an earlier
//! version wrote the digests of damaged tables into manifests.

use std::path::{Component, Path, PathBuf};

use barecode_records::table;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use serde::Serialize;

use crate::console::grouped;
use crate::exit::Failure;
use crate::run_folder::{RunFolder, digest};

/// The state of the files of a run; paths are relative to its folder.
#[derive(Debug, Default, Serialize)]
pub struct Verified {
    /// The run.
    pub run: PathBuf,
    /// Number of files that the manifest has a digest of.
    pub files: usize,
    /// The files whose bytes differ.
    pub damaged: Vec<String>,
    /// The files that are missing.
    pub missing: Vec<String>,
    /// Files that the manifest does not know.
    pub foreign: Vec<String>,
}

/// A problem with a file of the manifest.
enum Fault {
    Damaged,
    Missing,
}

impl Verified {
    /// Reads every byte of the files of a run at or below a path, which is relative to its folder.
    ///
    /// # Errors
    /// A manifest that cannot be read, or names files that cannot be in a run.
    pub fn of(folder: &RunFolder, below: &Path) -> Result<Self, Failure> {
        let manifest = folder.manifest().ok_or_else(|| {
            let root = folder.root().display();
            let message = format!("`{root}` has no manifest that can be read");
            Failure::invalid(message).hint("run `barecode build` on the recipe: it writes it again")
        })?;
        let stages = manifest.stages.values().flat_map(|account| &account.files);
        let mut known: Vec<(&String, &String)> = stages
            .chain(&manifest.ledgers)
            .filter(|(name, _)| Path::new(name).starts_with(below))
            .collect();
        known.sort();
        let inside = |name: &str| {
            let mut parts = Path::new(name).components();
            parts.all(|part| matches!(part, Component::Normal(_)))
        };
        if let Some((name, _)) = known.iter().find(|(name, _)| !inside(name)) {
            let message = format!("the manifest names `{name}`, which is not in the run");
            return Err(Failure::invalid(message));
        }
        let mut foreign = folder.files();
        foreign.retain(|name| Path::new(name).starts_with(below));
        for (name, _) in &known {
            foreign.remove(*name);
        }
        let root = folder.root();
        let faults: Vec<Option<Fault>> = known
            .par_iter()
            .map(|(name, digest)| fault(&root.join(name), digest))
            .collect();
        let mut verified = Verified {
            run: root.to_owned(),
            files: known.len(),
            foreign: foreign.into_iter().collect(),
            ..Verified::default()
        };
        for ((name, _), fault) in known.into_iter().zip(faults) {
            match fault {
                Some(Fault::Damaged) => verified.damaged.push(name.clone()),
                Some(Fault::Missing) => verified.missing.push(name.clone()),
                None => {}
            }
        }
        Ok(verified)
    }

    /// A line for each file that is not as it was, and one that sums up.
    pub fn lines(&self) -> String {
        let lists = [
            ("damaged", &self.damaged),
            ("missing", &self.missing),
            ("foreign", &self.foreign),
        ];
        let of_list = |(what, names): (&str, &Vec<String>)| {
            let lines = names.iter().map(|name| format!("{what}  {name}\n"));
            lines.collect::<String>()
        };
        let whole = self.files - self.damaged.len() - self.missing.len();
        let sum = format!(
            "{} of {} files are as they were written\n",
            grouped(whole as u64),
            grouped(self.files as u64)
        );
        lists.into_iter().map(of_list).collect::<String>() + &sum
    }

    /// The failure of a caller that needs the files of the manifest as they were written.
    ///
    /// # Errors
    /// If one is damaged or missing.
    fn whole(&self, folder: &RunFolder) -> Result<(), Failure> {
        let Some(first) = self.damaged.iter().chain(&self.missing).next() else {
            return Ok(());
        };
        let bad = self.damaged.len() + self.missing.len();
        let path = folder.root().join(first);
        let message = format!(
            "{bad} of {} files are not as they were written, such as `{}`",
            self.files,
            path.display()
        );
        Err(Failure::invalid(message).hint(MEND))
    }

    /// The same, but files that the manifest does not know are a failure too.
    ///
    /// # Errors
    /// If one is damaged, missing or foreign.
    pub fn exact(&self, folder: &RunFolder) -> Result<(), Failure> {
        self.whole(folder)?;
        let Some(first) = self.foreign.first() else {
            return Ok(());
        };
        let path = folder.root().join(first);
        let message = format!("the manifest does not know `{}`", path.display());
        Err(Failure::invalid(message).hint(
            "a stage that was not finished left it, or somebody else: run `barecode build`, or move it away",
        ))
    }
}

const MEND: &str =
    "run `barecode build` on the recipe: it makes what is damaged again, but no ledger";

/// Refuses content to publish that is not as a run wrote it. Content outside of a run can only be compared with the
/// digests in its tables, which are checked as they are read.
///
/// # Errors
/// A file of the manifest at or below the path that is damaged or missing; a run without a manifest.
pub fn before_publishing(path: &Path) -> Result<(), Failure> {
    let Some((folder, below)) = RunFolder::around(path) else {
        return Ok(());
    };
    Verified::of(&folder, &below)?.whole(&folder)
}

fn fault(path: &Path, expected: &str) -> Option<Fault> {
    if !path.is_file() {
        return Some(Fault::Missing);
    }
    let holds = digest(path).is_ok_and(|found| found == expected);
    let is_table = path
        .extension()
        .is_some_and(|extension| extension == "parquet");
    (!holds || is_table && table::content(path).is_err()).then_some(Fault::Damaged)
}
