//! What the standard headers define, as the judge compiler has them.
//!
//! The virtual preprocessor never enters a standard header: it only needs to know which macros come from
//! it, because conditions ask for them. The compiler tells that once, through the `check` crate.

use std::collections::BTreeMap;

use barecode_records::Digest;

use super::macros::MacroTable;

const NAMES: &str = include_str!("../data/headers-c.txt");

/// The macros that the compiler predefines, and those that each standard header defines.
#[derive(Debug, Clone, Default)]
pub struct StandardHeaders {
    predefined: MacroTable,
    headers: BTreeMap<String, MacroTable>,
    digest: String,
}

impl StandardHeaders {
    /// The headers that a unit may include, one name each.
    pub fn names() -> Vec<&'static str> {
        let lines = NAMES.lines().map(str::trim);
        lines
            .filter(|line| !line.is_empty() && !line.starts_with('#'))
            .collect()
    }

    /// From the `#define` lines that the compiler prints: those it predefines, and those that including
    /// each header adds; `None` for a header that is not there.
    pub fn new(
        predefined: &str,
        per_header: impl IntoIterator<Item = (String, Option<String>)>,
    ) -> StandardHeaders {
        let mut digest = Digest::new("standard headers").field(predefined);
        let mut headers = BTreeMap::new();
        for (name, defines) in per_header {
            digest = digest
                .field(&name)
                .field(defines.as_deref().unwrap_or("missing"));
            if let Some(defines) = defines {
                headers.insert(name, MacroTable::from_defines(&defines));
            }
        }
        let predefined = MacroTable::from_defines(predefined);
        StandardHeaders {
            predefined,
            headers,
            digest: digest.hex(),
        }
    }

    /// Tells apart two compilers whose headers differ.
    pub fn digest(&self) -> String {
        self.digest.clone()
    }

    /// The macros in force before the first line.
    pub(crate) fn predefined(&self) -> &MacroTable {
        &self.predefined
    }

    /// What including the header defines; `None` when it is not standard or not there.
    pub(crate) fn macros_of(&self, header: &str) -> Option<&MacroTable> {
        self.headers.get(header)
    }
}
