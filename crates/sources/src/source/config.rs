//! The configuration of a source in a recipe.

use serde::{Deserialize, Serialize};

/// A rule that leaves files out, by the name that a recipe calls it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FileRule {
    /// Copies of other projects.
    Vendored,
    /// Tests.
    Tests,
    /// Benchmarks and fuzzers.
    Benchmarks,
    /// Folders that builds fill.
    Builds,
    /// Files that programs made.
    Generated,
}

impl FileRule {
    /// All rules.
    pub const ALL: [FileRule; 5] = [
        FileRule::Vendored,
        FileRule::Tests,
        FileRule::Benchmarks,
        FileRule::Builds,
        FileRule::Generated,
    ];
}

/// One `[[source]]` of a recipe.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct SourceConfig {
    /// `path:…`, `git:…`, `archive:…` or `cargo:…`.
    pub from: String,
    /// Files to read, as glob patterns relative to the source; all when empty.
    #[serde(default)]
    pub include: Vec<String>,
    /// Files to leave out, as glob patterns.
    #[serde(default)]
    pub exclude: Vec<String>,
    /// The languages that are mined, by name; all that can be when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub languages: Vec<String>,
    /// Rules that do not apply to this source: files that they would leave out are mined.
    #[serde(default)]
    pub keep: Vec<FileRule>,
    /// Macros to define before each translation unit: `NAME` or `NAME=VALUE`.
    #[serde(default)]
    pub defines: Vec<String>,
    /// The `compile_commands.json` of a build that was made before: its macros, include folders and headers are used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compile_commands: Option<String>,
    /// Keep at most this many functions, drawn by the seed.
    #[serde(default)]
    pub limit: Option<u32>,
    /// True if functions that have a doc comment are drawn before others.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub documented_first: bool,
    /// The license, where the source does not state the right one.
    #[serde(default)]
    pub license: Option<String>,
    /// The public repository, if the source does not name it.
    #[serde(default)]
    pub repository: Option<String>,
    /// True if the history is walked for the day on which each file was first committed. By default it is walked if
    /// it is complete and has at most [`MOST_COMMITS`](super::MOST_COMMITS) commits.
    #[serde(default)]
    pub first_commit: Option<bool>,
    /// Its name in records, and its name in ids: set by [`SourceConfig::name_all`], not a key of recipes.
    #[serde(skip)]
    pub named: Option<(String, String)>,
    /// True if documents and notebooks are read too; not a key of recipes, which set it under `[extract]`.
    #[serde(skip)]
    pub documents: bool,
    /// True if the run continues without the source when it cannot be read.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub optional: bool,
}
