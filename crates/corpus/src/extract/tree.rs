//! Languages that tree-sitter reads: files → functions, each with the part of its file that it needs.
//!
//! Every file of the source is parsed. The functions of those that are mined are found and take part in the draw with
//! all others. The drawn functions are closed (`closing`): from the names that a function reads, through their
//! declarations in its file (in Go, in its package), to a text that can be parsed, with the classes around each part.
//! The declarations of other files are not brought: their names count as references if the source has one declaration
//! of that kind, and stay.

mod closing;
mod room;

use barecode_languages::of_path;
use barecode_records::{
    Account, Closure, DocComment, DocPlace, Function, Language, Quoted, Reason, Spelled,
};
use barecode_trees::{ItemKind, Items, Ours, Parsed, bare, same_shape, spellings};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use crate::extract::Draw;
use crate::extract::found::{Found, FoundDoc, FoundText, refuse_file};
use crate::front_end::{Asked, Close, Closed, FrontEnd, together};
use crate::lines::LineStarts;
use crate::symbols::{self, Analyzed, Unreadable};
use room::Room;

/// The declarations outside of classes in the files of a source, by language and name.
pub(super) type Declared = BTreeMap<(Language, String), ItemKind>;

/// The content that is found in the files of a source.
#[derive(Default)]
struct TreeFiles {
    /// The files of each room.
    rooms: BTreeMap<(String, Language), Vec<String>>,
    declared: Declared,
}

/// The functions of a file, and what it declares.
struct Read {
    found: Vec<Found>,
    declared: Vec<(String, ItemKind)>,
    problem: Option<String>,
}

/// Languages that tree-sitter reads.
pub(crate) struct Trees;

impl FrontEnd for Trees {
    fn find<'s>(
        &self,
        asked: Asked<'s>,
        paths: Vec<String>,
        draw: &mut Draw<'_>,
        account: &mut Account,
    ) -> Close<'s> {
        let mut files = TreeFiles::default();
        for paths in together(asked.source, &paths) {
            let read = paths.par_iter().filter_map(|path| {
                let (entry, _) = of_path(path)?;
                let read = read(path, asked, entry.language)?;
                Some((path, entry.language, read))
            });
            let read: Vec<(&String, Language, Read)> = read.collect();
            let mut all = Vec::new();
            for (path, language, read) in read {
                for (name, kind) in read.declared {
                    files.declared.entry((language, name)).or_insert(kind);
                }
                if asked.mined.contains(path) {
                    match read.problem {
                        Some(problem) if read.found.is_empty() => {
                            let why = (Reason::ParseError, problem);
                            refuse_file(asked.source, path, why, account);
                        }
                        Some(_) => account.count_kept("files with parts that cannot be parsed"),
                        None => {}
                    }
                    all.extend(read.found);
                }
                let room = (room::key(path, language).to_owned(), language);
                files.rooms.entry(room).or_default().push(path.clone());
            }
            draw.enter(all, account);
        }
        Box::new(move |drawn| files.close(asked, drawn))
    }

    fn judge(&self, function: &Function) -> Result<(), (Reason, String)> {
        let parsed = Parsed::of(&function.closure.text, function.language)
            .expect("its language has a grammar");
        let problem = parsed.problem();
        problem.map_or(Ok(()), |problem| Err((Reason::SyntaxError, problem)))
    }

    fn spellings(
        &self,
        text: &str,
        language: Language,
        ours: &dyn Ours,
    ) -> Result<Vec<Spelled>, Unreadable> {
        let unreadable = || Unreadable("no language of a grammar".to_owned());
        let parsed = Parsed::of(text, language).ok_or_else(unreadable)?;
        Ok(spellings(&parsed, &Items::of(&parsed), ours))
    }

    fn quoted(&self, text: &str, language: Language) -> Result<Vec<Quoted>, Unreadable> {
        let unreadable = || Unreadable("no language of a grammar".to_owned());
        let parsed = Parsed::of(text, language).ok_or_else(unreadable)?;
        match parsed.problem() {
            Some(problem) => Err(Unreadable(problem)),
            None => Ok(parsed.quoted()),
        }
    }

    fn is_alike(&self, text: &str, other: &str, language: Language) -> Result<(), &'static str> {
        let parsed = |text| Parsed::of(text, language).ok_or("it cannot be parsed");
        let (one, other) = (parsed(text)?, parsed(other)?);
        // For a text that is not code of the language, a shape means nothing.
        if one.problem().is_some() {
            return Err("the unit itself cannot be parsed");
        }
        same_shape(&one, &other)
            .then_some(())
            .ok_or("it is parsed otherwise")
    }

    fn symbols<'t>(
        &self,
        closure: &'t Closure,
        function: &str,
        language: Language,
    ) -> Result<Analyzed<'t>, Unreadable> {
        let before = symbols::tree::Read::of(&closure.text, language)?;
        Ok(Analyzed {
            symbols: symbols::tree::of_closure(closure, &before, function, language),
            same: Box::new(move |renamed| before.is_same(renamed, language)),
        })
    }
}

