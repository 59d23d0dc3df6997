//! `GenCodeSearchNet`'s JSON Lines: `{"input": "comment [CODESPLIT] code", "target": 1, "target_options": [...]}`.
//!
//! Files are named `test_statcodesearch_mrr.jsonl`: split, subset, and `mrr` (positives only) or `clf`. A file in
//! which both targets occur is for matching. The hard part is a text that contains the separator itself: its
//! evaluator skips such rows; here the first separator splits and the rest stays in the code, with a note, so that an
//! audit sees it.

use std::path::Path;

use serde_json::json;

use crate::gather::Read;
use crate::row::{self, with_cells};
use crate::staging::Writer;
use crate::texts::judged;
use crate::{FormatError, Kind, Strictness, Subset, pair_rows, source};

/// The separator between comment and code.
pub(crate) const SEPARATOR: &str = "[CODESPLIT]";

/// Reads a file.
pub(crate) fn read(path: &Path, read: &mut Read) -> Result<(), FormatError> {
    let (split, name) = names(&source::stem(path));
    let mut gather = read.gather(&name, split);
    let (mut number, mut targets) = (0, [false; 2]);
    let (mut several, mut one_sided) = (0_u64, 0_u64);
    let (mut without, mut first) = (0_u64, String::new());
    let is_lenient = read.strictness == Strictness::AsLoader;
    row::json_lines(path, |mut row| {
        number += 1;
        let input = row.text(&["input"])?;
        let Some((comment, code)) = input.split_once(SEPARATOR) else {
            if is_lenient {
                if without == 0 {
                    first = row.place.to_string();
                }
                without += 1;
                return Ok(());
            }
            return Err(row.invalid(format!("no `{SEPARATOR}` in `input`")));
        };
        several += u64::from(code.contains(SEPARATOR));
        let grade = row.label("target", &mut targets)?;
        row.take(&["target_options"]);
        // The separator has a blank on either side; one alone is the text's own.
        let (comment, code) = match (comment.strip_suffix(' '), code.strip_prefix(' ')) {
            (Some(comment), Some(code)) => (comment, code),
            (None, None) => (comment, code),
            _ => {
                one_sided += 1;
                (comment, code)
            }
        };
        let (comment, code) = (comment.to_owned(), code.to_owned());
        let place = row.place.clone();
        pair_rows::add(
            &mut gather,
            place,
            number,
            (comment, code),
            grade,
            row.rest(),
        )
    })?;
    gather.ask_for_matching(targets);
    gather.finish(read)?;
    if several > 0 {
        read.notes.push(format!(
            "{name}: {several} rows have more than one {SEPARATOR}; GenCodeSearchNet's evaluator skips them; barecode splits at the first one"
        ));
    }
    if without > 0 {
        read.notes.push(format!(
            "{name}: {without} of {number} rows have no {SEPARATOR} and are left out, as GenCodeSearchNet's evaluator does; the first is {first}"
        ));
    }
    if one_sided > 0 {
        read.notes.push(format!(
            "{name}: {one_sided} rows have a blank on one side of {SEPARATOR} only, which is read as the text's own"
        ));
    }
    Ok(())
}

/// Writes each subset as a file, a row for each judgment.
pub(crate) fn write(subsets: &[Subset], writer: &Writer) -> Result<(), FormatError> {
    for subset in subsets {
        let path = format!("{}.jsonl", file_stem(subset));
        let rows = judged(subset).map(|(judgment, query, document)| {
            let input = format!("{} {SEPARATOR} {}", query.text, document.text);
            let cells = [
                ("input", json!(input)),
                ("target", json!(i32::from(judgment.grade > 0))),
                ("target_options", json!(["no_match", "match"])),
            ];
            with_cells(&document.extra, cells)
        });
        writer.json_lines(&path, rows)?;
    }
    Ok(())
}

/// `test_statcodesearch_mrr` → (`test`, `statcodesearch`).
pub(crate) fn names(stem: &str) -> (String, String) {
    let whole = || ("test".to_owned(), stem.to_owned());
    let Some((split, rest)) = stem.split_once('_') else {
        return whole();
    };
    if !["train", "valid", "validation", "dev", "test"].contains(&split) {
        return whole();
    }
    let name = ["_mrr", "_clf"].iter().find_map(|e| rest.strip_suffix(e));
    match name {
        Some(name) if !name.is_empty() => (split.to_owned(), name.to_owned()),
        _ => whole(),
    }
}

/// (`test`, `statcodesearch`) → `test_statcodesearch_mrr`.
pub(crate) fn file_stem(subset: &Subset) -> String {
    let task = match subset.kind {
        Kind::Retrieval => "mrr",
        Kind::Matching => "clf",
    };
    format!("{}_{}_{task}", subset.split, subset.name)
}
