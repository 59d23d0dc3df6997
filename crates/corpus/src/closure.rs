//! A function of a translation unit → a file that holds it and all it needs.
//!
//! Names are looked up inside the translation unit, not in a bag of the whole repository, so the right one
//! of several `static` functions of one name is taken. The result is emitted in the order of the translation
//! unit: nothing to sort, no declarations to invent.
//!
//! What is needed is kept small in three ways. A function that is not the target may stand as its *head*, a
//! prototype. A type that is only held by pointer stands as its head, `struct parse;`, unless one of its
//! members is accessed somewhere. And a class of C++ stands as its *outline*: the bodies in it are left out
//! unless somebody calls them. Members are matched by name, so more may be completed than needed; where only
//! the size of a type matters (`p++`) it may be missed, and the compiler refuses the unit.
//!
//! - `references`: what a function refers to directly
//! - `grow`: the items that are needed, and in which form
//! - `write`: these items as one text
//! - `external`: the closure of a helper from another unit, added to it

pub(crate) mod external;
mod grow;
mod references;
mod write;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use barecode_records::{Closure, HelperBodies, Language, References};

use self::grow::Growing;
use crate::items::{Inner, Item, ItemKind, Mentions, NameKind};
use crate::preprocess::lex::{TokenKind, lex};
use crate::preprocess::macros::{Macro, MacroTable, Word};
use crate::preprocess::unit::{Mark, Reading, Scope, TranslationUnit};

/// An item at its place in a translation unit.
#[derive(Debug, Clone)]
pub struct Placed {
    /// The reading it stands in.
    pub reading: usize,
    /// Its index among the items of that reading.
    pub item: usize,
    /// Its place in the whole.
    pub position: u64,
}

/// A function of a translation unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Target {
    /// The item that it is or stands in, as a number in [`Index::placed`].
    pub item: usize,
    /// Its number among the functions of that item, where the item is a class.
    pub inner: Option<usize>,
}

/// A translation unit with its items, ready for lookups.
pub struct Index<'a> {
    unit: &'a TranslationUnit,
    readings: &'a [Arc<Vec<Item>>],
    placed: Vec<Placed>,
    names: BTreeMap<&'a str, Vec<usize>>,
    tags: BTreeMap<&'a str, Vec<usize>>,
    /// Functions that are defined outside of the class or namespace that declares them, by their last name.
    outside: BTreeMap<&'a str, Vec<usize>>,
    /// What a namespace of the standard library is extended by.
    specializations: Vec<usize>,
    macros: BTreeMap<&'a str, Vec<usize>>,
    /// Macros that stand for nothing but another name, by that name.
    aliases: BTreeMap<&'a str, Vec<&'a str>>,
    /// Every macro of the source, as last defined.
    table: MacroTable,
    /// Macros that build names with `##`, themselves or through others.
    joining: BTreeSet<&'a str>,
    missing_headers: Vec<String>,
    /// What the replacement of each macro event mentions, once somebody asked.
    macro_mentions: Vec<OnceLock<Mentions>>,
    /// Names that an item brings besides those it mentions, once somebody asked.
    brought: Vec<OnceLock<Brought>>,
}

/// Names that an item brings besides those it mentions.
#[derive(Debug, Default)]
struct Brought {
    /// Built with `##`.
    joined: BTreeSet<Box<str>>,
    /// In files that are included in its middle.
    included: BTreeSet<Box<str>>,
}

/// How large a closure may become.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// Bytes of text.
    pub bytes: usize,
    /// Number of items.
    pub items: usize,
}

/// A closure that grew beyond its bounds even with prototypes only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TooLarge {
    /// Items it reached.
    pub items: usize,
    /// Bytes it reached.
    pub bytes: usize,
}

