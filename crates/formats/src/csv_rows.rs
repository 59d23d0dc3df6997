//! Rows of a CSV or TSV file with a head. A record may go over many lines; errors name the line on which it begins.

use std::path::Path;

use serde_json::{Map, Value};

use crate::row::Row;
use crate::{FormatError, Place, source};

/// The separator of a file, by the ending of its name.
pub(crate) fn separator(path: &Path) -> Option<u8> {
    let name = path.to_string_lossy();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    match name.rsplit_once('.')?.1 {
        "csv" => Some(b','),
        "tsv" => Some(b'\t'),
        _ => None,
    }
}

/// The names of its columns.
pub(crate) fn names(path: &Path, separator: u8) -> Result<Vec<String>, FormatError> {
    let mut reader = open(path, separator)?;
    let head = reader.headers().map_err(|error| invalid(path, error))?;
    Ok(head.iter().map(without_mark).map(str::to_owned).collect())
}

/// Passes each record to `each`.
pub(crate) fn read(
    path: &Path,
    separator: u8,
    mut each: impl FnMut(Row) -> Result<(), FormatError>,
) -> Result<(), FormatError> {
    let names = names(path, separator)?;
    let mut reader = open(path, separator)?;
    let mut number = 0;
    for record in reader.records() {
        let record = record.map_err(|error| invalid(path, error))?;
        number += 1;
        let cells = names.iter().zip(record.iter());
        let columns: Map<String, Value> = cells
            .map(|(name, cell)| (name.clone(), Value::from(cell)))
            .collect();
        let place = match record.position() {
            Some(position) => Place::line(path, position.line()),
            None => Place::file(path),
        };
        each(Row::new(columns, place, number))?;
    }
    Ok(())
}

type Reader = csv::Reader<Box<dyn std::io::BufRead>>;

fn open(path: &Path, separator: u8) -> Result<Reader, FormatError> {
    let mut builder = csv::ReaderBuilder::new();
    builder.delimiter(separator);
    Ok(builder.from_reader(source::open(path)?))
}

/// A byte order mark is not part of the first name.
fn without_mark(name: &str) -> &str {
    name.strip_prefix('\u{feff}').unwrap_or(name)
}

fn invalid(path: &Path, error: csv::Error) -> FormatError {
    let place = match error.position() {
        Some(position) => Place::line(path, position.line().max(1)),
        None => Place::file(path),
    };
    let message = match error.kind() {
        csv::ErrorKind::Utf8 { err, .. } => {
            format!("field {} of this record is not UTF-8", err.field() + 1)
        }
        csv::ErrorKind::UnequalLengths {
            expected_len, len, ..
        } => format!("this record has {len} fields, and the header has {expected_len}"),
        csv::ErrorKind::Io(_) => {
            if let csv::ErrorKind::Io(error) = error.into_kind() {
                return source::broken(path, 1, error);
            }
            unreachable!("the kind was looked at")
        }
        _ => error.to_string(),
    };
    FormatError::invalid(place, message)
}
