//! Text of any language → its words outside of comments and strings.
//!
//! C and C++ have a lexer ([`lex`](crate::lex)); of the others only this much is asked, and how comments and strings
//! are written is enough for it. It never fails: what is open at the end of the text ends there.

use barecode_records::Language;

use crate::lex::{TokenKind, lex};
use crate::{Comments, of};

/// The words of a text that are neither in comments nor in strings, in order; none where nothing is known of the
/// language.
///
/// ```
/// use barecode_languages::words_of;
/// use barecode_records::Language;
/// let text = "def f(x):  # if\n    \"\"\"while\"\"\"\n    return x";
/// assert_eq!(words_of(text, Language::named("python")), ["def", "f", "x", "return", "x"]);
/// ```
pub fn words_of(text: &str, language: Language) -> Vec<&str> {
    let Some(entry) = of(language) else {
        return Vec::new();
    };
    if entry.is_c_like() {
        let tokens = lex(text).into_iter();
        return tokens
            .filter(|token| token.kind == TokenKind::Identifier)
            .map(|token| token.text(text))
            .collect();
    }
    let mut words = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = if first.is_alphabetic() || first == '_' {
            let length = rest
                .find(|c: char| !c.is_alphanumeric() && c != '_')
                .unwrap_or(rest.len());
            words.extend(rest.get(..length));
            length
        } else if first.is_ascii_digit() {
            let is_number = |c: char| c.is_alphanumeric() || c == '_';
            rest.find(|c: char| !is_number(c)).unwrap_or(rest.len())
        } else {
            skipped(rest, &entry.comments).unwrap_or(first.len_utf8())
        };
        rest = rest.get(length..).unwrap_or_default();
    }
    words
}

/// The length of the comment or string that a text begins with.
fn skipped(text: &str, comments: &Comments) -> Option<usize> {
    let to = |open: &str, close: &str| {
        let inside = text.get(open.len()..).unwrap_or_default();
        let end = inside.find(close).map(|at| open.len() + at + close.len());
        end.unwrap_or(text.len())
    };
    if let Some((open, close)) = comments
        .block
        .iter()
        .find(|(open, _)| text.starts_with(open))
    {
        return Some(to(open, close));
    }
    if comments.line.iter().any(|mark| text.starts_with(mark)) {
        return Some(text.find('\n').unwrap_or(text.len()));
    }
    let quote = comments
        .quotes
        .iter()
        .find(|quote| text.starts_with(**quote))?;
    if quote.len() > 1 || *quote == "`" {
        return Some(to(quote, quote));
    }
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '\n' => return Some(at),
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if quote.starts_with(c) => return Some(at + 1),
            _ => {}
        }
    }
    Some(text.len())
}
