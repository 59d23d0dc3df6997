//! What a function refers to directly: the names of its own project, by what they are.

use std::sync::Arc;

use barecode_records::c::References;
use foldhash::HashSet;

use super::{Index, Target};
use crate::items::{Item, NameKind};
use crate::names::{Mentioned, Name};

/// Functions, types, globals, macros.
type Sets = [Vec<Name>; 4];

/// What a function mentions, by the place where it does.
struct Parts<'i> {
    places: [&'i Mentioned; 2],
    /// Names that it builds with `##`.
    joined: &'i [Name],
}

impl<'i> Parts<'i> {
    fn all(&self, list: impl Fn(&'i Mentioned) -> &'i [Name]) -> impl Iterator<Item = Name> {
        self.places.into_iter().flat_map(list).copied()
    }

    fn values(&self) -> impl Iterator<Item = Name> {
        let joined = self.joined.iter().copied();
        self.all(|place| &place.values).chain(joined)
    }
}

/// The classes that a function can reach a member of without saying so.
struct Around<'a> {
    /// The class it is a member of.
    own: Vec<&'a Item>,
    /// Those that it, or its own class, mentions.
    near: Vec<&'a Item>,
}

impl<'a> Index<'a> {
    /// What a function refers to directly.
    ///
    /// Members of C++ are matched by name with the classes that the function or its own class mentions: which
    /// object a member belongs to takes a compiler to know.
    pub fn references(&self, target: Target) -> References {
        let names = &self.item(target.item).names;
        let (own_name, _) = self.function(target);
        let parts = match target.inner.map(|number| &names.inner[number]) {
            Some(inner) => Parts {
                places: [&inner.head, &inner.inside],
                joined: &[],
            },
            None => Parts {
                places: [&names.head, &names.inside],
                joined: &self.brought(target.item).joined,
            },
        };
        let mut sets = Sets::default();
        let values = if self.is_cpp() {
            self.refer_to_members(target, &parts, &mut sets)
        } else {
            parts.values().collect()
        };
        self.refer_to_names(values, &mut sets);
        let mut seen_macros = Vec::new();
        for place in parts.places {
            self.refer(place, &mut sets, &mut seen_macros);
        }
        let [functions, types, globals, macros] = sets.map(|names| self.texts(names));
        References {
            functions: functions
                .into_iter()
                .filter(|name| *name != own_name)
                .collect(),
            types,
            globals,
            macros,
        }
    }

    /// The texts of names, in order and each once.
    fn texts(&self, mut names: Vec<Name>) -> Vec<String> {
        names.sort_unstable();
        names.dedup();
        let table = self.names.table();
        let mut texts: Vec<Arc<str>> = names.into_iter().map(|name| table.text(name)).collect();
        drop(table);
        texts.sort_unstable();
        texts.iter().map(ToString::to_string).collect()
    }

    /// Notes the members that are meant, and returns the values that are none.
    fn refer_to_members(&self, target: Target, parts: &Parts, sets: &mut Sets) -> Vec<Name> {
        let around = self.around(target, parts);
        let methods = |classes: &[&'a Item]| -> HashSet<Name> {
            let methods = classes.iter().flat_map(|class| &class.names.methods);
            methods.copied().collect()
        };
        let (own_methods, near_methods) = (methods(&around.own), methods(&around.near));
        let own_members = around.own.iter().flat_map(|class| &class.names.members);
        let own_members: HashSet<Name> = own_members.copied().collect();
        let qualifiers = &self.item(target.item).names.qualifiers;
        for class in &around.own {
            let tags = class.names.declares.iter();
            let mut tags = tags.filter(|(kind, _)| *kind == NameKind::Tag);
            let is_own = |name| target.inner.is_some() || qualifiers.contains(name);
            sets[1].extend(tags.find(|(_, name)| is_own(name)).map(|&(_, name)| name));
        }
        let qualified: Vec<Name> = parts.all(|place| &place.qualified).collect();
        let mut values = Vec::new();
        for name in parts.values().filter(|&name| self.slot(name) != 0) {
            if own_members.contains(&name) && !qualified.contains(&name) {
                if own_methods.contains(&name) {
                    sets[0].push(name);
                }
            } else {
                let meaning = self.meaning(name);
                let elsewhere = !meaning.names.is_empty() || !meaning.tags.is_empty();
                if !elsewhere && near_methods.contains(&name) {
                    sets[0].push(name);
                }
                values.push(name);
            }
        }
        for name in parts.all(|place| &place.fields) {
            if own_methods.contains(&name) || near_methods.contains(&name) {
                sets[0].push(name);
            }
        }
        values
    }

