//! The names of a source → their new names, one map for a setting and draw: the map that a renaming by spelling
//! applies.
//!
//! Each name that the source declares gets a new one, in the order of first appearance; no new name is an identifier
//! of the source, a word of the language or a name of its library. So the same map holds for every function of the
//! source: a name that is `method_3` in one is the same in all.
//!
//! A scheme that names by order of use ([`Canonical`](Scheme::Canonical)) stays one of a unit.

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use barecode_corpus::spellings::Spellings;
use barecode_languages::library_names::{Library, library};
use barecode_languages::{Entry, Tree};
use barecode_records::{Digest, Id, Role, Scheme, Setting, Unit};

use crate::naming::{Free, Naming, Old};
use crate::rename::next;
use crate::scheme::naming;

/// A setting and its draw.
type Draw = (Setting, Option<u32>);

/// The names of a source in a language, with the maps that were requested.
pub struct SourceMaps {
    spellings: Arc<Spellings>,
    id: Id,
    maps: Mutex<BTreeMap<Draw, Arc<Map>>>,
}

/// The new names of a source.
pub(crate) struct Map {
    spellings: Arc<Spellings>,
    /// The new names, one after the other.
    text: String,
    /// The place of each name's new one by the number of the name; empty for a name that stays.
    places: Vec<Range<u32>>,
}

impl Map {
    /// The new name of a name.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        let Range { start, end } = self.places[self.spellings.number_of(name)?];
        let new = self.text.get(start as usize..end as usize)?;
        (!new.is_empty()).then_some(new)
    }

    fn put(&mut self, name: &str, new: &str) {
        let number = self.spellings.number_of(name);
        let end = |text: &String| u32::try_from(text.len()).expect("names of less than 4 GiB");
        let start = end(&self.text);
        self.text.push_str(new);
        self.places[number.expect("it is one of them")] = start..end(&self.text);
    }
}

impl SourceMaps {
    /// Of the names of a source in a language.
    pub fn of(source: &str, spellings: Spellings) -> SourceMaps {
        let language = spellings.language().name();
        let digest = Digest::new("names").field(source).field(language);
        SourceMaps {
            spellings: Arc::new(spellings),
            id: Id::new("s", &digest),
            maps: Mutex::default(),
        }
    }

    /// The facts about the names.
    pub fn spellings(&self) -> &Spellings {
        &self.spellings
    }

    /// The new name of each name of the source; `None` if the scheme goes by order of use.
    pub(crate) fn map(&self, scheme: Scheme, draw: Draw, run_seed: u64) -> Option<Arc<Map>> {
        if scheme == Scheme::Canonical {
            return None;
        }
        let (setting, number) = draw;
        let mut maps = self.maps.lock().unwrap_or_else(PoisonError::into_inner);
        let naming = || naming(scheme, setting, run_seed, &self.id, number);
        let made = || Arc::new(self.named(&mut *naming(), setting.takes_foreign()));
        Some(Arc::clone(maps.entry(draw).or_insert_with(made)))
    }

    fn named(&self, naming: &mut dyn Naming, foreign: bool) -> Map {
        let language = self.spellings.language();
        let entry = barecode_languages::of(language);
        let is_capital = |tree: &Tree| tree.capitals_count || tree.has_elements;
        let capitals_count = entry.and_then(Entry::tree).is_some_and(is_capital);
        let mut taken = Taken {
            spellings: &self.spellings,
            entry,
            library: library(language),
            given: HashSet::new(),
        };
        let mut map = Map {
            spellings: Arc::clone(&self.spellings),
            text: String::new(),
            places: vec![0..0; self.spellings.len()],
        };
        let foreign = self.spellings.foreign().filter(|_| foreign);
        let foreign = foreign.map(|name| (name, Role::Foreign));
        for (name, role) in self.spellings.declared().chain(foreign) {
            if let Some(to) = next(naming, Old { role, name }, &taken, capitals_count) {
                map.put(name, &to);
                taken.given.insert(to);
            }
        }
        map
    }
}

/// The names that a new name must not equal.
struct Taken<'s> {
    spellings: &'s Spellings,
    entry: Option<&'static Entry>,
    library: Option<&'static Library>,
    given: HashSet<String>,
}

impl Free for Taken<'_> {
    fn is_free(&self, name: &str) -> bool {
        let is_word = |entry: &Entry| entry.is_keyword(name) || entry.is_builtin(name);
        !self.spellings.has(name)
            && !self.given.contains(name)
            && !self.entry.is_some_and(is_word)
            && !self.library.is_some_and(|library| library.has(name))
    }
}

/// The names of a map as a naming.
pub(crate) struct Mapped(pub(crate) Arc<Map>);

impl Naming for Mapped {
    fn next(&mut self, old: Old<'_>, _: &dyn Free) -> Option<String> {
        self.0.get(old.name).map(str::to_owned)
    }
}

/// For [`vary`](crate::vary()): no unit is renamed by spelling.
pub fn bound(_: &Unit) -> Option<Arc<SourceMaps>> {
    None
}
