//! The result of `eval`, of a dataset or of a suite of test sets.

use std::path::Path;

use serde_json::Value;

use crate::console::Screen;

/// The result, in its written and its shown form.
pub(super) trait Report {
    /// Everything, for machines: `scores.json`.
    fn account(&self) -> anyhow::Result<Value>;

    /// Writes the files beside it.
    fn write(&self, out: &Path) -> anyhow::Result<()>;

    /// Returns the texts to show, and below the costs the path of the remaining files.
    fn texts(&self, screen: Screen) -> Vec<String>;

    /// Returns the line that names the remaining files.
    fn rest(&self, out: &Path) -> String;

    /// Returns further notes, for machines too.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }
}
