//! What a recipe says of the compilers.

use serde::{Deserialize, Serialize};

/// The judge as the recipe describes it (`[check]`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct CheckConfig {
    /// The program, by name or path.
    pub compiler: String,
    /// The dialect of C: `gnu17`.
    pub standard: String,
    /// The compiler of C++, by name or path.
    pub cpp_compiler: String,
    /// The dialect of C++: `gnu++17`.
    pub cpp_standard: String,
    /// Whether units of C are asked whether they are C++ too; they are not where no compiler of C++ is.
    pub compiles_as_cpp: bool,
    /// Whether what a unit compiles without is left out of it.
    pub minimize: bool,
    /// Processor seconds for one unit; four times as many may pass on the wall's clock.
    pub seconds: u64,
    /// Address space of each process of the compiler, in MiB.
    pub memory_mib: u64,
    /// Whether compilers may run where the kernel has no landlock: there they read what the user can read.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unconfined: bool,
    /// Size of each file it writes, and of what it prints, in KiB.
    pub output_kib: u64,
}

impl Default for CheckConfig {
    fn default() -> Self {
        CheckConfig {
            compiler: "gcc".to_owned(),
            standard: "gnu17".to_owned(),
            cpp_compiler: "g++".to_owned(),
            cpp_standard: "gnu++17".to_owned(),
            compiles_as_cpp: true,
            minimize: true,
            seconds: 10,
            memory_mib: 2048,
            output_kib: 65536,
            unconfined: false,
        }
    }
}
