//! `CodeSearchNet`'s JSON Lines, gzipped or not, in both spellings of its columns.
//!
//! A row is a function with its documentation: `code` and `docstring` as first released, `func_code_string` and
//! `func_documentation_string` on the hub. The documentation is the query, and its function the answer. A folder of
//! shards (`python/final/jsonl/test/*.jsonl.gz`, or Parquet if the format is named) is read in the order of the
//! shards' names; rows of one `language` (or `subset`, a column that only we write) and `partition` are a subset.
//! `CodeXGLUE`'s `AdvTest` has the same rows, with the normalized code of its test set in `function`. If a row has
//! only tokens, or the caller requests tokens ([`Rendering::Tokens`]), they are joined by blanks, with a note: the
//! blanks between tokens are not the author's.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};

use crate::gather::{Gather, Read, Rendering};
use crate::row::{self, Row, with_cells};
use crate::staging::Writer;
use crate::texts::judged;
use crate::{Document, Extra, FormatError, Query, Subset, pair_rows, parquet_rows, source};

const CODE: [&str; 5] = [
    "code",
    "func_code_string",
    "function",
    "original_string",
    "whole_func_string",
];
const CODE_TOKENS: [&str; 3] = ["code_tokens", "func_code_tokens", "function_tokens"];
const DOCUMENTATION: [&str; 2] = ["docstring", "func_documentation_string"];
const DOCUMENTATION_TOKENS: [&str; 2] = ["docstring_tokens", "func_documentation_tokens"];

/// A column of ours, for subsets that share a language, as a setting of names and the next.
pub(crate) const SUBSET: &str = "subset";

/// Returns `true` if a row with these columns is one of `CodeSearchNet`.
pub(crate) fn is_row(names: &[String]) -> bool {
    let has = |wanted: &[&str]| names.iter().any(|name| wanted.contains(&name.as_str()));
    // A table of functions under that name alone may be of any origin.
    let code = CODE.into_iter().filter(|name| *name != "function");
    let code: Vec<&str> = code.collect();
    (has(&DOCUMENTATION) || has(&DOCUMENTATION_TOKENS)) && (has(&code) || has(&CODE_TOKENS))
}

/// Reads a file, or all shards below a folder.
pub(crate) fn read(path: &Path, read: &mut Read) -> Result<(), FormatError> {
    let mut gathers: BTreeMap<(String, String), (u64, Gather)> = BTreeMap::new();
    let mut joined = 0;
    let rendering = read.rendering;
    let shards = shards(path)?;
    if shards.is_empty() {
        let message = "no file below this folder ends in .jsonl, .jsonl.gz or .parquet";
        return Err(FormatError::invalid(crate::Place::file(path), message));
    }
    for shard in shards {
        let is_parquet = source::starts_with(&shard, b"PAR1")?;
        let each = |row: Row| {
            let name = text_of(&row, SUBSET).or_else(|| text_of(&row, "language"));
            let language = name.unwrap_or_else(|| "default".to_owned());
            let split = text_of(&row, "partition").unwrap_or_else(|| "test".to_owned());
            let (number, gather) = gathers
                .entry((language.clone(), split.clone()))
                .or_insert_with(|| (0, read.gather(language, split)));
            *number += 1;
            add(gather, row, *number, rendering, &mut joined)
        };
        if is_parquet {
            parquet_rows::read(&shard, &[], each)?;
        } else {
            row::json_lines(&shard, each)?;
        }
    }
    for (_, (_, gather)) in gathers {
        gather.finish(read)?;
    }
    if joined > 0 {
        let why = match rendering {
            Rendering::Text => "exist only as tokens, and are",
            Rendering::Tokens => "are, as asked for,",
        };
        read.notes.push(format!(
            "{joined} texts {why} read as tokens joined by blanks"
        ));
    }
    Ok(())
}

fn text_of(row: &Row, name: &str) -> Option<String> {
    match row.get(name) {
        Some(Value::String(text)) if !text.is_empty() => Some(text.clone()),
        _ => None,
    }
}

fn add(
    gather: &mut Gather,
    mut row: Row,
    number: u64,
    rendering: Rendering,
    joined: &mut u64,
) -> Result<(), FormatError> {
    let mut text = |names: &[&str], tokens: &[&str]| {
        text_or_tokens(&mut row, names, tokens, rendering, joined)
    };
    let code = text(&CODE, &CODE_TOKENS)?;
    let documentation = text(&DOCUMENTATION, &DOCUMENTATION_TOKENS)?;
    let place = row.place.clone();
    pair_rows::add(gather, place, number, (documentation, code), 1, row.rest())
}

