//! Symbols of a text that stands alone, by spelling: every word outside of comments is a name, but for keywords and
//! what the caller knows to be the library's.
//!
//! A text alone does not say what a name belongs to or what it stands for. So all that is spelled alike is one symbol
//! (its role is always [`Role::Variable`] and means nothing), and nothing about the result is proven.

use barecode_records::{Language, Role};

use super::c::declared::is_keyword;
use super::{SpaceId, Stays, Symbols};
use crate::preprocess::lex::{TokenKind, lex, lex_with_comments};

/// The one name space.
const WORDS: SpaceId = SpaceId(0);

/// A text that stands alone, read by spelling.
#[derive(Debug)]
pub struct Alone {
    /// The text; each comment is a blank, for nothing in it is a name.
    pub text: String,
    /// Its names.
    pub symbols: Symbols,
}

impl Alone {
    /// Reads a text; `is_known` says which names are the library's.
    pub fn of(text: &str, _language: Language, is_known: impl Fn(&str) -> bool) -> Alone {
        let text = without_comments(text);
        let mut symbols = Symbols::new(is_keyword);
        let (mut before, mut in_include) = ("", false);
        for token in lex(&text) {
            let word = token.text(&text);
            let range = token.start..token.end;
            match token.kind {
                TokenKind::Newline => in_include = false,
                TokenKind::Identifier => {
                    if before == "#" {
                        in_include = word == "include";
                        symbols.stays(range, Stays::Keyword);
                    } else if in_include {
                        symbols.stays(range, Stays::External);
                    } else if is_keyword(word) {
                        symbols.stays(range, Stays::Keyword);
                    } else if is_known(word) {
                        symbols.stays(range, Stays::Standard);
                    } else {
                        let symbol = symbols.declare(word, WORDS, Role::Variable);
                        symbols.occurs(range, symbol);
                    }
                }
                _ => {}
            }
            before = word;
        }
        symbols.settle(&text, &[]);
        Alone { text, symbols }
    }
}

/// The text with each comment as a blank.
fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for token in lex_with_comments(text) {
        if token.kind == TokenKind::Comment {
            out.push_str(text.get(at..token.start).unwrap_or_default());
            out.push(' ');
            at = token.end;
        }
    }
    out.push_str(text.get(at..).unwrap_or_default());
    out
}
