//! A function of a translation unit → a file that contains it and everything it needs.
//!
//! Names are looked up inside the translation unit, not in a bag of the whole repository, so the right one
//! of several `static` functions of one name is taken. The result is emitted in the order of the translation
//! unit, so nothing is sorted and no declarations are invented.
//!
//! The closure is kept small in three ways. A function that is not the target may be reduced to its *head*, a
//! prototype. A type that is only used through pointers is reduced to its head, `struct parse;`, unless one of its
//! members is accessed somewhere. And a C++ class is reduced to its *outline*: the bodies in it are left out unless
//! they are called. Members are matched by name, so more may be completed than needed. If only the size of a type
//! matters (`p++`) it may be missed, and the compiler refuses the unit.
//!
//! - `references`: the names that a function refers to directly
//! - `objects`: the classes of the objects whose members it uses
//! - `grow`: the items that are needed, and in which form
//! - `write`: these items as one text
//! - `external`: the closure of a helper from another unit, added to it

pub(crate) mod external;
mod grow;
mod objects;
mod references;
mod write;

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock};

use barecode_languages::lex::{TokenKind, lex};
use barecode_records::{Closure, HelperBodies, Language, References};

use self::grow::{Form, Growing};
use self::write::Shown;
use crate::items::{Inner, Item, ItemKind, NameKind};
use crate::names::{Mentioned, Name, Names, Table};
use crate::preprocess::macros::{Macro, MacroTable, Word};
use crate::preprocess::unit::{Mark, Reading, Scope, TranslationUnit};

/// An item at its position in a translation unit.
#[derive(Debug, Clone)]
pub struct Placed {
    /// The reading that contains it.
    pub reading: usize,
    /// Its index among the items of that reading.
    pub item: usize,
    /// Its position in the whole.
    pub position: u64,
}

/// A function of a translation unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Target {
    /// The item itself or the item around it, as a number in [`Index::placed`].
    pub item: usize,
    /// Its number among the functions of that item, where the item is a class.
    pub inner: Option<usize>,
}

/// A translation unit with its items, ready for lookups.
pub struct Index<'a> {
    unit: &'a TranslationUnit,
    readings: &'a [Arc<Vec<Item>>],
    names: &'a Names,
    placed: Vec<Placed>,
    /// The slot of each name, by number: names that this unit knows have one; the others share slot 0.
    slots: Vec<u32>,
    /// The meanings of names, by slot. Names that are only members have no meaning, and have later slots.
    meanings: Vec<Meaning>,
    /// Number of slots.
    slot_count: usize,
    /// Functions that are defined outside of the class or namespace that declares them, by their last name.
    outside: Vec<Name>,
    /// The items that extend a namespace of the standard library.
    specializations: Vec<usize>,
    /// The `using namespace` of the unit.
    directives: Vec<usize>,
    /// Every macro of the source, as last defined, built on first use.
    table: OnceLock<MacroTable>,
    /// Names that an item brings besides those it mentions, built on first use.
    brought: Vec<OnceLock<Brought>>,
    /// The texts of items that were written, by form and the bodies that remain inside.
    shown: Vec<Mutex<Texts>>,
    /// The texts of macro events that were written.
    shown_macros: Vec<OnceLock<String>>,
}

/// The texts of an item: its form, the bodies inside that remain, and the text itself.
type Texts = Vec<(Form, Vec<usize>, Arc<Shown>)>;

/// The meaning of a name in a unit: items and macro events, by number.
#[derive(Debug, Default)]
struct Meaning {
    /// Items that declare it, tags left out.
    names: Vec<usize>,
    /// Items that declare it as a tag.
    tags: Vec<usize>,
    /// Types that declare it as a tag by naming it.
    elaborated: Vec<usize>,
    /// Functions that are defined outside of the class or namespace that declares them.
    outside: Vec<usize>,
    /// Definitions of a macro.
    macros: Vec<usize>,
    /// Macros that stand for only this name.
    aliases: Vec<Name>,
    /// True if it is a macro that builds names with `##`, itself or through others.
    joins: bool,
}

/// Names that an item brings besides those it mentions.
#[derive(Debug, Default)]
struct Brought {
    /// Built with `##`.
    joined: Vec<Name>,
    /// In files that are included in its middle.
    included: Vec<Name>,
}

/// The maximum size of a closure.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// Bytes of text.
    pub bytes: usize,
    /// Number of items.
    pub items: usize,
    /// Bytes of text beyond which bodies of helpers are given up; of items a quarter of all.
    pub bytes_with_helpers: usize,
}

