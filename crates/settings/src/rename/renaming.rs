//! An [`Analysis`] under a naming: new names first, then the text.
//!
//! All that does not depend on the naming was made before, so a renaming costs little more than writing its text.

use std::collections::BTreeSet;

use barecode_records::{KeptName, Renaming, Role, Span, c::HelperSpan};

use super::names::Space;
use super::{Analysis, Meaning, Plan, Renamed, Spaces};
use crate::dose::Choice;
use crate::naming::{Naming, Old, Taken};

/// The new names of a renaming: for each name in each name space.
struct Given<'a> {
    analysis: &'a Analysis,
    plan: &'a Plan,
    /// Why a name stays, by number.
    kept: Vec<Option<&'static str>>,
    /// By group.
    new: Vec<Option<String>>,
}

impl Given<'_> {
    /// What gets one new name: a name in a name space, or in all of them.
    fn group(&self, meaning: Meaning) -> usize {
        let name = self.analysis.names.name(meaning.name);
        let joined = name.is_one
            || match self.plan.spaces {
                Spaces::Apart => name.is_macro(),
                Spaces::ApartOutsideMacros => name.is_macro() || name.in_macros,
                Spaces::Joined => true,
            };
        let space = if joined {
            Space::Ordinary
        } else {
            meaning.space
        };
        meaning.name * Space::ALL.len() + space as usize
    }

    fn of(&self, meaning: Meaning) -> Option<&str> {
        self.new[self.group(meaning)].as_deref()
    }

    /// What a piece of a built name is called now.
    fn piece(&self, piece: &str) -> String {
        let spaces = [
            Space::Fragment,
            Space::Ordinary,
            Space::Macro,
            Space::Tag,
            Space::Parameter,
        ];
        let new = self.analysis.names.number(piece).and_then(|name| {
            spaces
                .into_iter()
                .find_map(|space| self.of(Meaning { name, space }))
        });
        new.unwrap_or(piece).to_owned()
    }
}

