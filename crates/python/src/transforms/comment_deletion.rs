//! Removes comments.
//!
//! # Rewrites
//! A comment behind code, with the blanks before it; a comment on a line of its own, with the line.
//!
//! # Keeps the meaning because
//! Only comment tokens are removed, which the grammar ignores: a `#` inside of a string is not a comment. The lines 1
//! and 2 stay in place, so that nothing else becomes the line that names the encoding.
//!
//! # Declines
//! A first line that names the interpreter, and a line 1 or 2 that names the encoding.
//!
//! # Paper
//! The same.

use ruff_text_size::{TextRange, TextSize};

use crate::{Context, Edit, Fresh, Module, Site, layout};

/// The nodes that it can be applied to.
pub(super) fn sites(module: &Module<'_>, _: &Context, _: &mut Fresh<'_>) -> Vec<Site> {
    let comments = module.comments();
    let removals = comments.filter_map(|comment| {
        let removed = removal(module, comment)?;
        Some(Site::one(comment, vec![Edit::remove(removed)]))
    });
    removals.collect()
}

fn removal(module: &Module<'_>, comment: TextRange) -> Option<TextRange> {
    let text = module.of(comment);
    let start = module.line_start(comment.start());
    let lines_before = module.line_of(start.to_u32()) - 1;
    if lines_before < 2 && (names_encoding(text) || start.to_u32() == 0 && text.starts_with("#!")) {
        return None;
    }
    let blanks = module.of(TextRange::new(start, comment.start()));
    let code = blanks.trim_end_matches([' ', '\t', '\x0c']);
    if !code.is_empty() {
        let end_of_code = start + TextSize::of(code);
        return Some(TextRange::new(end_of_code, comment.end()));
    }
    // The line goes too, if no other line depends on it.
    let end = module.line_end(comment.end());
    let is_last = end.to_usize() == module.text().len();
    if lines_before < 2 || is_last || layout::begins_line(module, comment.start()).is_none() {
        return Some(TextRange::new(start + TextSize::of(code), comment.end()));
    }
    Some(TextRange::new(start, end + TextSize::new(1)))
}

/// Returns `true` if a comment is one that names the encoding (PEP 263).
fn names_encoding(comment: &str) -> bool {
    let named = |separator| comment.split_once(separator).is_some();
    named("coding:") || named("coding=")
}