    fn around(&self, target: Target, parts: &Parts) -> Around<'a> {
        let item = self.item(target.item);
        let own: Vec<&Item> = if target.inner.is_some() {
            vec![item]
        } else {
            let classes = item.names.qualifiers.iter();
            let classes = classes.flat_map(|&name| &self.meaning(name).tags);
            classes.map(|&at| self.item(at)).collect()
        };
        let mut near = own.clone();
        let types = |place: &Mentioned| -> Vec<Name> {
            let lists = [
                &place.types,
                &place.pointed_types,
                &place.values,
                &place.tags,
            ];
            lists.into_iter().flatten().copied().collect()
        };
        let own_places = own
            .iter()
            .flat_map(|class| [&class.names.head, &class.names.inside]);
        let places = parts.places.into_iter().chain(own_places);
        let mut wanted: Vec<Name> = places.flat_map(types).chain(parts.values()).collect();
        wanted.retain(|&name| self.is_class(name));
        wanted.sort_unstable();
        wanted.dedup();
        for name in wanted {
            near.extend(self.meaning(name).tags.iter().map(|&at| self.item(at)));
        }
        Around { own, near }
    }

    fn refer(&self, mentioned: &Mentioned, sets: &mut Sets, seen_macros: &mut Vec<Name>) {
        let types = mentioned.types.iter().chain(&mentioned.pointed_types);
        self.refer_to_names(types.copied(), sets);
        for &tag in mentioned.tags.iter().chain(&mentioned.pointed_tags) {
            if self.is_class(tag) {
                sets[1].push(tag);
            } else if self.is_cpp() {
                self.refer_to_name(tag, sets);
            }
        }
        for &word in &mentioned.words {
            let events = &self.meaning(word).macros;
            if events.is_empty() || seen_macros.contains(&word) {
                continue;
            }
            seen_macros.push(word);
            sets[3].push(word);
            for &event in events {
                if let Some(mentioned) = self.mentions_of(event) {
                    self.refer_to_names(mentioned.values.iter().copied(), sets);
                    self.refer(mentioned, sets, seen_macros);
                }
            }
        }
    }

    /// Notes what names stand for, and what macros that are these names stand for.
    fn refer_to_names(&self, names: impl IntoIterator<Item = Name>, sets: &mut Sets) {
        for name in names {
            self.refer_to_name(name, sets);
            for &alias in &self.meaning(name).aliases {
                self.refer_to_name(alias, sets);
            }
        }
    }

    fn refer_to_name(&self, name: Name, sets: &mut Sets) {
        let meaning = self.meaning(name);
        let declared = meaning.names.iter();
        let declared = declared.flat_map(|&at| &self.item(at).names.declares);
        for (kind, _) in declared.filter(|(_, declared)| *declared == name) {
            let set = match kind {
                NameKind::Function => &mut sets[0],
                NameKind::Typedef => &mut sets[1],
                NameKind::Variable | NameKind::Enumerator => &mut sets[2],
                NameKind::Tag => continue,
            };
            set.push(name);
        }
        if self.is_cpp() && !meaning.tags.is_empty() {
            sets[1].push(name);
        }
    }
}
