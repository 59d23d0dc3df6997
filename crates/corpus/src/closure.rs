//! A function of a translation unit → a file that holds it and all it needs.
//!
//! Names are looked up inside the translation unit, not in a bag of the whole repository, so the right one
//! of several `static` functions of one name is taken. The result is emitted in the order of the translation
//! unit: nothing to sort, no declarations to invent.
//!
//! What is needed is kept small in two ways. A function that is not the target may stand as its *head*, a
//! prototype; and a type that is only held by pointer as its head, `struct parse;`, unless one of its
//! members is accessed somewhere. Members are matched by name, so more types may be completed than needed;
//! where only the size of a type matters (`p++`) it may be missed, and the compiler refuses the unit.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use barecode_records::{
    Closure, Function, HelperBodies, HelperSpan, Id, Piece as Part, PieceKind, References, Span,
};

use crate::emit;
use crate::items::{Item, ItemKind, Mentions, NameKind};
use crate::preprocess::lex::TokenKind;
use crate::preprocess::macros::{Macro, MacroTable, Word};
use crate::preprocess::unit::TranslationUnit;

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

/// A translation unit with its items, ready for lookups.
pub struct Index<'a> {
    unit: &'a TranslationUnit,
    readings: &'a [Arc<Vec<Item>>],
    placed: Vec<Placed>,
    names: BTreeMap<&'a str, Vec<usize>>,
    tags: BTreeMap<&'a str, Vec<usize>>,
    macros: BTreeMap<&'a str, Vec<usize>>,
    /// Macros that stand for nothing but another name, by that name.
    aliases: BTreeMap<&'a str, Vec<&'a str>>,
    /// Every macro of the source, as last defined.
    table: MacroTable,
    /// Macros that build names with `##`, themselves or through others.
    joining: BTreeSet<&'a str>,
    missing_headers: Vec<String>,
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
            macros: BTreeMap::new(),
            aliases: BTreeMap::new(),
            table: MacroTable::default(),
            joining: BTreeSet::new(),
            missing_headers: unit.missing_headers.clone(),
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
            for declared in &readings[placed.reading][placed.item].declares {
                let table = match declared.kind {
                    NameKind::Tag => &mut index.tags,
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
    }

    /// The items in order.
    pub fn placed(&self) -> &[Placed] {
        &self.placed
    }

    fn item(&self, at: usize) -> &'a Item {
        let placed = &self.placed[at];
        &self.readings[placed.reading][placed.item]
    }

    /// The places of the prototypes of a function.
    pub fn prototypes(&self, name: &str) -> impl Iterator<Item = &Placed> {
        let places = self.names.get(name).map_or(&[][..], Vec::as_slice);
        places
            .iter()
            .filter(|&&at| self.item(at).kind == ItemKind::Declaration)
            .map(|&at| &self.placed[at])
    }

    /// What the function at `target` refers to directly.
    pub fn references(&self, target: usize) -> References {
        let item = self.item(target);
        let mut sets: [BTreeSet<String>; 4] = Default::default();
        let mut seen_macros = BTreeSet::new();
        let mut mentions = item.head.clone();
        mentions.extend(&item.inside);
        mentions.values.extend(self.joined(target));
        self.refer(&mentions, &mut sets, &mut seen_macros);
        let own = item.function_name().unwrap_or_default();
        let [mut functions, types, globals, macros] = sets;
        functions.remove(own);
        let list = |set: BTreeSet<String>| set.into_iter().collect();
        References {
            functions: list(functions),
            types: list(types),
            globals: list(globals),
            macros: list(macros),
        }
    }

    /// The names that macro calls in an item build with `##`.
    fn joined(&self, at: usize) -> BTreeSet<Box<str>> {
        let item = self.item(at);
        let mut words = item.head.words.iter().chain(&item.inside.words);
        if !words.any(|word| self.joining.contains(&**word)) {
            return BTreeSet::new();
        }
        let words = Word::lex(&self.text(at));
        let (_, joined) = self.table.expand_noting(&words).unwrap_or_default();
        joined.iter().map(|name| Box::from(&**name)).collect()
    }

    fn refer(
        &self,
        mentions: &Mentions,
        sets: &mut [BTreeSet<String>; 4],
        seen_macros: &mut BTreeSet<&'a str>,
    ) {
        let values = mentions
            .values
            .iter()
            .chain(&mentions.types)
            .chain(&mentions.pointed_types);
        for name in values {
            let aliases = self.aliases.get(&**name).into_iter().flatten();
            for &name in std::iter::once(&&**name).chain(aliases) {
                self.refer_to_name(name, sets);
            }
        }
        for tag in mentions.tags.iter().chain(&mentions.pointed_tags) {
            if self.tags.contains_key(&**tag) {
                sets[1].insert(tag.to_string());
            }
        }
        for word in &mentions.words {
            if let Some((&name, events)) = self.macros.get_key_value(&**word)
                && seen_macros.insert(name)
            {
                sets[3].insert(name.to_owned());
                for &event in events {
                    if let Some(definition) = &self.unit.macro_events[event].definition {
                        self.refer(&macro_mentions(definition), sets, seen_macros);
                    }
                }
            }
        }
    }

    fn refer_to_name(&self, name: &str, sets: &mut [BTreeSet<String>; 4]) {
        let places = self.names.get(name).map_or(&[][..], Vec::as_slice);
        let declared = places.iter().flat_map(|&at| &self.item(at).declares);
        for declared in declared.filter(|declared| *declared.name == *name) {
            let set = match declared.kind {
                NameKind::Function => &mut sets[0],
                NameKind::Typedef => &mut sets[1],
                NameKind::Variable | NameKind::Enumerator => &mut sets[2],
                NameKind::Tag => continue,
            };
            set.insert(name.to_owned());
        }
    }

    /// The file that holds the function at `target` and what it needs.
    ///
    /// Bodies of helpers are given up step by step to keep the bounds: first those of helpers' helpers, then
    /// all.
    ///
    /// # Errors
    /// [`TooLarge`] when even prototypes do not fit.
    pub fn closure(
        &self,
        target: usize,
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
                    let closure = self.emit(&growing, target, &direct, source, bodies);
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
            if references.functions.is_empty() {
                break;
            }
        }
        Err(too_large.expect("a closure that was not returned was too large"))
    }

    fn emit(
        &self,
        grown: &Growing,
        target: usize,
        direct: &BTreeSet<&str>,
        source: &str,
        bodies: HelperBodies,
    ) -> Closure {
        let mut text = String::new();
        let mut parts = Vec::new();
        let mut part = |kind, text: &str, start: usize, names: Vec<String>| {
            let span = Span {
                start: offset(start),
                end: offset(text.len()),
            };
            parts.push(Part {
                kind,
                span,
                names,
                external: false,
            });
            span
        };
        for name in BEFORE_HEADERS {
            if let Some(&event) = self.macros.get(name).and_then(|events| events.first()) {
                let start = text.len();
                text.push_str(&self.piece(Piece::Macro(event)));
                part(PieceKind::Directive, &text, start, vec![name.to_owned()]);
                text.push('\n');
            }
        }
        for header in &self.unit.system_headers {
            let start = text.len();
            text.extend(["#include <", header, ">"]);
            part(PieceKind::Header, &text, start, vec![header.clone()]);
            text.push('\n');
        }
        let items = grown
            .forms
            .iter()
            .map(|(&at, &form)| (self.placed[at].position, Piece::Item(at, form)));
        // A definition inside an item that stands whole stands there.
        let whole = grown.forms.iter().filter(|&(_, &form)| form == Form::Whole);
        let ranges: BTreeMap<(usize, usize), usize> = whole
            .map(|(&at, _)| {
                let range = &self.item(at).range;
                ((self.placed[at].reading, range.start), range.end)
            })
            .collect();
        let is_inside = |&&event: &&usize| {
            let event = &self.unit.macro_events[event];
            let before = ranges.range(..(event.reading, event.start)).next_back();
            before
                .is_some_and(|(&(reading, _), &end)| reading == event.reading && event.start < end)
        };
        let macros = grown
            .macros
            .iter()
            .filter(|event| !is_inside(event))
            .map(|&event| (self.unit.macro_events[event].position, Piece::Macro(event)));
        let mut pieces: Vec<_> = items.chain(macros).collect();
        pieces.sort_by_key(|(position, piece)| (*position, *piece));
        let mut target_span = Span { start: 0, end: 0 };
        let mut helpers = Vec::new();
        for (_, piece) in &pieces {
            let shown = self.piece(*piece);
            if !text.is_empty() {
                text.push('\n');
            }
            let start = text.len();
            text.push_str(&shown);
            let kind = self.kind(*piece, target, direct);
            let span = part(kind, &text, start, self.declared(*piece));
            text.push('\n');
            if let Piece::Item(at, Form::Whole) = *piece {
                if at == target {
                    target_span = span;
                } else if let (PieceKind::Helper, Some(name)) =
                    (kind, self.item(at).function_name())
                {
                    let path = &self.unit.readings[self.placed[at].reading].file.path;
                    let function_id: Id = Function::id_of(source, path, name, &shown);
                    helpers.push(HelperSpan {
                        name: name.to_owned(),
                        function_id,
                        span,
                    });
                }
            }
        }
        Closure {
            text,
            target: target_span,
            helpers,
            helper_bodies: bodies,
            items: offset(pieces.len()),
            pieces: parts,
            helper_external: Vec::new(),
            missing_headers: self.missing_headers.clone(),
        }
    }

    /// What a piece is in a closure.
    fn kind(&self, piece: Piece, target: usize, direct: &BTreeSet<&str>) -> PieceKind {
        match piece {
            Piece::Macro(_) => PieceKind::Directive,
            Piece::Item(at, Form::Whole) if at == target => PieceKind::Target,
            Piece::Item(at, Form::Whole) => match self.item(at).function_name() {
                Some(name) if direct.contains(name) => PieceKind::Helper,
                Some(_) => PieceKind::Definition,
                None => PieceKind::Declaration,
            },
            Piece::Item(_, Form::Head) => PieceKind::Declaration,
        }
    }

    /// The names that a piece declares, each once.
    fn declared(&self, piece: Piece) -> Vec<String> {
        match piece {
            Piece::Macro(event) => vec![self.unit.macro_events[event].name.to_string()],
            Piece::Item(at, _) => {
                let declared = self.item(at).declares.iter();
                let names: BTreeSet<&str> = declared.map(|declared| &*declared.name).collect();
                names.into_iter().map(str::to_owned).collect()
            }
        }
    }

    fn piece(&self, piece: Piece) -> String {
        match piece {
            Piece::Macro(event) => {
                let event = &self.unit.macro_events[event];
                emit::text(self.unit, event.reading, event.start..event.end)
            }
            Piece::Item(at, form) => {
                let placed = &self.placed[at];
                let item = self.item(at);
                if let (Some(body), Form::Head) = (&item.body, form) {
                    return emit::head(self.unit, placed.reading, item.range.clone(), body.clone());
                }
                let mut text = emit::text(self.unit, placed.reading, item.range.clone());
                let ended = match item.kind {
                    ItemKind::Function => true,
                    ItemKind::Tag => text.ends_with(';'),
                    _ => text.ends_with([';', '}']),
                };
                if !ended {
                    text.push(';');
                }
                text
            }
        }
    }

    /// The text of the item at `at`, whole.
    pub fn text(&self, at: usize) -> String {
        self.piece(Piece::Item(at, Form::Whole))
    }
}

