//! Names that code mentions, as texts and as numbers.
//!
//! The search for what a function needs compares names again and again. The items of a source share one table of
//! names, so that this compares two numbers, and a set of names is a list of them.
//!
//! The number of a name depends on the thread that comes first: numbers distinguish names but never determine a
//! visible order. Lists of names are in the order of their texts.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard};

use foldhash::HashMap;

/// A name, as a number in a [`Table`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Name(u32);

impl Name {
    /// Its number.
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// The names of a source, for all threads.
#[derive(Debug, Default)]
pub struct Names(Mutex<Table>);

impl Names {
    /// The table, for one thread at a time.
    pub(crate) fn table(&self) -> MutexGuard<'_, Table> {
        self.0.lock().expect("no thread panics with the lock")
    }
}

/// The names of a source by number and by text.
#[derive(Debug, Default)]
pub(crate) struct Table {
    by_text: HashMap<Arc<str>, Name>,
    texts: Vec<Arc<str>>,
}

impl Table {
    /// The name with this text, a new one if none exists.
    pub(crate) fn name(&mut self, text: &str) -> Name {
        if let Some(&name) = self.by_text.get(text) {
            return name;
        }
        let number = u32::try_from(self.texts.len());
        let name = Name(number.expect("sources have fewer names than bytes"));
        let text: Arc<str> = text.into();
        self.texts.push(text.clone());
        self.by_text.insert(text, name);
        name
    }

    /// The names with these texts, in the same order.
    pub(crate) fn names<'t>(&mut self, texts: impl IntoIterator<Item = &'t Box<str>>) -> Vec<Name> {
        texts.into_iter().map(|text| self.name(text)).collect()
    }

    /// The name with this text, if it exists.
    pub(crate) fn known(&self, text: &str) -> Option<Name> {
        self.by_text.get(text).copied()
    }

    /// The text of a name.
    pub(crate) fn text(&self, name: Name) -> Arc<str> {
        self.texts[name.index()].clone()
    }

    /// Returns the number of names.
    pub(crate) fn len(&self) -> usize {
        self.texts.len()
    }

    /// Brings names into the order of their texts, each once.
    pub(crate) fn sort(&self, names: &mut Vec<Name>) {
        names.sort_by(|a, b| self.texts[a.index()].cmp(&self.texts[b.index()]));
        names.dedup();
    }
}

/// The names that a piece of code mentions, by how it mentions them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Mentions {
    /// Names used as values or called, local names left out.
    pub values: BTreeSet<Box<str>>,
    /// Typedef names whose type must be complete.
    pub types: BTreeSet<Box<str>>,
    /// Typedef names used behind a pointer only.
    pub pointed_types: BTreeSet<Box<str>>,
    /// Tags whose type must be complete.
    pub tags: BTreeSet<Box<str>>,
    /// Tags used behind a pointer only.
    pub pointed_tags: BTreeSet<Box<str>>,
    /// Members that are accessed.
    pub fields: BTreeSet<Box<str>>,
    /// Names in [`Mentions::values`] that were written with a qualifier, so no member is meant.
    pub qualified: BTreeSet<Box<str>>,
    /// Names in [`Mentions::values`] that occur only behind a scope, and are not called there.
    pub scoped: BTreeSet<Box<str>>,
    /// Operators of C++ that are used, as functions are named: `operator<<`.
    pub operators: BTreeSet<Box<str>>,
    /// Every word of the text: macros are found among these.
    pub words: BTreeSet<Box<str>>,
}

impl Mentions {
    /// Adds everything that another piece mentions.
    pub fn extend(&mut self, other: &Mentions) {
        let pairs = [
            (&mut self.values, &other.values),
            (&mut self.types, &other.types),
            (&mut self.pointed_types, &other.pointed_types),
            (&mut self.tags, &other.tags),
            (&mut self.pointed_tags, &other.pointed_tags),
            (&mut self.fields, &other.fields),
            (&mut self.qualified, &other.qualified),
            (&mut self.scoped, &other.scoped),
            (&mut self.operators, &other.operators),
            (&mut self.words, &other.words),
        ];
        for (mine, others) in pairs {
            mine.extend(others.iter().cloned());
        }
    }
}

/// [`Mentions`] as names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Mentioned {
    pub(crate) values: Vec<Name>,
    pub(crate) types: Vec<Name>,
    pub(crate) pointed_types: Vec<Name>,
    pub(crate) tags: Vec<Name>,
    pub(crate) pointed_tags: Vec<Name>,
    pub(crate) fields: Vec<Name>,
    pub(crate) qualified: Vec<Name>,
    pub(crate) scoped: Vec<Name>,
    pub(crate) operators: Vec<Name>,
    pub(crate) words: Vec<Name>,
}

impl Mentioned {
    /// Puts the names of mentions into the table.
    pub(crate) fn of(mentions: &Mentions, table: &mut Table) -> Mentioned {
        let mut names = |texts: &BTreeSet<Box<str>>| table.names(texts);
        Mentioned {
            values: names(&mentions.values),
            types: names(&mentions.types),
            pointed_types: names(&mentions.pointed_types),
            tags: names(&mentions.tags),
            pointed_tags: names(&mentions.pointed_tags),
            fields: names(&mentions.fields),
            qualified: names(&mentions.qualified),
            scoped: names(&mentions.scoped),
            operators: names(&mentions.operators),
            words: names(&mentions.words),
        }
    }
}
