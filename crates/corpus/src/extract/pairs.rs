//! R scripts: comments with the code below them, as functions are kept.
//!
//! What `scripts` finds in a text becomes a [`Function`] of the kind `Block` or `Lines`: its text is the code, its one doc
//! comment is the comment, and it needs nothing else. It has no name, so its lines stand in place of one.

use std::collections::BTreeMap;

use barecode_languages::of_path;
use barecode_records::{
    Closure, DocComment, DocPlace, Function, FunctionKind, HelperBodies, Language, Outcome, Piece,
    PieceKind, Reason, References, SetAside, Span, Stage,
};
use barecode_sources::{Content, Source, origin};
use rayon::prelude::*;

use super::{ExtractConfig, Found};
use crate::scripts::{Document, DocumentError, Pairs, Profile, published, statements};

/// What is counted of comments: those with a pair are kept.
const COMMENTS: &str = "comments";
/// What is counted of files that are not UTF-8.
const LATIN1: &str = "files read as Latin-1";

/// Finds the pairs in the scripts with these texts.
pub(super) fn find(
    source: &Source,
    profile: Profile,
    texts: BTreeMap<String, String>,
    extraction: &mut Outcome<Vec<Function>>,
) -> Vec<Found> {
    let texts: Vec<(String, String)> = texts.into_iter().collect();
    let read: Vec<(String, Result<Pairs, DocumentError>)> = texts
        .into_par_iter()
        .map(|(path, text)| {
            let read = match profile {
                Profile::Statements => of_text(&path, text),
                Profile::StatCodeSearch => Ok(published(bytes_of(source, &path))),
            };
            (path, read)
        })
        .collect();
    let mut found = Vec::new();
    for (path, read) in read {
        let read = match read {
            Ok(read) => read,
            Err(error) => {
                let reason = match error {
                    DocumentError::OtherLanguage(_) => Reason::FileOtherLanguage,
                    DocumentError::Broken(_) => Reason::NotebookBroken,
                };
                let row = SetAside {
                    origin: Some(origin(source, &path, 1, 1)),
                    ..SetAside::new(Stage::Extract, "file", reason, error.to_string())
                };
                extraction.set_aside_kept("files", row);
                continue;
            }
        };
        // The published rules read all files so.
        let is_foreign = std::str::from_utf8(bytes_of(source, &path)).is_err();
        if is_foreign && profile == Profile::Statements {
            extraction.count_kept(LATIN1);
        }
        for left in read.left {
            let row = SetAside {
                origin: Some(origin(source, &path, left.lines.0, left.lines.1)),
                ..SetAside::new(Stage::Extract, "comment", left.reason, left.detail)
            };
            extraction.set_aside(COMMENTS, row);
        }
        let language = of_path(&path).map_or(Language::C, |(entry, _)| entry.language);
        for pair in read.pairs {
            extraction.count_kept(COMMENTS);
            let (start_line, end_line) = pair.code_lines;
            found.push(Found {
                root: path.clone(),
                language,
                kind: match profile {
                    Profile::Statements => FunctionKind::Block,
                    Profile::StatCodeSearch => FunctionKind::Lines,
                },
                is_template: false,
                path: path.clone(),
                range: 0..0,
                name: format!("lines_{start_line}_{end_line}"),
                text: pair.code,
                doc: Some(DocComment {
                    text: pair.comment,
                    place: DocPlace::Definition,
                    path: path.clone(),
                    start_line: pair.comment_lines.0,
                    end_line: pair.comment_lines.1,
                }),
                start_line,
                end_line,
                refused: None,
            });
        }
    }
    found
}

/// The pairs of a script, a document or a notebook, by their statements.
fn of_text(path: &str, text: String) -> Result<Pairs, DocumentError> {
    let document = Document::of_path(path).unwrap_or(Document::Script);
    let mut all = Pairs::default();
    for chunk in document.chunks(text)? {
        let Pairs { pairs, left } = statements(&chunk);
        all.pairs.extend(pairs);
        all.left.extend(left);
    }
    Ok(all)
}

fn bytes_of<'s>(source: &'s Source, path: &str) -> &'s [u8] {
    match source.files().get(path).map(|file| &file.content) {
        Some(Content::Bytes(bytes)) => bytes,
        _ => &[],
    }
}

/// Pairs as functions; the detail of what is too large says so.
pub(super) fn close(
    source: &Source,
    config: &ExtractConfig,
    found: Vec<Found>,
) -> Vec<(Found, Result<Function, String>)> {
    let close = |found: Found| {
        let function = match u32::try_from(found.text.len()) {
            Ok(length) if length <= config.max_closure_bytes => Ok(function(source, &found)),
            _ => Err(format!(
                "{} bytes, the limit is {} (`max-closure-bytes`)",
                found.text.len(),
                config.max_closure_bytes
            )),
        };
        (found, function)
    };
    found.into_iter().map(close).collect()
}

fn function(source: &Source, found: &Found) -> Function {
    let target = Span::from(0..found.text.len());
    Function {
        id: Function::id_of(source.label(), &found.path, &found.name, &found.text),
        origin: origin(source, &found.path, found.start_line, found.end_line),
        language: found.language,
        name: found.name.clone(),
        qualified_name: found.name.clone(),
        kind: found.kind,
        is_template: false,
        translation_unit: found.path.clone(),
        text: found.text.clone(),
        docs: found.doc.iter().cloned().collect(),
        references: References::default(),
        closure: Closure {
            text: found.text.clone(),
            target,
            helpers: Vec::new(),
            helper_bodies: HelperBodies::None,
            items: 1,
            pieces: vec![Piece {
                kind: PieceKind::Target,
                span: target,
                names: Vec::new(),
                external: false,
            }],
            helper_external: Vec::new(),
            missing_headers: Vec::new(),
            assumed_headers: Vec::new(),
        },
    }
}