impl Analysis {
    /// The file under new names, those of them that are chosen.
    pub fn renamed(&self, naming: &mut dyn Naming, choice: &Choice, plan: &Plan) -> Renamed {
        let reason = |text: &str, own: Option<&'static str>| {
            let planned = if plan.kept.is_empty() {
                None
            } else {
                plan.kept.get(text).copied()
            };
            planned.or(own)
        };
        let names = self.names.iter();
        let mut given = Given {
            analysis: self,
            plan,
            kept: names.map(|name| reason(&name.text, name.kept)).collect(),
            new: vec![None; self.names.iter().count() * Space::ALL.len()],
        };
        let met = self.met(&given);
        let mut taken = Taken::new(&self.never_new);
        taken.extend(plan.kept.keys().map(|name| &**name));
        // A name that may stay is nobody else's new name.
        if choice.is_partial() {
            taken.extend(self.names.iter().map(|name| &*name.text));
        } else {
            taken.extend(plan.foreign.iter().filter_map(|&byte| self.name_at(byte)));
        }
        let changeable: Vec<Meaning> = met
            .iter()
            .copied()
            .filter(|meaning| {
                !self.names.name(meaning.name).is_built && given.kept[meaning.name].is_none()
            })
            .collect();
        let olds: Vec<Old<'_>> = changeable
            .iter()
            .map(|&meaning| Old {
                role: self.role_of(meaning),
                name: &self.names.name(meaning.name).text,
            })
            .collect();
        let mut refused = BTreeSet::new();
        for ((&meaning, old), chosen) in changeable.iter().zip(&olds).zip(choice.of(&olds)) {
            if !chosen {
                continue;
            }
            match naming.next(*old, &taken) {
                Some(to) => {
                    taken.insert(&to);
                    let group = given.group(meaning);
                    given.new[group] = Some(to);
                }
                None => {
                    refused.insert(old.name);
                }
            }
        }
        // A name that stays may already be another's new one: then everything is done again with it in mind.
        let clashes = |to: &Option<String>| to.as_deref().is_some_and(|to| refused.contains(to));
        if given.new.iter().any(clashes) {
            let mut plan = plan.clone();
            let reason = "there is no other name of this form";
            plan.kept
                .extend(refused.into_iter().map(|name| (name.into(), reason)));
            return self.renamed(naming, choice, &plan);
        }
        self.build(&mut given);
        let renamed = met.into_iter().filter_map(|meaning| {
            Some(Renaming {
                from: self.names.name(meaning.name).text.to_string(),
                to: given.of(meaning)?.to_owned(),
                role: self.role_of(meaning),
            })
        });
        let renamed = renamed.collect();
        self.write(&given, renamed)
    }

    /// What stands in the file, each group once, in order of first appearance.
    fn met(&self, given: &Given<'_>) -> Vec<Meaning> {
        let mut seen = vec![false; given.new.len()];
        let mut met = Vec::new();
        for &at in &self.order {
            let occurrence = &self.occurrences[at];
            let group = given.group(occurrence.meaning);
            if !seen[group] && !given.plan.is_foreign(occurrence.range.start) {
                seen[group] = true;
                met.push(occurrence.meaning);
            }
        }
        met
    }

    /// A name that `##` builds is built from the new pieces.
    fn build(&self, given: &mut Given<'_>) {
        // A piece may be built itself; what it is built of is known after a round.
        let rounds = std::iter::repeat_n(&self.joined, 3);
        for joined in rounds.flatten() {
            let Some(name) = self.names.number(&joined.result) else {
                continue;
            };
            if given.kept[name].is_some() {
                continue;
            }
            let pieces = joined.pieces.iter().map(|piece| given.piece(piece));
            let built: String = pieces.collect();
            for space in Space::ALL {
                if self.names.name(name).role(space).is_some() {
                    let group = given.group(Meaning { name, space });
                    given.new[group] = Some(built.clone());
                }
            }
        }
    }

    fn role_of(&self, meaning: Meaning) -> Role {
        let name = self.names.name(meaning.name);
        name.role(meaning.space).unwrap_or(Role::Variable)
    }

    fn write(&self, given: &Given<'_>, renamed: Vec<Renaming>) -> Renamed {
        let mut text = String::with_capacity(self.text.len());
        let mut replaced = Vec::with_capacity(self.occurrences.len());
        let mut changed = 0;
        let target = self.target.start as usize..self.target.end as usize;
        let mut stays = vec![false; given.kept.len()];
        let mut at = 0;
        for occurrence in &self.occurrences {
            stays[occurrence.meaning.name] = true;
            if given.plan.is_foreign(occurrence.range.start) {
                continue;
            }
            if let Some(to) = given.of(occurrence.meaning) {
                if target.contains(&occurrence.range.start) {
                    let name = self.names.name(occurrence.meaning.name);
                    changed += name.text.chars().count();
                }
                text.push_str(
                    self.text
                        .get(at..occurrence.range.start)
                        .unwrap_or_default(),
                );
                replaced.push((occurrence.range.start, text.len()..text.len() + to.len()));
                text.push_str(to);
                at = occurrence.range.end;
            }
        }
        text.push_str(self.text.get(at..).unwrap_or_default());
        // Old and new byte of the end of each replacement, to carry spans over.
        let carry = |old: u32| -> u32 {
            let old = old as usize;
            // A span may begin with a replaced name: its start is where the text before it ends.
            let end_of = |at: usize| {
                let (start, new) = &replaced[at];
                (start + self.length_at(*start), new.end)
            };
            let index =
                replaced.partition_point(|(start, _)| start + self.length_at(*start) <= old);
            let (from, to) = index.checked_sub(1).map_or((0, 0), end_of);
            u32::try_from(to + (old - from)).unwrap_or(u32::MAX)
        };
        let span = |span: Span| Span {
            start: carry(span.start),
            end: carry(span.end),
        };
        let new_of_function = |name: &str| {
            // A destructor is called as its class is.
            let (sign, name) = match name.strip_prefix('~') {
                Some(class) => ("~", class),
                None => ("", name),
            };
            let new = self.names.number(name).and_then(|number| {
                let spaces = [Space::Ordinary, Space::Member];
                let declared = spaces
                    .into_iter()
                    .find(|&space| self.names.name(number).role(space).is_some());
                given.of(Meaning {
                    name: number,
                    space: declared?,
                })
            });
            format!("{sign}{}", new.unwrap_or(name))
        };
        let helper = |helper: &HelperSpan| HelperSpan {
            name: new_of_function(&helper.name),
            function_id: helper.function_id.clone(),
            span: span(helper.span),
        };
        let characters = self.target.of(&self.text).chars().count().max(1);
        Renamed {
            target: span(self.target),
            function: new_of_function(&self.function),
            helpers: self.helpers.iter().map(helper).collect(),
            perturbation: changed as f64 / characters as f64,
            renamed,
            kept: self.kept(given, &stays),
            text,
            replaced,
        }
    }

    /// The names that stay in places, with the reasons; `stays` are those that stand in the file as the project's.
    fn kept(&self, given: &Given<'_>, stays: &[bool]) -> Vec<KeptName> {
        let mut kept: BTreeSet<KeptName> = BTreeSet::new();
        let mut keep = |name: &str, reason: &str| {
            kept.insert(KeptName {
                name: name.to_owned(),
                reason: reason.to_owned(),
            });
        };
        for (number, name) in self.names.iter().enumerate() {
            if let (true, Some(reason)) = (stays[number], given.kept[number]) {
                keep(&name.text, reason);
            }
        }
        // A piece that joins to somebody else's name is no name by itself; that it stays is said all the same.
        for (name, reason) in &self.kept {
            if self.lasting.contains(name) {
                keep(name, reason);
            }
        }
        let foreign = given
            .plan
            .foreign
            .iter()
            .filter_map(|&byte| self.name_at(byte));
        for name in foreign.chain(self.foreign.iter().map(|name| &**name)) {
            keep(name, KeptName::ELSEWHERE);
        }
        kept.into_iter().collect()
    }

    /// The length of the identifier that begins at a byte.
    fn length_at(&self, byte: usize) -> usize {
        self.name_at(byte).map_or(0, str::len)
    }

    /// The name of the identifier that begins at a byte of the unit's file, if it may change.
    pub fn name_at(&self, byte: usize) -> Option<&str> {
        let at = self
            .occurrences
            .binary_search_by_key(&byte, |occurrence| occurrence.range.start);
        let occurrence = &self.occurrences[at.ok()?];
        Some(&self.names.name(occurrence.meaning.name).text)
    }
}

impl Plan {
    fn is_foreign(&self, byte: usize) -> bool {
        !self.foreign.is_empty() && self.foreign.contains(&byte)
    }
}
