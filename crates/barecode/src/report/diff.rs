//! A function as written beside the same function under a setting, with what changed marked.
//!
//! Enters: two texts. Leaves: their lines in pieces, each changed or not, for the terminal and for the page. A
//! renaming changes identifiers only, so both texts have the same tokens in the same order, and the changed ones
//! are found by walking both at once. Any other pair of texts is shown without marks.

use barecode_corpus::preprocess::lex::{Token, TokenKind, lex_with_comments};
use maud::{Markup, html};

/// A part of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Piece<'a> {
    /// The part.
    pub(crate) text: &'a str,
    /// Whether the other text has something else in its place.
    pub(crate) changed: bool,
}

/// The lines of a text.
pub(crate) type Lines<'a> = Vec<Vec<Piece<'a>>>;

/// Both texts by lines.
pub(crate) fn sides<'a>(before: &'a str, after: &'a str) -> (Lines<'a>, Lines<'a>) {
    let (olds, news) = (identifiers(before), identifiers(after));
    let differs = |at: usize| olds[at].text(before) != news[at].text(after);
    let changed: Vec<usize> = if olds.len() == news.len() {
        (0..olds.len()).filter(|&at| differs(at)).collect()
    } else {
        Vec::new()
    };
    let of = |tokens: &[Token]| changed.iter().map(|&at| tokens[at]).collect::<Vec<_>>();
    (lines(before, &of(&olds)), lines(after, &of(&news)))
}

fn identifiers(text: &str) -> Vec<Token> {
    let mut tokens = lex_with_comments(text);
    tokens.retain(|token| token.kind == TokenKind::Identifier);
    tokens
}

/// A text cut at its line breaks and around marked tokens.
fn lines<'a>(text: &'a str, marked: &[Token]) -> Lines<'a> {
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
    for token in marked {
        add(text.get(at..token.start).unwrap_or_default(), false);
        add(token.text(text), true);
        at = token.end;
    }
    add(text.get(at..).unwrap_or_default(), false);
    lines
}

/// Both texts side by side in this many columns. With color, changed pieces are colored; else they are between
/// `‹` and `›`.
pub(crate) fn terminal(before: &str, after: &str, width: u16, color: bool) -> String {
    let (left, right) = sides(before, after);
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

/// How a character is shown: a tab as two blanks, a control character as a sign, for a terminal would obey it.
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

/// A line in rows of at most `width` columns, each with how many it has.
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
pub(crate) fn page(before_name: &str, before: &str, after_name: &str, after: &str) -> Markup {
    let (left, right) = sides(before, after);
    html! {
        div.sides {
            @for (name, lines) in [(before_name, &left), (after_name, &right)] {
                figure {
                    figcaption { (name) }
                    pre tabindex="0" { code {
                        @for line in lines {
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
        let shown = terminal(BEFORE, AFTER, 100, false);
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
            for line in terminal(BEFORE, AFTER, width, false).lines() {
                assert!(line.chars().count() <= usize::from(width), "{line}");
            }
        }
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
