//! The configuration of the compilers in a recipe.

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
    /// True if units of C are also compiled as C++; ignored without a compiler of C++.
    pub compiles_as_cpp: bool,
    /// True if parts that a unit compiles without are left out of it.
    pub minimize: bool,
    /// Processor seconds for one unit; the limit on wall-clock time is four times this.
    pub seconds: u64,
    /// Address space of each process of the compiler, in MiB.
    pub memory_mib: u64,
    /// True if compilers may run on a kernel without landlock, where they can read everything that the user can read.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unconfined: bool,
    /// Size of each file it writes, and of its output, in KiB.
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
