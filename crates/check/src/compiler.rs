//! The compiler that judges.

use barecode_records::Toolchain;
use serde::{Deserialize, Serialize};

use crate::{CheckError, Confinement};

/// The judge as the recipe describes it (`[check]`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct CheckConfig {
    /// The program, by name or path.
    pub compiler: String,
    /// The dialect of C: `gnu17`.
    pub standard: String,
    /// Processor seconds for one unit; four times as many may pass on the wall's clock.
    pub seconds: u64,
    /// Address space of each process of the compiler, in MiB.
    pub memory_mib: u64,
    /// Size of each file it writes, and of what it prints, in KiB.
    pub output_kib: u64,
}

impl Default for CheckConfig {
    fn default() -> Self {
        CheckConfig {
            compiler: "gcc".to_owned(),
            standard: "gnu17".to_owned(),
            seconds: 10,
            memory_mib: 2048,
            output_kib: 65536,
        }
    }
}

/// A compiler that was found, asked for its version, and seen to work.
#[derive(Debug, Clone)]
pub struct Compiler {
    toolchain: Toolchain,
}

impl Compiler {
    /// Finds the compiler and learns what it takes.
    pub fn probe(_config: &CheckConfig) -> Result<Compiler, CheckError> {
        todo!()
    }

    /// What it is, for the records.
    pub fn toolchain(&self) -> &Toolchain {
        &self.toolchain
    }

    /// Digest of all that its verdicts depend on.
    pub fn digest(&self) -> String {
        todo!()
    }

    /// The macros that are defined before the first line, as `#define` lines.
    pub fn predefined_macros(&self) -> Result<String, CheckError> {
        todo!()
    }

    /// The macros that `#include <header>` adds; `None` where there is no such header.
    pub fn header_macros(&self, _header: &str) -> Result<Option<String>, CheckError> {
        todo!()
    }

    /// What holds the compiler.
    pub fn confinement(&self) -> Confinement {
        todo!()
    }
}
