//! `StatCodeSearch` as its authors publish it: JSON of `ID, Comment, Code, …` and CSV of `Idx, Comment, Code, …`.
//!
//! In the JSON the row's `ID` numbers query and document (`q17`, `c17`), in the CSV its row number does,
//! because `Idx` has blanks. All other columns (`License`, `Label`, `Source`, …) belong to the code.

use std::path::Path;

use crate::gather::{Gather, Read};
use crate::row::{self, Row};
use crate::{FormatError, csv_rows, pair_rows, source};

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
    csv_rows::read(path, b',', |row| {
        let number = row.number;
        add(&mut gather, row, number)
    })?;
    gather.finish(read)
}

fn add(gather: &mut Gather, mut row: Row, number: u64) -> Result<(), FormatError> {
    let texts = (row.text(&["Comment"])?, row.text(&["Code"])?);
    let place = row.place.clone();
    pair_rows::add(gather, place, number, texts, 1, row.rest())
}
