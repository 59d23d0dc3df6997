//! `StatCodeSearch` as its authors publish it: JSON of `ID, Comment, Code, …` and CSV of `Idx, Comment, Code, …`.
//!
//! In the JSON the row's `ID` numbers query and document (`q17`, `c17`), in the CSV its row number does,
//! because `Idx` has blanks. All other columns (`License`, `Label`, `Source`, …) belong to the code. A CSV
//! record may go over many lines; errors name the line on which it begins.

use std::path::Path;

use serde_json::{Map, Value};

use crate::gather::{Gather, Read};
use crate::row::{self, Row};
use crate::{FormatError, Place, pair_rows, source};

/// Reads the JSON file.
pub(crate) fn read_json(path: &Path, read: &mut Read) -> Result<(), FormatError> {
    let mut gather = read.gather(source::stem(path), "test");
    row::json_array(path, |mut row| {
        let id = row.id(&["ID"])?;
        let number = id
            .parse()
            .map_err(|_| row.invalid(format!("`ID` is {id:?}, expected a number")))?;
        add(&mut gather, row, number)
    })?;
    gather.finish(read)
}

/// Reads the CSV file.
pub(crate) fn read_csv(path: &Path, read: &mut Read) -> Result<(), FormatError> {
    let mut gather = read.gather(source::stem(path), "test");
    let mut reader = csv::ReaderBuilder::new().from_reader(source::open(path)?);
    let names = reader
        .headers()
        .map_err(|error| invalid(path, error))?
        .clone();
    let mut number = 0;
    for record in reader.records() {
        let record = record.map_err(|error| invalid(path, error))?;
        number += 1;
        let cells = names.iter().zip(record.iter());
        let columns: Map<String, Value> = cells
            .map(|(name, cell)| (name.to_owned(), Value::from(cell)))
            .collect();
        let place = match record.position() {
            Some(position) => Place::line(path, position.line()),
            None => Place::file(path),
        };
        add(&mut gather, Row::new(columns, place, number), number)?;
    }
    gather.finish(read)
}

fn add(gather: &mut Gather, mut row: Row, number: u64) -> Result<(), FormatError> {
    let texts = (row.text(&["Comment"])?, row.text(&["Code"])?);
    let place = row.place.clone();
    pair_rows::add(gather, place, number, texts, 1, row.rest())
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
