//! The comment that documents an item: the one that ends on the line above it.
//!
//! Directives between comment and item do not separate them (`#ifdef` around a definition); a blank line does,
//! because then the comment usually heads a section. A comment that Doxygen assigns to something else is not the
//! item's either: one that opens or closes a group (`@{`, `@}`) documents the group, one that begins with
//! `\defgroup`, `\file` or `\struct` documents that, and one with `\fn` documents the function that it names.

use std::ops::Range;

use barecode_languages::lex::Token;
use barecode_records::{DocComment, DocPlace};

use crate::documented::named_functions;
use crate::preprocess::unit::SourceText;

/// Commands at the beginning of a comment that is about something else than the function behind it.
const OF_OTHERS: [&str; 16] = [
    "addtogroup",
    "class",
    "def",
    "defgroup",
    "dir",
    "enum",
    "file",
    "mainpage",
    "namespace",
    "page",
    "property",
    "struct",
    "typedef",
    "union",
    "var",
    "weakgroup",
];

/// The doc comment of the function of this name whose declaration begins at byte `start`.
pub fn before(file: &SourceText, start: usize, name: &str, place: DocPlace) -> Option<DocComment> {
    let comments = &file.lines.comments;
    let mut first = comments.partition_point(|comment| comment.end <= start);
    let mut range: Option<Range<usize>> = None;
    let mut next = start;
    while let Some(comment) = first.checked_sub(1).map(|index| comments[index]) {
        let is_line = comment.text(&file.text).starts_with("//");
        let adjoins = match &range {
            None => adjoins(file, comment.end, next),
            // Only line comments continue each other.
            Some(_) => is_line && joins_line_above(file, comment, next),
        };
        let is_bracket = is_group_bracket(comment.text(&file.text));
        if !adjoins || is_bracket || !begins_line(&file.text, comment.start) {
            break;
        }
        range = Some(comment.start..range.map_or(comment.end, |range| range.end));
        if !is_line {
            break;
        }
        next = comment.start;
        first -= 1;
    }
    let range = range?;
    let text = file.text.get(range.clone())?;
    if is_of_another(text, name) {
        return None;
    }
    let (start_line, end_line) = file.lines_of(&range);
    Some(DocComment {
        text: text.to_owned(),
        place,
        path: file.path.clone(),
        start_line,
        end_line,
    })
}

/// The words of a comment, in lower case and without marks.
pub fn words(comment: &str) -> impl Iterator<Item = String> {
    comment
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
}

/// Returns `true` if a comment opens or closes a group of Doxygen: `@{`, `\}`.
fn is_group_bracket(comment: &str) -> bool {
    let is_edge = |c: char| c.is_whitespace() || "/*!".contains(c);
    ["@{", "@}", "\\{", "\\}"].iter().any(|bracket| {
        comment.match_indices(bracket).any(|(at, _)| {
            let before = comment.get(..at).and_then(|text| text.chars().next_back());
            let behind = comment.get(at + bracket.len()..);
            let behind = behind.and_then(|text| text.chars().next());
            before.is_none_or(is_edge) && behind.is_none_or(is_edge)
        })
    })
}

/// Returns `true` if a comment states that it is about something else than the function of this name.
fn is_of_another(comment: &str, name: &str) -> bool {
    let named = named_functions(comment);
    if !named.is_empty() {
        let is_it = |path: &String| path.rsplit("::").next() == Some(name);
        return named.len() > 1 || !named.iter().all(is_it);
    }
    let text = comment.trim_start_matches(|c: char| c.is_whitespace() || "/*!<".contains(c));
    let Some(command) = text.strip_prefix(['@', '\\']) else {
        return false;
    };
    let end = command.find(|c: char| !c.is_ascii_alphabetic());
    let (command, rest) = command.split_at(end.unwrap_or(command.len()));
    // `@file:` is a parameter of that name.
    OF_OTHERS.contains(&command) && !rest.starts_with(':')
}

/// Returns `true` if only directives are between the comment's end and the item, and no blank line.
fn adjoins(file: &SourceText, end: usize, start: usize) -> bool {
    let gap = file.text.get(end..start).unwrap_or_default();
    let Some((rest_of_comment_line, after)) = gap.split_once('\n') else {
        return gap.trim().is_empty();
    };
    let (between, before_item) = match after.rsplit_once('\n') {
        Some((between, before_item)) => (Some(between), before_item),
        None => (None, after),
    };
    // The gap may be most of the file, so it is read only as far as the first line that parts.
    rest_of_comment_line.trim().is_empty()
        && before_item.trim().is_empty()
        && between.is_none_or(|lines| {
            lines
                .split('\n')
                .all(|line| line.trim_start().starts_with('#'))
        })
}

fn joins_line_above(file: &SourceText, comment: Token, next: usize) -> bool {
    let gap = file.text.get(comment.end..next).unwrap_or_default();
    gap.trim().is_empty() && gap.matches('\n').count() == 1
}

fn begins_line(text: &str, byte: usize) -> bool {
    let before = text.get(..byte).unwrap_or_default();
    let line = before.rsplit_once('\n').map_or(before, |(_, line)| line);
    line.trim().is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn doc(text: &str) -> Option<String> {
        let file = SourceText::new("a.c".to_owned(), text.to_owned());
        let start = text.rfind("int f").expect("the fixture defines f");
        before(&file, start, "f", DocPlace::Definition).map(|doc| doc.text)
    }

    #[test]
    fn the_comment_right_above_counts() {
        assert_eq!(
            doc("/* Adds. */\nint f(void);").as_deref(),
            Some("/* Adds. */")
        );
        assert_eq!(
            doc("/* Adds. */\n#ifdef X\nint f(void);").as_deref(),
            Some("/* Adds. */")
        );
        assert_eq!(
            doc("// One\n// two.\nint f(void);").as_deref(),
            Some("// One\n// two.")
        );
    }

    #[test]
    fn other_comments_do_not() {
        assert_eq!(doc("/* Section. */\n\nint f(void);"), None);
        assert_eq!(doc("int a; /* about a */\nint f(void);"), None);
        assert_eq!(doc("/* about g */\nint g;\nint f(void);"), None);
        assert_eq!(doc("int f(void);"), None);
    }

    #[test]
    fn comments_of_groups_and_other_things_do_not() {
        for other in [
            "/** @} */\n",
            "/*@{*/\n",
            "/** \\name Kites\n * All of them.\n * @{ */\n",
            "/** \\defgroup kites Kites\n * All of them. */\n",
            "//! @file\n//! All about kites.\n",
            "/** \\struct kite\n * A kite. */\n",
            "/** \\fn int g(void)\n * Another. */\n",
            "/** \\fn int f(void)\n * \\fn int g(void)\n * Two. */\n",
            "/** One. */\n/** @{ */\n",
        ] {
            assert_eq!(doc(&format!("{other}int f(void);")), None, "{other}");
        }
        for its in [
            "/// Adds.",
            "/** \\fn int f(void)\n * Adds. */",
            "/** \\ingroup kites\n * Adds. */",
            "/** @file: a path */",
            "/** Sees {@link g}, a@{b and \\{x\\}. */",
        ] {
            let text = format!("/// @}}\n{its}\nint f(void);");
            assert_eq!(doc(&text).as_deref(), Some(its));
        }
    }

    #[test]
    fn lines_are_counted_from_one() {
        let file = SourceText::new("a.c".to_owned(), "\n/* x\n y */\nint f;".to_owned());
        let doc = before(&file, 12, "f", DocPlace::Definition).expect("right above");
        assert_eq!((doc.start_line, doc.end_line), (2, 3));
    }
}
