//! A part of a text, by its bytes.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// A range of bytes in a text; `end` is exclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl From<Range<usize>> for Span {
    /// An offset beyond 4 GiB becomes the last one that can be written.
    fn from(bytes: Range<usize>) -> Self {
        let offset = |bytes| u32::try_from(bytes).unwrap_or(u32::MAX);
        Span {
            start: offset(bytes.start),
            end: offset(bytes.end),
        }
    }
}

impl Span {
    /// The piece of `text` that the span covers; empty where it does not fit.
    pub fn of(self, text: &str) -> &str {
        text.get(self.start as usize..self.end as usize)
            .unwrap_or_default()
    }

    /// The piece of a text with the blanks that its first line begins with removed from all lines that begin with
    /// them.
    ///
    /// ```
    /// use barecode_records::Span;
    /// let text = "class A:\n    def f(self):\n        return 1\n";
    /// assert_eq!(Span { start: 9, end: 43 }.dedented(text), "def f(self):\n    return 1\n");
    /// ```
    pub fn dedented(self, text: &str) -> String {
        let piece = self.of(text);
        let blanks = piece.len() - piece.trim_start_matches([' ', '\t']).len();
        let (indentation, _) = piece.split_at(blanks);
        let lines = piece.split_inclusive('\n');
        lines
            .map(|line| line.strip_prefix(indentation).unwrap_or(line))
            .collect()
    }
}
