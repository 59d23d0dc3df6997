//! The result of comparing one released file, whatever the setting.

use std::collections::BTreeMap;

use serde::Serialize;

/// A released file beside our output for its originals.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Compared {
    /// Our name of the setting.
    pub setting: String,
    /// The name of the released file.
    pub file: String,
    /// Texts that both files have.
    pub rows: usize,
    /// Texts of lowered files whose row lacks something that it needs to compile; they are not among `rows`.
    pub not_compiled: usize,
    /// Texts that are equal, whitespace aside.
    pub equal: usize,
    /// Texts that are equal up to a one-to-one renaming.
    pub same_form: usize,
    /// The rows that differ, by the cause of their first difference.
    pub causes: BTreeMap<String, usize>,
    /// Each row that differs.
    pub differing: Vec<Differing>,
}

/// A text that differs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Differing {
    /// The id of the row.
    pub id: String,
    /// The reason why it differs, as far as its first difference shows.
    pub cause: String,
    /// The first words that differ: original, ours, released.
    pub detail: String,
}

impl Compared {
    /// Notes a row that differs.
    pub fn differ(&mut self, id: &str, cause: &str, detail: String) {
        *self.causes.entry(cause.to_owned()).or_default() += 1;
        self.differing.push(Differing {
            id: id.to_owned(),
            cause: cause.to_owned(),
            detail,
        });
    }
}
