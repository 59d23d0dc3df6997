//! The names of its own project that a function refers to, and the group that follows from them.

use serde::{Deserialize, Serialize};

/// The project's own names that a function refers to directly (macros followed, because they are text).
///
/// Each list is sorted and has no repetitions. Names of the standard library are in none of them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct References {
    /// Functions of the project, the function itself left out.
    pub functions: Vec<String>,
    /// Types of the project: typedefs and `struct`, `union` and `enum` tags.
    pub types: Vec<String>,
    /// Variables and enumerators of the project at file scope.
    pub globals: Vec<String>,
    /// Macros of the project.
    pub macros: Vec<String>,
    /// In languages that are not compiled: every name in its text that its source declares, whatever it is bound to
    /// in the text, as a renaming by spelling changes it. Its own is among them.
    pub spelled: Vec<String>,
}

words! {
    /// CLARC's dependency groups (paper section 3.1), decided by the names that the function refers to directly.
    pub enum Group {
        /// Only the standard library's functions and types.
        Group1 = "group1",
        /// Types or variables of its own project, but no functions of it.
        Group2 = "group2",
        /// Functions of its own project.
        Group3 = "group3",
    }
}

impl Group {
    /// The group of a function that refers to these names.
    pub fn of(references: &References) -> Self {
        if !references.functions.is_empty() {
            Group::Group3
        } else if !references.types.is_empty() || !references.globals.is_empty() {
            Group::Group2
        } else {
            Group::Group1
        }
    }
}