impl<'a> Index<'a> {
    /// Indexes the items of each reading of a translation unit.
    pub fn new(unit: &'a TranslationUnit, readings: &'a [Arc<Vec<Item>>]) -> Index<'a> {
        let mut index = Index {
            unit,
            readings,
            placed: Vec::new(),
            names: BTreeMap::new(),
            tags: BTreeMap::new(),
            outside: BTreeMap::new(),
            specializations: Vec::new(),
            macros: BTreeMap::new(),
            aliases: BTreeMap::new(),
            table: MacroTable::default(),
            joining: BTreeSet::new(),
            missing_headers: unit.missing_headers.clone(),
            macro_mentions: Vec::new(),
            brought: Vec::new(),
        };
        for (reading, items) in readings.iter().enumerate() {
            for (item, _) in items.iter().enumerate() {
                let position = unit.readings[reading].position(items[item].range.start);
                index.placed.push(Placed {
                    reading,
                    item,
                    position,
                });
            }
        }
        index
            .placed
            .sort_by_key(|placed| (placed.position, placed.reading, placed.item));
        for (at, placed) in index.placed.iter().enumerate() {
            let item = &readings[placed.reading][placed.item];
            let scope = unit.readings[placed.reading].scope(item.range.start);
            if unit.scopes[scope].path.split("::").next() == Some("std") {
                index.specializations.push(at);
                continue;
            }
            for declared in &item.declares {
                let table = match declared.kind {
                    NameKind::Tag => &mut index.tags,
                    _ if !item.qualifiers.is_empty() => &mut index.outside,
                    _ => &mut index.names,
                };
                let places = table.entry(&*declared.name).or_default();
                if places.last() != Some(&at) {
                    places.push(at);
                }
            }
        }
        for (event, macro_event) in unit.macro_events.iter().enumerate() {
            let name = &*macro_event.name;
            index.macros.entry(name).or_default().push(event);
            let body = macro_event
                .definition
                .as_ref()
                .map(|definition| &definition.body[..]);
            if let Some([alias]) = body
                && alias.kind == TokenKind::Identifier
            {
                index.aliases.entry(&alias.text).or_default().push(name);
            }
            if let Some(definition) = &macro_event.definition {
                let name = macro_event.name.clone();
                index.table.define(name, Macro::clone(definition));
            }
        }
        index.joining = joining(unit);
        index
            .macro_mentions
            .resize_with(unit.macro_events.len(), OnceLock::new);
        index.brought.resize_with(index.placed.len(), OnceLock::new);
        index
    }

    /// What the replacement of a macro mentions; `None` for an `#undef`.
    fn mentions_of(&self, event: usize) -> Option<&Mentions> {
        let definition = self.unit.macro_events[event].definition.as_ref()?;
        Some(self.macro_mentions[event].get_or_init(|| macro_mentions(definition)))
    }

    fn brought(&self, at: usize) -> &Brought {
        self.brought[at].get_or_init(|| Brought {
            joined: self.joined(at),
            included: self.included_names(at),
        })
    }

    /// The items in order.
    pub fn placed(&self) -> &[Placed] {
        &self.placed
    }

    fn item(&self, at: usize) -> &'a Item {
        let placed = &self.placed[at];
        &self.readings[placed.reading][placed.item]
    }

    fn reading(&self, at: usize) -> &'a Reading {
        &self.unit.readings[self.placed[at].reading]
    }

    fn inner(&self, target: Target) -> Option<&'a Inner> {
        Some(&self.item(target.item).inner[target.inner?])
    }

    /// The number of the scope that an item stands in.
    fn scope(&self, at: usize) -> usize {
        self.reading(at).scope(self.item(at).range.start)
    }

    fn is_cpp(&self) -> bool {
        self.unit.language == Language::Cpp
    }

    /// The name of a function without qualifiers, and its bytes.
    pub fn function(&self, target: Target) -> (&'a str, Range<usize>) {
        if let Some(inner) = self.inner(target) {
            return (&inner.name, inner.range.clone());
        }
        let item = self.item(target.item);
        (item.function_name().unwrap_or_default(), item.range.clone())
    }

    /// A function's name with the namespaces and classes around it.
    pub fn qualified_name(&self, target: Target) -> String {
        let (name, _) = self.function(target);
        let scope: &Scope = &self.unit.scopes[self.scope(target.item)];
        let classes = match self.inner(target) {
            Some(inner) => &inner.class_path,
            None => &self.item(target.item).qualifiers,
        };
        let scope = scope.path.replace("inline ", "");
        let parts = std::iter::once(scope.as_str()).chain(classes.iter().map(|class| &**class));
        let parts = parts.chain([name]).filter(|part| !part.is_empty());
        parts.collect::<Vec<_>>().join("::")
    }

    /// Whether a name is a class's somewhere in the unit.
    pub fn is_class(&self, name: &str) -> bool {
        self.tags.contains_key(name)
    }

    /// Where the declarations of a function stand that are not definitions: readings and first bytes.
    pub fn prototypes(&self, target: Target) -> Vec<(usize, usize)> {
        let (name, _) = self.function(target);
        let item = self.item(target.item);
        if let Some(class) = item.qualifiers.last() {
            let classes = self.tags.get(&**class).map_or(&[][..], Vec::as_slice);
            let declared = classes.iter().flat_map(|&at| {
                let reading = self.placed[at].reading;
                let declared = self.item(at).declared_methods.iter();
                declared
                    .filter(|(declared, _)| **declared == *name)
                    .map(move |&(_, start)| (reading, start))
            });
            return declared.collect();
        }
        if target.inner.is_some() {
            return Vec::new();
        }
        let places = self.names.get(name).map_or(&[][..], Vec::as_slice);
        let declarations = places
            .iter()
            .filter(|&&at| self.item(at).kind == ItemKind::Declaration);
        let places = declarations.map(|&at| (self.placed[at].reading, self.item(at).range.start));
        places.collect()
    }

    /// The names in files that are included in the middle of an item, as tables of macro calls are.
    fn included_names(&self, at: usize) -> BTreeSet<Box<str>> {
        let mut names = BTreeSet::new();
        let mut pending = vec![(self.placed[at].reading, self.item(at).range.clone())];
        while let Some((reading, range)) = pending.pop() {
            for &included in self.unit.readings[reading]
                .included
                .range(range)
                .map(|(_, included)| included)
            {
                let reading = &self.unit.readings[included];
                let code = reading.masked(|mark| matches!(mark, Mark::Code | Mark::Hidden));
                let words = lex(&code).into_iter();
                let words = words.filter(|token| token.kind == TokenKind::Identifier);
                names.extend(words.map(|token| token.text(&code).into()));
                pending.push((included, 0..reading.file.text.len()));
            }
        }
        names
    }

    /// The names that macro calls in an item build with `##`.
    fn joined(&self, at: usize) -> BTreeSet<Box<str>> {
        let item = self.item(at);
        let inner = item.inner.iter();
        let inner = inner.flat_map(|inner| inner.head.words.iter().chain(&inner.inside.words));
        let words = item.head.words.iter().chain(&item.inside.words);
        if !words
            .chain(inner)
            .any(|word| self.joining.contains(&**word))
        {
            return BTreeSet::new();
        }
        let words = Word::lex(&self.text(at));
        let (_, joined) = self.table.expand_noting(&words).unwrap_or_default();
        joined.iter().map(|name| Box::from(&**name)).collect()
    }

    /// The file that holds a function and what it needs, with prototypes for all that it calls.
    ///
    /// # Errors
    /// [`TooLarge`] when it does not fit.
    pub fn signature_closure(
        &self,
        target: Target,
        references: &References,
        source: &str,
        bounds: Bounds,
    ) -> Result<Closure, TooLarge> {
        let direct: BTreeSet<&str> = references.functions.iter().map(String::as_str).collect();
        let mut growing = Growing::new(self, target, HelperBodies::None, &direct, bounds);
        growing.grow()?;
        Ok(self.write(&growing, target, &direct, source, HelperBodies::None))
    }

    /// The file that holds a function and what it needs.
    ///
    /// Bodies of helpers are given up step by step to keep the bounds: first those of helpers' helpers, then
    /// all.
    ///
    /// # Errors
    /// [`TooLarge`] when even prototypes do not fit.
    pub fn closure(
        &self,
        target: Target,
        references: &References,
        source: &str,
        bounds: Bounds,
    ) -> Result<Closure, TooLarge> {
        let direct: BTreeSet<&str> = references.functions.iter().map(String::as_str).collect();
        let mut too_large = None;
        for bodies in [HelperBodies::Full, HelperBodies::Direct, HelperBodies::None] {
            let mut growing = Growing::new(self, target, bodies, &direct, bounds);
            match growing.grow() {
                Ok(()) => {
                    let closure = self.write(&growing, target, &direct, source, bodies);
                    if closure.text.len() <= bounds.bytes {
                        return Ok(closure);
                    }
                    too_large = Some(TooLarge {
                        items: growing.forms.len(),
                        bytes: closure.text.len(),
                    });
                }
                Err(error) => too_large = Some(error),
            }
            if references.functions.is_empty() && !self.is_cpp() {
                break;
            }
        }
        Err(too_large.expect("a closure that was not returned was too large"))
    }
}

