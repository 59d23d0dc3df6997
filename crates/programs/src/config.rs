//! The parts of a data set that are kept: the `[filters]` table of a recipe.

use serde::{Deserialize, Serialize};

use crate::Cases;
use crate::sensitive::Category;

/// Limits and thresholds. If the paper (pydra, appendix B.2) has a rule without a number, the number is ours.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct ProgramConfig {
    /// Keeps the programs' comments, which the paper's normalization removes, so that `CommentDeletion` has something
    /// to delete. Gates and filters read a program without them.
    pub comments: bool,
    /// Fewest test cases, asserts or test functions of a program.
    pub fewest_tests: u32,
    /// Most test cases that are taken of a program.
    pub most_cases: usize,
    /// Most bytes of the inputs and outputs of a program's test cases.
    pub most_test_bytes: usize,
    /// Largest program in bytes.
    pub most_bytes: usize,
    /// Categories of sensitive interfaces that programs may use.
    pub allow: Vec<Category>,
    /// Packages outside of the standard library that programs may import.
    pub packages: Vec<String>,
    /// A program is left out from this share of test cases on whose outputs are in its text.
    pub printed_share: f64,
    /// A program is left out from this share of tests on whose values are in one table of its text.
    pub table_share: f64,
    /// Fewest values that make a table.
    pub table_values: usize,
    /// Shortest output or value that counts as one in the text, in characters.
    pub shortest_value: usize,
    /// The share of a program's bytes in literals from which on it is left out …
    pub literal_share: f64,
    /// … if these are at least this many bytes.
    pub literal_bytes: usize,
    /// The share of different lines below which a program is left out …
    pub line_share: f64,
    /// … if it has at least this many lines.
    pub repeated_lines: usize,
}

impl Default for ProgramConfig {
    fn default() -> Self {
        ProgramConfig {
            comments: false,
            fewest_tests: 1,
            most_cases: 100,
            most_test_bytes: 1 << 20,
            most_bytes: 1 << 16,
            allow: Vec::new(),
            packages: Vec::new(),
            printed_share: 0.5,
            table_share: 0.8,
            table_values: 10,
            shortest_value: 3,
            literal_share: 0.5,
            literal_bytes: 1000,
            line_share: 0.3,
            repeated_lines: 20,
        }
    }
}

impl ProgramConfig {
    /// The limits of test cases, with published bugs, for [`read`](crate::read::read).
    pub fn cases(&self) -> Cases {
        Cases {
            most: self.most_cases,
            bytes: self.most_test_bytes,
            bugs: true,
        }
    }
}
