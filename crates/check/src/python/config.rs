//! The configuration of Python in a recipe.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// The settings for running Python programs (`[python]`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct PythonConfig {
    /// The interpreter, by name or path; `python3` by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub python: Option<PathBuf>,
    /// Seconds that may pass for all tests of a program, or for each case of tests by standard input; those in which it
    /// waits for a processor do not count.
    pub seconds: u32,
    /// Address space of a program, in MiB.
    pub memory_mb: u32,
    /// The greatest size of a program's output, in KiB.
    pub output_kb: u32,
    /// Inputs that are made up for each program, on which its clones must do as it does; with 0 only tests count.
    pub inputs: u32,
    /// True if programs may run on a kernel that cannot confine them. A recipe cannot set this, because it may come
    /// from an untrusted author.
    #[serde(skip)]
    pub unsafe_no_sandbox: bool,
}

impl Default for PythonConfig {
    fn default() -> Self {
        PythonConfig {
            python: None,
            seconds: 10,
            memory_mb: 1024,
            output_kb: 1024,
            inputs: 50,
            unsafe_no_sandbox: false,
        }
    }
}