/// What a macro's replacement mentions, read without knowing where it will stand.
fn macro_mentions(definition: &Macro) -> Mentions {
    let mut mentions = Mentions::default();
    let parameters = definition.parameters.as_deref().unwrap_or_default();
    for (at, word) in definition.body.iter().enumerate() {
        if word.kind != TokenKind::Identifier || parameters.contains(&word.text) {
            continue;
        }
        let name: Box<str> = (*word.text).into();
        let before = at
            .checked_sub(1)
            .map(|before| &*definition.body[before].text);
        match before {
            Some("." | "->") => {
                mentions.fields.insert(name.clone());
            }
            Some("struct" | "union" | "enum") => {
                mentions.tags.insert(name.clone());
            }
            _ => {
                mentions.values.insert(name.clone());
            }
        }
        mentions.words.insert(name);
    }
    mentions
}

/// The macros that build names with `##`, themselves or through others.
fn joining(unit: &TranslationUnit) -> BTreeSet<&str> {
    let definitions = || {
        let events = unit.macro_events.iter();
        events.filter_map(|event| Some((&*event.name, event.definition.as_ref()?)))
    };
    let mut joining: BTreeSet<&str> = BTreeSet::new();
    loop {
        let known = joining.len();
        for (name, definition) in definitions() {
            let joins = |word: &Word| &*word.text == "##" || joining.contains(&*word.text);
            if definition.body.iter().any(joins) {
                joining.insert(name);
            }
        }
        if joining.len() == known {
            return joining;
        }
    }
}

/// Macros that change what the standard headers declare, so they must stand before them.
pub const BEFORE_HEADERS: [&str; 13] = [
    "NDEBUG",
    "_GNU_SOURCE",
    "_DEFAULT_SOURCE",
    "_BSD_SOURCE",
    "_SVID_SOURCE",
    "_POSIX_SOURCE",
    "_POSIX_C_SOURCE",
    "_XOPEN_SOURCE",
    "_ISOC11_SOURCE",
    "_LARGEFILE_SOURCE",
    "_LARGEFILE64_SOURCE",
    "_FILE_OFFSET_BITS",
    "__STDC_FORMAT_MACROS",
];
