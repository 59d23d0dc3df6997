//! A function of a room → a text that has it and all it needs of the room.
//!
//! The closure follows from names: those that the function reads, the declarations of these, the names that these
//! read, and so on. Each part is inside the same classes as in its file, with nothing else of them. Parts come in the
//! order of their files, the function's own file last, and without comments.

use std::collections::BTreeSet;

use barecode_records::{Closure, HelperBodies, PieceKind, References, Span};
use barecode_trees::{Item, ItemKind, Space, bare};

use super::super::written::{Referred, Written};
use super::room::{File, Part, Room};
use super::{Declared, shown_text, with_indentation};
use crate::extract::ExtractConfig;

/// The closure of a function, and its references.
///
/// # Errors
/// The size that the closure reached, if that is more than the recipe allows.
pub(super) fn close(
    room: &Room<'_>,
    declared: &Declared,
    label: &str,
    (file, item): (usize, usize),
    config: &ExtractConfig,
) -> Result<(Closure, References), String> {
    let references = references(room, declared, (file, item));
    let (needed, bodies) = needed(room, (file, item), config);
    let closure = write(room, label, (file, item), &needed, bodies, &references);
    match config.refuses(closure.text.len(), closure.items as usize) {
        Some(bound) => Err(bound),
        None => Ok((closure, references)),
    }
}

/// The names of its own source that a function uses.
fn references(room: &Room<'_>, declared: &Declared, (file, item): (usize, usize)) -> References {
    let of = &room.files[file].items.items[item];
    let mut referred = Referred::default();
    for (name, space, part) in room.reads(file, of.range.clone()) {
        let kind = match part {
            Some(Part::Item(in_file, number)) if (in_file, number) == (file, item) => continue,
            Some(Part::Item(in_file, number)) => {
                let part = &room.files[in_file].items.items[number];
                if in_file == file && part.inside == Some(item) {
                    continue;
                }
                match (part.kind, &part.owner) {
                    // A function knows its class by the fields that it uses.
                    (ItemKind::Field, Some(owner)) => {
                        referred.types.insert(owner.clone());
                        continue;
                    }
                    (kind, _) => kind,
                }
            }
            Some(Part::Container(..)) => ItemKind::Type,
            None => {
                let is_label = matches!(space, Space::Label | Space::Member | Space::Own);
                match declared.get(&(room.language, name.to_owned())) {
                    Some(kind) if !is_label => *kind,
                    _ => continue,
                }
            }
        };
        let set = match kind {
            ItemKind::Function(_) => &mut referred.functions,
            ItemKind::Type => &mut referred.types,
            ItemKind::Global | ItemKind::Field => &mut referred.globals,
        };
        set.insert(name.to_owned());
    }
    referred.into()
}

/// The parts of the room that a function needs, itself included; functions only as far as they fit.
fn needed(
    room: &Room<'_>,
    (file, item): (usize, usize),
    config: &ExtractConfig,
) -> (BTreeSet<Part>, HelperBodies) {
    let limit = config.max_bytes_with_helpers as usize;
    let mut needed = BTreeSet::from([Part::Item(file, item)]);
    let mut bytes = room.files[file].items.items[item].range.len();
    let mut bodies = HelperBodies::Full;
    let mut next = vec![Part::Item(file, item)];
    while let Some(part) = next.pop() {
        let (file, range) = match part {
            Part::Item(file, number) => {
                let item = &room.files[file].items.items[number];
                (file, item.range.clone())
            }
            Part::Container(file, number) => {
                let container = &room.files[file].items.containers[number];
                (file, container.range.start..container.body.start)
            }
        };
        let found: BTreeSet<Part> = room
            .reads(file, range)
            .filter_map(|(_, _, part)| part)
            .collect();
        for part in found {
            // A part of a function comes with it.
            let inner = match part {
                Part::Item(file, number) => {
                    let item = &room.files[file].items.items[number];
                    item.inside.is_some()
                }
                Part::Container(..) => false,
            };
            if inner || needed.contains(&part) || !room.is_whole(part) {
                continue;
            }
            let (size, is_function) = match part {
                Part::Item(file, number) => {
                    let item = &room.files[file].items.items[number];
                    (item.range.len(), item.is_function())
                }
                Part::Container(file, number) => {
                    let container = &room.files[file].items.containers[number];
                    (container.body.start - container.range.start, false)
                }
            };
            if is_function && bytes + size > limit {
                bodies = HelperBodies::Direct;
                continue;
            }
            bytes += size;
            needed.insert(part);
            next.push(part);
        }
    }
    (needed, bodies)
}