impl TreeFiles {
    /// The functions with their closures; for one that is too large, the bound that it passed.
    fn close(&self, asked: Asked<'_>, drawn: Vec<Found>) -> Vec<Closed> {
        let mut rooms: BTreeMap<(String, Language), Vec<Found>> = BTreeMap::new();
        for found in drawn {
            let key = room::key(&found.path, found.language).to_owned();
            rooms.entry((key, found.language)).or_default().push(found);
        }
        let closed = rooms.into_par_iter().flat_map_iter(|(key, drawn)| {
            let paths = self.rooms.get(&key).into_iter().flatten();
            let files: Vec<(&String, String)> =
                paths.map(|path| (path, asked.source.text(path))).collect();
            let texts = files.iter().map(|(path, text)| (path.as_str(), &**text));
            let room = Room::of(texts, key.1);
            let close = |found: Found| {
                let function = self.function(asked, &room, &found);
                (found, function)
            };
            drawn.into_iter().map(close).collect::<Vec<Closed>>()
        });
        closed.collect()
    }

    fn function(
        &self,
        asked: Asked<'_>,
        room: &Room<'_>,
        found: &Found,
    ) -> Result<Function, String> {
        let (file, item) = room.place(&found.path, found.range.start);
        let label = asked.source.config().key();
        let closed = closing::close(room, &self.declared, label, (file, item), asked.config)?;
        let of_file = &room.files[file];
        let mut path = of_file.items.path(&of_file.items.items[item]);
        path.push(&found.name);
        let docs = found.doc.iter().map(FoundDoc::get).collect();
        Ok(found.closed(asked.source, path.join("."), docs, closed))
    }
}

/// Reads a file. `None` if its language is read in another way.
fn read(path: &str, asked: Asked<'_>, language: Language) -> Option<Read> {
    let text = &*asked.source.text(path);
    let is_mined = asked.mined.contains(path);
    let shared: Arc<str> = path.into();
    let parsed = Parsed::of(text, language)?;
    let items = Items::of(&parsed);
    let lines = LineStarts::of(text);
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
        if !is_mined {
            continue;
        }
        let shown = items.doc(text, item.range.start);
        let doc = shown.map(|range| {
            let (start_line, end_line) = lines.of_range(&range);
            DocComment {
                text: text.get(range).unwrap_or_default().to_owned(),
                place: DocPlace::Definition,
                path: path.to_owned(),
                start_line,
                end_line,
            }
        });
        let refused = if parsed.has_error_in(item.range.clone()) {
            Some((Reason::ParseError, String::new()))
        } else {
            item.inside.map(|outer| {
                let detail = format!("of {}", items.items[outer].name());
                (Reason::LocalFunction, detail)
            })
        };
        let (start_line, end_line) = lines.of_range(&item.range);
        read.found.push(Found {
            root: shared.clone(),
            language,
            kind,
            is_template: false,
            path: shared.clone(),
            range: item.range.clone(),
            name: item.name().into(),
            text: FoundText::of(asked.texts, shown_text(text, &items, item.range.clone())),
            doc: doc.map(|doc| FoundDoc::of(asked.texts, &doc)),
            start_line,
            end_line,
            refused: refused.map(Box::new),
        });
    }
    Some(read)
}

/// A part of a file from the first byte of its line, if only blanks are before it.
pub(super) fn with_indentation(text: &str, range: Range<usize>) -> Range<usize> {
    let before = text.get(..range.start).unwrap_or_default();
    let blanks = before.len() - before.trim_end_matches([' ', '\t']).len();
    let start = range.start - blanks;
    let begins_line = start == 0 || before.get(..start).is_some_and(|text| text.ends_with('\n'));
    if begins_line { start..range.end } else { range }
}

/// A part of a file in the form that readers see: without comments and indentation.
pub(super) fn shown_text(text: &str, items: &Items, range: Range<usize>) -> String {
    let bare = bare(text, with_indentation(text, range), &items.comments);
    barecode_records::Span::from(0..bare.len()).dedented(&bare)
}
