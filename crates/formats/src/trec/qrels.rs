//! Judgments, from TREC's qrels or from BEIR's table with a header.
//!
//! BEIR's table has tabs between its three columns and a header line: `query-id`, `corpus-id`, `score`. It is
//! recognized by that line.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

use super::columns::{self, Columns};
use super::locate::Spot;
use super::plain::open_plain;
use crate::{FormatError, Place, source};

/// Grades by query and document.
pub type Qrels = BTreeMap<String, BTreeMap<String, i32>>;

/// Reads judgments; all of them are held in memory.
///
/// ```
/// let folder = tempfile::tempdir().unwrap();
/// let path = folder.path().join("qrels");
/// std::fs::write(&path, "q1 0 d1 2\nq1 0 d2 0\n").unwrap();
/// let qrels = barecode_formats::trec::read_qrels(&path).unwrap();
/// assert_eq!(qrels["q1"]["d1"], 2);
/// ```
///
/// # Errors
/// With line and column: a line of another number of columns, a grade that is not a whole number, a document twice
/// for a query, bytes that are not UTF-8 or are NUL, a file without judgments, and the errors of files in
/// [`FormatError`].
pub fn read_qrels(path: &Path) -> Result<Qrels, FormatError> {
    let mut plain = open_plain(path)?;
    let mut bytes = Vec::new();
    plain
        .read_to_end(&mut bytes)
        .map_err(|error| source::cannot_read(path, error))?;
    let qrels = parse(&bytes).map_err(|spot| spot.locate(path, &plain))?;
    if qrels.is_empty() {
        return Err(
            FormatError::invalid(Place::file(path), "no judgment in this file")
                .with_hint("a line of qrels is: query iteration document grade"),
        );
    }
    Ok(qrels)
}

/// The judgments of a text.
pub(crate) fn parse(bytes: &[u8]) -> Result<Qrels, Spot> {
    let text = checked_text(bytes, 0)?;
    let mut qrels = Qrels::new();
    let mut offset = 0;
    let mut tabs = None;
    for line in text.split('\n') {
        let ended = line.trim_end_matches('\r');
        let trimmed = ended.trim_start_matches('\u{feff}');
        let begins = offset + (ended.len() - trimmed.len()) as u64;
        if !trimmed.trim().is_empty() && !trimmed.trim_start().starts_with('#') {
            let is_table = *tabs.get_or_insert_with(|| is_header(trimmed));
            if !(is_table && is_header(trimmed)) {
                let read = if is_table { from_table } else { from_trec };
                let (query, (document, at), grade) = read(trimmed, begins)?;
                let of_query = match qrels.get_mut(query) {
                    Some(of_query) => of_query,
                    None => qrels.entry(query.to_owned()).or_default(),
                };
                if of_query.insert(document.to_owned(), grade).is_some() {
                    let message = format!(
                        "the document `{document}` is judged twice for the query `{query}`"
                    );
                    return Err(Spot::new(begins + at as u64, message)
                        .with_hint("keep one of the two grades; barecode does not choose"));
                }
            }
        }
        offset += line.len() as u64 + 1;
    }
    Ok(qrels)
}

type Line<'a> = (&'a str, (&'a str, usize), i32);

fn from_trec(line: &str, offset: u64) -> Result<Line<'_>, Spot> {
    let columns = Columns::of(line.as_bytes());
    if columns.count() != 4 {
        let wanted = "4: query iteration document grade";
        return Err(columns::wrong_count(wanted, line, &columns, offset));
    }
    let text = |index: usize| {
        let column = columns.get(index);
        line.get(column.start..column.end)
            .expect("columns end at blanks")
    };
    let grade = columns::grade(text(3)).map_err(|(message, hint)| {
        Spot::new(offset + columns.get(3).start as u64, message).with_hint(hint)
    })?;
    Ok((text(0), (text(2), columns.get(2).start), grade))
}

fn from_table(line: &str, offset: u64) -> Result<Line<'_>, Spot> {
    let columns: Vec<&str> = line.split('\t').collect();
    let [query, document, grade] = columns[..] else {
        let message = format!(
            "{} columns, expected 3: query-id corpus-id score",
            columns.len()
        );
        return Err(
            Spot::new(offset, message).with_hint("columns of this table are separated by tabs")
        );
    };
    let at = query.len() + 1;
    for (id, at) in [(query, 0), (document, at)] {
        if id.is_empty() {
            return Err(Spot::new(offset + at as u64, "an id is empty"));
        }
    }
    let grade = columns::grade(grade).map_err(|(message, hint)| {
        Spot::new(offset + (at + document.len() + 1) as u64, message).with_hint(hint)
    })?;
    Ok((query, (document, at), grade))
}

/// The first line of BEIR's table.
fn is_header(line: &str) -> bool {
    let columns: Vec<&str> = line.split('\t').map(str::trim).collect();
    columns == ["query-id", "corpus-id", "score"]
}

/// Bytes as text; the first of them is byte `offset` of the file.
pub(crate) fn checked_text(bytes: &[u8], offset: u64) -> Result<&str, Spot> {
    let (good, wrong) = match std::str::from_utf8(bytes) {
        Ok(text) => (text, None),
        Err(error) => {
            let at = error.valid_up_to();
            let good = std::str::from_utf8(&bytes[..at]).unwrap_or_default();
            let message = format!("the byte 0x{:02x} is not UTF-8", bytes[at]);
            let spot = Spot::new(offset + at as u64, message).with_hint(
                "the file has another encoding, or two of them; convert it with `iconv -t UTF-8`",
            );
            (good, Some(spot))
        }
    };
    if let Some(at) = memchr::memchr(0, good.as_bytes()) {
        return Err(Spot::new(offset + at as u64, "there is a NUL byte")
            .with_hint("this is not text, or it is in UTF-16; convert it with `iconv -t UTF-8`"));
    }
    wrong.map_or(Ok(good), Err)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_layouts_are_read() {
        let trec = parse(b"# made by hand\nq1 0 d1 2\r\n\nq2\t0\td1\t-1\n").unwrap();
        assert_eq!((trec["q1"]["d1"], trec["q2"]["d1"]), (2, -1));
        let beir = parse(b"query-id\tcorpus-id\tscore\nq 1\td 1\t1\n").unwrap();
        assert_eq!(beir["q 1"]["d 1"], 1);
        let marked = parse("\u{feff}q1 0 d1 2\n".as_bytes()).unwrap();
        assert_eq!(marked["q1"]["d1"], 2);
        let marked = parse("\u{feff}query-id\tcorpus-id\tscore\nq1\td1\t1\n".as_bytes()).unwrap();
        assert_eq!(marked["q1"]["d1"], 1);
    }

    #[test]
    fn mistakes_are_placed() {
        let wrong = |text: &[u8]| {
            let spot = parse(text).unwrap_err();
            (spot.offset, spot.message)
        };
        assert_eq!(wrong(b"q1 0 d1 1\nq1 0 d 1 1\n").0, 10);
        assert_eq!(
            wrong(b"q1 0 d1 1.0\n"),
            (8, "the grade `1.0` is not a whole number".to_owned())
        );
        assert_eq!(wrong(b"q1 0 d1 1\nq1 0 d1 2\n").0, 15);
        assert_eq!(wrong(b"q1 0 \xe9 1\n").0, 5);
        assert_eq!(wrong(b"q1 0 d\0 1\n").0, 6);
        assert_eq!(wrong(b"query-id\tcorpus-id\tscore\nq1\td1\tx\n").0, 31);
    }
}
