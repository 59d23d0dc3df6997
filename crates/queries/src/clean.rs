//! A comment to one line of text: its first paragraph without marks, tags and the function's own label.
//!
//! The first paragraph ends at a blank line, at a separator (`-----`), or at the first tag that speaks of something
//! else (`@param`, `Returns:`). A paragraph that holds only the function's name is a heading; the next one is used.

use std::sync::LazyLock;

use regex::Regex;

use crate::markup::{Tag, plain_text, tag_of};

/// The first paragraph of a comment, in one line; empty if nothing is left.
///
/// ```
/// use barecode_queries::clean;
/// let raw = "/*! ZSTD_compress() :\n *  Compresses `src` content as a single frame.\n *  @return : size */";
/// assert_eq!(clean(raw, "ZSTD_compress"), "Compresses src content as a single frame.");
/// ```
pub fn clean(raw: &str, function: &str) -> String {
    for paragraph in paragraphs(raw) {
        let text = one_line(without_label(&plain_text(&paragraph), function));
        if !text.is_empty() {
            return text;
        }
    }
    String::new()
}

/// The text of the summary of a comment in XML, line by line; any other comment as it is.
fn summary(raw: &str) -> &str {
    let inside = raw.split_once("<summary>").and_then(|(_, rest)| {
        let (summary, _) = rest.split_once("</summary>").unwrap_or((rest, ""));
        Some(summary).filter(|summary| summary.contains(char::is_alphanumeric))
    });
    inside.unwrap_or(raw)
}

/// The paragraphs up to the first tag that ends the description, marks removed.
fn paragraphs(raw: &str) -> Vec<String> {
    let mut paragraphs = Vec::new();
    let mut paragraph = String::new();
    let has_hashes = raw.trim_start().starts_with('#');
    let raw = summary(raw);
    for line in raw.lines() {
        let line = if has_hashes {
            line.trim_start().trim_start_matches('#')
        } else {
            line
        };
        // `#'` begins the lines of roxygen, `=begin` those of Ruby's comments over lines.
        let line = match has_hashes {
            true => line.strip_prefix('\'').unwrap_or(line),
            false if line.starts_with("=begin") || line.starts_with("=end") => "",
            false => line,
        };
        let line = without_marks(line);
        if is_separator(line) {
            paragraphs.push(std::mem::take(&mut paragraph));
            continue;
        }
        let is_first = paragraph.is_empty() && paragraphs.iter().all(String::is_empty);
        let (text, goes_on) = match tag_of(line, is_first) {
            Tag::None => (line, true),
            Tag::Text(text) => (text, true),
            Tag::Line => ("", true),
            Tag::Paragraph(text) => {
                paragraphs.push(std::mem::take(&mut paragraph));
                (text, true)
            }
            Tag::End(before) => (before, false),
        };
        paragraph.push(' ');
        paragraph.push_str(text);
        if !goes_on {
            break;
        }
    }
    paragraphs.push(paragraph);
    paragraphs.retain(|paragraph| !paragraph.trim().is_empty());
    paragraphs
}

/// A line of a comment without its marks: `/*`, `/**`, `/*!`, `**`, ` * `, `//`, `///`, `//!`, `*/`.
fn without_marks(line: &str) -> &str {
    let line = line.trim();
    let line = match line.strip_prefix("/*").or_else(|| line.strip_prefix("//")) {
        Some(rest) => rest.trim_start_matches(['*', '/', '!', '<']),
        None => line.trim_start_matches('*'),
    };
    let line = line.strip_suffix("*/").unwrap_or(line);
    // The right side of a box.
    let line = line.trim_end_matches('*').trim();
    let mut rules = ["--", "==", "##", "~~"].into_iter();
    match rules.find(|&rule| line.starts_with(rule) && line.ends_with(rule)) {
        Some(rule) => line.trim_matches(|c| rule.starts_with(c)).trim(),
        None => line,
    }
}

/// Blank, or drawn rather than written.
fn is_separator(line: &str) -> bool {
    !line.contains(char::is_alphanumeric)
}

/// The text without the function's own name as a label before it: `name() :`, `name:`, `name -`, or alone.
fn without_label<'t>(text: &'t str, function: &str) -> &'t str {
    static AFTER: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^\s*(?:\([^()]*\))?\s*(?::|-+|–|—|$)").expect("the pattern is well-formed")
    });
    let text = text.trim_start();
    let Some(rest) = text.strip_prefix(function).filter(|_| !function.is_empty()) else {
        return text;
    };
    match AFTER.find(rest) {
        // `foo-bar` and `foo::bar` are words of the text.
        Some(found) if is_word_border(rest, found.end()) => rest
            .get(found.end()..)
            .unwrap_or_default()
            .trim_start_matches([':', '-', ' ']),
        _ => text,
    }
}

fn is_word_border(text: &str, end: usize) -> bool {
    let before_sign = text
        .chars()
        .next()
        .is_none_or(|c| c.is_whitespace() || "(:".contains(c));
    let after_sign = text.get(end..).and_then(|rest| rest.chars().next());
    before_sign && after_sign.is_none_or(char::is_whitespace) || after_sign.is_none()
}

/// Single blanks, and no mark of a comment left anywhere.
fn one_line(text: &str) -> String {
    let text = text.replace("/*", " ").replace("*/", " ");
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    text.trim_start_matches(['/', ' ']).to_owned()
}
