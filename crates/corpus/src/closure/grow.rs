//! The items that a function needs, and how much of each.

use std::collections::BTreeSet;
use std::ops::Range;

use barecode_records::{FunctionKind, HelperBodies};
use foldhash::HashSet;

use super::{Bounds, Index, Target, TooLarge};
use crate::items::{Item, ItemKind, NameKind};
use crate::names::{Mentioned, Name};
use crate::preprocess::unit::Reading;

/// The part of an item that is needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Form {
    /// Without its body: a prototype, a forward declaration.
    Head,
    /// All of it; of a class only those bodies inside that are in [`Growing::bodies_inside`].
    Whole,
}

/// The facts that are known of a name while a closure grows.
#[derive(Debug, Clone, Copy, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "facts that do not depend on each other"
)]
struct Fate {
    /// The part of its items that was added.
    named: Option<Form>,
    /// The part of the tags of that name that was added.
    tagged: Option<Form>,
    /// Its macros were added.
    defined: bool,
    /// It was followed because a macro renames it.
    followed: bool,
    /// Code accesses a member of that name.
    field: bool,
    /// C++: code mentions it, and it may be a member that is called.
    called: bool,
    /// C++: code uses the operator of that name.
    operator: bool,
    /// The target calls it.
    direct: bool,
}

/// A closure while it grows.
pub(super) struct Growing<'a, 'i> {
    index: &'i Index<'a>,
    bodies: HelperBodies,
    bounds: Bounds,
    target: Target,
    /// By item.
    forms: Vec<Option<Form>>,
    /// The items that have a form.
    items: Vec<usize>,
    /// Functions inside of classes that keep their bodies: item and number.
    pub(super) bodies_inside: BTreeSet<(usize, usize)>,
    pub(super) macros: Vec<usize>,
    /// By slot of the name; slot 0 is never used.
    fates: Vec<Fate>,
    /// C++: signatures and types of members that were followed: item, which of the two, number.
    completed: HashSet<(usize, bool, usize)>,
    /// C++: operators that code uses.
    operators: Vec<Name>,
    /// Items whose mentions are still to be followed, each with the part that is new.
    pending: Vec<(usize, Form)>,
    bytes: usize,
}

impl<'a, 'i> Growing<'a, 'i> {
    pub(super) fn new(
        index: &'i Index<'a>,
        target: Target,
        bodies: HelperBodies,
        direct: &BTreeSet<&str>,
        bounds: Bounds,
    ) -> Self {
        let mut growing = Growing {
            index,
            bodies,
            bounds,
            target,
            forms: vec![None; index.placed.len()],
            items: Vec::new(),
            bodies_inside: BTreeSet::new(),
            macros: Vec::new(),
            fates: vec![Fate::default(); index.slot_count.max(1)],
            completed: HashSet::default(),
            operators: Vec::new(),
            pending: Vec::new(),
            bytes: 0,
        };
        let table = index.names.table();
        for name in direct.iter().filter_map(|text| table.known(text)) {
            growing.fates[index.slot(name)].direct = true;
        }
        drop(table);
        growing.fates[0].direct = false;
        growing.add(target.item, Form::Whole);
        growing
    }

    /// The items that are needed, in order, and how much of each.
    pub(super) fn forms(&self) -> impl Iterator<Item = (usize, Form)> {
        let form = |&at: &usize| Some((at, self.forms[at]?));
        self.items.iter().filter_map(form)
    }

    /// Returns the number of items that are needed.
    pub(super) fn item_count(&self) -> usize {
        self.items.len()
    }

    pub(super) fn grow(&mut self) -> Result<(), TooLarge> {
        loop {
            while let Some((at, form)) = self.pending.pop() {
                self.follow_item(at, form);
                let items = self.items.len() + self.macros.len();
                if items > self.bounds.items || self.bytes > self.bounds.bytes {
                    return Err(TooLarge {
                        items,
                        bytes: self.bytes,
                    });
                }
            }
            self.items.sort_unstable();
            if !(self.complete_types() || (self.index.is_cpp() && self.complete_classes())) {
                return Ok(());
            }
        }
    }

