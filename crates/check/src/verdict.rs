//! The result of compiling a text.

use serde::{Deserialize, Serialize};

/// The result of compiling a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// It compiles.
    Compiled {
        /// Size of the function's own machine code in bytes; 0 if it has none.
        code_bytes: u64,
    },
    /// It does not.
    Refused {
        /// The output of the compiler, from the first line on, cut to a few lines.
        message: String,
    },
    /// The compiler ran longer than allowed.
    TimeLimit,
    /// The compiler needed more memory than allowed.
    MemoryLimit,
    /// The compiler wrote more than allowed.
    OutputLimit,
}
