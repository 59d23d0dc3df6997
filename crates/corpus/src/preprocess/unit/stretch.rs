//! A stretch of a reading: its tokens, between two directives.

use std::ops::RangeInclusive;

use barecode_languages::lex::{Token, TokenKind};

use crate::preprocess::condition;
use crate::preprocess::macros::Word;

/// The tokens that a walk looks at, and the text that they are of.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stretch<'t> {
    /// The number of the reading.
    pub(super) reading: usize,
    pub(super) text: &'t str,
    pub(super) tokens: &'t [Token],
}

impl<'t> Stretch<'t> {
    /// The text of a token.
    pub(super) fn shown(&self, at: usize) -> &'t str {
        self.tokens[at].text(self.text)
    }

    /// The first byte of a token.
    pub(super) fn start(&self, at: usize) -> usize {
        self.tokens[at].start
    }

    /// One past the last byte of a token.
    pub(super) fn end(&self, at: usize) -> usize {
        self.tokens[at].end
    }

    /// Some tokens as words.
    pub(super) fn words(&self, range: RangeInclusive<usize>) -> Vec<Word> {
        Word::of(&self.tokens[range], self.text)
    }

    /// Returns `true` if the token behind the one at `at` is this.
    pub(super) fn next_is(&self, at: usize, wanted: &str) -> bool {
        let next = self.tokens.get(at + 1);
        next.is_some_and(|next| next.text(self.text) == wanted)
    }

    /// Returns `true` if the token at an index is a name, or a keyword.
    pub(super) fn is_name(&self, at: usize) -> bool {
        let token = self.tokens.get(at);
        token.is_some_and(|token| token.kind == TokenKind::Identifier)
    }

    /// Returns `true` if a name follows the token at `at` on the same line.
    pub(super) fn leads(&self, at: usize) -> bool {
        let next = self.tokens.get(at + 1).filter(|_| self.is_name(at + 1));
        let between = next.and_then(|next| self.text.get(self.end(at)..next.start));
        between.is_some_and(|between| !between.contains('\n'))
    }

    /// The parenthesis that closes the one at `open`.
    pub(super) fn closing(&self, open: usize) -> Option<usize> {
        let behind = self.tokens.get(open..)?.iter();
        let close = condition::closing(behind.map(|token| token.text(self.text)), 0)?;
        Some(open + close)
    }
}
