//! A row of any table, JSON object or CSV record: columns are read by name, and the others are preserved.
//!
//! Formats spell a column in several ways (`_id` and `id`, `corpus-id` and `corpus_id`), so a column is requested
//! with all its names. Ids and grades may be texts or numbers, because exports widen and narrow them at will.

use std::path::Path;

use serde::de::{DeserializeSeed, Deserializer as _, Error as _, SeqAccess, Visitor};
use serde_json::{Map, Value};

use crate::source::{self, Lines};
use crate::{Extra, FormatError, Place};

/// A row and its position.
#[derive(Debug)]
pub struct Row {
    /// Its columns.
    columns: Map<String, Value>,
    /// Its position.
    pub place: Place,
    /// Its number from 1 if the position does not show it: in a JSON array.
    pub number: u64,
}

impl Row {
    pub(crate) fn new(columns: Map<String, Value>, place: Place, number: u64) -> Self {
        Row {
            columns,
            place,
            number,
        }
    }

    /// Returns `true` if it has one of these columns.
    pub fn has(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.columns.contains_key(*name))
    }

    /// Looks at a column.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.columns.get(name)
    }

    /// Removes the first of these columns that exists and is not null, and returns it.
    pub fn take(&mut self, names: &[&str]) -> Option<Value> {
        names
            .iter()
            .find_map(|name| self.columns.remove(*name).filter(|value| !value.is_null()))
    }

    /// Returns a text.
    pub fn text(&mut self, names: &[&str]) -> Result<String, FormatError> {
        match self.take(names) {
            Some(Value::String(text)) => Ok(text),
            Some(other) => Err(self.wrong(names, "a text", &other)),
            None => Err(self.missing(names)),
        }
    }

    /// Returns a text that may be absent.
    pub fn text_or_empty(&mut self, names: &[&str]) -> Result<String, FormatError> {
        if self.has_value(names) {
            self.text(names)
        } else {
            self.take(names);
            Ok(String::new())
        }
    }

    /// Returns an id: a text, or a whole number.
    pub fn id(&mut self, names: &[&str]) -> Result<String, FormatError> {
        match self.take(names) {
            Some(Value::String(text)) => Ok(text),
            Some(Value::Number(number)) if !number.is_f64() => Ok(number.to_string()),
            Some(other) => Err(self.wrong(names, "an id (a text or a whole number)", &other)),
            None => Err(self.missing(names)),
        }
    }

    /// Returns a grade: a whole number, also as text or as `1.0`.
    pub(crate) fn grade(&mut self, names: &[&str]) -> Result<i32, FormatError> {
        let Some(value) = self.take(names) else {
            return Err(self.missing(names));
        };
        grade_of(&value).ok_or_else(|| self.wrong(names, "a whole number", &value))
    }

    /// Returns a label, 0 or 1, and notes which of the two it is.
    pub(crate) fn label(&mut self, name: &str, labels: &mut [bool; 2]) -> Result<i32, FormatError> {
        let grade = self.grade(&[name])?;
        match grade {
            0 => labels[0] = true,
            1 => labels[1] = true,
            _ => return Err(self.invalid(format!("`{name}` is {grade}, expected 0 or 1"))),
        }
        Ok(grade)
    }

    /// The row without its empty cells: a table has a cell for each column, an object only those that it has.
    pub(crate) fn without_nulls(mut self) -> Self {
        self.columns.retain(|_, value| !value.is_null());
        self
    }

    /// Returns the columns that were not read.
    pub fn rest(self) -> Extra {
        self.columns
    }

    /// Returns the columns that were not read and are not empty.
    pub(crate) fn present(self) -> Extra {
        self.without_nulls().rest()
    }

    /// An error at this row.
    pub fn invalid(&self, message: impl std::fmt::Display) -> FormatError {
        FormatError::invalid(
            self.place.clone(),
            format!("row {}: {message}", self.number),
        )
    }

    fn has_value(&self, names: &[&str]) -> bool {
        names.iter().any(|name| {
            self.columns
                .get(*name)
                .is_some_and(|value| !value.is_null())
        })
    }

    fn missing(&self, names: &[&str]) -> FormatError {
        let found: Vec<&str> = self.columns.keys().map(String::as_str).collect();
        let found = if found.is_empty() {
            "nothing".to_owned()
        } else {
            format!("`{}`", found.join("`, `"))
        };
        self.invalid(format!("no `{}`; found {found}", names.join("` or `")))
    }

    fn wrong(&self, names: &[&str], wanted: &str, found: &Value) -> FormatError {
        let name = names.first().copied().unwrap_or_default();
        let shown: String = found.to_string().chars().take(40).collect();
        self.invalid(format!("`{name}` is {shown}, expected {wanted}"))
    }
}

fn grade_of(value: &Value) -> Option<i32> {
    match value {
        Value::Number(number) => match number.as_i64() {
            Some(whole) => i32::try_from(whole).ok(),
            None => number.as_f64().and_then(whole_of),
        },
        Value::String(text) => text.trim().parse().ok(),
        Value::Bool(matches) => Some(i32::from(*matches)),
        _ => None,
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "the number is whole and within the range"
)]
fn whole_of(number: f64) -> Option<i32> {
    let fits = number.fract() == 0.0 && number.abs() <= f64::from(i32::MAX);
    fits.then_some(number as i32)
}

