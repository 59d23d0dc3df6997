//! The names of its own project that a function refers to directly, by kind.

use std::sync::Arc;

use barecode_records::{FunctionKind, References};
use foldhash::HashSet;

use super::objects::{ClassOf, Objects};
use super::{Index, Target};
use crate::items::{CalledIn, Item, ItemKind, NameKind, Parameters, Use, Uses};
use crate::names::{Mentioned, Name};

/// Functions, types, globals, macros.
type Sets = [Vec<Name>; 4];

/// The names that a function mentions, by part of the function.
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

/// The classes that a function can reach a member of without naming them.
struct Around<'a> {
    /// The class it is a member of, then those that this is derived from.
    own: Vec<&'a Item>,
    /// The number of these that are not base classes.
    direct: usize,
    /// The classes that it, or its own class, mentions, with their base classes.
    near: Vec<&'a Item>,
}

/// Members whose class is not known.
#[derive(Default)]
struct Unclear {
    /// All members that are used on objects.
    seen: Vec<Name>,
    /// Members that are called on an object of no known class.
    names: Vec<Name>,
    /// Members that loops call.
    of_loops: Vec<Name>,
    /// True if a loop goes over an object of no known class.
    loops: bool,
}

impl Unclear {
    /// Returns `true` if a member may be one of any class that is near.
    fn is_field(&self, name: Name) -> bool {
        self.names.contains(&name) || !self.seen.contains(&name)
    }

    /// Returns `true` if a name is called by loops only, over objects whose class is known.
    fn is_of_known_loop(&self, name: Name) -> bool {
        !self.loops && self.of_loops.contains(&name)
    }
}

