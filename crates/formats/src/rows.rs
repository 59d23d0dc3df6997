//! Rows of a file one at a time: JSON Lines, a JSON array or Parquet, packed with gzip or not.
//!
//! A row that cannot be read is an error with its position, and the rows behind it follow if the file shows their
//! beginning: behind a line that is not JSON, but not inside of an array, nor behind the end of a damaged gzip
//! stream. Only a row, or a few of a Parquet file, are in memory.

use std::io::BufRead;
use std::path::{Path, PathBuf};

use barecode_records::caught;
use parquet::arrow::ProjectionMask;
use serde::Deserialize as _;
use serde_json::{Map, Value};

use crate::parquet_rows::{self, Batches};
use crate::row::{self, Row, Shape};
use crate::source::{self, Lines};
use crate::{FormatError, Place};

/// Rows of Parquet that are unpacked at once: a row may have megabytes of tests.
const BATCH: usize = 16;

/// The rows of a file, in its order.
pub struct Rows {
    path: PathBuf,
    number: u64,
    state: State,
}

enum State {
    Lines(Lines),
    Array(Box<dyn BufRead>),
    Batches(Box<Batches>, std::vec::IntoIter<Map<String, Value>>),
    Ended,
}

impl Rows {
    /// Opens a file. Of a Parquet file these columns are read, if it has them; all if none are named.
    ///
    /// # Errors
    /// If it cannot be opened, or is damaged at its beginning.
    pub fn open(path: &Path, columns: &[&str]) -> Result<Self, FormatError> {
        let state = if source::starts_with(path, b"PAR1")? {
            State::Batches(Box::new(batches(path, columns)?), Vec::new().into_iter())
        } else if is_array(path) {
            let mut reader = source::open(path)?;
            skip_to(reader.as_mut(), b"[").map_err(|error| source::broken(path, 1, error))?;
            State::Array(reader)
        } else {
            State::Lines(Lines::open(path)?)
        };
        Ok(Rows {
            path: path.to_owned(),
            number: 0,
            state,
        })
    }

    fn line(lines: &mut Lines) -> Option<Result<Row, FormatError>> {
        loop {
            let (place, text) = match lines.next() {
                Ok(None) => return None,
                Ok(Some(found)) => found,
                Err(error) => return Some(Err(error)),
            };
            if !text.trim().is_empty() {
                return Some(row::of_line(place, text));
            }
        }
    }

    /// The next object of an array; `None` behind its end.
    fn element(&mut self) -> Option<Result<Row, FormatError>> {
        let State::Array(reader) = &mut self.state else {
            return None;
        };
        let found = skip_to(reader.as_mut(), b",]").and_then(|first| match first {
            Some(b'{') => Map::deserialize(&mut serde_json::Deserializer::from_reader(reader))
                .map(Some)
                .map_err(std::io::Error::other),
            Some(b']') => match skip_to(reader.as_mut(), b"")? {
                None => Ok(None),
                Some(_) => Err(std::io::Error::other("text follows the array")),
            },
            None => Err(std::io::Error::other("the array has no end")),
            Some(_) => Err(std::io::Error::other("this is not a JSON object")),
        });
        self.number += 1;
        let number = self.number;
        let place = Place::line(&self.path, number);
        match found {
            Ok(Some(columns)) => Some(Ok(Row::new(columns, place, number))),
            Ok(None) => {
                self.state = State::Ended;
                None
            }
            Err(error) => {
                self.state = State::Ended;
                let message = format!("row {number} and what follows cannot be read: {error}");
                Some(Err(FormatError::invalid(place, message)))
            }
        }
    }

    fn unpacked(&mut self) -> Option<Result<Row, FormatError>> {
        let State::Batches(batches, rows) = &mut self.state else {
            return None;
        };
        loop {
            if let Some(columns) = rows.next() {
                self.number += 1;
                let place = Place::line(&self.path, self.number);
                return Some(Ok(Row::new(columns, place, self.number)));
            }
            match parquet_rows::batch(&self.path, batches) {
                Ok(Some(next)) => *rows = next.into_iter(),
                Ok(None) => return None,
                Err(error) => {
                    self.state = State::Ended;
                    return Some(Err(error));
                }
            }
        }
    }
}

impl Iterator for Rows {
    type Item = Result<Row, FormatError>;

    fn next(&mut self) -> Option<Self::Item> {
        match &mut self.state {
            State::Lines(lines) => Self::line(lines),
            State::Array(_) => self.element(),
            State::Batches(..) => self.unpacked(),
            State::Ended => None,
        }
    }
}

/// The names in the first object of a file, or of the columns of a Parquet file; `None` if it is neither.
///
/// Lines that are not JSON are passed over, up to a hundred.
pub fn first_names(path: &Path) -> Result<Option<Vec<String>>, FormatError> {
    if source::starts_with(path, b"PAR1")? {
        return parquet_rows::names(path).map(Some);
    }
    let rows = Rows::open(path, &[])?;
    let row = rows.take(100).flatten().next();
    Ok(row.map(|row| row.rest().into_iter().map(|(name, _)| name).collect()))
}

fn is_array(path: &Path) -> bool {
    matches!(row::first_names(path), Ok(Some((Shape::Array, _))))
}

/// Passes over white space, byte order marks and these bytes; the byte that follows stays, but a `]` is consumed.
fn skip_to(reader: &mut dyn BufRead, skipped: &[u8]) -> std::io::Result<Option<u8>> {
    loop {
        let Some(&byte) = reader.fill_buf()?.first() else {
            return Ok(None);
        };
        let is_mark = [0xef, 0xbb, 0xbf].contains(&byte);
        if !(byte.is_ascii_whitespace() || is_mark || skipped.contains(&byte)) {
            return Ok(Some(byte));
        }
        reader.consume(1);
        if byte == b']' {
            return Ok(Some(byte));
        }
    }
}

fn batches(path: &Path, columns: &[&str]) -> Result<Batches, FormatError> {
    let built = caught(|| {
        let opened = parquet_rows::open(path)?;
        let schema = opened.parquet_schema();
        let fields = opened.schema().fields().iter().enumerate();
        let is_named = |name: &String| columns.is_empty() || columns.contains(&name.as_str());
        let roots: Vec<usize> = fields
            .filter(|(_, field)| is_named(field.name()))
            .map(|(index, _)| index)
            .collect();
        let mask = ProjectionMask::roots(schema, roots);
        Batches::of(path, opened.with_projection(mask), BATCH)
    });
    built.unwrap_or_else(|| Err(parquet_rows::contradicts(path)))
}