fn offset(bytes: usize) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Piece {
    Item(usize, Form),
    Macro(usize),
}

/// How much of an item is needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Form {
    Head,
    Whole,
}

/// A closure while it grows.
struct Growing<'a, 'i> {
    index: &'i Index<'a>,
    bodies: HelperBodies,
    direct: &'i BTreeSet<&'i str>,
    bounds: Bounds,
    target: usize,
    forms: BTreeMap<usize, Form>,
    macros: BTreeSet<usize>,
    known_macros: BTreeSet<&'a str>,
    /// Names followed because a macro renames them.
    followed: BTreeSet<&'a str>,
    fields: BTreeSet<Box<str>>,
    /// Items whose mentions are still to be followed, each with the part that is new.
    pending: Vec<(usize, Form)>,
    bytes: usize,
}

impl<'a, 'i> Growing<'a, 'i> {
    fn new(
        index: &'i Index<'a>,
        target: usize,
        bodies: HelperBodies,
        direct: &'i BTreeSet<&'i str>,
        bounds: Bounds,
    ) -> Self {
        let mut growing = Growing {
            index,
            bodies,
            direct,
            bounds,
            target,
            forms: BTreeMap::new(),
            macros: BTreeSet::new(),
            known_macros: BTreeSet::new(),
            followed: BTreeSet::new(),
            fields: BTreeSet::new(),
            pending: Vec::new(),
            bytes: 0,
        };
        growing.add(target, Form::Whole);
        growing
    }

