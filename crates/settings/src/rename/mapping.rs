//! Symbols → new names: a [`Mapping`] is all that a naming decides.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use barecode_corpus::symbols::{SpaceId, Symbols};
use barecode_records::Renaming;

use super::plan::{Plan, Spaces};
use crate::dose::Choice;
use crate::naming::{Free, Naming, Old, Taken};

/// The number of requests to a naming for a name that is free with the capital that it needs.
const TRIES: usize = 64;

/// The next name of a naming, with a capital if the old one has one and that counts.
pub(crate) fn next(
    naming: &mut dyn Naming,
    old: Old<'_>,
    taken: &dyn Free,
    capitals_count: bool,
) -> Option<String> {
    if !capitals_count {
        return naming.next(old, taken);
    }
    let is_capital = old.name.starts_with(char::is_uppercase);
    for _ in 0..TRIES {
        let to = naming.next(old, taken)?;
        let mut letters = to.chars();
        let first = letters.next()?;
        let first: String = if is_capital {
            first.to_uppercase().collect()
        } else {
            first.to_lowercase().collect()
        };
        let fitted = format!("{first}{}", letters.as_str());
        if fitted == to || taken.is_free(&fitted) {
            return Some(fitted);
        }
    }
    None
}

/// New names for symbols.
///
/// A *group* gets one new name: a symbol, or all symbols of a name if they are not distinguished.
#[derive(Debug)]
pub struct Mapping<'a> {
    symbols: &'a Symbols,
    plan: Cow<'a, Plan>,
    /// Why a name stays, by name.
    stays: Vec<Option<&'static str>>,
    /// The group of a symbol, by symbol. Groups of whole names are numbered behind the symbols.
    groups: Vec<usize>,
    /// The new name, by group.
    new: Vec<Option<String>>,
    /// The symbol of each group that appears first, in order of first appearance.
    met: Vec<usize>,
}

