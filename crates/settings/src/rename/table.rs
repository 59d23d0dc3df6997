//! The names of a unit by number, with all that is known of each.

use std::collections::{BTreeMap, HashMap};

use barecode_records::Role;

use super::Key;
use super::names::Space;

/// A spelling, and what it stands for in each name space.
#[derive(Debug)]
pub(super) struct Name {
    pub(super) text: Box<str>,
    roles: [Option<Role>; Space::ALL.len()],
    /// Whether it stands in arguments or replacements of macros.
    pub(super) in_macros: bool,
    /// Whether it is one name in all name spaces.
    pub(super) is_one: bool,
    /// Whether `##` builds it.
    pub(super) is_built: bool,
    /// Why it stays, if it must.
    pub(super) kept: Option<&'static str>,
}

impl Name {
    /// What it stands for in a name space.
    pub(super) fn role(&self, space: Space) -> Option<Role> {
        self.roles[space as usize]
    }

    /// Whether it is a macro.
    pub(super) fn is_macro(&self) -> bool {
        self.role(Space::Macro).is_some()
    }
}

/// All names of a unit. A number is a place in it; no order is made from it but the order of the table.
#[derive(Debug, Default)]
pub(super) struct Table {
    names: Vec<Name>,
    numbers: HashMap<Box<str>, usize>,
}

impl Table {
    /// The names that are declared.
    pub(super) fn of(roles: &BTreeMap<Key, Role>) -> Table {
        let mut table = Table::default();
        for (key, &role) in roles {
            table.declare(&key.name, key.space, role);
        }
        table
    }

    /// Adds a name, or what it stands for in one more name space.
    pub(super) fn declare(&mut self, name: &str, space: Space, role: Role) {
        let number = self.number(name).unwrap_or_else(|| {
            self.names.push(Name {
                text: name.into(),
                roles: [None; Space::ALL.len()],
                in_macros: false,
                is_one: false,
                is_built: false,
                kept: None,
            });
            self.numbers.insert(name.into(), self.names.len() - 1);
            self.names.len() - 1
        });
        self.names[number].roles[space as usize] = Some(role);
    }

    /// The number of a name, if the unit declares it.
    pub(super) fn number(&self, name: &str) -> Option<usize> {
        self.numbers.get(name).copied()
    }

    /// The name of a number.
    pub(super) fn name(&self, number: usize) -> &Name {
        &self.names[number]
    }

    /// The name of a spelling.
    pub(super) fn find(&mut self, name: &str) -> Option<&mut Name> {
        let number = self.number(name)?;
        Some(&mut self.names[number])
    }

    /// All names, by number.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Name> {
        self.names.iter()
    }
}
