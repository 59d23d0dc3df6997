//! The files that share their declarations: one file, or in Go the files of a folder.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use barecode_languages::{Entry, of};
use barecode_records::Language;
use barecode_trees::{ItemKind, Items, Meaning, Names, Parsed, Space};

/// A file of a room.
pub(super) struct File<'t> {
    pub(super) path: &'t str,
    pub(super) text: &'t str,
    pub(super) items: Items,
    pub(super) names: Names,
    /// Parts that are not all code of the language.
    broken: Vec<Part>,
}

/// A declaration: an item, or a class by its head.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    Item(usize, usize),
    Container(usize, usize),
}

/// Files that share their declarations.
pub(super) struct Room<'t> {
    pub(super) files: Vec<File<'t>>,
    pub(super) language: Language,
    /// The parts that names of the room's top mean, by name space and name.
    shared: BTreeMap<(Space, &'t str), Part>,
    /// The members of a class, by its name and theirs.
    members: BTreeMap<String, BTreeMap<String, Part>>,
    /// The parts that declare a name, by file and the position of the name.
    parts: BTreeMap<(usize, usize), Part>,
}

/// The key of a room: the path of its file, or of its folder.
pub(super) fn key(path: &str, language: Language) -> &str {
    let shares = of(language)
        .and_then(Entry::tree)
        .is_some_and(|tree| tree.folders_share);
    if shares {
        path.rsplit_once('/').map_or("", |(folder, _)| folder)
    } else {
        path
    }
}

impl<'t> Room<'t> {
    /// Reads files of a language.
    pub(super) fn of(
        texts: impl Iterator<Item = (&'t str, &'t str)>,
        language: Language,
    ) -> Room<'t> {
        let mut room = Room {
            files: Vec::new(),
            language,
            shared: BTreeMap::new(),
            members: BTreeMap::new(),
            parts: BTreeMap::new(),
        };
        let parsed: Vec<(&str, Parsed<'_>, Items)> = texts
            .filter_map(|(path, text)| {
                let parsed = Parsed::of(text, language)?;
                let items = Items::of(&parsed);
                Some((path, parsed, items))
            })
            .collect();
        let items = parsed.iter().flat_map(|(_, _, items)| &items.items);
        let owners = items.clone().filter_map(|item| item.owner.clone());
        let types = items.filter(|item| item.kind == ItemKind::Type);
        let types: BTreeSet<String> = match parsed.len() {
            1 => BTreeSet::new(),
            _ => owners
                .chain(types.map(|item| item.name().to_owned()))
                .collect(),
        };
        for (path, parsed, items) in parsed {
            let text = parsed.text;
            let names = Names::beside(&parsed, &items, &types);
            let file = room.files.len();
            for (number, item) in items.items.iter().enumerate() {
                for (_, range) in &item.names {
                    room.parts
                        .insert((file, range.start), Part::Item(file, number));
                }
            }
            for (number, container) in items.containers.iter().enumerate() {
                if let Some((_, range)) = &container.name {
                    room.parts
                        .insert((file, range.start), Part::Container(file, number));
                }
            }
            for definition in &names.definitions {
                if let Some(part) = room.parts.get(&(file, definition.range.start)) {
                    let name = text.get(definition.range.clone()).unwrap_or_default();
                    room.shared.entry((definition.space, name)).or_insert(*part);
                }
            }
            let mut broken = Vec::new();
            if parsed.has_error() {
                for (number, item) in items.items.iter().enumerate() {
                    if parsed.has_error_in(item.range.clone()) {
                        broken.push(Part::Item(file, number));
                    }
                }
                for (number, container) in items.containers.iter().enumerate() {
                    if parsed.has_error_in(container.range.start..container.body.start) {
                        broken.push(Part::Container(file, number));
                    }
                }
            }
            room.files.push(File {
                path,
                text,
                items,
                names,
                broken,
            });
        }
        room
    }

    /// The file of a path, and its item that begins at a byte.
    pub(super) fn place(&self, path: &str, start: usize) -> (usize, usize) {
        let mut files = self.files.iter();
        let file = files
            .position(|file| file.path == path)
            .expect("it was found there");
        let mut items = self.files[file].items.items.iter();
        let item = items.position(|item| item.is_function() && item.range.start == start);
        (file, item.expect("it was found there"))
    }

    /// Returns `true` if a part can be brought.
    pub(super) fn is_whole(&self, part: Part) -> bool {
        let (Part::Item(file, _) | Part::Container(file, _)) = part;
        !self.files[file].broken.contains(&part)
    }

    /// The meanings of the names in a part of a file, each with its name: a part of the room, or `None` if nothing in
    /// it declares a name that is looked up in scopes.
    pub(super) fn reads(
        &self,
        file: usize,
        range: Range<usize>,
    ) -> impl Iterator<Item = (&'t str, Space, Option<Part>)> {
        let of = &self.files[file];
        let text = of.text;
        let first = of
            .names
            .occurrences
            .partition_point(|one| one.range.start < range.start);
        let inside = of.names.occurrences[first..].iter();
        let inside = inside.take_while(move |one| one.range.start < range.end);
        inside.filter_map(move |one| {
            let name = text.get(one.range.clone())?;
            let part = match &one.meaning {
                Meaning::Bound(found) => {
                    let mut parts = found.iter().filter_map(|number| {
                        let at = of.names.definitions[*number].range.start;
                        self.parts.get(&(file, at)).copied()
                    });
                    // A declaration inside of a function is not a part.
                    return parts.next().map(|part| (name, one.space, Some(part)));
                }
                Meaning::Free if self.files.len() > 1 => {
                    let shared = |space| self.shared.get(&(space, name)).copied();
                    shared(one.space)
                        .or_else(|| shared(Space::Type))
                        .or_else(|| shared(Space::Value))
                }
                Meaning::Free => None,
                // A method may be in another file than its type.
                Meaning::Foreign => {
                    let owner = one.owner.as_deref()?;
                    Some(*self.members.get(owner)?.get(name)?)
                }
                Meaning::Others | Meaning::Stays => return None,
            };
            Some((name, one.space, part))
        })
    }
}
