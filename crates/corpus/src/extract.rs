//! A source → its functions, and the rows that were set aside.
//!
//! Each front end reads its own files and finds their functions. Doubles are dropped, a sample is drawn if the recipe
//! limits the source, and each front end closes the rest of its functions.

use std::collections::BTreeMap;

use barecode_records::{Account, Counts, Function, Id, Outcome, Reason, Rows, Spool};
use barecode_sources::{Readable, Source, readable};

use crate::front_end::Asked;
use crate::front_ends::{FRONT_ENDS, of_file, of_function};
use crate::preprocess::headers::Dialects;

pub(crate) mod c_like;
mod config;
mod draw;
pub(crate) mod found;
pub(crate) mod python;
pub(crate) mod scripts;
pub(crate) mod tree;
mod written;

pub use config::ExtractConfig;
pub(crate) use draw::Draw;
pub use draw::{Drawn, Wanted};
use found::TEXTS;

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

/// The functions of a part at most: they are closed together.
const PART: usize = 1 << 10;

/// Receives the functions of a source, some at a time.
pub type Take<'a> = dyn FnMut(Vec<Function>) + 'a;

/// The same for sources of any size: `take` receives the functions part by part, and neither texts nor functions nor
/// rows are all in memory at once. If the recipe limits the source, functions that are wanted are drawn before others.
/// Returns the rows of what was left out, and the counts.
pub fn extract_parts(
    source: &Source,
    config: &ExtractConfig,
    headers: &Dialects,
    (seed, wanted): (u64, &Wanted<'_>),
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
    let mut draw = Draw::of(source, seed, wanted);
    let mut closes = Vec::new();
    for (front_end, files) in FRONT_ENDS.iter().zip(files) {
        closes.push(front_end.find(asked, files, &mut draw, &mut account));
    }
    let mut drawn = draw.end().into_iter().peekable();
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
