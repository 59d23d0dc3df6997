//! What came out of `eval`, of a dataset or of a recipe of test sets.

use std::path::Path;

use serde_json::Value;

use crate::console::Screen;

/// What came out, as it is written and shown.
pub(super) trait Report {
    /// Everything, for machines: `scores.json`.
    fn account(&self) -> anyhow::Result<Value>;

    /// Writes what lies beside it.
    fn write(&self, out: &Path) -> anyhow::Result<()>;

    /// What is shown, and below the costs where the rest is.
    fn texts(&self, screen: Screen) -> Vec<String>;

    /// Where the rest is.
    fn rest(&self, out: &Path) -> String;

    /// What is noted besides, for machines too.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }
}