/// A row to write: these cells behind further columns, or in their stead.
pub(crate) fn with_cells<const N: usize>(extra: &Extra, cells: [(&str, Value); N]) -> Extra {
    let mut row = extra.clone();
    for (name, value) in cells {
        row.insert(name.to_owned(), value);
    }
    row
}

/// Passes each line of a JSON Lines file to `each`; empty lines are skipped.
pub(crate) fn json_lines(
    path: &Path,
    mut each: impl FnMut(Row) -> Result<(), FormatError>,
) -> Result<(), FormatError> {
    let mut lines = Lines::open(path)?;
    while let Some((place, text)) = lines.next()? {
        if !text.trim().is_empty() {
            each(of_line(place, text)?)?;
        }
    }
    Ok(())
}

/// The row in a line.
pub(crate) fn of_line(mut place: Place, text: &str) -> Result<Row, FormatError> {
    let number = place.line.unwrap_or_default();
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Object(columns)) => Ok(Row::new(columns, place, number)),
        Ok(_) => Err(FormatError::invalid(
            place,
            "this is not a JSON object, and a line should be one",
        )),
        Err(error) => {
            place.column = Some(source::character_column(text, error.column()));
            Err(FormatError::invalid(place, source::message_of(&error)))
        }
    }
}

/// Passes each object of a JSON array to `each`, without the array ever being in memory.
pub(crate) fn json_array(
    path: &Path,
    each: impl FnMut(Row) -> Result<(), FormatError>,
) -> Result<(), FormatError> {
    let mut stopped = None;
    let rows = Rows {
        path,
        each,
        stopped: &mut stopped,
    };
    let mut json = serde_json::Deserializer::from_reader(source::open(path)?);
    let read = rows.deserialize(&mut json).and_then(|()| json.end());
    match (read, stopped) {
        (Ok(()), None) => Ok(()),
        (Err(place), Some(FormatError::Invalid { message, hint, .. })) => {
            Err(FormatError::Invalid {
                place: source::place_of(path, &place),
                message,
                hint,
            })
        }
        (_, Some(error)) => Err(error),
        (Err(error), None) => Err(invalid_json(path, &error)),
    }
}

/// A problem with a JSON file, and its position.
pub(crate) fn invalid_json(path: &Path, error: &serde_json::Error) -> FormatError {
    if error.is_io() {
        let kind = error.io_error_kind().unwrap_or(std::io::ErrorKind::Other);
        let reason = std::io::Error::new(kind, source::message_of(error));
        return source::broken(path, error.line().max(1) as u64, reason);
    }
    FormatError::invalid(source::place_of(path, error), source::message_of(error))
}

struct Rows<'a, F> {
    path: &'a Path,
    each: F,
    stopped: &'a mut Option<FormatError>,
}

impl<'de, F: FnMut(Row) -> Result<(), FormatError>> DeserializeSeed<'de> for Rows<'_, F> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, F: FnMut(Row) -> Result<(), FormatError>> Visitor<'de> for Rows<'_, F> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an array of objects")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut rows: A) -> Result<(), A::Error> {
        let mut number = 0;
        while let Some(columns) = rows.next_element::<Map<String, Value>>()? {
            number += 1;
            let row = Row::new(columns, Place::file(self.path), number);
            if let Err(error) = (self.each)(row) {
                *self.stopped = Some(error);
                return Err(A::Error::custom("stopped"));
            }
        }
        Ok(())
    }
}

/// The outermost shape of a JSON file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// An array of objects.
    Array,
    /// An object, or one a line.
    Object,
}

/// The names in the first object of a JSON or JSON Lines file, and the shape of the file.
///
/// `None` if the file does not begin as JSON.
pub(crate) fn first_names(path: &Path) -> Result<Option<(Shape, Vec<String>)>, FormatError> {
    let mut reader = source::open(path)?;
    let head = reader
        .fill_buf()
        .map_err(|error| source::broken(path, 1, error))?;
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let first = head.iter().find(|byte| !byte.is_ascii_whitespace());
    if !matches!(first, Some(b'[' | b'{')) {
        return Ok(None);
    }
    let mut found = None;
    let skip = head_length(reader.as_mut());
    reader.consume(skip);
    let mut json = serde_json::Deserializer::from_reader(reader);
    // The visitor stops at the first object on purpose, so an error after the names were found is ignored.
    match json.deserialize_any(FirstNames { found: &mut found }) {
        Err(error) if found.is_none() => Err(invalid_json(path, &error)),
        _ => Ok(found),
    }
}

fn head_length(reader: &mut dyn std::io::BufRead) -> usize {
    match reader.fill_buf() {
        Ok(head) if head.starts_with(b"\xef\xbb\xbf") => 3,
        _ => 0,
    }
}

struct FirstNames<'a> {
    found: &'a mut Option<(Shape, Vec<String>)>,
}

impl<'de> Visitor<'de> for FirstNames<'_> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an object, or an array of objects")
    }

    fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut names = Vec::new();
        while let Some(name) = map.next_key()? {
            names.push(name);
            map.next_value::<serde::de::IgnoredAny>()?;
        }
        *self.found = Some((Shape::Object, names));
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut rows: A) -> Result<(), A::Error> {
        let first = rows.next_element::<Map<String, Value>>()?;
        let names = first.map(|row| row.into_iter().map(|(name, _)| name).collect());
        *self.found = Some((Shape::Array, names.unwrap_or_default()));
        Err(A::Error::custom("the first object is enough"))
    }
}
