//! The items that a function needs, and how much of each.

use std::collections::{BTreeMap, BTreeSet};

use barecode_records::HelperBodies;

use super::{Bounds, Index, Target, TooLarge};
use crate::items::{Item, ItemKind, Mentions, NameKind};

/// How much of an item is needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Form {
    /// Without its body: a prototype, a forward declaration.
    Head,
    /// All of it; of a class only those bodies inside that are in [`Growing::bodies_inside`].
    Whole,
}

/// A closure while it grows.
pub(super) struct Growing<'a, 'i> {
    index: &'i Index<'a>,
    bodies: HelperBodies,
    direct: &'i BTreeSet<&'i str>,
    bounds: Bounds,
    target: Target,
    pub(super) forms: BTreeMap<usize, Form>,
    /// Functions inside of classes that keep their bodies: item and number.
    pub(super) bodies_inside: BTreeSet<(usize, usize)>,
    pub(super) macros: BTreeSet<usize>,
    known_macros: BTreeSet<&'a str>,
    /// Names followed because a macro renames them.
    followed: BTreeSet<&'a str>,
    fields: BTreeSet<&'i str>,
    /// C++: names that code mentions, and may be members that are called.
    called: BTreeSet<&'i str>,
    /// C++: signatures and types of members that were followed: item, which of the two, number.
    completed: BTreeSet<(usize, bool, usize)>,
    /// C++: operators that code uses.
    operators: BTreeSet<&'i str>,
    /// Items whose mentions are still to be followed, each with the part that is new.
    pending: Vec<(usize, Form)>,
    bytes: usize,
}

