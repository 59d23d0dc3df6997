//! One line as columns.

use super::locate::Spot;

/// The range of a column in its line, in bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Column {
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// Up to this many columns are distinguished; the rest are counted.
const KEPT: usize = 6;

/// The columns of a line.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Columns {
    kept: [Column; KEPT],
    count: usize,
}

impl Columns {
    /// Splits a line at blanks; an empty line has no columns.
    #[inline]
    pub(crate) fn of(line: &[u8]) -> Columns {
        let mut columns = Columns::default();
        let mut at = beginning(line);
        loop {
            while at < line.len() && is_blank(line[at]) {
                at += 1;
            }
            if at == line.len() || (columns.count == 0 && line[at] == b'#') {
                return columns;
            }
            let start = at;
            while at < line.len() && !is_blank(line[at]) {
                at += 1;
            }
            if columns.count < KEPT {
                columns.kept[columns.count] = Column { start, end: at };
            }
            columns.count += 1;
        }
    }

    /// The first column alone.
    #[inline]
    pub(crate) fn first(line: &[u8]) -> Option<Column> {
        let mark = beginning(line);
        let start = mark + line[mark..].iter().position(|&byte| !is_blank(byte))?;
        let length = line[start..].iter().position(|&byte| is_blank(byte));
        let end = length.map_or(line.len(), |length| start + length);
        (line[start] != b'#').then_some(Column { start, end })
    }

    /// The number of columns.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// One of them, zero-based.
    pub(crate) fn get(&self, index: usize) -> Column {
        self.kept[index]
    }
}

/// The beginning of a line: behind a byte order mark, which files have at their beginning, and so also in the middle
/// of concatenated files.
#[inline]
fn beginning(line: &[u8]) -> usize {
    if line.starts_with(b"\xef\xbb\xbf") {
        3
    } else {
        0
    }
}

#[inline]
fn is_blank(byte: u8) -> bool {
    // The second range has tab, both ends of a line, and two blanks that are not in use.
    byte == b' ' || (b'\t'..=b'\r').contains(&byte)
}

/// A score as in a file.
pub(crate) fn score(text: &str) -> Result<f64, (String, String)> {
    match text.parse::<f64>() {
        Ok(score) if score.is_finite() => Ok(score),
        Ok(score) => {
            let what = if score.is_nan() {
                "not a number"
            } else {
                "infinite"
            };
            Err((
                format!("the score `{text}` is {what}"),
                "documents without a finite score cannot be ranked; leave them out, or score them lowest"
                    .to_owned(),
            ))
        }
        Err(_) => Err((
            format!("the score `{text}` is not a number"),
            "the columns of a run are: query iteration document rank score tag".to_owned(),
        )),
    }
}

/// A grade as in a file.
pub(crate) fn grade(text: &str) -> Result<i32, (String, String)> {
    text.parse::<i32>().map_err(|_| {
        let is_number = text.parse::<f64>().is_ok_and(f64::is_finite);
        let hint = if is_number {
            "a grade is a whole number such as 0, 1 or 2; -1 is pooled and not judged"
        } else {
            "the columns of qrels are: query iteration document grade; ids have no blanks"
        };
        (
            format!("the grade `{text}` is not a whole number"),
            hint.to_owned(),
        )
    })
}

/// A problem with the number of columns of a line of judgments (4) or of a run (6).
pub(crate) fn wrong_count(wanted: &str, text: &str, line: &Columns, spot: u64) -> Spot {
    let column = line.get(0).start;
    let hint = match (line.count(), wanted.get(..1)) {
        (6, Some("4")) => "this is a run; judgments come first: QRELS RUN",
        (4, Some("6")) => "these are judgments, which come first: QRELS RUN",
        (1, _) if text.contains([',', ';']) => {
            "a table with commas or semicolons is not read; separate its columns by blanks"
        }
        _ => "columns are separated by blanks, so an id has none",
    };
    Spot::new(
        spot + column as u64,
        format!("{} columns, expected {wanted}", line.count()),
    )
    .with_hint(hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(line: &str) -> Vec<&str> {
        let columns = Columns::of(line.as_bytes());
        (0..columns.count().min(KEPT))
            .map(|i| {
                let Column { start, end } = columns.get(i);
                line.get(start..end).unwrap()
            })
            .collect()
    }

    #[test]
    fn columns_are_separated_by_blanks() {
        assert_eq!(
            texts("q1\tQ0  d1 1 0.5 tag\r"),
            ["q1", "Q0", "d1", "1", "0.5", "tag"]
        );
        assert_eq!(texts("  \r"), [""; 0]);
        assert_eq!(texts("  # q1 0 d1 1"), [""; 0]);
        assert_eq!(texts("q#1 é"), ["q#1", "é"]);
        assert_eq!(texts("\u{feff}q1 d1"), ["q1", "d1"]);
        assert_eq!(
            Columns::first("\u{feff}q1 d1".as_bytes()),
            Some(Column { start: 3, end: 5 })
        );
        assert_eq!(Columns::of(b"a b c d e f g h").count(), 8);
    }

    #[test]
    fn numbers_are_finite_and_whole() {
        assert_eq!(score("-1.5e2"), Ok(-150.0));
        assert!(score("nan").unwrap_err().0.contains("not a number"));
        assert!(score("-inf").unwrap_err().0.contains("infinite"));
        assert!(score("1e999").unwrap_err().0.contains("infinite"));
        assert!(score("0,5").unwrap_err().0.contains("not a number"));
        assert_eq!(grade("-1"), Ok(-1));
        assert!(grade("1.0").unwrap_err().1.contains("whole number such as"));
        assert!(grade("3000000000").is_err());
    }
}
