//! Bytes of a text → its lines.

use std::ops::Range;

/// The beginnings of the lines of a text.
#[derive(Debug)]
pub(crate) struct LineStarts(Vec<usize>);

impl LineStarts {
    pub(crate) fn of(text: &str) -> LineStarts {
        let newlines = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        LineStarts(newlines.map(|(at, _)| at + 1).collect())
    }

    /// The bytes that it takes.
    pub(crate) fn weight(&self) -> usize {
        self.0.len() * size_of::<usize>()
    }

    /// The first and the last line of a range of bytes, from 1.
    pub(crate) fn of_range(&self, range: &Range<usize>) -> (u32, u32) {
        let line = |byte: usize| {
            let begun = self.0.partition_point(|&start| start <= byte);
            u32::try_from(begun + 1).unwrap_or(u32::MAX)
        };
        (line(range.start), line(range.end.saturating_sub(1)))
    }
}