    fn follow_item(&mut self, at: usize, form: Form) {
        let item = self.index.item(at);
        let names = &item.names;
        let whole_function = item.kind == ItemKind::Function && form == Form::Whole;
        if self.index.is_cpp() && item.kind == ItemKind::Function && form == Form::Head {
            self.follow_signature(&names.head);
        } else {
            self.follow(&names.head, whole_function);
        }
        if let Some(&qualifier) = names.qualifiers.last()
            && !self.index.is_class(qualifier)
            && let Some(name) = names.function
        {
            // The item that a namespace qualifies was declared in it.
            self.name(name, Form::Head);
        }
        if form == Form::Whole {
            self.follow(&names.inside, item.kind == ItemKind::Function);
            for inner in &names.inner {
                self.follow_signature(&inner.head);
            }
            for &friend in &names.befriended {
                self.declare_before(friend, at);
            }
            let brought = self.index.brought(at);
            for &name in &brought.included {
                self.name(name, Form::Whole);
                self.macro_named(name);
            }
            for &name in &brought.joined {
                self.name(name, Form::Whole);
                self.tag(name, Form::Whole);
                self.macro_named(name);
            }
        } else if names.head.words.iter().any(|&word| self.index.joins(word)) {
            // An attribute may be built too: `ATTR(PURE) int f(int a);`.
            for &name in &self.index.brought(at).joined {
                self.macro_named(name);
            }
        }
    }

    /// If no declaration of a class comes before an item, adds the first type that declares it by naming it.
    fn declare_before(&mut self, class: Name, at: usize) {
        let meaning = self.index.meaning(class);
        let before = |places: &[usize]| places.first().copied().filter(|&place| place < at);
        if before(&meaning.tags).is_none()
            && let Some(place) = before(&meaning.elaborated)
        {
            self.add(place, Form::Whole);
        }
    }

    /// A member that is accessed completes every type that has one of that name.
    fn complete_types(&mut self) -> bool {
        let is_accessed = |&(at, form): &(usize, Form)| {
            let item = self.index.item(at);
            form == Form::Head
                && item.kind != ItemKind::Function
                && item.names.members.iter().any(|&name| self.fate(name).field)
        };
        let heads: Vec<(usize, Form)> = self.forms().filter(is_accessed).collect();
        for &(at, _) in &heads {
            self.add(at, Form::Whole);
        }
        !heads.is_empty()
    }

