//! Symbols of Python: a closure's module → the names that it declares, and their positions.
//!
//! Each scope is a name space of its own, so two variables of one name in two functions are two symbols. Attributes
//! that the text defines are in a name space of their own. A reason to stay that comes from `python` is reported.
//! Names that imports bind and attributes of objects from elsewhere stay without being reported, because readers do
//! not expect them to change. Functions and classes change even where their names may become texts
//! (`type(x).__name__`, a decorator that registers a function), as names in C do that `assert` shows.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use barecode_python::{DECORATED, Fresh, Module, SHOWN, Symbol, attributes, is_word, symbols};
use barecode_records::{Closure, Span};

use super::{SpaceId, Stays, Symbols};

/// The name space of attributes.
const ATTRIBUTES: SpaceId = SpaceId(u16::MAX);

/// The symbols of a closure's module. They appear in the target first, then in its helpers.
pub(crate) fn of_module(module: &Module<'_>, closure: &Closure) -> Symbols {
    let attributes = attributes(module);
    let of_classes: BTreeSet<u32> = attributes
        .iter()
        .flat_map(|attribute| attribute.places.iter().map(|place| place.start))
        .collect();
    let mut known: BTreeMap<u32, Span> = BTreeMap::new();
    let mut names = Symbols::new(is_word);
    names.function_spaces = &[SpaceId(0), ATTRIBUTES];
    let mut add = |symbol: &Symbol, space: Option<SpaceId>| {
        // Names that become texts change, as they do in C: their text is not what the code does.
        let stays = symbol
            .stays
            .filter(|reason| ![SHOWN, DECORATED].contains(reason));
        let stays = match (stays, symbol.is_imported) {
            // The name of a library is not the project's to change, and neither is its common abbreviation (`np`).
            (_, true) => Some(Stays::External),
            (Some(reason), _) => Some(Stays::Special(reason)),
            (None, _) if space.is_none() => Some(Stays::Special("the text has too many scopes")),
            (None, _) => None,
        };
        let declared = match (stays, space) {
            (None, Some(space)) => Some(names.declare(&symbol.name, space, symbol.role)),
            _ => None,
        };
        for place in &symbol.places {
            known.insert(place.start, *place);
            match (declared, stays) {
                (Some(declared), _) => names.occurs(range(*place), declared),
                (None, Some(stays)) => names.stays(range(*place), stays),
                (None, None) => {}
            }
        }
    };
    for symbol in symbols(module, &BTreeSet::new()) {
        let is_attribute = symbol
            .places
            .iter()
            .any(|place| of_classes.contains(&place.start));
        if !is_attribute {
            let space = u16::try_from(symbol.scope).ok().map(SpaceId);
            add(&symbol, space.filter(|space| *space != ATTRIBUTES));
        }
    }
    for attribute in &attributes {
        add(attribute, Some(ATTRIBUTES));
    }
    for word in module.words() {
        if !known.contains_key(&word.start) {
            names.stays(range(word), Stays::External);
        }
    }
    let others = BTreeSet::new();
    let taken = Fresh::new(module, &others);
    names
        .reserved
        .extend(taken.words().iter().copied().map(Box::from));
    names.settle_in(closure);
    names
}

fn range(span: Span) -> Range<usize> {
    span.start as usize..span.end as usize
}
