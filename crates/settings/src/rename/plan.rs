//! The names that a renaming leaves alone, and the degree to which it distinguishes names.

use std::collections::{BTreeMap, BTreeSet};

/// The extent of trust in an analysis that distinguishes name spaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spaces {
    /// Everywhere: a member and a variable of one name get two names.
    Apart,
    /// Everywhere but in positions in which name spaces look alike: in C, in arguments of macros.
    ApartWhereSure,
    /// Nowhere: one name gets one new name in all positions. Coarser, and always right.
    Joined,
}

/// The names that a renaming leaves alone, and the degree to which it distinguishes names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// The extent to which name spaces are distinguished.
    pub spaces: Spaces,
    /// Names that stay in all positions, with the reason.
    pub kept: BTreeMap<Box<str>, &'static str>,
    /// Identifiers of other origin, by their first byte in the text: `size` in `items.size()`.
    pub foreign: BTreeSet<usize>,
    /// True if no name of the text may become the new name of another.
    pub all_new: bool,
}

impl Plan {
    /// Distinguishes name spaces in this way, and changes every name.
    pub fn new(spaces: Spaces) -> Plan {
        Plan {
            spaces,
            kept: BTreeMap::new(),
            foreign: BTreeSet::new(),
            all_new: false,
        }
    }

    /// Returns `true` if the identifier at a byte is of other origin.
    pub(super) fn is_foreign(&self, byte: usize) -> bool {
        !self.foreign.is_empty() && self.foreign.contains(&byte)
    }
}
