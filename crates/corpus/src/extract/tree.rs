//! Languages that tree-sitter reads: files → functions, each with the part of its file that it needs.
//!
//! Every file of the source is parsed. The functions of those that are mined are found (`find`) and take part in the
//! draw with all others; those that are drawn are closed (`close`): from the names that a function reads, through what
//! declares them in its file (in Go, in its package), to a text that can be parsed, with the classes around each part.
//! What other files declare is not brought: its names count as references where the source has one declaration of
//! that kind, and stay.

mod closing;
mod room;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use barecode_languages::of_path;
use barecode_records::{
    DocComment, DocPlace, Function, Language, Outcome, Reason, SetAside, Stage,
};
use barecode_sources::{Source, origin};
use barecode_trees::{ItemKind, Items, Parsed, bare};
use rayon::prelude::*;

use super::{ExtractConfig, Found};
use room::Room;

/// What the files of a source declare outside of classes, by language and name.
pub(super) type Declared = BTreeMap<(Language, String), ItemKind>;

/// What is found in the files of a source.
#[derive(Debug)]
pub(super) struct TreeFiles {
    texts: BTreeMap<String, String>,
    declared: Declared,
}

/// The text of a file, its language and its functions.
struct Read {
    found: Vec<Found>,
    declared: Vec<(String, ItemKind)>,
    problem: Option<String>,
}

impl TreeFiles {
    /// Reads the files with these texts, and finds the functions of those that are mined.
    pub(super) fn find(
        source: &Source,
        texts: Vec<(String, String)>,
        is_mined: impl Fn(&str) -> bool + Sync,
        extraction: &mut Outcome<Vec<Function>>,
    ) -> (TreeFiles, Vec<Found>) {
        let read: Vec<(String, String, Language, Read)> = texts
            .into_par_iter()
            .filter_map(|(path, text)| {
                let (entry, _) = of_path(&path)?;
                let read = read(&path, &text, entry.language)?;
                Some((path, text, entry.language, read))
            })
            .collect();
        let mut files = TreeFiles {
            texts: BTreeMap::new(),
            declared: Declared::new(),
        };
        let mut all = Vec::new();
        for (path, text, language, read) in read {
            for (name, kind) in read.declared {
                files.declared.entry((language, name)).or_insert(kind);
            }
            if is_mined(&path) {
                if let (true, Some(problem)) = (read.found.is_empty(), &read.problem) {
                    let row = SetAside {
                        origin: Some(origin(source, &path, 1, 1)),
                        ..SetAside::new(Stage::Extract, "file", Reason::ParseError, problem)
                    };
                    extraction.set_aside_kept("files", row);
                } else if read.problem.is_some() {
                    extraction.count_kept("files with parts that cannot be parsed");
                }
                all.extend(read.found);
            }
            files.texts.insert(path, text);
        }
        (files, all)
    }

    /// The functions with their closures, in the order of what was found; what is too large has the bound that it
    /// passed.
    pub(super) fn close(
        &self,
        source: &Source,
        config: &ExtractConfig,
        found: Vec<Found>,
    ) -> Vec<(Found, Result<Function, String>)> {
        let mut texts: BTreeMap<(&str, Language), Vec<(&str, &str)>> = BTreeMap::new();
        for (path, text) in &self.texts {
            if let Some((entry, _)) = of_path(path) {
                let key = (room::key(path, entry.language), entry.language);
                texts.entry(key).or_default().push((path, text));
            }
        }
        let mut rooms: BTreeMap<(&str, Language), Vec<usize>> = BTreeMap::new();
        for (number, found) in found.iter().enumerate() {
            rooms
                .entry((room::key(&found.path, found.language), found.language))
                .or_default()
                .push(number);
        }
        let rooms: Vec<(&str, Language, Vec<usize>)> = rooms
            .into_iter()
            .map(|((key, language), numbers)| (key, language, numbers))
            .collect();
        let closed: Vec<Vec<(usize, Result<Function, String>)>> = rooms
            .into_par_iter()
            .map(|(key, language, numbers)| {
                let texts = texts.get(&(key, language)).into_iter().flatten();
                let room = Room::of(texts.copied(), language);
                let close = |number: &usize| {
                    let function = self.function(source, config, &room, &found[*number]);
                    (*number, function)
                };
                numbers.iter().map(close).collect()
            })
            .collect();
        let mut functions: BTreeMap<usize, Result<Function, String>> =
            closed.into_iter().flatten().collect();
        let closed = found.into_iter().enumerate().map(|(number, found)| {
            let function = functions.remove(&number).expect("each has a room");
            (found, function)
        });
        closed.collect()
    }

