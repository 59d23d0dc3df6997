//! A function as written beside the same function under a setting, with the changes marked.
//!
//! Enters: two texts. Leaves: their lines in pieces, each changed or not, for the terminal and for the page. A
//! renaming changes identifiers only, so both texts have the same tokens in the same order, and the changed ones are
//! found by walking both at once. If the changed ranges are known, as for rewritten programs, these are marked. Any
//! other pair of texts is shown without marks.

use std::ops::Range;

use barecode_corpus::preprocess::lex::{Token, TokenKind, lex_with_comments};
use barecode_records::Span;
use barecode_records::python::ChangedPlace;
use maud::{Markup, html};

/// A part of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece<'a> {
    /// The part.
    pub text: &'a str,
    /// True if the other text differs at this position.
    pub changed: bool,
}

/// The lines of a text.
pub type Lines<'a> = Vec<Vec<Piece<'a>>>;

/// Both texts by lines.
pub type Sides<'a> = (Lines<'a>, Lines<'a>);

/// Both texts with the identifiers marked that differ.
pub fn sides<'a>(before: &'a str, after: &'a str) -> Sides<'a> {
    let (olds, news) = (identifiers(before), identifiers(after));
    let differs = |at: usize| olds[at].text(before) != news[at].text(after);
    let changed: Vec<usize> = if olds.len() == news.len() {
        (0..olds.len()).filter(|&at| differs(at)).collect()
    } else {
        Vec::new()
    };
    let of = |tokens: &[Token]| -> Vec<Range<usize>> {
        changed
            .iter()
            .map(|&at| tokens[at].start..tokens[at].end)
            .collect()
    };
    (lines(before, &of(&olds)), lines(after, &of(&news)))
}

/// Both texts with changed ranges marked, and unchanged lines in the same row: the shorter side of a range is filled
/// up with empty lines.
pub fn sides_of_places<'a>(before: &'a str, after: &'a str, places: &[ChangedPlace]) -> Sides<'a> {
    let of = |span: Span| span.start as usize..span.end as usize;
    let marks = |side: &dyn Fn(&ChangedPlace) -> Span| {
        let mut marks: Vec<Range<usize>> = places.iter().map(|place| of(side(place))).collect();
        marks.sort_by_key(|mark| (mark.start, mark.end));
        let mut joined: Vec<Range<usize>> = Vec::new();
        for mark in marks {
            match joined.last_mut() {
                Some(last) if mark.start < last.end => last.end = last.end.max(mark.end),
                _ => joined.push(mark),
            }
        }
        joined
    };
    let mut left = lines(before, &marks(&|place| place.before));
    let mut right = lines(after, &marks(&|place| place.after));
    let row = |text: &str, at: u32| {
        let before = text.get(..at as usize).unwrap_or_default();
        before.matches('\n').count()
    };
    // The end of each range on both sides, from the last on, so that added lines do not move the ranges that remain.
    let mut ends: Vec<(usize, usize)> = places
        .iter()
        .map(|place| (row(before, place.before.end), row(after, place.after.end)))
        .collect();
    ends.sort_unstable();
    let rises = ends.windows(2).all(|pair| pair[0].1 <= pair[1].1);
    if !rises {
        return (left, right);
    }
    // Between two ranges both sides have the same number of lines, so the last range of each row decides.
    let mut shift = 0_isize;
    let mut fills: Vec<(usize, usize, isize)> = Vec::new();
    for (at, (old, new)) in ends.iter().enumerate() {
        let is_last = ends
            .get(at + 1)
            .is_none_or(|next| next.0 > *old && next.1 > *new);
        let here = new.cast_signed() - old.cast_signed();
        if is_last && here != shift {
            fills.push((*old, *new, here - shift));
            shift = here;
        }
    }
    for (old, new, more) in fills.into_iter().rev() {
        let (side, row) = if more > 0 {
            (&mut left, old)
        } else {
            (&mut right, new)
        };
        let row = (row + 1).min(side.len());
        side.splice(row..row, (0..more.unsigned_abs()).map(|_| Vec::new()));
    }
    (left, right)
}

