//! R scripts: comments with the code below them, in the form of functions.
//!
//! Each pair that `scripts` finds in a text becomes a [`Function`] of the kind `Block` or `Lines`. Its text is the
//! code, its one doc comment is the comment, and it needs nothing else. It has no name, so its lines replace one.

use barecode_languages::of_path;
use barecode_records::{
    Account, Closure, DocComment, DocPlace, Function, FunctionKind, HelperBodies, Language,
    PieceKind, Quoted, Reason, References, SetAside, Span, Stage,
};
use barecode_sources::{Content, Source, origin};
use rayon::prelude::*;
use std::borrow::Cow;
use std::sync::Arc;

use super::tree::Trees;
use super::written::Written;
use crate::extract::Draw;
use crate::extract::found::{Found, FoundDoc, FoundText, refuse_file};
use crate::front_end::{Asked, Close, FrontEnd};
use crate::scripts::{Document, DocumentError, Pairs, Profile, published, statements};
use crate::symbols::{Analyzed, Unreadable};

/// The account of comments: those with a pair are kept.
const COMMENTS: &str = "comments";
/// The account of files that are not UTF-8.
const LATIN1: &str = "files read as Latin-1";

/// R scripts.
pub(crate) struct Scripts;

impl FrontEnd for Scripts {
    fn find<'s>(
        &self,
        asked: Asked<'s>,
        paths: Vec<String>,
        draw: &mut Draw<'_>,
        account: &mut Account,
    ) -> Close<'s> {
        let pairs = asked.config.pairs;
        let found = pairs.map_or_else(Vec::new, |profile| find(asked, profile, paths, account));
        draw.enter(found, account);
        let close = move |drawn: Vec<Found>| {
            let close = |found: Found| {
                let function = function(asked, &found);
                (found, function)
            };
            drawn.into_iter().map(close).collect()
        };
        Box::new(close)
    }

    /// The published rules join lines, and the result is not always code.
    fn judge(&self, function: &Function) -> Result<(), (Reason, String)> {
        match function.kind {
            FunctionKind::Lines => Ok(()),
            _ => Trees.judge(function),
        }
    }

    fn quoted(&self, text: &str, language: Language) -> Result<Vec<Quoted>, Unreadable> {
        Trees.quoted(text, language)
    }

    fn symbols<'t>(
        &self,
        closure: &'t Closure,
        function: &str,
        language: Language,
    ) -> Result<Analyzed<'t>, Unreadable> {
        Trees.symbols(closure, function, language)
    }
}

/// Finds the pairs in the scripts at these paths.
fn find(
    Asked {
        source,
        mined,
        texts,
        ..
    }: Asked<'_>,
    profile: Profile,
    paths: Vec<String>,
    account: &mut Account,
) -> Vec<Found> {
    let read: Vec<(String, Result<Pairs, DocumentError>)> = paths
        .into_par_iter()
        .filter(|path| mined.contains(path))
        .map(|path| {
            let read = match profile {
                Profile::Statements => of_text(&path, source.text(&path)),
                Profile::StatCodeSearch => Ok(published(&bytes_of(source, &path))),
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
                refuse_file(source, &path, (reason, error.to_string()), account);
                continue;
            }
        };
        // The published rules read all files so.
        let is_foreign = std::str::from_utf8(&bytes_of(source, &path)).is_err();
        if is_foreign && profile == Profile::Statements {
            account.count_kept(LATIN1);
        }
        for left in read.left {
            let row = SetAside {
                origin: Some(origin(source, &path, left.lines.0, left.lines.1)),
                ..SetAside::new(Stage::Extract, "comment", left.reason, left.detail)
            };
            account.set_aside(COMMENTS, &row);
        }
        let language = of_path(&path).map_or(Language::C, |(entry, _)| entry.language);
        let shared: Arc<str> = path.as_str().into();
        for pair in read.pairs {
            account.count_kept(COMMENTS);
            let (start_line, end_line) = pair.code_lines;
            found.push(Found {
                root: shared.clone(),
                language,
                kind: match profile {
                    Profile::Statements => FunctionKind::Block,
                    Profile::StatCodeSearch => FunctionKind::Lines,
                },
                is_template: false,
                path: shared.clone(),
                range: 0..0,
                name: format!("lines_{start_line}_{end_line}").into(),
                text: FoundText::of(texts, pair.code),
                doc: Some(FoundDoc::of(
                    texts,
                    &DocComment {
                        text: pair.comment,
                        place: DocPlace::Definition,
                        path: path.clone(),
                        start_line: pair.comment_lines.0,
                        end_line: pair.comment_lines.1,
                    },
                )),
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

fn bytes_of<'s>(source: &'s Source, path: &str) -> Cow<'s, [u8]> {
    match source.files().get(path).map(|file| &file.content) {
        Some(Content::Bytes(bytes)) => bytes.bytes(),
        _ => Cow::default(),
    }
}

/// A pair as a function; the error is the detail of one that is too large.
fn function(Asked { source, config, .. }: Asked<'_>, found: &Found) -> Result<Function, String> {
    let text = found.text.get().into_owned();
    let bytes = text.len();
    if bytes > config.max_closure_bytes as usize {
        let limit = config.max_closure_bytes;
        return Err(format!(
            "{bytes} bytes, the limit is {limit} (`max-closure-bytes`)"
        ));
    }
    let target = Span::from(0..bytes);
    let mut written = Written {
        text,
        target: Some(target),
        ..Written::default()
    };
    written.piece(PieceKind::Target, target, Vec::new(), false);
    let references = References::default();
    let closure = written.closure(1, HelperBodies::None, &references);
    let docs = found.doc.iter().map(FoundDoc::get).collect();
    Ok(found.closed(source, found.name.to_string(), docs, (closure, references)))
}