    fn function(
        &self,
        source: &Source,
        config: &ExtractConfig,
        room: &Room<'_>,
        found: &Found,
    ) -> Result<Function, String> {
        let label = source.label();
        let (file, item) = room.place(&found.path, found.range.start);
        let (closure, references) =
            closing::close(room, &self.declared, label, (file, item), config)?;
        let of_file = &room.files[file];
        let mut qualified = of_file.items.path(&of_file.items.items[item]);
        qualified.push(&found.name);
        Ok(Function {
            id: Function::id_of(label, &found.path, &found.name, &found.text),
            origin: origin(source, &found.path, found.start_line, found.end_line),
            language: found.language,
            name: found.name.clone(),
            qualified_name: qualified.join("."),
            kind: found.kind,
            is_template: false,
            translation_unit: found.path.clone(),
            text: found.text.clone(),
            docs: found.doc.iter().cloned().collect(),
            references,
            closure,
        })
    }
}

/// Reads a file. `None` if its language is read in another way.
fn read(path: &str, text: &str, language: Language) -> Option<Read> {
    let parsed = Parsed::of(text, language)?;
    let items = Items::of(&parsed);
    let lines = Lines::of(text);
    let mut read = Read {
        found: Vec::new(),
        declared: Vec::new(),
        problem: parsed.problem(),
    };
    for container in &items.containers {
        if let Some((name, _)) = &container.name {
            read.declared.push((name.clone(), ItemKind::Type));
        }
    }
    for item in &items.items {
        let is_outside = item.owner.is_none() && item.inside.is_none();
        if is_outside && item.kind != ItemKind::Field {
            let names = item.names.iter();
            read.declared
                .extend(names.map(|(name, _)| (name.clone(), item.kind)));
        }
        let ItemKind::Function(kind) = item.kind else {
            continue;
        };
        let shown = items.doc(text, item.range.start);
        let doc = shown.map(|range| DocComment {
            text: text.get(range.clone()).unwrap_or_default().to_owned(),
            place: DocPlace::Definition,
            path: path.to_owned(),
            start_line: lines.of_byte(range.start),
            end_line: lines.of_byte(range.end.saturating_sub(1)),
        });
        let refused = if parsed.has_error_in(item.range.clone()) {
            Some((Reason::ParseError, String::new()))
        } else {
            item.inside.map(|outer| {
                let detail = format!("of {}", items.items[outer].name());
                (Reason::LocalFunction, detail)
            })
        };
        read.found.push(Found {
            root: path.to_owned(),
            language,
            kind,
            is_template: false,
            path: path.to_owned(),
            range: item.range.clone(),
            name: item.name().to_owned(),
            text: shown_text(text, &items, item.range.clone()),
            doc,
            start_line: lines.of_byte(item.range.start),
            end_line: lines.of_byte(item.range.end.saturating_sub(1)),
            refused,
        });
    }
    Some(read)
}

/// A part of a file from the first byte of its line, if nothing else stands before it.
pub(super) fn with_indentation(text: &str, range: Range<usize>) -> Range<usize> {
    let before = text.get(..range.start).unwrap_or_default();
    let blanks = before.len() - before.trim_end_matches([' ', '\t']).len();
    let start = range.start - blanks;
    let begins_line = start == 0 || before.get(..start).is_some_and(|text| text.ends_with('\n'));
    if begins_line { start..range.end } else { range }
}

/// A part of a file as readers of it see it: without comments, and without what indents it.
pub(super) fn shown_text(text: &str, items: &Items, range: Range<usize>) -> String {
    let bare = bare(text, with_indentation(text, range), &items.comments);
    barecode_records::Span::from(0..bare.len()).dedented(&bare)
}

/// The first bytes of the lines of a text.
struct Lines(Vec<usize>);

impl Lines {
    fn of(text: &str) -> Lines {
        let newlines = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        Lines(newlines.map(|(at, _)| at).collect())
    }

    /// The line of a byte, from 1.
    fn of_byte(&self, at: usize) -> u32 {
        let before = self.0.partition_point(|newline| *newline < at);
        u32::try_from(before + 1).unwrap_or(u32::MAX)
    }
}

/// The names of a set as a sorted list.
pub(super) fn sorted(names: BTreeSet<String>) -> Vec<String> {
    names.into_iter().collect()
}