impl<'a> Index<'a> {
    /// The names that a function refers to directly.
    ///
    /// Members of C++ belong to the class of their object, where declarations show it. Others are matched by name
    /// with the classes that the function or its own class mentions.
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
        let (values, calls_other) = if self.is_cpp() {
            self.refer_to_members(target, &parts, &mut sets)
        } else {
            (parts.values().collect(), false)
        };
        self.refer_to_names(values, &mut sets);
        let mut seen_macros = Vec::new();
        for place in parts.places {
            self.refer(place, &mut sets, &mut seen_macros);
        }
        let [functions, types, globals, macros] = sets.map(|names| self.texts(names));
        let mut functions: Vec<String> = functions
            .into_iter()
            .filter(|name| *name != own_name)
            .collect();
        if calls_other || self.calls_overload(target) {
            let at = functions.partition_point(|name| name.as_str() < own_name);
            functions.insert(at, own_name.to_owned());
        }
        References {
            functions,
            types,
            globals,
            macros,
            spelled: Vec::new(),
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

    /// Adds the members that are meant. Returns the values that are not members, and whether a function of the same
    /// name but of another class is called.
    fn refer_to_members(
        &self,
        target: Target,
        parts: &Parts,
        sets: &mut Sets,
    ) -> (Vec<Name>, bool) {
        let around = self.around(target, parts);
        let methods = |classes: &[&'a Item]| -> HashSet<Name> {
            let methods = classes.iter().flat_map(|class| &class.names.methods);
            methods.copied().collect()
        };
        let (own_methods, near_methods) = (methods(&around.own), methods(&around.near));
        let own_members = around.own.iter().flat_map(|class| &class.names.members);
        let own_members: HashSet<Name> = own_members.copied().collect();
        let item = self.item(target.item);
        let uses = self.inner(target).map_or(&item.uses, |inner| &inner.uses);
        if target.inner.is_none() || self.takes_from_object(target, parts, &own_members, uses) {
            for class in around.own.iter().take(around.direct) {
                let tags = class.names.declares.iter();
                let mut tags = tags.filter(|(kind, _)| *kind == NameKind::Tag);
                let qualifiers = &item.names.qualifiers;
                let is_own = |name| target.inner.is_some() || qualifiers.contains(name);
                sets[1].extend(tags.find(|(_, name)| is_own(name)).map(|&(_, name)| name));
            }
        }
        let (unclear, calls_other) = self.refer_by_class(target, uses, &around, &mut sets[0]);
        let qualified: Vec<Name> = parts.all(|place| &place.qualified).collect();
        let mut values = Vec::new();
        for name in parts.values().filter(|&name| self.slot(name) != 0) {
            if unclear.is_of_known_loop(name) {
                continue;
            }
            if self.is_enumerator(name, parts) {
                sets[2].push(name);
            } else if own_members.contains(&name) && !qualified.contains(&name) {
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
            let may_be = own_methods.contains(&name) || near_methods.contains(&name);
            if may_be && unclear.is_field(name) {
                sets[0].push(name);
            }
        }
        (values, calls_other)
    }

    /// Returns `true` if a function that is defined in its class uses something from its object or its class.
    fn takes_from_object(
        &self,
        target: Target,
        parts: &Parts,
        own_members: &HashSet<Name>,
        uses: &Uses,
    ) -> bool {
        let makes = self.inner(target).is_some_and(|inner| {
            matches!(
                inner.kind,
                FunctionKind::Constructor | FunctionKind::Destructor | FunctionKind::Conversion
            )
        });
        let types = |place: &Mentioned| -> Vec<Name> {
            let lists = [
                &place.types,
                &place.pointed_types,
                &place.tags,
                &place.pointed_tags,
            ];
            lists.into_iter().flatten().copied().collect()
        };
        let mut named = parts
            .places
            .into_iter()
            .flat_map(types)
            .chain(parts.values());
        makes || uses.this || named.any(|name| own_members.contains(&name))
    }

    /// Adds the methods and operators that are called on objects whose class is known; the rest is unclear.
    fn refer_by_class(
        &self,
        target: Target,
        uses: &Uses,
        around: &Around<'a>,
        functions: &mut Vec<Name>,
    ) -> (Unclear, bool) {
        let own = &around.own[..];
        let objects = Objects { index: self, own };
        let known = |name: &str| self.names.table().known(name);
        let own_name = known(self.function(target).0);
        let is_own = |classes: &[&'a Item]| {
            let mut direct = own.iter().take(around.direct);
            direct.any(|one| classes.iter().any(|class| std::ptr::eq(*one, *class)))
        };
        let (mut unclear, mut calls_other) = (Unclear::default(), false);
        for (member, used) in &uses.members {
            let Some(name) = known(&member.name) else {
                continue;
            };
            unclear.seen.push(name);
            let classes = match (used, objects.class_of(member)) {
                // Methods are taken from objects only by calls.
                (Use::Value, _) | (Use::Call, ClassOf::Standard) => continue,
                (Use::Call, ClassOf::Unknown) => {
                    unclear.names.push(name);
                    continue;
                }
                (Use::Loop, ClassOf::Unknown) => {
                    unclear.loops = true;
                    continue;
                }
                (Use::Loop, ClassOf::Standard) => Vec::new(),
                (Use::Call | Use::Loop, ClassOf::Known(classes)) => classes,
            };
            let names = match used {
                Use::Loop => ["begin", "end"].map(known).into_iter().flatten().collect(),
                _ => vec![name],
            };
            if *used == Use::Loop {
                unclear
                    .of_loops
                    .extend(["begin", "end"].into_iter().filter_map(known));
            }
            for name in names {
                if classes
                    .iter()
                    .any(|class| class.names.methods.contains(&name))
                {
                    functions.push(name);
                    calls_other |= own_name == Some(name) && !is_own(&classes);
                }
            }
        }
        for (name, operands) in &uses.operators {
            let Some(name) = known(name) else {
                continue;
            };
            for operand in operands {
                let ClassOf::Known(classes) = objects.operand(operand) else {
                    continue;
                };
                if self.has_operator(name, &classes) {
                    functions.push(name);
                    let overloads = |class: &&Item| {
                        let mut of = class.names.overloads.iter();
                        of.by_ref().filter(|&&of| of == name).count()
                    };
                    let others = classes.iter().map(overloads).sum::<usize>() > 1;
                    calls_other |= own_name == Some(name) && (!is_own(&classes) || others);
                }
            }
        }
        (unclear, calls_other)
    }

    /// Returns `true` if one of these classes has an operator, or a function outside of classes that accepts one of
    /// them.
    fn has_operator(&self, name: Name, classes: &[&'a Item]) -> bool {
        let has = |class: &&Item| {
            class.names.methods.contains(&name) || class.names.friends.contains(&name)
        };
        if classes.iter().any(has) {
            return true;
        }
        let tags: Vec<&str> = classes
            .iter()
            .flat_map(|class| &class.declares)
            .filter(|declared| declared.kind == NameKind::Tag)
            .map(|declared| &*declared.name)
            .collect();
        self.meaning(name).names.iter().any(|&at| {
            let item = self.item(at);
            let mut named = item.names.overloads.iter().zip(&item.overloads);
            named.any(|(&of, (_, parameters))| {
                let mut words = parameters.types.split([' ', ',']);
                of == name && words.any(|word| tags.contains(&word))
            })
        })
    }

    /// Returns `true` if a name occurs only behind a type that has an enumerator of this name.
    fn is_enumerator(&self, name: Name, parts: &Parts) -> bool {
        let is_scoped = |place: &&Mentioned| place.scoped.contains(&name);
        let is_elsewhere = |place: &&Mentioned| place.values.contains(&name) && !is_scoped(place);
        if !parts.places.iter().any(is_scoped) || parts.places.iter().any(is_elsewhere) {
            return false;
        }
        let scopes: Vec<Name> = parts.all(|place| &place.tags).collect();
        self.meaning(name).names.iter().any(|&at| {
            let declares = &self.item(at).names.declares;
            let is_of = |&(kind, of)| kind == NameKind::Tag && scopes.contains(&of);
            declares.contains(&(NameKind::Enumerator, name)) && declares.iter().any(is_of)
        })
    }

    fn around(&self, target: Target, parts: &Parts) -> Around<'a> {
        let own = self.own_classes(target);
        let direct = own.len();
        let own = self.with_bases(own);
        let types = |place: &Mentioned| -> Vec<Name> {
            let lists = [
                &place.types,
                &place.pointed_types,
                &place.values,
                &place.tags,
            ];
            lists.into_iter().flatten().copied().collect()
        };
        let direct_places = own.iter().take(direct).map(|&at| &self.item(at).names);
        let own_places = direct_places.flat_map(|names| [&names.head, &names.inside]);
        let places = parts.places.into_iter().chain(own_places);
        let mut wanted: Vec<Name> = places.flat_map(types).chain(parts.values()).collect();
        wanted.sort_unstable();
        wanted.dedup();
        let mut near: Vec<usize> = own.clone();
        for name in wanted {
            near.extend(self.classes_named(name));
        }
        let items = |places: Vec<usize>| places.into_iter().map(|at| self.item(at)).collect();
        Around {
            own: items(own),
            direct,
            near: items(self.with_bases(near)),
        }
    }

    /// The classes that a function is a member of.
    fn own_classes(&self, target: Target) -> Vec<usize> {
        if target.inner.is_some() {
            return vec![target.item];
        }
        let classes = self.item(target.item).names.qualifiers.iter();
        classes
            .flat_map(|&name| &self.meaning(name).tags)
            .copied()
            .collect()
    }

    /// The classes of a name, also where it is another name for them.
    fn classes_named(&self, name: Name) -> Vec<usize> {
        let mut classes = Vec::new();
        let (mut names, mut next) = (vec![name], 0);
        while let Some(&name) = names.get(next) {
            next += 1;
            let meaning = self.meaning(name);
            classes.extend(&meaning.tags);
            for &at in &meaning.names {
                let item = self.item(at);
                if item.kind != ItemKind::Typedef {
                    continue;
                }
                let head = &item.names.head;
                let lists = [
                    &head.types,
                    &head.pointed_types,
                    &head.tags,
                    &head.pointed_tags,
                ];
                for &inner in lists.into_iter().flatten() {
                    if !names.contains(&inner) {
                        names.push(inner);
                    }
                }
            }
        }
        classes
    }

    /// Classes, and behind them those that they are derived from.
    pub(super) fn with_bases(&self, mut classes: Vec<usize>) -> Vec<usize> {
        let mut seen: HashSet<usize> = classes.iter().copied().collect();
        let mut next = 0;
        while let Some(&class) = classes.get(next) {
            next += 1;
            let bases = self.item(class).names.bases.iter();
            for at in bases.flat_map(|&base| self.classes_named(base)) {
                if seen.insert(at) {
                    classes.push(at);
                }
            }
        }
        classes
    }

    /// Returns `true` if a function calls another one of its own name.
    ///
    /// A call is of another function if one elsewhere, or one with other parameters, accepts the same number of
    /// arguments. A function that calls itself where such an overload exists counts as a caller of that.
    fn calls_overload(&self, target: Target) -> bool {
        let item = self.item(target.item);
        let (calls, own) = match self.inner(target) {
            Some(inner) => (&inner.same_name, Some(&inner.parameters)),
            None => (&item.same_name, item.overloads.first().map(|(_, own)| own)),
        };
        let (Some(own), false) = (own, calls.is_empty()) else {
            return false;
        };
        let name = match target.inner {
            Some(number) => item.names.inner[number].name,
            None => match item.names.function {
                Some(name) => name,
                None => return false,
            },
        };
        let own_classes = self.own_classes(target);
        let own_scope = &*self.unit.scopes[self.scope(target.item)].path;
        let others = |at: usize| {
            let item = self.item(at);
            let named = item.names.overloads.iter().zip(&item.overloads);
            named.filter_map(move |(&of, (_, one))| (of == name).then_some(one))
        };
        let free = |is_in: &dyn Fn(&str) -> bool| -> Vec<&Parameters> {
            let places = self.meaning(name).names.iter().copied();
            places
                .filter(|&at| is_in(&self.unit.scopes[self.scope(at)].path))
                .flat_map(others)
                .collect()
        };
        let here = || -> Vec<&Parameters> {
            let found = if own_classes.is_empty() {
                free(&|path| own_scope == path || is_around(path, own_scope))
            } else {
                let classes = self.with_bases(own_classes.clone());
                classes.into_iter().flat_map(others).collect()
            };
            let different = found.into_iter();
            different.filter(|one| one.types != own.types).collect()
        };
        calls.iter().any(|call| {
            let found = match &call.within {
                CalledIn::Here => here(),
                CalledIn::Global if own_classes.is_empty() && own_scope.is_empty() => here(),
                CalledIn::Global => free(&str::is_empty),
                CalledIn::Scope(scope) => {
                    let classes = match self.names.table().known(scope) {
                        Some(scope) => self.classes_named(scope),
                        None => Vec::new(),
                    };
                    let in_namespace = |path: &str| path.rsplit("::").next() == Some(&**scope);
                    if classes.iter().any(|class| own_classes.contains(class))
                        || (own_classes.is_empty() && in_namespace(own_scope))
                    {
                        here()
                    } else if classes.is_empty() {
                        free(&in_namespace)
                    } else {
                        let classes = self.with_bases(classes);
                        classes.into_iter().flat_map(others).collect()
                    }
                }
            };
            found.iter().any(|one| one.take(call.arguments))
        })
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

    /// Adds the meanings of names, and the meanings of macros that are these names.
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
                NameKind::Tag | NameKind::Standard => continue,
            };
            set.push(name);
        }
        if self.is_cpp() && !meaning.tags.is_empty() {
            sets[1].push(name);
        }
    }
}

/// Returns `true` if a scope is one of those around another; paths mark inline namespaces.
fn is_around(outer: &str, inner: &str) -> bool {
    outer.is_empty()
        || inner
            .strip_prefix(outer)
            .is_some_and(|rest| rest.starts_with("::"))
}
