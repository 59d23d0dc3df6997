//! A source → its functions, and the rows that were set aside.
//!
//! Each front end reads its own files and finds their functions. Doubles are dropped, a sample is drawn if the recipe
//! limits the source, and each front end closes the rest of its functions.

use std::collections::BTreeMap;
use std::sync::Arc;

use barecode_languages::lex::{TokenKind, lex};
use barecode_records::{
    Account, Counts, Digest, Function, FunctionKind, Id, Outcome, Reason, Rows, Spool,
};
use barecode_sources::{Readable, Source, readable};
use foldhash::{HashMap, HashSet};

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
use found::{Found, TEXTS};

/// Extracts the functions of a source, by path and line; the account has `files` and `functions`. Never fails on
/// source text: files that cannot be read are set aside.
pub fn extract(
    source: &Source,
    config: &ExtractConfig,
    headers: &Dialects,
    seed: u64,
) -> Outcome<Vec<Function>> {
    let wanted = |_: Drawn<'_>| false;
    let mut kept = Vec::new();
    let (rows, counts) = extract_parts(source, config, headers, (seed, &wanted), &mut |part| {
        kept.extend(part);
    });
    Outcome {
        kept,
        set_aside: rows.collect(),
        counts,
    }
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

/// The functions of a part at most: they are closed together.
const PART: usize = 1 << 12;

/// Receives the functions of a source, some at a time.
pub type Take<'a> = dyn FnMut(Vec<Function>) + 'a;

/// The same for sources of any size: `take` receives the functions part by part, and neither texts nor functions nor
/// rows are all in memory at once. If the recipe limits the source, functions that are wanted are drawn before others.
/// Returns the rows of what was left out, and the counts.
pub fn extract_parts(
    source: &Source,
    config: &ExtractConfig,
    headers: &Dialects,
    (seed, wanted): (u64, &dyn Fn(Drawn<'_>) -> bool),
    take: &mut Take<'_>,
) -> (Rows, BTreeMap<String, Counts>) {
    let Outcome {
        kept: Readable { paths, mined },
        set_aside,
        mut counts,
    } = readable(source, config.max_file_bytes);
    counts.entry("functions".to_owned()).or_default();
    let mut account = Account::of(counts, set_aside);
    let mut files = FRONT_ENDS.map(|_| Vec::new());
    for path in paths {
        files[of_file(&path, config)].push(path);
    }
    let texts = Spool::with_memory(TEXTS);
    let asked = Asked {
        source,
        config,
        headers,
        mined: &mined,
        texts: &texts,
    };
    let (mut all, mut closes) = (Vec::new(), Vec::new());
    for (front_end, files) in FRONT_ENDS.iter().zip(files) {
        let (found, close) = front_end.find(asked, files, &mut account);
        all.extend(found);
        closes.push(close);
    }
    let mut drawn = sample(source, all, (seed, wanted), &mut account);
    drawn.sort_by(|a, b| {
        let place = |found: &Found| (found.path.clone(), found.start_line);
        place(a)
            .cmp(&place(b))
            .then_with(|| a.id(source).cmp(&b.id(source)))
    });
    let mut drawn = drawn.into_iter().peekable();
    while drawn.peek().is_some() {
        let mut of_front_end = FRONT_ENDS.map(|_| Vec::new());
        for found in drawn.by_ref().take(PART) {
            of_front_end[of_function(found.language, found.kind)].push(found);
        }
        let mut part = Vec::new();
        for (close, drawn) in closes.iter().zip(of_front_end) {
            for (found, function) in close(drawn) {
                match function {
                    Ok(function) => {
                        account.count_kept("functions");
                        part.push(function);
                    }
                    Err(bound) => {
                        found.refuse(source, &mut account, Reason::ClosureTooLarge, bound);
                    }
                }
            }
        }
        part.sort_by(|a: &Function, b: &Function| {
            fn place(function: &Function) -> (&str, u32, &Id) {
                let origin = &function.origin;
                (&origin.path, origin.start_line, &function.id)
            }
            place(a).cmp(&place(b))
        });
        take(part);
    }
    let counts = std::mem::take(&mut account.counts);
    (account.into_rows(), counts)
}

/// The functions that were found, without doubles, up to the recipe's limit.
fn sample(
    source: &Source,
    found: Vec<Found>,
    (seed, wanted): (u64, &dyn Fn(Drawn<'_>) -> bool),
    account: &mut Account,
) -> Vec<Found> {
    let mut first_place: HashMap<[u8; 32], (Arc<str>, u32)> = HashMap::default();
    let mut kept = Vec::new();
    for found in found {
        if let Some(refused) = &found.refused {
            let (reason, detail) = (**refused).clone();
            found.refuse(source, account, reason, detail);
            continue;
        }
        let text = found.text.get();
        let tokens = lex(&text);
        let tokens = tokens
            .iter()
            .filter(|token| token.kind != TokenKind::Newline);
        let digest = Digest::new("tokens")
            .fields(tokens.map(|token| token.text(&text)))
            .bytes();
        // The published rules know no doubles.
        let first = first_place.get(&digest);
        if let Some((path, line)) = first.filter(|_| found.kind != FunctionKind::Lines) {
            let detail = format!("of {path}:{line}");
            found.refuse(source, account, Reason::Duplicate, detail);
        } else {
            first_place.insert(digest, (found.path.clone(), found.start_line));
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
        (!is_wanted, undocumented, lot.bytes())
    };
    let numbered = kept.iter().enumerate();
    let mut lots: Vec<_> = numbered
        .map(|(number, found)| (turn(found), number))
        .collect();
    lots.sort_unstable();
    let drawn: HashSet<usize> = lots.iter().take(limit).map(|(_, number)| *number).collect();
    drop(lots);
    let mut number = 0..;
    kept.retain(|found| {
        let is_drawn = number.next().is_some_and(|number| drawn.contains(&number));
        if !is_drawn {
            let detail = format!("`limit = {limit}`");
            found.refuse(source, account, Reason::NotSampled, detail);
        }
        is_drawn
    });
    kept
}