fn text_or_tokens(
    row: &mut Row,
    names: &[&str],
    tokens: &[&str],
    rendering: Rendering,
    joined: &mut u64,
) -> Result<String, FormatError> {
    // `AdvTest` on the hub has all columns in all splits, and empty ones if a split lacks them.
    let filled = |name: &&&str| match row.get(name) {
        Some(Value::String(text)) => !text.is_empty(),
        Some(Value::Array(tokens)) => !tokens.is_empty(),
        _ => false,
    };
    let text = names.iter().find(filled).copied();
    let list = tokens.iter().find(filled).copied();
    let wants_tokens = rendering == Rendering::Tokens || !row.has(names);
    let Some(list) = list.filter(|_| wants_tokens || text.is_none()) else {
        return match text {
            Some(name) => row.text(&[name]),
            None => row.text(names),
        };
    };
    let Some(list) = row.get(list).and_then(Value::as_array) else {
        return row.text(&[list]);
    };
    let words: Vec<&str> = list.iter().filter_map(Value::as_str).collect();
    *joined += 1;
    Ok(words.join(" "))
}

/// The files of rows at or below a path, by name.
pub(crate) fn shards(path: &Path) -> Result<Vec<std::path::PathBuf>, FormatError> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut found = Vec::new();
    for entry in source::entries(path)? {
        let name = entry.to_string_lossy();
        if entry.is_dir() {
            found.extend(shards(&entry)?);
        } else if [".jsonl", ".jsonl.gz", ".parquet"]
            .iter()
            .any(|it| name.ends_with(it))
        {
            found.push(entry);
        }
    }
    Ok(found)
}

/// Adds the columns of the first release that programs for it read: `language` with `subset` beside it where a subset is
/// more than a language, `repo`, `sha` and `url` of a public repository, and the tokens of both texts.
fn complete(row: &mut Extra, subset: &str, query: &Query, document: &Document) {
    let language = document.language().unwrap_or(subset).to_owned();
    row.insert("language".to_owned(), json!(language));
    if language != subset {
        row.insert(SUBSET.to_owned(), json!(subset));
    }
    let column = |name| document.column(&[name]).unwrap_or_default();
    let (repository, commit, path) = (column("repository"), column("commit"), column("path"));
    let mut url = repository.to_owned();
    if !repository.is_empty() && !commit.is_empty() && !path.is_empty() {
        url = format!("{repository}/blob/{commit}/{path}");
        let line = |name| document.extra.get(name).and_then(Value::as_u64);
        if let (Some(first), Some(last)) = (line("start_line"), line("end_line")) {
            url = format!("{url}#L{first}-L{last}");
        }
    }
    let repository = repository.split_once("://").map_or("", |(_, rest)| {
        rest.split_once('/').map_or("", |(_, path)| path)
    });
    for (name, value) in [
        ("func_name", json!(document.title)),
        ("original_string", json!(document.text)),
        ("code_tokens", json!(tokens(&document.text))),
        ("docstring_tokens", json!(tokens(&query.text))),
        ("repo", json!(repository)),
        ("sha", json!(commit)),
        ("url", json!(url)),
    ] {
        // A value that a document already has under that name stays.
        row.entry(name).or_insert(value);
    }
}

/// Words and numbers, literals in quotation marks, and each other character that is not a blank.
///
/// The release has the tokens of a parser for each language; these are the same for code in which no comment is left, but
/// for operators of several characters, which are several tokens here.
fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let is_in_word = |c: char| c.is_alphanumeric() || c == '_';
        let end = match first {
            '"' | '\'' => literal(rest, first),
            _ => rest.find(|c| !is_in_word(c)).unwrap_or(rest.len()),
        };
        let (token, after) = rest.split_at(end.max(first.len_utf8()));
        tokens.push(token);
        rest = after.trim_start();
    }
    tokens
}

/// The end of a literal that a text begins with; 0 if its line ends before it does, as behind an apostrophe.
fn literal(text: &str, mark: char) -> usize {
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '\n' => return 0,
            _ if c == mark => return at + c.len_utf8(),
            _ => {}
        }
    }
    0
}

/// Writes each subset as a gzipped shard, in the spelling of the first release.
pub(crate) fn write(subsets: &[Subset], writer: &Writer) -> Result<(), FormatError> {
    for subset in subsets {
        let (name, split) = (&subset.name, &subset.split);
        let path = format!("{name}/final/jsonl/{split}/{name}_{split}_0.jsonl.gz");
        let pairs = judged(subset).filter(|(judgment, ..)| judgment.grade > 0);
        let rows = pairs.map(|(_, query, document)| {
            let cells = [
                ("code", json!(document.text)),
                ("docstring", json!(query.text)),
                ("partition", json!(split)),
            ];
            let mut row = with_cells(&document.extra, cells);
            // A row that was read from this format has its columns, and is left as it is.
            if !document.extra.contains_key("partition") {
                complete(&mut row, name, query, document);
            }
            row
        });
        writer.json_lines(&path, rows)?;
    }
    Ok(())
}