impl Bounds {
    /// The bounds of a closure with bodies that it could do without.
    fn with_helpers(self) -> Bounds {
        Bounds {
            bytes: self.bytes.min(self.bytes_with_helpers),
            items: self.items.div_ceil(4),
            ..self
        }
    }
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
    /// Indexes the items of each reading of a translation unit, which have numbers for their names.
    pub fn new(
        unit: &'a TranslationUnit,
        readings: &'a [Arc<Vec<Item>>],
        names: &'a Names,
    ) -> Index<'a> {
        let mut index = Index {
            unit,
            readings,
            names,
            placed: Vec::new(),
            slots: Vec::new(),
            meanings: vec![Meaning::default()],
            slot_count: 0,
            outside: Vec::new(),
            specializations: Vec::new(),
            directives: Vec::new(),
            table: OnceLock::new(),
            brought: Vec::new(),
            shown: Vec::new(),
            shown_macros: Vec::new(),
        };
        index.place();
        let mut table = names.table();
        let macros: Vec<Name> = unit
            .macro_events
            .iter()
            .map(|event| table.name(&event.name))
            .collect();
        for definition in definitions(unit) {
            definition.names(&mut table);
        }
        index.slots.resize(table.len(), 0);
        index.add_items();
        index.add_macros(&macros, &mut table);
        table.sort(&mut index.outside);
        drop(table);
        index.note_joining(&macros);
        index.add_members();
        index.brought.resize_with(index.placed.len(), OnceLock::new);
        index.shown.resize_with(index.placed.len(), Mutex::default);
        index
            .shown_macros
            .resize_with(unit.macro_events.len(), OnceLock::new);
        index
    }

    fn place(&mut self) {
        for (reading, items) in self.readings.iter().enumerate() {
            for (number, item) in items.iter().enumerate() {
                let position = self.unit.readings[reading].position(item.range.start);
                self.placed.push(Placed {
                    reading,
                    item: number,
                    position,
                });
            }
        }
        self.placed
            .sort_by_key(|placed| (placed.position, placed.reading, placed.item));
    }

    fn add_items(&mut self) {
        for at in 0..self.placed.len() {
            let item = self.item(at);
            if item.directive.is_some() {
                self.directives.push(at);
            }
            let scope = &self.unit.scopes[self.scope(at)];
            if scope.path.split("::").next() == Some("std") {
                self.specializations.push(at);
                continue;
            }
            for &name in &item.names.elaborated {
                self.meaning_mut(name).elaborated.push(at);
            }
            for &(kind, name) in &item.names.declares {
                let meaning = self.meaning_mut(name);
                let places = match kind {
                    NameKind::Tag => &mut meaning.tags,
                    _ if !item.qualifiers.is_empty() => &mut meaning.outside,
                    _ => &mut meaning.names,
                };
                if places.last() != Some(&at) {
                    places.push(at);
                }
                if kind != NameKind::Tag && !item.qualifiers.is_empty() {
                    self.outside.push(name);
                }
            }
        }
    }

    fn add_macros(&mut self, macros: &[Name], table: &mut Table) {
        for (number, (event, &name)) in self.unit.macro_events.iter().zip(macros).enumerate() {
            self.meaning_mut(name).macros.push(number);
            let body = event.definition.as_ref();
            let body = body.map(|definition| &definition.body[..]);
            if let Some([alias]) = body
                && alias.kind == TokenKind::Identifier
            {
                let alias = table.name(&alias.text);
                self.meaning_mut(alias).aliases.push(name);
            }
        }
    }

    /// Finds the macros that build names with `##`, themselves or through others.
    fn note_joining(&mut self, macros: &[Name]) {
        if !definitions(self.unit).any(|definition| definition.known_names().joins) {
            return;
        }
        loop {
            let mut grown = false;
            for (event, &name) in self.unit.macro_events.iter().zip(macros) {
                let Some(definition) = &event.definition else {
                    continue;
                };
                let names = definition.known_names();
                let joins = |word: &Name| self.meaning(*word).joins;
                if !self.meaning(name).joins && (names.joins || names.words.iter().any(joins)) {
                    self.meaning_mut(name).joins = true;
                    grown = true;
                }
            }
            if !grown {
                return;
            }
        }
    }

    /// Gives slots to members and functions inside of classes, which other tables do not contain.
    fn add_members(&mut self) {
        let mut next = self.meanings.len();
        for items in self.readings {
            for names in items.iter().map(|item| &item.names) {
                let inner = names.inner.iter().map(|inner| &inner.name);
                let lists = names.signatures.iter().chain(&names.member_types);
                let members = names.members.iter().chain(&names.methods).chain(inner);
                for name in members.chain(lists.map(|(name, _)| name)) {
                    let slot = &mut self.slots[name.index()];
                    if *slot == 0 {
                        *slot = u32::try_from(next).expect("there are fewer slots than names");
                        next += 1;
                    }
                }
            }
        }
        self.slot_count = next;
    }

    /// The slot of a name; 0 where the unit does not know it.
    fn slot(&self, name: Name) -> usize {
        self.slots
            .get(name.index())
            .map_or(0, |&slot| slot as usize)
    }

    fn meaning(&self, name: Name) -> &Meaning {
        let slot = self.slot(name);
        self.meanings.get(slot).unwrap_or(&self.meanings[0])
    }

    fn meaning_mut(&mut self, name: Name) -> &mut Meaning {
        let slot = &mut self.slots[name.index()];
        if *slot == 0 {
            let next = self.meanings.len();
            *slot = u32::try_from(next).expect("there are fewer slots than names");
            self.meanings.push(Meaning::default());
        }
        &mut self.meanings[*slot as usize]
    }

    /// The meaning of a text, if the table has it as a name.
    fn meaning_of(&self, text: &str) -> &Meaning {
        let name = self.names.table().known(text);
        name.map_or(&self.meanings[0], |name| self.meaning(name))
    }

    /// The names that the replacement of a macro mentions; `None` for an `#undef`.
    fn mentions_of(&self, event: usize) -> Option<&'a Mentioned> {
        let definition = self.unit.macro_events[event].definition.as_ref()?;
        Some(&definition.known_names().mentioned)
    }

    /// Returns `true` if a name is a macro that builds names.
    fn joins(&self, name: Name) -> bool {
        self.meaning(name).joins
    }

    fn brought(&self, at: usize) -> &Brought {
        self.brought[at].get_or_init(|| {
            let (joined, included) = (self.joined(at), self.included_names(at));
            let table = self.names.table();
            Brought {
                joined: joined.iter().filter_map(|text| table.known(text)).collect(),
                included: included
                    .iter()
                    .filter_map(|text| table.known(text))
                    .collect(),
            }
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

    /// The number of the scope around an item.
    fn scope(&self, at: usize) -> usize {
        self.reading(at).scope(self.item(at).range.start)
    }

    fn is_cpp(&self) -> bool {
        self.unit.language == Language::CPP
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

    /// Returns `true` if a name is a class's somewhere in the unit.
    fn is_class(&self, name: Name) -> bool {
        !self.meaning(name).tags.is_empty()
    }

    /// The declarations of a function that are not definitions, as readings and first bytes.
    pub fn prototypes(&self, target: Target) -> Vec<(usize, usize)> {
        let (name, _) = self.function(target);
        let item = self.item(target.item);
        if let Some(&class) = item.names.qualifiers.last() {
            let declared = self.meaning(class).tags.iter().flat_map(|&at| {
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
        let places = &self.meaning_of(name).names;
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
        let names = &self.item(at).names;
        let inner = names.inner.iter();
        let inner = inner.flat_map(|inner| inner.head.words.iter().chain(&inner.inside.words));
        let words = names.head.words.iter().chain(&names.inside.words);
        if !words.chain(inner).any(|&word| self.meaning(word).joins) {
            return BTreeSet::new();
        }
        let table = self.table.get_or_init(|| {
            let mut table = MacroTable::default();
            for event in &self.unit.macro_events {
                if let Some(definition) = &event.definition {
                    table.define(event.name.clone(), definition.clone());
                }
            }
            table
        });
        let words = Word::lex(&self.text(at));
        let (_, joined) = table.expand_noting(&words).unwrap_or_default();
        joined.iter().map(|name| Box::from(&**name)).collect()
    }

    /// The file that holds a function and all it needs, with prototypes for all that it calls.
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
        let bounds = bounds.with_helpers();
        let mut growing = Growing::new(self, target, HelperBodies::None, &direct, bounds);
        growing.grow()?;
        Ok(self.write(&growing, target, &direct, source, HelperBodies::None))
    }

    /// The file that holds a function and all it needs.
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
            let is_last =
                bodies == HelperBodies::None || (references.functions.is_empty() && !self.is_cpp());
            let bounds = if is_last {
                bounds
            } else {
                bounds.with_helpers()
            };
            let mut growing = Growing::new(self, target, bodies, &direct, bounds);
            match growing.grow() {
                Ok(()) => {
                    let closure = self.write(&growing, target, &direct, source, bodies);
                    if closure.text.len() <= bounds.bytes {
                        return Ok(closure);
                    }
                    too_large = Some(TooLarge {
                        items: growing.item_count(),
                        bytes: closure.text.len(),
                    });
                }
                Err(error) => too_large = Some(error),
            }
            if is_last {
                break;
            }
        }
        Err(too_large.expect("a closure that was not returned was too large"))
    }
}

/// The macros that a unit defines, in order.
fn definitions(unit: &TranslationUnit) -> impl Iterator<Item = &Arc<Macro>> {
    let events = unit.macro_events.iter();
    events.filter_map(|event| event.definition.as_ref())
}

/// Macros that change the declarations of the standard headers, so they must come before them.
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