    /// C++: bodies inside of classes and outside of them that are called, operators and specializations for types in
    /// the closure.
    fn complete_classes(&mut self) -> bool {
        let index = self.index;
        let mut grown = false;
        let whole = self.forms().filter(|&(_, form)| form == Form::Whole);
        let classes: Vec<usize> = whole.map(|(at, _)| at).collect();
        for &at in &classes {
            let item = index.item(at);
            for (number, (inner, names)) in item.inner.iter().zip(&item.names.inner).enumerate() {
                let target = Target {
                    item: at,
                    inner: Some(number),
                };
                // No code names a conversion, and one that must be inlined is of no use without its body.
                let is_forced = inner.kind == FunctionKind::Conversion
                    && forced_inside(index.reading(at), &inner.range);
                let wanted = target == self.target
                    || inner.needs_body
                    || is_forced
                    || (self.wants_body(names.name) && !inner.has_error);
                if wanted && self.bodies_inside.insert((at, number)) {
                    self.bytes += inner.body.len();
                    self.follow(&names.head, true);
                    self.follow(&names.inside, true);
                    grown = true;
                }
            }
        }
        grown |= self.complete_signatures();
        let types = classes
            .iter()
            .flat_map(|&at| &index.item(at).names.declares);
        let types = types.filter(|(kind, _)| matches!(kind, NameKind::Tag | NameKind::Typedef));
        let named: HashSet<Name> = types.map(|&(_, name)| name).collect();
        let about = |mentioned: &Mentioned| {
            let mut types = mentioned.types.iter().chain(&mentioned.pointed_types);
            types.any(|name| named.contains(name))
        };
        let mut found = Vec::new();
        for &operator in &self.operators {
            for &at in &index.meaning(operator).names {
                if about(&index.item(at).names.head) {
                    found.push((at, self.function_form(at, index.item(at), operator)));
                }
            }
        }
        for &name in &index.outside {
            if !self.wants_body(name) {
                continue;
            }
            for &at in &index.meaning(name).outside {
                let item = index.item(at);
                let is_there = item.names.qualifiers.last().is_some_and(|&qualifier| {
                    named.contains(&qualifier) || !index.is_class(qualifier)
                });
                if is_there && item.kind == ItemKind::Function && !item.has_error {
                    found.push((at, Form::Whole));
                }
            }
        }
        for &at in &index.specializations {
            let item = index.item(at);
            if item.kind != ItemKind::Other && about(&item.names.head) {
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
        let index = self.index;
        let mut wanted: Vec<Name> = Vec::new();
        let mut grown = false;
        // Bodies that were followed just now may have brought items.
        for at in self.items.clone() {
            let names = &index.item(at).names;
            let whole = self.forms[at] == Some(Form::Whole);
            let lists = [
                (false, &names.signatures[..], true),
                (true, &names.member_types[..], whole),
            ];
            for (kind, list, counts) in lists {
                for (number, (name, types)) in list.iter().enumerate() {
                    if counts
                        && self.fate(*name).called
                        && self.completed.insert((at, kind, number))
                    {
                        wanted.extend(types);
                        grown = true;
                    }
                }
            }
        }
        if !wanted.is_empty() {
            index.names.table().sort(&mut wanted);
        }
        for &name in &wanted {
            self.name(name, Form::Whole);
        }
        grown
    }

    fn fate(&self, name: Name) -> Fate {
        self.fates[self.index.slot(name)]
    }

    /// Notes something of names that the unit knows.
    fn note(&mut self, names: &[Name], note: impl Fn(&mut Fate)) {
        for &name in names {
            let slot = self.index.slot(name);
            if slot != 0 {
                note(&mut self.fates[slot]);
            }
        }
    }

    /// Returns `true` if functions of this name keep their bodies.
    fn wants_body(&self, name: Name) -> bool {
        let fate = self.fate(name);
        match self.bodies {
            HelperBodies::Full => fate.called || fate.operator,
            HelperBodies::Direct => fate.direct,
            HelperBodies::None => false,
        }
    }

    /// Adds an item, or more of it. Returns `true` if that is new.
    fn add(&mut self, at: usize, form: Form) -> bool {
        let known = self.forms[at];
        if known >= Some(form) {
            return false;
        }
        let item = self.index.item(at);
        let form = if item.has_head && item.body.is_some() {
            form
        } else {
            Form::Whole
        };
        let is_new = known.is_none_or(|known| known < form);
        if is_new {
            if known.is_none() {
                self.items.push(at);
            }
            self.forms[at] = Some(form);
            self.pending.push((at, form));
            let whole = item.range.len();
            let mut body = item.body.as_ref().map_or(0, Range::len);
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

    fn follow(&mut self, mentioned: &Mentioned, code: bool) {
        for &name in mentioned.values.iter().chain(&mentioned.types) {
            self.name(name, Form::Whole);
        }
        let pointed = if code { Form::Whole } else { Form::Head };
        for &name in &mentioned.pointed_types {
            self.name(name, pointed);
        }
        self.qualifiers(mentioned);
        for &tag in &mentioned.pointed_tags {
            self.tag(tag, pointed);
        }
        self.note(&mentioned.fields, |fate| fate.field = true);
        if code && self.index.is_cpp() {
            let (types, pointed) = (&mentioned.types, &mentioned.pointed_types);
            for names in [&mentioned.values, &mentioned.fields, types, pointed] {
                self.note(names, |fate| fate.called = true);
            }
        }
        self.use_operators(&mentioned.operators);
        for &word in &mentioned.words {
            self.macro_named(word);
        }
    }

    fn use_operators(&mut self, operators: &[Name]) {
        let known = self.operators.len();
        for &operator in operators {
            let slot = self.index.slot(operator);
            if slot != 0 && !self.fates[slot].operator {
                self.fates[slot].operator = true;
                self.operators.push(operator);
            }
        }
        if self.operators.len() > known {
            self.index.names.table().sort(&mut self.operators);
        }
    }

    /// Tags of C, and in C++ the names before a `::`: a type must be complete to name something in it.
    fn qualifiers(&mut self, mentioned: &Mentioned) {
        for &tag in &mentioned.tags {
            if self.index.is_cpp() {
                self.name(tag, Form::Whole);
            } else {
                self.tag(tag, Form::Whole);
            }
        }
    }

    /// Follows the names in the head of a function: types need not be complete for that.
    fn follow_signature(&mut self, mentioned: &Mentioned) {
        for &name in &mentioned.values {
            self.name(name, Form::Whole);
        }
        for &name in mentioned.types.iter().chain(&mentioned.pointed_types) {
            self.name(name, Form::Head);
        }
        self.qualifiers(mentioned);
        for &word in &mentioned.words {
            self.macro_named(word);
        }
    }

    fn name(&mut self, name: Name, form: Form) {
        let index = self.index;
        let slot = index.slot(name);
        if slot == 0 || self.fates[slot].named >= Some(form) {
            return;
        }
        self.fates[slot].named = Some(form);
        let meaning = index.meaning(name);
        // `#define insert lib_insert` before the definition of `insert`: a caller of `lib_insert` needs both.
        for &alias in &meaning.aliases {
            if alias != name && !index.meaning(alias).names.is_empty() {
                self.macro_named(alias);
                let followed = &mut self.fates[index.slot(alias)].followed;
                if !std::mem::replace(followed, true) {
                    self.name(alias, form);
                }
            }
        }
        if index.is_cpp() {
            self.tag(name, form);
        }
        for &at in &meaning.names {
            let item = index.item(at);
            let form = match item.kind {
                ItemKind::Function => self.function_form(at, item, name),
                ItemKind::Typedef => form,
                _ => Form::Whole,
            };
            self.add(at, form);
            // A typedef of a tag that is defined elsewhere hands completeness on.
            if item.kind == ItemKind::Typedef && form == Form::Whole {
                for &tag in &item.names.head.pointed_tags {
                    self.tag(tag, Form::Whole);
                }
                for &inner in &item.names.head.pointed_types {
                    if inner != name {
                        self.name(inner, Form::Whole);
                    }
                }
            }
        }
    }

    fn function_form(&self, at: usize, item: &Item, name: Name) -> Form {
        let reading = self.index.reading(at);
        let forced = forced_inside(reading, &item.range);
        let wanted = match self.bodies {
            HelperBodies::Full => true,
            HelperBodies::Direct => self.fate(name).direct,
            HelperBodies::None => false,
        };
        let is_target = self.target.inner.is_none() && at == self.target.item;
        if is_target || forced || (wanted && !item.has_error) {
            Form::Whole
        } else {
            Form::Head
        }
    }

    fn tag(&mut self, tag: Name, form: Form) {
        let slot = self.index.slot(tag);
        if slot == 0 || self.fates[slot].tagged >= Some(form) {
            return;
        }
        self.fates[slot].tagged = Some(form);
        for &at in &self.index.meaning(tag).tags {
            self.add(at, form);
        }
    }

    fn macro_named(&mut self, word: Name) {
        let index = self.index;
        let slot = index.slot(word);
        if slot == 0 || std::mem::replace(&mut self.fates[slot].defined, true) {
            return;
        }
        for &event in &index.meaning(word).macros {
            self.macros.push(event);
            let macro_event = &index.unit.macro_events[event];
            self.bytes += macro_event.end - macro_event.start;
            if let Some(mentioned) = index.mentions_of(event) {
                self.follow(mentioned, true);
            }
        }
    }
}

/// Returns `true` if an attribute in a range, or right before it, forces inlining.
fn forced_inside(reading: &Reading, range: &Range<usize>) -> bool {
    let text = &reading.file.text;
    reading.forced_inline.iter().any(|&byte| {
        let between = text.get(byte..range.start);
        let is_before = between.is_some_and(|between| !between.contains([';', '{', '}']));
        range.contains(&byte) || is_before
    })
}
