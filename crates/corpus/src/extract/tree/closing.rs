//! A function of a room → a text that has it and what it needs of the room.
//!
//! What is needed follows from names: what the function reads, what declares that, what that reads, and so on. Each
//! part stands in the classes that it stands in, with nothing else of them. Parts come in the order of their files, the
//! function's own file last, and without comments.

use std::collections::BTreeSet;

use barecode_records::{
    Closure, Function, HelperBodies, HelperSpan, Piece, PieceKind, References, Span,
};
use barecode_trees::{Container, ItemKind, Space, bare};

use super::super::ExtractConfig;
use super::room::{Part, Room};
use super::{Declared, shown_text, sorted, with_indentation};

/// The closure of a function, and what it refers to.
///
/// # Errors
/// What it reached, where that is more than the recipe allows.
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
    let (bytes, items) = (closure.text.len(), closure.items);
    if bytes > config.max_closure_bytes as usize || items > config.max_closure_items {
        return Err(format!(
            "reached {bytes} bytes in {items} items, the limits are {} and {}",
            config.max_closure_bytes, config.max_closure_items
        ));
    }
    Ok((closure, references))
}

/// What a function names of its own source.
fn references(room: &Room<'_>, declared: &Declared, (file, item): (usize, usize)) -> References {
    let of = &room.files[file].items.items[item];
    let (mut functions, mut types) = (BTreeSet::new(), BTreeSet::new());
    let mut globals = BTreeSet::new();
    for (name, space, part) in room.reads(file, of.range.clone()) {
        let kind = match part {
            Some(Part::Item(in_file, number)) if (in_file, number) == (file, item) => continue,
            Some(Part::Item(in_file, number)) => {
                let part = &room.files[in_file].items.items[number];
                if in_file == file && part.inside == Some(item) {
                    continue;
                }
                match (part.kind, &part.owner) {
                    // A function knows its class by the fields that it takes.
                    (ItemKind::Field, Some(owner)) => {
                        types.insert(owner.clone());
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
            ItemKind::Function(_) => &mut functions,
            ItemKind::Type => &mut types,
            ItemKind::Global | ItemKind::Field => &mut globals,
        };
        set.insert(name.to_owned());
    }
    References {
        functions: sorted(functions),
        types: sorted(types),
        globals: sorted(globals),
        macros: Vec::new(),
    }
}

/// What a function needs of the room, itself included; functions only as far as they fit.
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

/// The closure as text, with what stands where.
fn write(
    room: &Room<'_>,
    label: &str,
    (home, target): (usize, usize),
    needed: &BTreeSet<Part>,
    helper_bodies: HelperBodies,
    references: &References,
) -> Closure {
    let tree = barecode_languages::of(room.language).and_then(barecode_languages::Entry::tree);
    let mut text = String::new();
    let mut pieces = Vec::new();
    let mut helpers = Vec::new();
    let mut found = None;
    let prefix = tree.map_or("", |tree| tree.prefix);
    if !prefix.is_empty() {
        text.push_str(prefix);
        pieces.push(Piece {
            kind: PieceKind::Header,
            span: Span::from(0..prefix.trim_end().len()),
            names: Vec::new(),
            external: false,
        });
    }
    let mut order: Vec<usize> = (0..room.files.len()).filter(|file| *file != home).collect();
    order.push(home);
    for file in order {
        let of = &room.files[file];
        let all = &of.items;
        let range = |part: &Part| match part {
            Part::Item(_, number) => all.items[*number].range.clone(),
            Part::Container(_, number) => all.containers[*number].range.clone(),
        };
        let is_here = |part: &&Part| match part {
            Part::Item(of, _) | Part::Container(of, _) => *of == file,
        };
        let mut parts: Vec<&Part> = needed.iter().filter(is_here).collect();
        parts.sort_by_key(|part| {
            let range = range(part);
            (range.start, std::cmp::Reverse(range.end))
        });
        let mut open: Vec<usize> = Vec::new();
        let close = |text: &mut String, pieces: &mut Vec<Piece>, container: &Container| {
            let (_, tail) = container.brackets(of.text);
            let start = text.len();
            text.push_str(tail.trim_start_matches('\n'));
            push_piece(pieces, PieceKind::Scope, start, text, Vec::new());
            text.push('\n');
        };
        for part in parts {
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
            let same = open.iter().zip(&around).take_while(|(a, b)| a == b).count();
            for number in open.drain(same..).rev().collect::<Vec<usize>>() {
                close(&mut text, &mut pieces, &all.containers[number]);
            }
            for &number in &around[same..] {
                let container = &all.containers[number];
                let (head, _) = container.brackets(of.text);
                let start = text.len();
                if head.starts_with('(') {
                    text.push_str(head);
                } else {
                    let from =
                        with_indentation(of.text, container.range.start..container.range.start);
                    let until = container.range.start + head.len();
                    let head = bare(of.text, from.start..until, &all.comments);
                    text.push_str(head.trim_end());
                }
                let names = container.name.iter().map(|(name, _)| name.clone());
                push_piece(&mut pieces, PieceKind::Scope, start, &text, names.collect());
                text.push('\n');
                open.push(number);
            }
            let Part::Item(_, number) = part else {
                continue;
            };
            let item = &all.items[*number];
            let start = text.len();
            let whole = with_indentation(of.text, item.range.clone());
            text.push_str(bare(of.text, whole, &all.comments).trim_end());
            let span = Span::from(start..text.len());
            let is_helper =
                item.is_function() && references.functions.iter().any(|name| name == item.name());
            let kind = if (file, *number) == (home, target) {
                found = Some(span);
                PieceKind::Target
            } else if is_helper {
                let shown = shown_text(of.text, all, item.range.clone());
                helpers.push(HelperSpan {
                    name: item.name().to_owned(),
                    function_id: Function::id_of(label, of.path, item.name(), &shown),
                    span,
                });
                PieceKind::Helper
            } else if item.is_function() {
                PieceKind::Definition
            } else {
                PieceKind::Declaration
            };
            let names = item.names.iter().map(|(name, _)| name.clone());
            push_piece(&mut pieces, kind, start, &text, names.collect());
            let separator = item
                .container
                .map(|number| &*all.containers[number].separator);
            text.push_str(separator.unwrap_or_default());
            // What ends a declaration may stand behind its node.
            let behind = of.text.get(item.range.end..).unwrap_or_default();
            if separator.is_none_or(str::is_empty) && behind.starts_with(';') {
                text.push(';');
            }
            text.push('\n');
        }
        for number in open.drain(..).rev().collect::<Vec<usize>>() {
            close(&mut text, &mut pieces, &all.containers[number]);
        }
    }
    let has = |name: &&String| !helpers.iter().any(|helper| helper.name == **name);
    Closure {
        target: found.expect("a function needs itself"),
        helper_external: references.functions.iter().filter(has).cloned().collect(),
        items: u32::try_from(needed.len()).unwrap_or(u32::MAX),
        helper_bodies,
        missing_headers: Vec::new(),
        assumed_headers: Vec::new(),
        helpers,
        pieces,
        text,
    }
}

fn push_piece(
    pieces: &mut Vec<Piece>,
    kind: PieceKind,
    start: usize,
    text: &str,
    names: Vec<String>,
) {
    if start < text.len() {
        pieces.push(Piece {
            kind,
            span: Span::from(start..text.len()),
            names,
            external: false,
        });
    }
}