fn identifiers(text: &str) -> Vec<Token> {
    let mut tokens = lex_with_comments(text);
    tokens.retain(|token| token.kind == TokenKind::Identifier);
    tokens
}

/// A text cut at its line breaks and around marked ranges.
fn lines<'a>(text: &'a str, marked: &[Range<usize>]) -> Lines<'a> {
    let mut lines: Lines<'a> = vec![Vec::new()];
    let mut add = |part: &'a str, changed: bool| {
        for (at, line) in part.split('\n').enumerate() {
            if at > 0 {
                lines.push(Vec::new());
            }
            let line = line.trim_end_matches('\r');
            if let Some(last) = lines.last_mut()
                && !line.is_empty()
            {
                last.push(Piece {
                    text: line,
                    changed,
                });
            }
        }
    };
    let mut at = 0;
    for mark in marked {
        add(text.get(at..mark.start).unwrap_or_default(), false);
        add(text.get(mark.clone()).unwrap_or_default(), true);
        at = mark.end;
    }
    add(text.get(at..).unwrap_or_default(), false);
    lines
}

/// Both texts side by side in this many columns. With color, changed pieces are colored; else they are between
/// `‹` and `›`.
pub fn terminal((left, right): &Sides<'_>, width: u16, color: bool) -> String {
    let column = (usize::from(width).saturating_sub(3) / 2).max(20);
    let longest = left.iter().map(|line| shown_width(line, color)).max();
    let column = column.min(longest.unwrap_or_default().max(8));
    let mut out = String::new();
    for at in 0..left.len().max(right.len()) {
        let left = wrapped(left.get(at).map_or(&[][..], Vec::as_slice), column, color);
        let room = usize::from(width).saturating_sub(column + 3).max(20);
        let right = wrapped(right.get(at).map_or(&[][..], Vec::as_slice), room, color);
        for row in 0..left.len().max(right.len()) {
            let (text, used) = left.get(row).cloned().unwrap_or_default();
            out.push_str(&text);
            out.push_str(&" ".repeat(column.saturating_sub(used)));
            out.push_str(" │ ");
            out.push_str(right.get(row).map_or("", |(text, _)| text));
            let end = out.trim_end_matches(' ').len();
            out.truncate(end);
            out.push('\n');
        }
    }
    out
}

/// The visible form of a character: a tab as two blanks, a control character as a sign, because a terminal would obey
/// it.
fn shown(character: char) -> &'static str {
    match character {
        '\t' => "  ",
        control if control.is_control() => "\u{fffd}",
        _ => "",
    }
}

fn shown_width(line: &[Piece<'_>], color: bool) -> usize {
    let width = |piece: &Piece<'_>| -> usize {
        let marks = if piece.changed && !color { 2 } else { 0 };
        let characters = piece.text.chars();
        characters
            .map(|character| shown(character).chars().count().max(1))
            .sum::<usize>()
            + marks
    };
    line.iter().map(width).sum()
}

