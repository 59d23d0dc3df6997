//! A source → its functions, and the rows that were set aside.
//!
//! Each front end reads its own files and finds their functions. Doubles are dropped, a sample is drawn if the recipe
//! limits the source, and each front end closes the rest of its functions.

use std::collections::BTreeMap;

use barecode_languages::lex::{TokenKind, lex};
use barecode_records::{Digest, Function, FunctionKind, Id, Outcome, Reason, SetAside};
use barecode_sources::{Readable, Source, readable};

use crate::front_end::Asked;
use crate::front_ends::{FRONT_ENDS, of_file, of_function};
use crate::preprocess::headers::Dialects;

pub(crate) mod c_like;
mod config;
pub(crate) mod found;
pub(crate) mod python;
pub(crate) mod scripts;
pub(crate) mod tree;
mod written;

pub use config::ExtractConfig;
use found::Found;

/// Extracts the functions of a source, by path and line; the account has `files` and `functions`. Never fails on
/// source text: files that cannot be read are set aside.
pub fn extract(
    source: &Source,
    config: &ExtractConfig,
    headers: &Dialects,
    seed: u64,
) -> Outcome<Vec<Function>> {
    extract_first(source, config, headers, seed, &|_| false)
}

/// A function before it is drawn.
#[derive(Debug, Clone, Copy)]
pub struct Drawn<'a> {
    /// The id that it will have.
    pub id: &'a Id,
    /// Its name, without qualifiers.
    pub name: &'a str,
    /// The file.
    pub path: &'a str,
    /// Its first and last line.
    pub lines: (u32, u32),
}

/// The same; if the recipe limits the source, functions that are `wanted` are drawn before others.
pub fn extract_first(
    source: &Source,
    config: &ExtractConfig,
    headers: &Dialects,
    seed: u64,
    wanted: &dyn Fn(Drawn<'_>) -> bool,
) -> Outcome<Vec<Function>> {
    let Outcome {
        kept: Readable { texts, mined },
        set_aside,
        mut counts,
    } = readable(source, config.max_file_bytes);
    counts.entry("functions".to_owned()).or_default();
    let mut extraction = Outcome {
        kept: Vec::new(),
        set_aside,
        counts,
    };
    let mut files = FRONT_ENDS.map(|_| Vec::new());
    for (path, text) in texts {
        files[of_file(&path, config)].push((path, text));
    }
    let asked = Asked {
        source,
        config,
        headers,
        mined: &mined,
    };
    let (mut all, mut closes) = (Vec::new(), Vec::new());
    for (front_end, files) in FRONT_ENDS.iter().zip(files) {
        let (found, close) = front_end.find(asked, files, &mut extraction);
        all.extend(found);
        closes.push(close);
    }
    let mut drawn = FRONT_ENDS.map(|_| Vec::new());
    for found in sample(source, all, seed, wanted, &mut extraction) {
        drawn[of_function(found.language, found.kind)].push(found);
    }
    for (close, drawn) in closes.into_iter().zip(drawn) {
        for (found, function) in close(drawn) {
            match function {
                Ok(function) => extraction.keep("functions", function),
                Err(bound) => {
                    found.refuse(source, &mut extraction, Reason::ClosureTooLarge, bound);
                }
            }
        }
    }
    extraction.kept.sort_by(|a, b| {
        let key = |function: &Function| {
            (
                function.origin.path.clone(),
                function.origin.start_line,
                function.id.clone(),
            )
        };
        key(a).cmp(&key(b))
    });
    extraction.set_aside.sort_by(|a, b| {
        let key = |row: &SetAside| {
            (
                row.origin
                    .as_ref()
                    .map(|origin| (origin.path.clone(), origin.start_line)),
                row.name.clone(),
                row.reason,
            )
        };
        key(a).cmp(&key(b))
    });
    extraction
}

/// The functions that were found, without doubles, up to the recipe's limit.
fn sample(
    source: &Source,
    found: Vec<Found>,
    seed: u64,
    wanted: &dyn Fn(Drawn<'_>) -> bool,
    extraction: &mut Outcome<Vec<Function>>,
) -> Vec<Found> {
    let mut first_place: BTreeMap<String, String> = BTreeMap::new();
    let mut kept = Vec::new();
    for found in found {
        if let Some((reason, detail)) = found.refused.clone() {
            found.refuse(source, extraction, reason, detail);
            continue;
        }
        let tokens = lex(&found.text);
        let tokens = tokens
            .iter()
            .filter(|token| token.kind != TokenKind::Newline);
        let digest = Digest::new("tokens")
            .fields(tokens.map(|token| token.text(&found.text)))
            .hex();
        let place = format!("{}:{}", found.path, found.start_line);
        // The published rules know no doubles.
        let first = first_place.get(&digest);
        if let Some(first) = first.filter(|_| found.kind != FunctionKind::Lines) {
            let detail = format!("of {first}");
            found.refuse(source, extraction, Reason::Duplicate, detail);
        } else {
            first_place.insert(digest, place);
            kept.push(found);
        }
    }
    let Some(limit) = source
        .config()
        .limit
        .map(|limit| limit as usize)
        .filter(|&limit| limit < kept.len())
    else {
        return kept;
    };
    let documented_first = source.config().documented_first;
    let turn = |found: &Found| {
        let id = found.id(source);
        let is_wanted = wanted(Drawn {
            id: &id,
            name: &found.name,
            path: &found.path,
            lines: (found.start_line, found.end_line),
        });
        let lot = Digest::new("sample").field(seed.to_le_bytes()).field(id);
        let undocumented = documented_first && found.doc.is_none();
        (!is_wanted, undocumented, lot.hex())
    };
    let mut lots: Vec<((bool, bool, String), Found)> = kept
        .into_iter()
        .map(|found| (turn(&found), found))
        .collect();
    lots.sort_by(|a, b| a.0.cmp(&b.0));
    for (_, found) in lots.split_off(limit) {
        let detail = format!("`limit = {limit}`");
        found.refuse(source, extraction, Reason::NotSampled, detail);
    }
    lots.into_iter().map(|(_, found)| found).collect()
}
