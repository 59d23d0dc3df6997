//! `GenCodeSearchNet`'s JSON Lines: `{"input": "comment [CODESPLIT] code", "target": 1, "target_options": [...]}`.
//!
//! Files are named `test_statcodesearch_mrr.jsonl`: split, subset, and `mrr` (positives only) or `clf`. A file in
//! which both targets occur asks for matching. The hard thing is a text that contains the separator itself: its
//! evaluator skips such rows; here the first separator splits and the rest stays in the code, with a note, so that
//! an audit sees it.

use std::path::Path;

use serde_json::json;

use crate::format::Read;
use crate::gather::Gather;
use crate::staging::Writer;
use crate::texts::Texts;
use crate::{FormatError, Kind, Subset, pair_rows, row, source};

/// What is between comment and code.
pub(crate) const SEPARATOR: &str = "[CODESPLIT]";

/// Reads a file.
pub(crate) fn read(path: &Path, read: &mut Read) -> Result<(), FormatError> {
    let (split, name) = names(&source::stem(path));
    let mut gather = Gather::new(Subset::new(name, split), read.strictness);
    let (mut number, mut several, mut targets) = (0, 0_u64, [false; 2]);
    row::json_lines(path, |mut row| {
        number += 1;
        let input = row.text(&["input"])?;
        let Some((comment, code)) = input.split_once(SEPARATOR) else {
            return Err(row.invalid(format!("no `{SEPARATOR}` in `input`")));
        };
        several += u64::from(code.contains(SEPARATOR));
        let grade = row.grade(&["target"])?;
        match grade {
            0 => targets[0] = true,
            1 => targets[1] = true,
            _ => return Err(row.invalid(format!("`target` is {grade}, expected 0 or 1"))),
        }
        row.take(&["target_options"]);
        let comment = comment.strip_suffix(' ').unwrap_or(comment).to_owned();
        let code = code.strip_prefix(' ').unwrap_or(code).to_owned();
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
    let mut subset = gather.finish(&mut read.notes)?;
    if targets == [true; 2] {
        subset.kind = Kind::Matching;
    }
    if several > 0 {
        read.notes.push(format!(
            "{}: {several} rows have more than one {SEPARATOR}; GenCodeSearchNet's evaluator skips them; barecode splits at the first one",
            subset.name
        ));
    }
    read.subsets.push(subset);
    Ok(())
}

/// Writes each subset as a file, a row for each judgment.
pub(crate) fn write(subsets: &[Subset], writer: &Writer) -> Result<(), FormatError> {
    for subset in subsets {
        let path = format!("{}.jsonl", file_stem(subset));
        let texts = Texts::of(subset);
        writer.file(&path, |out| {
            for judgment in &subset.judgments {
                let (Some(query), Some(document)) = (
                    texts.query(&judgment.query),
                    texts.document(&judgment.document),
                ) else {
                    continue;
                };
                let input = format!("{} {SEPARATOR} {}", query.text, document.text);
                let mut row = document.extra.clone();
                row.insert("input".to_owned(), json!(input));
                row.insert("target".to_owned(), json!(i32::from(judgment.grade > 0)));
                row.insert("target_options".to_owned(), json!(["no_match", "match"]));
                writeln!(out, "{}", serde_json::Value::Object(row))?;
            }
            Ok(())
        })?;
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
