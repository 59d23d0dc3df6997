//! Text of any language → its words outside of comments and strings.
//!
//! C and C++ have a lexer ([`lex`](crate::lex)). The other languages need only this much, for which the syntax of
//! comments and strings is enough. It never fails: a comment or string that is open at the end of the text ends
//! there.

use std::ops::Range;

use barecode_records::Language;

use crate::lex::{Token, TokenKind, lex_with_comments};
use crate::{Comments, of};

/// The kind of a stretch of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PieceKind {
    /// A word: a keyword or a name.
    Word,
    /// A comment.
    Comment,
    /// A string or a letter.
    Quoted,
}

/// A stretch of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// Its bytes.
    pub range: Range<usize>,
    /// Its kind.
    pub kind: PieceKind,
}

/// The words, comments and strings of a text, in order; empty if the language has no entry.
pub fn pieces(text: &str, language: Language) -> Vec<Piece> {
    let Some(entry) = of(language) else {
        return Vec::new();
    };
    if matches!(language, Language::C | Language::CPP) {
        let tokens = lex_with_comments(text).into_iter();
        let piece = |token: Token| {
            let kind = match token.kind {
                TokenKind::Identifier => PieceKind::Word,
                TokenKind::Comment => PieceKind::Comment,
                TokenKind::String | TokenKind::Character => PieceKind::Quoted,
                _ => return None,
            };
            Some(Piece {
                range: token.start..token.end,
                kind,
            })
        };
        return tokens.filter_map(piece).collect();
    }
    let mut pieces = Vec::new();
    let mut at = 0;
    while let Some(rest) = text.get(at..)
        && let Some(first) = rest.chars().next()
    {
        let in_word = |c: char| c.is_alphanumeric() || c == '_';
        let word = rest.find(|c| !in_word(c)).unwrap_or(rest.len());
        let (length, kind) = if first.is_alphabetic() || first == '_' {
            (word, Some(PieceKind::Word))
        } else if first.is_ascii_digit() {
            (word, None)
        } else {
            match skipped(rest, &entry.comments) {
                Some((length, kind)) => (length, Some(kind)),
                None => (first.len_utf8(), None),
            }
        };
        pieces.extend(kind.map(|kind| Piece {
            range: at..at + length,
            kind,
        }));
        at += length;
    }
    pieces
}

/// The words of a text that are neither in comments nor in strings, in order; empty if the language has no entry.
///
/// ```
/// use barecode_languages::words_of;
/// use barecode_records::Language;
/// let text = "def f(x):  # if\n    \"\"\"while\"\"\"\n    return x";
/// assert_eq!(words_of(text, Language::named("python")), ["def", "f", "x", "return", "x"]);
/// ```
pub fn words_of(text: &str, language: Language) -> Vec<&str> {
    let words = pieces(text, language).into_iter();
    let words = words.filter(|piece| piece.kind == PieceKind::Word);
    words.filter_map(|piece| text.get(piece.range)).collect()
}

/// The comment or string that a text begins with, by its length.
fn skipped(text: &str, comments: &Comments) -> Option<(usize, PieceKind)> {
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
        return Some((to(open, close), PieceKind::Comment));
    }
    if comments.line.iter().any(|mark| text.starts_with(mark)) {
        let length = text.find('\n').unwrap_or(text.len());
        return Some((length, PieceKind::Comment));
    }
    let quote = comments
        .quotes
        .iter()
        .find(|quote| text.starts_with(**quote))?;
    if quote.len() > 1 || *quote == "`" {
        return Some((to(quote, quote), PieceKind::Quoted));
    }
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '\n' => return Some((at, PieceKind::Quoted)),
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if quote.starts_with(c) => return Some((at + 1, PieceKind::Quoted)),
            _ => {}
        }
    }
    Some((text.len(), PieceKind::Quoted))
}