/// A line in rows of at most `width` columns, each with its number of columns.
fn wrapped(line: &[Piece<'_>], width: usize, color: bool) -> Vec<(String, usize)> {
    const ON: &str = "\u{1b}[1;33m";
    const OFF: &str = "\u{1b}[0m";
    let mut rows = vec![(String::new(), 0)];
    for piece in line {
        let is_colored = piece.changed && color;
        let (open, close) = if piece.changed && !color {
            ("‹", "›")
        } else {
            ("", "")
        };
        let characters: Vec<char> = open
            .chars()
            .chain(piece.text.chars())
            .chain(close.chars())
            .collect();
        if is_colored {
            rows.last_mut().expect("there is a row").0.push_str(ON);
        }
        for character in characters {
            let sign = shown(character);
            let columns = sign.chars().count().max(1);
            let (row, used) = rows.last_mut().expect("there is a row");
            if *used + columns > width {
                if is_colored {
                    row.push_str(OFF);
                }
                let start = if is_colored { ON } else { "" };
                rows.push((start.to_owned(), 0));
            }
            let (row, used) = rows.last_mut().expect("there is a row");
            if sign.is_empty() {
                row.push(character);
            } else {
                row.push_str(sign);
            }
            *used += columns;
        }
        if is_colored {
            rows.last_mut().expect("there is a row").0.push_str(OFF);
        }
    }
    rows
}

/// Both texts side by side on a page.
pub fn page(names: [&str; 2], (left, right): &Sides<'_>) -> Markup {
    // Empty lines at the end are not shown.
    let used = |lines: &Lines<'_>| lines.iter().rposition(|line| !line.is_empty());
    let rows = used(left).max(used(right)).map_or(0, |last| last + 1);
    html! {
        div.sides {
            @for (name, lines) in names.into_iter().zip([left, right]) {
                figure {
                    figcaption { (name) }
                    pre tabindex="0" { code {
                        @for line in lines.iter().take(rows) {
                            @for piece in line {
                                @if piece.changed { mark { (piece.text) } } @else { (piece.text) }
                            }
                            "\n"
                        }
                    } }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEFORE: &str = "int twice(int number) {\n\treturn number + number;\n}";
    const AFTER: &str = "int func_0(int var_0) {\n\treturn var_0 + var_0;\n}";

    #[test]
    fn changed_identifiers_are_marked_on_both_sides() {
        let shown = terminal(&sides(BEFORE, AFTER), 100, false);
        expect_test::expect![[r"
            int ‹twice›(int ‹number›) {   │ int ‹func_0›(int ‹var_0›) {
              return ‹number› + ‹number›; │   return ‹var_0› + ‹var_0›;
            }                             │ }
        "]]
        .assert_eq(&shown);
    }

    #[test]
    fn no_row_is_wider_than_the_terminal() {
        for width in [43_u16, 60, 80] {
            for line in terminal(&sides(BEFORE, AFTER), width, false).lines() {
                assert!(line.chars().count() <= usize::from(width), "{line}");
            }
        }
    }

    #[test]
    fn lines_that_stayed_are_in_the_same_row() {
        let before = "a = 1\nfor i in x:\n    f(i)\nreturn a\n";
        let after = "a = 1\ni = 0\nwhile i < x:\n    f(i)\n    i += 1\nreturn a\n";
        let span = |text: &str, piece: &str| {
            let start = text.find(piece).unwrap();
            Span::from(start..start + piece.len())
        };
        let place = |before, after| ChangedPlace {
            transform: "ForInRangeToWhile".to_owned(),
            before,
            after,
        };
        let end = before.find("\nreturn").unwrap();
        let places = [
            place(
                span(before, "for i in x:"),
                span(after, "i = 0\nwhile i < x:"),
            ),
            place(Span::from(end..end), span(after, "\n    i += 1")),
        ];
        let shown = terminal(&sides_of_places(before, after, &places), 60, false);
        expect_test::expect![[r"
            a = 1         │ a = 1
            ‹for i in x:› │ ‹i = 0›
                          │ ‹while i < x:›
                f(i)      │     f(i)
                          │ ‹    i += 1›
            return a      │ return a
                          │
        "]]
        .assert_eq(&shown);
    }

    #[test]
    fn nothing_is_lost() {
        let (left, right) = sides(BEFORE, "push %rbp\nmov %rsp,%rbp");
        let joined = |lines: &Lines<'_>| {
            let lines: Vec<String> = lines
                .iter()
                .map(|line| line.iter().map(|piece| piece.text).collect())
                .collect();
            lines.join("\n")
        };
        assert_eq!(joined(&left), BEFORE);
        assert_eq!(joined(&right), "push %rbp\nmov %rsp,%rbp");
    }
}