/// The closure as text, with the ranges of its pieces.
fn write(
    room: &Room<'_>,
    label: &str,
    (home, target): (usize, usize),
    needed: &BTreeSet<Part>,
    helper_bodies: HelperBodies,
    references: &References,
) -> Closure {
    let tree = barecode_languages::of(room.language).and_then(barecode_languages::Entry::tree);
    let mut written = Written::default();
    let prefix = tree.map_or("", |tree| tree.prefix);
    written.text.push_str(prefix);
    let span = Span::from(0..prefix.trim_end().len());
    written.piece(PieceKind::Header, span, Vec::new(), false);
    let mut order: Vec<usize> = (0..room.files.len()).filter(|file| *file != home).collect();
    order.push(home);
    for file in order {
        let of = &room.files[file];
        let range = |part: &Part| match part {
            Part::Item(_, number) => of.items.items[*number].range.clone(),
            Part::Container(_, number) => of.items.containers[*number].range.clone(),
        };
        let is_here = |part: &&Part| match part {
            Part::Item(of, _) | Part::Container(of, _) => *of == file,
        };
        let mut parts: Vec<&Part> = needed.iter().filter(is_here).collect();
        parts.sort_by_key(|part| {
            let range = range(part);
            (range.start, std::cmp::Reverse(range.end))
        });
        let mut writing = Writing {
            of,
            written: &mut written,
            open: Vec::new(),
        };
        for part in parts {
            writing.enter(part);
            let Part::Item(_, number) = part else {
                continue;
            };
            let item = &of.items.items[*number];
            let span = writing.item(item);
            let name = item.name();
            let kind = if (file, *number) == (home, target) {
                writing.written.target = Some(span);
                PieceKind::Target
            } else if !item.is_function() {
                PieceKind::Declaration
            } else if references.functions.iter().any(|called| called == name) {
                let shown = shown_text(of.text, &of.items, item.range.clone());
                writing.written.helper((label, of.path), name, &shown, span);
                PieceKind::Helper
            } else {
                PieceKind::Definition
            };
            writing.end(item, kind, span);
        }
        writing.leave(0);
    }
    written.closure(needed.len(), helper_bodies, references)
}

/// The part of a closure that is from one file.
struct Writing<'w, 't> {
    of: &'w File<'t>,
    written: &'w mut Written,
    /// The classes around the next part.
    open: Vec<usize>,
}

impl Writing<'_, '_> {
    /// Closes the classes that are not around a part, and opens those that are.
    fn enter(&mut self, part: &Part) {
        let all = &self.of.items;
        let mut around = Vec::new();
        let mut next = match part {
            Part::Item(_, number) => all.items[*number].container,
            Part::Container(_, number) => Some(*number),
        };
        while let Some(number) = next {
            around.push(number);
            let container = &all.containers[number];
            next = container.parent.filter(|_| !container.stands_alone());
        }
        around.reverse();
        let pairs = self.open.iter().zip(&around);
        let same = pairs.take_while(|(a, b)| a == b).count();
        self.leave(same);
        for &number in &around[same..] {
            let container = &all.containers[number];
            let (head, _) = container.brackets(self.of.text);
            let start = self.written.text.len();
            if head.starts_with('(') {
                self.written.text.push_str(head);
            } else {
                let begin = container.range.start;
                let from = with_indentation(self.of.text, begin..begin).start;
                let head = bare(self.of.text, from..begin + head.len(), &all.comments);
                self.written.text.push_str(head.trim_end());
            }
            let names = container.name.iter().map(|(name, _)| name.clone());
            self.scope(start, names.collect());
            self.open.push(number);
        }
    }

    /// Closes all classes but the outermost ones.
    fn leave(&mut self, kept: usize) {
        for number in self.open.drain(kept..).rev().collect::<Vec<usize>>() {
            let (_, tail) = self.of.items.containers[number].brackets(self.of.text);
            let start = self.written.text.len();
            self.written.text.push_str(tail.trim_start_matches('\n'));
            self.scope(start, Vec::new());
        }
    }

    /// Ends a line that opens or closes a class.
    fn scope(&mut self, start: usize, names: Vec<String>) {
        let span = Span::from(start..self.written.text.len());
        self.written.piece(PieceKind::Scope, span, names, false);
        self.written.text.push('\n');
    }

    /// Writes an item; where it is.
    fn item(&mut self, item: &Item) -> Span {
        let start = self.written.text.len();
        let whole = with_indentation(self.of.text, item.range.clone());
        let bare = bare(self.of.text, whole, &self.of.items.comments);
        self.written.text.push_str(bare.trim_end());
        Span::from(start..self.written.text.len())
    }

    /// Records the kind of an item, and writes the text behind it.
    fn end(&mut self, item: &Item, kind: PieceKind, span: Span) {
        let names = item.names.iter().map(|(name, _)| name.clone());
        self.written.piece(kind, span, names.collect(), false);
        let container = item
            .container
            .map(|number| &self.of.items.containers[number]);
        let separator = container.map_or("", |container| &*container.separator);
        self.written.text.push_str(separator);
        // The end of a declaration may be behind its node.
        let behind = self.of.text.get(item.range.end..).unwrap_or_default();
        if separator.is_empty() && behind.starts_with(';') {
            self.written.text.push(';');
        }
        self.written.text.push('\n');
    }
}
