//! The account of a run.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Reason, Toolchain};

/// The number of things of one kind that entered a stage, and of those that were kept or set aside.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Things that entered.
    pub entered: u64,
    /// Things that were kept.
    pub kept: u64,
    /// Things that were set aside, by reason.
    pub set_aside: BTreeMap<String, u64>,
}

impl Counts {
    /// Counts one more kept thing.
    pub fn keep(&mut self) {
        self.entered += 1;
        self.kept += 1;
    }

    /// Counts one more thing set aside.
    pub fn set_aside(&mut self, reason: Reason) {
        self.entered += 1;
        *self.set_aside.entry(reason.code().to_owned()).or_default() += 1;
    }

    /// Returns `true` if the things that entered are as many as those kept and set aside.
    pub fn balances(&self) -> bool {
        self.entered == self.kept + self.set_aside.values().sum::<u64>()
    }

    /// Adds another count of the same kind.
    pub fn add(&mut self, other: &Counts) {
        self.entered += other.entered;
        self.kept += other.kept;
        for (reason, count) in &other.set_aside {
            *self.set_aside.entry(reason.clone()).or_default() += count;
        }
    }
}

/// One stage in the manifest.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StageAccount {
    /// The key of what the stage's output depends on: its inputs, its part of the recipe, the tools.
    pub key: String,
    /// Number of shards.
    pub shards: u64,
    /// Counts by kind of thing: `files`, `functions`, `units`, `variants`, `queries`, ….
    pub counts: BTreeMap<String, Counts>,
    /// Digest of each file the stage left, by path relative to the run folder.
    pub files: BTreeMap<String, String>,
}

/// `manifest.json`: enough to explain and to repeat a run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// Version of this file's format.
    pub format: u32,
    /// barecode's version.
    pub barecode: String,
    /// The recipe as it was resolved, every default spelled out.
    pub recipe: serde_json::Value,
    /// The seed that every other seed is derived from.
    pub seed: u64,
    /// The compiler of the units.
    pub toolchain: Option<Toolchain>,
    /// The mechanism that kept the compilers from the other files of the machine: `landlock`, or `none`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confinement: Option<String>,
    /// The sources with the content that was read: version or commit, license, digest of their files.
    pub sources: Vec<serde_json::Value>,
    /// The stages that are finished, by verb.
    pub stages: BTreeMap<String, StageAccount>,
    /// Times in seconds since 1970-01-01 UTC, by event; these and the ledgers are all that differs between
    /// repetitions.
    pub times: BTreeMap<String, u64>,
    /// Digest of each ledger as the last stage that did something left it, by path relative to the run folder.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub ledgers: BTreeMap<String, String>,
}