    fn grow(&mut self) -> Result<(), TooLarge> {
        loop {
            while let Some((at, form)) = self.pending.pop() {
                let item = self.index.item(at);
                self.follow(
                    &item.head,
                    item.kind == ItemKind::Function && form == Form::Whole,
                );
                if form == Form::Whole {
                    self.follow(&item.inside, item.kind == ItemKind::Function);
                    for name in self.index.joined(at) {
                        self.name(&name, Form::Whole);
                        self.tag(&name, Form::Whole);
                        self.macro_named(&name);
                    }
                }
                if self.forms.len() + self.macros.len() > self.bounds.items
                    || self.bytes > self.bounds.bytes
                {
                    let items = self.forms.len() + self.macros.len();
                    return Err(TooLarge {
                        items,
                        bytes: self.bytes,
                    });
                }
            }
            // A member that is accessed completes every type that has one of that name.
            let heads: Vec<usize> = self
                .forms
                .iter()
                .filter(|&(&at, &form)| {
                    let item = self.index.item(at);
                    form == Form::Head
                        && item.kind != ItemKind::Function
                        && item
                            .members
                            .iter()
                            .any(|member| self.fields.contains(member))
                })
                .map(|(&at, _)| at)
                .collect();
            if heads.is_empty() {
                return Ok(());
            }
            for at in heads {
                self.add(at, Form::Whole);
            }
        }
    }

