//! What a function refers to directly: the names of its own project, by what they are.

use std::collections::BTreeSet;

use barecode_records::References;

use super::{Index, Target};
use crate::items::{Item, Mentions, NameKind};

/// Functions, types, globals, macros.
type Sets = [BTreeSet<String>; 4];

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
        let item = self.item(target.item);
        let (own_name, _) = self.function(target);
        let (head, inside) = match self.inner(target) {
            Some(inner) => (&inner.head, &inner.inside),
            None => (&item.head, &item.inside),
        };
        let mut mentions = head.clone();
        mentions.extend(inside);
        if target.inner.is_none() {
            let joined = &self.brought(target.item).joined;
            mentions.values.extend(joined.iter().cloned());
        }
        let mut sets = Sets::default();
        if self.is_cpp() {
            self.refer_to_members(target, &mut mentions, &mut sets);
        }
        self.refer(&mentions, &mut sets, &mut BTreeSet::new());
        let [mut functions, types, globals, macros] = sets;
        functions.remove(own_name);
        let list = |set: BTreeSet<String>| set.into_iter().collect();
        References {
            functions: list(functions),
            types: list(types),
            globals: list(globals),
            macros: list(macros),
        }
    }

    /// Notes the members that are meant, and takes their names out of the mentions.
    fn refer_to_members(&self, target: Target, mentions: &mut Mentions, sets: &mut Sets) {
        let around = self.around(target, mentions);
        let is_method = |classes: &[&Item], name: &str| {
            classes.iter().any(|class| class.methods.contains(name))
        };
        for class in &around.own {
            for declared in &class.declares {
                let qualifiers = &self.item(target.item).qualifiers;
                let is_own = target.inner.is_some() || qualifiers.contains(&declared.name);
                if declared.kind == NameKind::Tag && is_own {
                    sets[1].insert(declared.name.to_string());
                    break;
                }
            }
        }
        let values = std::mem::take(&mut mentions.values);
        for name in values {
            let qualified = mentions.qualified.contains(&name);
            let own_member = around.own.iter().any(|class| class.members.contains(&name));
            if own_member && !qualified {
                if is_method(&around.own, &name) {
                    sets[0].insert(name.to_string());
                }
            } else {
                let elsewhere = self.names.contains_key(&*name) || self.tags.contains_key(&*name);
                if !elsewhere && is_method(&around.near, &name) {
                    sets[0].insert(name.to_string());
                }
                mentions.values.insert(name);
            }
        }
        for name in &mentions.fields {
            if is_method(&around.own, name) || is_method(&around.near, name) {
                sets[0].insert(name.to_string());
            }
        }
    }

    fn around(&self, target: Target, mentions: &Mentions) -> Around<'a> {
        let item = self.item(target.item);
        let own = if target.inner.is_some() {
            vec![item]
        } else {
            let classes = item
                .qualifiers
                .iter()
                .filter_map(|name| self.tags.get(&**name));
            classes.flatten().map(|&at| self.item(at)).collect()
        };
        let mut near = own.clone();
        let mut names: BTreeSet<&str> = BTreeSet::new();
        let mentioned = |mentions: &'_ Mentions| -> BTreeSet<Box<str>> {
            let lists = [
                &mentions.types,
                &mentions.pointed_types,
                &mentions.values,
                &mentions.tags,
            ];
            lists.into_iter().flatten().cloned().collect()
        };
        let mut wanted = mentioned(mentions);
        for class in &own {
            wanted.extend(mentioned(&class.head));
            wanted.extend(mentioned(&class.inside));
        }
        for name in &wanted {
            if let Some((&name, places)) = self.tags.get_key_value(&**name)
                && names.insert(name)
            {
                near.extend(places.iter().map(|&at| self.item(at)));
            }
        }
        Around { own, near }
    }

    fn refer(&self, mentions: &Mentions, sets: &mut Sets, seen_macros: &mut BTreeSet<&'a str>) {
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
            } else if self.is_cpp() {
                self.refer_to_name(tag, sets);
            }
        }
        for word in &mentions.words {
            if let Some((&name, events)) = self.macros.get_key_value(&**word)
                && seen_macros.insert(name)
            {
                sets[3].insert(name.to_owned());
                for &event in events {
                    if let Some(mentions) = self.mentions_of(event) {
                        self.refer(mentions, sets, seen_macros);
                    }
                }
            }
        }
    }

    fn refer_to_name(&self, name: &str, sets: &mut Sets) {
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
        if self.is_cpp() && self.tags.contains_key(name) {
            sets[1].insert(name.to_owned());
        }
    }
}
