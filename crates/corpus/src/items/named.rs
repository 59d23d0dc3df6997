//! An item with numbers for its names, as closures are built from it.

use std::collections::BTreeSet;

use super::item::{Inner, Item, NameKind};
use crate::names::{Mentioned, Name, Table};

/// The names of an [`Item`].
#[derive(Debug, Clone, Default)]
pub(crate) struct ItemNames {
    /// The name of the function that the item defines.
    pub(crate) function: Option<Name>,
    pub(crate) declares: Vec<(NameKind, Name)>,
    pub(crate) head: Mentioned,
    pub(crate) inside: Mentioned,
    pub(crate) members: Vec<Name>,
    pub(crate) methods: Vec<Name>,
    pub(crate) signatures: Vec<(Name, Vec<Name>)>,
    pub(crate) member_types: Vec<(Name, Vec<Name>)>,
    pub(crate) qualifiers: Vec<Name>,
    /// Each with its number in [`Item::overloads`].
    pub(crate) overloads: Vec<Name>,
    pub(crate) bases: Vec<Name>,
    pub(crate) befriended: Vec<Name>,
    pub(crate) friends: Vec<Name>,
    pub(crate) elaborated: Vec<Name>,
    pub(crate) inner: Vec<InnerNames>,
}

/// The names of an [`Inner`].
#[derive(Debug, Clone)]
pub(crate) struct InnerNames {
    pub(crate) name: Name,
    pub(crate) head: Mentioned,
    pub(crate) inside: Mentioned,
}

impl Item {
    /// Puts the names of the item into the table, in which only closures look them up.
    pub(crate) fn number(&mut self, table: &mut Table) {
        let listed = |list: &[(Box<str>, BTreeSet<Box<str>>)], table: &mut Table| {
            let names = list
                .iter()
                .map(|(name, types)| (table.name(name), table.names(types)));
            names.collect()
        };
        let inner = |inner: &Inner| InnerNames {
            name: table.name(&inner.name),
            head: Mentioned::of(&inner.head, table),
            inside: Mentioned::of(&inner.inside, table),
        };
        let inner = self.inner.iter().map(inner).collect();
        let declares = self.declares.iter();
        self.names = ItemNames {
            function: self.function_name().map(|name| table.name(name)),
            declares: declares
                .map(|declared| (declared.kind, table.name(&declared.name)))
                .collect(),
            head: Mentioned::of(&self.head, table),
            inside: Mentioned::of(&self.inside, table),
            members: table.names(&self.members),
            methods: table.names(&self.methods),
            signatures: listed(&self.signatures, table),
            member_types: listed(&self.member_types, table),
            qualifiers: table.names(&self.qualifiers),
            overloads: table.names(self.overloads.iter().map(|(name, _)| name)),
            bases: table.names(&self.bases),
            befriended: table.names(&self.befriended),
            friends: table.names(&self.friends),
            elaborated: table.names(&self.elaborated),
            inner,
        };
        self.forget_texts();
    }

    fn forget_texts(&mut self) {
        self.head = super::Mentions::default();
        self.inside = super::Mentions::default();
        self.members = BTreeSet::new();
        self.methods = BTreeSet::new();
        self.signatures = Vec::new();
        self.member_types = Vec::new();
        for inner in &mut self.inner {
            inner.head = super::Mentions::default();
            inner.inside = super::Mentions::default();
        }
    }
}
