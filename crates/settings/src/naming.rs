//! The names that a [`Naming`] cannot give to the symbols of a text.

use std::collections::BTreeSet;

use barecode_corpus::symbols::Symbols;
pub use barecode_namings::{Draw, Free, Naming, Old};

/// Names that cannot be given.
#[derive(Debug)]
pub struct Taken<'a> {
    symbols: &'a Symbols,
    added: BTreeSet<Box<str>>,
}

impl<'a> Taken<'a> {
    /// The names that stay in a text, whatever is renamed.
    pub fn new(symbols: &'a Symbols) -> Taken<'a> {
        Taken {
            symbols,
            added: BTreeSet::new(),
        }
    }

    /// Adds a name; returns true if it is new.
    pub fn insert(&mut self, name: &str) -> bool {
        self.added.insert(name.into())
    }

    pub(crate) fn extend<'n>(&mut self, names: impl Iterator<Item = &'n str>) {
        self.added.extend(names.map(Box::from));
    }
}

impl Free for Taken<'_> {
    fn is_free(&self, name: &str) -> bool {
        let is_word = self.symbols.is_word;
        !is_word(name)
            && !self.symbols.spelled().contains(name)
            && !self.symbols.reserved.contains(name)
            && !self.added.contains(name)
    }
}