impl<'a, 'i> Growing<'a, 'i> {
    pub(super) fn new(
        index: &'i Index<'a>,
        target: Target,
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
            bodies_inside: BTreeSet::new(),
            macros: BTreeSet::new(),
            known_macros: BTreeSet::new(),
            followed: BTreeSet::new(),
            fields: BTreeSet::new(),
            called: BTreeSet::new(),
            completed: BTreeSet::new(),
            operators: BTreeSet::new(),
            pending: Vec::new(),
            bytes: 0,
        };
        growing.add(target.item, Form::Whole);
        growing
    }

    pub(super) fn grow(&mut self) -> Result<(), TooLarge> {
        loop {
            while let Some((at, form)) = self.pending.pop() {
                self.follow_item(at, form);
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
            if !(self.complete_types() || (self.index.is_cpp() && self.complete_classes())) {
                return Ok(());
            }
        }
    }

    fn follow_item(&mut self, at: usize, form: Form) {
        let item = self.index.item(at);
        let whole_function = item.kind == ItemKind::Function && form == Form::Whole;
        if self.index.is_cpp() && item.kind == ItemKind::Function && form == Form::Head {
            self.follow_signature(&item.head);
        } else {
            self.follow(&item.head, whole_function);
        }
        if let Some(qualifier) = item.qualifiers.last()
            && !self.index.is_class(qualifier)
            && let Some(name) = item.function_name()
        {
            // What a namespace qualifies was declared in it.
            self.name(name, Form::Head);
        }
        if form == Form::Whole {
            self.follow(&item.inside, item.kind == ItemKind::Function);
            for inner in &item.inner {
                self.follow_signature(&inner.head);
            }
            let brought = self.index.brought(at);
            for name in &brought.included {
                self.name(name, Form::Whole);
                self.macro_named(name);
            }
            for name in &brought.joined {
                self.name(name, Form::Whole);
                self.tag(name, Form::Whole);
                self.macro_named(name);
            }
        }
    }

    /// A member that is accessed completes every type that has one of that name.
    fn complete_types(&mut self) -> bool {
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
                        .any(|member| self.fields.contains(&**member))
            })
            .map(|(&at, _)| at)
            .collect();
        for &at in &heads {
            self.add(at, Form::Whole);
        }
        !heads.is_empty()
    }

    /// C++: bodies inside of classes and outside of them that are called, operators and specializations for
    /// types that are there.
    fn complete_classes(&mut self) -> bool {
        let mut grown = false;
        let classes: Vec<usize> = self.whole_items().collect();
        for &at in &classes {
            for (number, inner) in self.index.item(at).inner.iter().enumerate() {
                let target = Target {
                    item: at,
                    inner: Some(number),
                };
                let wanted = target == self.target
                    || inner.needs_body
                    || (self.wants_body(&inner.name) && !inner.has_error);
                if wanted && self.bodies_inside.insert((at, number)) {
                    self.bytes += inner.body.len();
                    self.follow(&inner.head, true);
                    self.follow(&inner.inside, true);
                    grown = true;
                }
            }
        }
        grown |= self.complete_signatures();
        let named: BTreeSet<&str> = classes
            .iter()
            .flat_map(|&at| &self.index.item(at).declares)
            .filter(|declared| matches!(declared.kind, NameKind::Tag | NameKind::Typedef))
            .map(|declared| &*declared.name)
            .collect();
        let about = |mentions: &Mentions| {
            let types = mentions.types.iter().chain(&mentions.pointed_types);
            types.into_iter().any(|name| named.contains(&**name))
        };
        let mut found = Vec::new();
        for operator in &self.operators {
            let places = self.index.names.get(operator);
            for &at in places.map_or(&[][..], Vec::as_slice) {
                if about(&self.index.item(at).head) {
                    found.push((at, self.function_form(at, self.index.item(at), operator)));
                }
            }
        }
        for (name, places) in &self.index.outside {
            if !self.wants_body(name) {
                continue;
            }
            for &at in places {
                let item = self.index.item(at);
                let is_there = item.qualifiers.last().is_some_and(|qualifier| {
                    named.contains(&**qualifier) || !self.index.is_class(qualifier)
                });
                if is_there && item.kind == ItemKind::Function && !item.has_error {
                    found.push((at, Form::Whole));
                }
            }
        }
        for &at in &self.index.specializations {
            let item = self.index.item(at);
            if item.kind != ItemKind::Other && about(&item.head) {
                found.push((at, Form::Whole));
            }
        }
        for (at, form) in found {
            grown |= self.add(at, form);
        }
        grown
    }

    /// Types in the signatures of functions that are called, and behind the names of members.
    fn complete_signatures(&mut self) -> bool {
        let mut wanted: BTreeSet<Box<str>> = BTreeSet::new();
        let mut grown = false;
        for (&at, &form) in &self.forms {
            let item = self.index.item(at);
            let lists = [
                (false, &item.signatures[..], true),
                (true, &item.member_types[..], form == Form::Whole),
            ];
            for (kind, list, counts) in lists {
                for (number, (name, types)) in list.iter().enumerate() {
                    if counts
                        && self.called.contains(&**name)
                        && self.completed.insert((at, kind, number))
                    {
                        wanted.extend(types.iter().cloned());
                        grown = true;
                    }
                }
            }
        }
        for name in &wanted {
            self.name(name, Form::Whole);
        }
        grown
    }

    fn whole_items(&self) -> impl Iterator<Item = usize> {
        let whole = self.forms.iter().filter(|&(_, &form)| form == Form::Whole);
        whole.map(|(&at, _)| at)
    }

    /// Whether functions of this name keep their bodies.
    fn wants_body(&self, name: &str) -> bool {
        match self.bodies {
            HelperBodies::Full => self.called.contains(name) || self.operators.contains(name),
            HelperBodies::Direct => self.direct.contains(name),
            HelperBodies::None => false,
        }
    }

    /// Adds an item, or more of it; whether that is new.
    fn add(&mut self, at: usize, form: Form) -> bool {
        let item = self.index.item(at);
        let form = if item.has_head && item.body.is_some() {
            form
        } else {
            Form::Whole
        };
        let known = self.forms.get(&at).copied();
        let is_new = known.is_none_or(|known| known < form);
        if is_new {
            self.forms.insert(at, form);
            self.pending.push((at, form));
            let whole = item.range.len();
            let mut body = item.body.as_ref().map_or(0, std::ops::Range::len);
            let inside: usize = item.inner.iter().map(|inner| inner.body.len()).sum();
            body = body.saturating_sub(inside);
            self.bytes += match (known, form) {
                (None, Form::Head) => whole.saturating_sub(body + inside),
                (None, Form::Whole) => whole.saturating_sub(inside),
                (Some(_), _) => body,
            };
        }
        is_new
    }

    fn follow(&mut self, mentions: &'i Mentions, code: bool) {
        for name in mentions.values.iter().chain(&mentions.types) {
            self.name(name, Form::Whole);
        }
        for name in &mentions.pointed_types {
            self.name(name, if code { Form::Whole } else { Form::Head });
        }
        self.qualifiers(mentions);
        for tag in &mentions.pointed_tags {
            self.tag(tag, if code { Form::Whole } else { Form::Head });
        }
        self.fields
            .extend(mentions.fields.iter().map(|name| &**name));
        if code && self.index.is_cpp() {
            let called = mentions.values.iter().chain(&mentions.fields);
            let called = called.chain(&mentions.types);
            self.called
                .extend(called.chain(&mentions.pointed_types).map(|name| &**name));
        }
        self.operators
            .extend(mentions.operators.iter().map(|name| &**name));
        for word in &mentions.words {
            self.macro_named(word);
        }
    }

    /// Tags of C, and in C++ what stands before a `::`: a type must be complete to name something in it.
    fn qualifiers(&mut self, mentions: &Mentions) {
        for tag in &mentions.tags {
            if self.index.is_cpp() {
                self.name(tag, Form::Whole);
            } else {
                self.tag(tag, Form::Whole);
            }
        }
    }

    /// Follows what a function names in its head: types need not be complete for that.
    fn follow_signature(&mut self, mentions: &Mentions) {
        for name in &mentions.values {
            self.name(name, Form::Whole);
        }
        for name in mentions.types.iter().chain(&mentions.pointed_types) {
            self.name(name, Form::Head);
        }
        self.qualifiers(mentions);
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
        if index.is_cpp() {
            self.tag(name, form);
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
        let reading = self.index.reading(at);
        let forced = reading
            .forced_inline
            .iter()
            .any(|byte| item.range.contains(byte));
        let wanted = match self.bodies {
            HelperBodies::Full => true,
            HelperBodies::Direct => self.direct.contains(name),
            HelperBodies::None => false,
        };
        let is_target = self.target.inner.is_none() && at == self.target.item;
        if is_target || forced || (wanted && !item.has_error) {
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
            if let Some(mentions) = index.mentions_of(event) {
                self.follow(mentions, true);
            }
        }
    }
}
