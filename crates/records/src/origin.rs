//! Where a record came from.

use serde::{Deserialize, Serialize};

/// The place in the world that a record leads back to.
///
/// Lines are one-based and inclusive, in the file as published.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// The source as the recipe names it: `cargo:zstd-sys`, `git:https://…`, `path:lib`.
    pub source: String,
    /// The public repository, where the source tells it.
    pub repository: Option<String>,
    /// The package version (`cargo:` sources).
    pub version: Option<String>,
    /// The commit (`git:` sources, and packages that record theirs).
    pub commit: Option<String>,
    /// The license as an SPDX expression, as the source states it.
    pub license: Option<String>,
    /// The file, relative to the root of the source, with `/` between folders.
    pub path: String,
    /// First line of the function.
    pub start_line: u32,
    /// Last line of the function.
    pub end_line: u32,
}

impl Origin {
    /// `path:start-end`, as an editor takes it.
    pub fn place(&self) -> String {
        format!("{}:{}-{}", self.path, self.start_line, self.end_line)
    }
}
