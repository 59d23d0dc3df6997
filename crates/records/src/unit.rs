//! A function that compiles by itself.

use serde::{Deserialize, Serialize};

use crate::{Closure, Digest, DocComment, Id, Language, Origin, References};

/// CLARC's dependency groups (paper section 3.1), decided from what the function refers to directly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Group {
    /// Only the standard library's functions and types.
    Group1,
    /// Types or variables of its own project, but no functions of it.
    Group2,
    /// Functions of its own project.
    Group3,
}

impl Group {
    /// All groups, in order.
    pub const ALL: [Group; 3] = [Group::Group1, Group::Group2, Group::Group3];

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

    /// `group1`, as files and columns have it.
    pub fn name(self) -> &'static str {
        match self {
            Group::Group1 => "group1",
            Group::Group2 => "group2",
            Group::Group3 => "group3",
        }
    }
}

/// What judged a unit: enough to do it again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Toolchain {
    /// The program as it was called: `gcc`.
    pub compiler: String,
    /// The first line of its `--version`.
    pub version: String,
    /// The machine it compiles for, as `-dumpmachine` prints it.
    pub target: String,
    /// Its flags, in order.
    pub flags: Vec<String>,
}

/// A function that compiles by itself (stage `02-units`).
///
/// What the compiler was given is `closure.text` and one line more, which takes the function's address so that
/// it is emitted: `__typeof__(NAME) *barecode_keeper = &NAME;`. The fingerprints are of that.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unit {
    /// `u-…`, from the function and the compiled text.
    pub id: Id,
    /// The function.
    pub function_id: Id,
    /// Where it stands.
    pub origin: Origin,
    /// Its language.
    pub language: Language,
    /// The function's name.
    pub name: String,
    /// Its dependency group.
    pub group: Group,
    /// The function's text.
    pub text: String,
    /// Its doc comment.
    pub doc: Option<DocComment>,
    /// What it refers to.
    pub references: References,
    /// The file that was compiled.
    pub closure: Closure,
    /// What compiled it.
    pub toolchain: Toolchain,
    /// Fingerprint of the stripped object: allocated sections, their bytes and relocations, without names.
    pub object: String,
    /// The same of the executable sections only.
    pub object_code: String,
    /// Size of the function's own machine code in bytes.
    pub code_bytes: u64,
}

impl Unit {
    /// The id of the unit of a function with this compiled text.
    pub fn id_of(function_id: &Id, compiled_text: &str) -> Id {
        Id::new(
            "u",
            &Digest::new("unit").field(function_id).field(compiled_text),
        )
    }
}