    fn add(&mut self, at: usize, form: Form) {
        let item = self.index.item(at);
        let form = if item.has_head && item.body.is_some() {
            form
        } else {
            Form::Whole
        };
        let known = self.forms.get(&at).copied();
        if known.is_none_or(|known| known < form) {
            self.forms.insert(at, form);
            self.pending.push((at, form));
            let whole = item.range.len();
            let body = item.body.as_ref().map_or(0, std::ops::Range::len);
            self.bytes += match (known, form) {
                (None, Form::Head) => whole - body,
                (None, Form::Whole) => whole,
                (Some(_), _) => body,
            };
        }
    }

    fn follow(&mut self, mentions: &Mentions, code: bool) {
        for name in mentions.values.iter().chain(&mentions.types) {
            self.name(name, Form::Whole);
        }
        for name in &mentions.pointed_types {
            self.name(name, if code { Form::Whole } else { Form::Head });
        }
        for tag in &mentions.tags {
            self.tag(tag, Form::Whole);
        }
        for tag in &mentions.pointed_tags {
            self.tag(tag, if code { Form::Whole } else { Form::Head });
        }
        self.fields.extend(mentions.fields.iter().cloned());
        for word in &mentions.words {
            self.macro_named(word);
        }
    }

    fn name(&mut self, name: &str, form: Form) {
        let index = self.index;
        // `#define insert lib_insert` before the definition of `insert`: who calls `lib_insert` needs both.
        for &alias in index.aliases.get(name).map_or(&[][..], Vec::as_slice) {
            if alias != name && index.names.contains_key(alias) {
                self.macro_named(alias);
                if !self.followed.contains(alias) {
                    self.followed.insert(alias);
                    self.name(alias, form);
                }
            }
        }
        for &at in index.names.get(name).map_or(&[][..], Vec::as_slice) {
            let item = index.item(at);
            let form = match item.kind {
                ItemKind::Function => self.function_form(at, item, name),
                ItemKind::Typedef => form,
                _ => Form::Whole,
            };
            self.add(at, form);
            // A typedef of a tag that is defined elsewhere hands completeness on.
            if item.kind == ItemKind::Typedef && form == Form::Whole {
                for tag in &item.head.pointed_tags {
                    self.tag(tag, Form::Whole);
                }
                for inner in &item.head.pointed_types {
                    if &**inner != name {
                        self.name(inner, Form::Whole);
                    }
                }
            }
        }
    }

    fn function_form(&self, at: usize, item: &Item, name: &str) -> Form {
        let reading = &self.index.unit.readings[self.index.placed[at].reading];
        let forced = reading
            .forced_inline
            .iter()
            .any(|byte| item.range.contains(byte));
        let wanted = match self.bodies {
            HelperBodies::Full => true,
            HelperBodies::Direct => self.direct.contains(name),
            HelperBodies::None => false,
        };
        if at == self.target || forced || wanted {
            Form::Whole
        } else {
            Form::Head
        }
    }

    fn tag(&mut self, tag: &str, form: Form) {
        for &at in self.index.tags.get(tag).map_or(&[][..], Vec::as_slice) {
            self.add(at, form);
        }
    }

    fn macro_named(&mut self, word: &str) {
        let index = self.index;
        let Some((&name, events)) = index.macros.get_key_value(word) else {
            return;
        };
        if !self.known_macros.insert(name) {
            return;
        }
        for &event in events {
            self.macros.insert(event);
            let macro_event = &index.unit.macro_events[event];
            self.bytes += macro_event.end - macro_event.start;
            if let Some(definition) = &macro_event.definition {
                self.follow(&macro_mentions(definition), true);
            }
        }
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
