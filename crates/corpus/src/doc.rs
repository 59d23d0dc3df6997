//! The comment that documents an item: the one that ends on the line above it.
//!
//! Directives between comment and item do not part them (`#ifdef` around a definition); a blank line does,
//! because then the comment usually heads a section.

use std::ops::Range;

use barecode_languages::lex::Token;
use barecode_records::{DocComment, DocPlace};

use crate::preprocess::unit::SourceText;

/// The doc comment of the item that begins at byte `start`.
pub fn before(file: &SourceText, start: usize, place: DocPlace) -> Option<DocComment> {
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
        if !adjoins || !begins_line(&file.text, comment.start) {
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
    Some(DocComment {
        text: file.text.get(range.clone())?.to_owned(),
        place,
        path: file.path.clone(),
        start_line: file.line_of(range.start),
        end_line: file.line_of(range.end.saturating_sub(1)),
    })
}

/// Whether nothing but directives stands between the comment's end and the item, and no blank line.
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
        let start = text.find("int f").expect("the fixture defines f");
        before(&file, start, DocPlace::Definition).map(|doc| doc.text)
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
    fn lines_are_counted_from_one() {
        let file = SourceText::new("a.c".to_owned(), "\n/* x\n y */\nint f;".to_owned());
        let doc = before(&file, 12, DocPlace::Definition).expect("right above");
        assert_eq!((doc.start_line, doc.end_line), (2, 3));
    }
}