impl<'a> Mapping<'a> {
    /// Creates a mapping with the new names of a naming for the symbols that are chosen.
    pub fn of(
        symbols: &'a Symbols,
        naming: &mut dyn Naming,
        choice: &Choice,
        plan: &'a Plan,
    ) -> Mapping<'a> {
        Mapping::under(symbols, naming, choice, Cow::Borrowed(plan))
    }

    fn under(
        symbols: &'a Symbols,
        naming: &mut dyn Naming,
        choice: &Choice,
        plan: Cow<'a, Plan>,
    ) -> Mapping<'a> {
        let mut mapping = Mapping::empty(symbols, plan);
        let mut taken = Taken::new(symbols);
        taken.extend(mapping.plan.kept.keys().map(|name| &**name));
        // A name that may stay is not the new name of another.
        if choice.is_partial() || mapping.plan.all_new {
            taken.extend(symbols.names().iter().map(|name| &*name.text));
        } else {
            let foreign = mapping.plan.foreign.iter();
            taken.extend(foreign.filter_map(|&byte| symbols.name_at(byte)));
        }
        let changeable: Vec<usize> = mapping
            .met
            .iter()
            .copied()
            .filter(|&symbol| {
                let name = symbols.symbols()[symbol].name;
                !symbols.names()[name].is_built && mapping.stays[name].is_none()
            })
            .collect();
        let olds: Vec<Old<'_>> = changeable
            .iter()
            .map(|&symbol| Old {
                role: symbols.symbols()[symbol].role,
                name: &symbols.name_of(symbol).text,
            })
            .collect();
        let mut refused = BTreeSet::new();
        for ((&symbol, old), chosen) in changeable.iter().zip(&olds).zip(choice.of(&olds)) {
            if !chosen {
                continue;
            }
            match next(naming, *old, &taken, symbols.capitals_count) {
                Some(to) => {
                    taken.insert(&to);
                    mapping.new[mapping.groups[symbol]] = Some(to);
                }
                None => {
                    refused.insert(old.name);
                }
            }
        }
        // A name that stays may already be another's new one: then everything is done again with it in mind.
        let clashes = |to: &Option<String>| to.as_deref().is_some_and(|to| refused.contains(to));
        if mapping.new.iter().any(clashes) {
            let mut plan = mapping.plan.into_owned();
            let reason = "no other name of this form exists";
            plan.kept
                .extend(refused.into_iter().map(|name| (name.into(), reason)));
            return Mapping::under(symbols, naming, choice, Cow::Owned(plan));
        }
        mapping.build();
        mapping
    }

    /// No new names yet.
    fn empty(symbols: &'a Symbols, plan: Cow<'a, Plan>) -> Mapping<'a> {
        let names = symbols.names();
        let stays = names.iter().map(|name| {
            if plan.kept.is_empty() {
                name.stays
            } else {
                plan.kept.get(&name.text).copied().or(name.stays)
            }
        });
        let is_joined: Vec<bool> = names
            .iter()
            .map(|name| {
                name.is_one
                    || match plan.spaces {
                        Spaces::Apart => false,
                        Spaces::ApartWhereSure => name.is_unsure,
                        Spaces::Joined => true,
                    }
            })
            .collect();
        let count = symbols.symbols().len();
        let groups: Vec<usize> = symbols
            .symbols()
            .iter()
            .enumerate()
            .map(|(at, symbol)| {
                if is_joined[symbol.name] {
                    count + symbol.name
                } else {
                    at
                }
            })
            .collect();
        let mut seen = vec![false; count + names.len()];
        let mut met = Vec::new();
        for occurrence in symbols.in_order() {
            let group = groups[occurrence.symbol];
            if !seen[group] && !plan.is_foreign(occurrence.range.start) {
                seen[group] = true;
                met.push(occurrence.symbol);
            }
        }
        Mapping {
            symbols,
            stays: stays.collect(),
            new: vec![None; seen.len()],
            plan,
            groups,
            met,
        }
    }

    /// A name that is built is built from the new pieces.
    fn build(&mut self) {
        let symbols = self.symbols;
        // A piece may be built itself; its pieces are known after a round.
        let rounds = std::iter::repeat_n(&symbols.joined, 3);
        for joined in rounds.flatten() {
            let Some(name) = symbols.number(&joined.result) else {
                continue;
            };
            if self.stays[name].is_some() {
                continue;
            }
            let pieces = joined
                .pieces
                .iter()
                .map(|piece| self.of_name(piece, symbols.piece_spaces).unwrap_or(piece));
            let built: String = pieces.collect();
            for symbol in symbols.symbols_of(name) {
                self.new[self.groups[symbol]] = Some(built.clone());
            }
        }
    }

    /// The new name of a name, in the first of some name spaces in which it has one.
    fn of_name(&self, name: &str, spaces: &[SpaceId]) -> Option<&str> {
        let name = self.symbols.number(name)?;
        let first = self.symbols.symbols_of(name).next()?;
        if self.groups[first] >= self.groups.len() {
            return self.new_name(first);
        }
        let mut symbols = spaces
            .iter()
            .filter_map(|&space| self.symbols.symbol(name, space));
        symbols.find_map(|symbol| self.new_name(symbol))
    }

    /// The new name of a symbol; `None` if it stays.
    pub fn new_name(&self, symbol: usize) -> Option<&str> {
        self.new[self.groups[symbol]].as_deref()
    }

    /// Returns the new name of a function.
    pub fn function(&self, name: &str) -> String {
        // A destructor of C++ is called as its class is.
        let (sign, name) = match name.strip_prefix('~') {
            Some(class) => ("~", class),
            None => ("", name),
        };
        let symbol = self.symbols.number(name).and_then(|number| {
            let mut spaces = self.symbols.function_spaces.iter();
            spaces.find_map(|&space| self.symbols.symbol(number, space))
        });
        let new = symbol.and_then(|symbol| self.new_name(symbol));
        format!("{sign}{}", new.unwrap_or(name))
    }

    /// The plan that it follows.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The symbols.
    pub fn symbols(&self) -> &'a Symbols {
        self.symbols
    }

    /// The reason why a name stays in all positions, if it does.
    pub fn stays(&self, name: usize) -> Option<&'static str> {
        self.stays[name]
    }

    /// The changes, in order of first appearance.
    pub fn renamings(&self) -> Vec<Renaming> {
        let renaming = |&symbol: &usize| {
            Some(Renaming {
                from: self.symbols.name_of(symbol).text.to_string(),
                to: self.new_name(symbol)?.to_owned(),
                role: self.symbols.symbols()[symbol].role,
            })
        };
        self.met.iter().filter_map(renaming).collect()
    }

    /// A new name that another name has or gets, if any: two names would become one, or one would be mistaken for
    /// another.
    pub fn clash(&self) -> Option<&str> {
        let symbols = self.symbols;
        let mut names: BTreeMap<&str, usize> = BTreeMap::new();
        let stay = self
            .met
            .iter()
            .filter(|&&symbol| self.new_name(symbol).is_none());
        let stay = stay.map(|&symbol| symbols.symbols()[symbol].name);
        let foreign = self.plan.foreign.iter();
        let foreign = foreign.filter_map(|&byte| symbols.number(symbols.name_at(byte)?));
        for name in stay.chain(foreign) {
            names.insert(&symbols.names()[name].text, name);
        }
        for &symbol in &self.met {
            let Some(to) = self.new_name(symbol) else {
                continue;
            };
            let name = symbols.symbols()[symbol].name;
            let is_another = names.insert(to, name).is_some_and(|other| other != name);
            let is_fixed = symbols.spelled().contains(to) && *to != *symbols.names()[name].text;
            if is_another || is_fixed {
                return Some(to);
            }
        }
        None
    }
}
