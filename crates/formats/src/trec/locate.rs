//! From a byte of a file to its line and column.
//!
//! Readers only carry the offset; lines are counted if an error occurs, by reading the file once more up to the
//! position.

use std::fs::File;
use std::io::{BufRead, BufReader, Seek, SeekFrom};
use std::path::Path;

use crate::{FormatError, Place};

/// Something wrong at a byte of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Spot {
    pub(crate) offset: u64,
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
}

impl Spot {
    pub(crate) fn new(offset: u64, message: impl Into<String>) -> Self {
        Spot {
            offset,
            message: message.into(),
            hint: None,
        }
    }

    #[must_use]
    pub(crate) fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Returns the error with its position; `plain` has the text of the file, decompressed.
    pub(crate) fn locate(self, path: &Path, plain: &File) -> FormatError {
        let place = match line_and_column(plain, self.offset) {
            Some((line, column)) => Place::column(path, line, column),
            None => Place::file(path),
        };
        let error = FormatError::invalid(place, self.message);
        match self.hint {
            Some(hint) => error.with_hint(hint),
            None => error,
        }
    }
}

/// One-based; the column counts characters.
fn line_and_column(plain: &File, offset: u64) -> Option<(u64, u64)> {
    let mut reader = BufReader::with_capacity(1 << 20, plain);
    reader.seek(SeekFrom::Start(0)).ok()?;
    let (mut line, mut column, mut left) = (1, 1, offset);
    while left > 0 {
        let buffer = reader.fill_buf().ok()?;
        if buffer.is_empty() {
            break;
        }
        let length = buffer
            .len()
            .min(usize::try_from(left).unwrap_or(usize::MAX));
        for &byte in &buffer[..length] {
            match byte {
                b'\n' => (line, column) = (line + 1, 1),
                // The other bytes of a character.
                0x80..=0xbf => {}
                _ => column += 1,
            }
        }
        left -= length as u64;
        reader.consume(length);
    }
    Some((line, column))
}
