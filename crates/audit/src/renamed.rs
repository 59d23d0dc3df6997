//! Code under new names: the rest of a text when names are numbered in the order in which they appear.
//!
//! Two texts with the same digest differ in names only. In C and C++ every name is numbered but those of the language
//! and the library. In other languages the names of the library are unknown, so members and called functions keep
//! their names, but for the function's own. A short text has no digest: getters and wrappers look alike everywhere.

use std::collections::HashMap;

use barecode_languages::lex::{TokenKind, lex};
use barecode_languages::{LANGUAGES, library};

use crate::text::{Digest, digest};
use barecode_languages::Form;

/// A text of fewer tokens may look like another by chance.
const FEWEST_TOKENS: usize = 40;

/// Digests of a text under new names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Renamed {
    /// All names numbered.
    pub(crate) all: Digest,
    /// Only the function's own.
    pub(crate) own: Digest,
}

impl Renamed {
    /// Of code that is long enough; `comments` are ranges of bytes.
    pub(crate) fn of(text: &str, form: Form, comments: &[(usize, usize)]) -> Option<Self> {
        if !form.is_source() {
            return None;
        }
        let code = without(text, comments);
        let tokens = lex(&code);
        let tokens: Vec<(TokenKind, &str)> = tokens
            .iter()
            .filter(|token| token.kind != TokenKind::Newline)
            .map(|token| (token.kind, token.text(&code)))
            .collect();
        if tokens.len() < FEWEST_TOKENS {
            return None;
        }
        let is_name = |at: usize| {
            let (kind, word) = tokens[at];
            kind == TokenKind::Identifier && !is_keyword(word, form)
        };
        let text_at = |at: usize| tokens.get(at).map(|(_, text)| *text);
        let own = (0..tokens.len()).find(|&at| is_name(at) && text_at(at + 1) == Some("("));
        let own = own.and_then(text_at);
        let stays = |at: usize| {
            let word = tokens[at].1;
            let before = at.checked_sub(1).and_then(text_at);
            let is_called = text_at(at + 1) == Some("(");
            if form == Form::C {
                // The library has functions, types and macros by names that members and variables have too.
                let is_member = matches!(before, Some("." | "->"));
                let looks_like_it = is_called
                    || before == Some("::")
                    || word.ends_with("_t")
                    || word.chars().any(char::is_uppercase);
                return !is_member && looks_like_it && library::is_mentioned(word);
            }
            before == Some(".") || is_called && Some(word) != own
        };
        let mut numbers: HashMap<&str, usize> = HashMap::new();
        let (mut all, mut only) = (String::new(), String::new());
        for (at, (_, word)) in tokens.iter().enumerate() {
            if is_name(at) && !stays(at) {
                let next = numbers.len();
                let number = *numbers.entry(word).or_insert(next);
                all.push_str(&number.to_string());
                all.push('\u{1}');
            } else {
                all.push_str(word);
                all.push('\0');
            }
            if Some(*word) == own {
                only.push('\u{1}');
            } else {
                only.push_str(word);
                only.push('\0');
            }
        }
        Some(Renamed {
            all: digest(&all),
            own: digest(&only),
        })
    }
}

/// The text with its comments as blanks.
fn without(text: &str, comments: &[(usize, usize)]) -> String {
    let mut code = String::with_capacity(text.len());
    let mut from = 0;
    for &(start, end) in comments {
        code.push_str(text.get(from..start).unwrap_or_default());
        code.push(' ');
        from = end;
    }
    code.push_str(text.get(from..).unwrap_or_default());
    code
}

/// Returns `true` if a word is a keyword. Outside of C and C++ the language is unknown, so a keyword of any language
/// counts.
fn is_keyword(word: &str, form: Form) -> bool {
    let of_form = LANGUAGES
        .iter()
        .filter(|entry| form != Form::C || entry.is_c_like());
    of_form.into_iter().any(|entry| entry.is_keyword(word))
}
