//! Rows of any Parquet file, and rows to Parquet.
//!
//! Exports differ in the order of columns, the width of texts and integers, and dictionaries; none of these matters
//! here, because rows are read by the columns' names and values by their kind. Faults that matter are reported before
//! the first row: a file without a required column is refused with the columns that it has. A written column has the
//! narrowest type that fits all of its values; values of several kinds become JSON text.

use std::fs::{self, File};
use std::path::Path;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{DataType, Field, FieldRef, Schema};
use barecode_records::guarded::{self, Allowance, FREE_OF_PARQUET};
use barecode_records::{TableError, caught, table};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::{
    ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;
use serde_json::{Map, Value};

use crate::row::Row;
use crate::staging::cannot;
use crate::{FormatError, Place, source};

/// A required column, by all of its names.
pub(crate) type Wanted<'a> = &'a [&'a str];

/// Passes each row to `each`, once the file has all required columns.
pub(crate) fn read(
    path: &Path,
    wanted: &[Wanted<'_>],
    mut each: impl FnMut(Row) -> Result<(), FormatError>,
) -> Result<(), FormatError> {
    let opened = caught(|| open(path)).unwrap_or_else(|| Err(contradicts(path)))?;
    let schema = opened.schema().clone();
    let has = |names: &[&str]| {
        names
            .iter()
            .any(|name| schema.column_with_name(name).is_some())
    };
    if !wanted.iter().all(|names| has(names)) {
        return Err(other_columns(path, &schema, wanted));
    }
    let mut batches = Batches::of(path, opened, BATCH)?;
    let mut number = 0;
    while let Some(rows) = batch(path, &mut batches)? {
        for columns in rows {
            number += 1;
            each(Row::new(columns, Place::line(path, number), number))?;
        }
    }
    Ok(())
}

/// The rows of a file in batches, and at most as many as its size allows.
pub(crate) struct Batches {
    reader: ParquetRecordBatchReader,
    allowance: Allowance,
}

/// Rows at a time: few, for each may refer to the same long text.
const BATCH: usize = 256;

impl Batches {
    pub(crate) fn of(
        path: &Path,
        opened: ParquetRecordBatchReaderBuilder<File>,
        rows: usize,
    ) -> Result<Self, FormatError> {
        let length = fs::metadata(path).map_err(|error| source::cannot_read(path, error))?;
        let reader = opened.with_batch_size(rows).build();
        Ok(Batches {
            reader: reader.map_err(|error| damaged(path, &error.to_string()))?,
            allowance: Allowance::of(length.len(), FREE_OF_PARQUET),
        })
    }
}

impl Iterator for Batches {
    type Item = Result<RecordBatch, String>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = self.reader.next()?.map_err(|error| error.to_string());
        Some(batch.and_then(|batch| {
            self.allowance.take(batch.get_array_memory_size())?;
            Ok(batch)
        }))
    }
}

/// The next rows of a file.
pub(crate) fn batch(
    path: &Path,
    batches: &mut Batches,
) -> Result<Option<Vec<Map<String, Value>>>, FormatError> {
    // The decoder of an untrusted file may panic if its pages contradict its footer.
    let next = caught(|| match batches.next() {
        None => Ok(None),
        Some(Err(error)) => Err(error),
        Some(Ok(batch)) => serde_arrow::from_record_batch(&batch)
            .map(Some)
            .map_err(|error| error.message().to_owned()),
    });
    next.ok_or_else(|| contradicts(path))?
        .map_err(|message| damaged(path, &message))
}

/// The names of a file's columns.
pub(crate) fn names(path: &Path) -> Result<Vec<String>, FormatError> {
    let opened = caught(|| open(path));
    let opened = opened.unwrap_or_else(|| Err(damaged(path, "its footer contradicts itself")))?;
    let fields = opened.schema().fields().iter();
    Ok(fields.map(|field| field.name().clone()).collect())
}

pub(crate) fn open(path: &Path) -> Result<ParquetRecordBatchReaderBuilder<File>, FormatError> {
    let file = guarded::open(path).map_err(|error| source::cannot_read(path, error))?;
    // Our own tables know their bytes; those of others pass.
    if let Err(error @ TableError::Damaged { .. }) = table::check(path) {
        return Err(
            FormatError::invalid(Place::file(path), error.to_string()).with_hint(
                "remove the file and run `barecode build` again, or copy the dataset again",
            ),
        );
    }
    // Types that another library noted beside the file's own may have many rows refer to one text.
    let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
    ParquetRecordBatchReaderBuilder::try_new_with_options(file, options)
        .map_err(|error| damaged(path, &error.to_string()))
}

pub(crate) fn contradicts(path: &Path) -> FormatError {
    damaged(path, "its pages contradict its footer")
}

pub(crate) fn damaged(path: &Path, message: &str) -> FormatError {
    FormatError::invalid(
        Place::file(path),
        format!("this cannot be read as Parquet: {message}"),
    )
    .with_hint("fetch the file again; a file of Git LFS may only point to the real one")
}

fn other_columns(path: &Path, schema: &Schema, wanted: &[Wanted<'_>]) -> FormatError {
    let found: Vec<&str> = schema
        .fields()
        .iter()
        .map(|field| field.name().as_str())
        .collect();
    let wanted: Vec<String> = wanted
        .iter()
        .map(|names| format!("`{}`", names.join("` or `")))
        .collect();
    FormatError::invalid(
        Place::file(path),
        format!(
            "the columns are `{}`, expected {}",
            found.join("`, `"),
            wanted.join(", ")
        ),
    )
}

/// The kind of a column's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ColumnKind {
    /// Texts.
    Text,
    /// Whole numbers that fit 32 bits: grades.
    Grade,
    /// Whole numbers.
    Whole,
    /// Numbers.
    Real,
    /// Yes or no.
    Flag,
    /// Lists of texts.
    Texts,
    /// Values of several kinds, as JSON.
    Json,
}

impl ColumnKind {
    fn data_type(self) -> DataType {
        match self {
            ColumnKind::Text | ColumnKind::Json => DataType::Utf8,
            ColumnKind::Grade => DataType::Int32,
            ColumnKind::Whole => DataType::Int64,
            ColumnKind::Real => DataType::Float64,
            ColumnKind::Flag => DataType::Boolean,
            ColumnKind::Texts => DataType::List(Arc::new(Field::new("item", DataType::Utf8, true))),
        }
    }

    /// Its name in `datasets`, and true if it is a list of that type.
    pub(crate) fn feature(self) -> (&'static str, bool) {
        match self {
            ColumnKind::Text | ColumnKind::Json => ("string", false),
            ColumnKind::Grade => ("int32", false),
            ColumnKind::Whole => ("int64", false),
            ColumnKind::Real => ("float64", false),
            ColumnKind::Flag => ("bool", false),
            ColumnKind::Texts => ("string", true),
        }
    }

    fn of(value: &Value) -> Self {
        match value {
            Value::String(_) => ColumnKind::Text,
            Value::Bool(_) => ColumnKind::Flag,
            Value::Number(number) if number.is_i64() => ColumnKind::Whole,
            Value::Number(number) if number.is_f64() => ColumnKind::Real,
            Value::Array(items) if items.iter().all(Value::is_string) => ColumnKind::Texts,
            _ => ColumnKind::Json,
        }
    }
}

/// A column of the written file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) kind: ColumnKind,
}

impl Column {
    pub(crate) fn new(name: &str, kind: ColumnKind) -> Self {
        Column {
            name: name.to_owned(),
            kind,
        }
    }
}

/// The columns that hold all values of these, by name, but for those that are used already.
pub(crate) fn extra_columns<'a>(
    extras: impl Iterator<Item = &'a Map<String, Value>>,
    taken: &[&str],
) -> Vec<Column> {
    let mut kinds: std::collections::BTreeMap<&str, ColumnKind> = std::collections::BTreeMap::new();
    for extra in extras {
        for (name, value) in extra {
            if value.is_null() || taken.contains(&name.as_str()) {
                continue;
            }
            let kind = ColumnKind::of(value);
            kinds
                .entry(name)
                .and_modify(|known| {
                    if *known != kind {
                        *known = ColumnKind::Json;
                    }
                })
                .or_insert(kind);
        }
    }
    let columns = kinds.into_iter();
    columns
        .map(|(name, kind)| Column::new(name, kind))
        .collect()
}

/// The size of a written table.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Size {
    /// Its rows.
    pub(crate) rows: u64,
    /// Their size in memory, in Arrow's layout.
    pub(crate) bytes: u64,
}

/// Writes rows with these columns; an absent cell is null.
pub(crate) fn write(
    path: &Path,
    columns: &[Column],
    rows: impl Iterator<Item = Map<String, Value>>,
) -> Result<Size, FormatError> {
    let fields: Vec<FieldRef> = columns
        .iter()
        .map(|column| Arc::new(Field::new(&column.name, column.kind.data_type(), true)))
        .collect();
    let file = File::create(path).map_err(|error| cannot("write", path, error))?;
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_created_by("barecode".to_owned())
        .build();
    let failed =
        |error: parquet::errors::ParquetError| cannot("write", path, std::io::Error::other(error));
    let schema = Arc::new(Schema::new(fields.clone()));
    let mut writer = ArrowWriter::try_new(file, schema, Some(properties)).map_err(failed)?;
    let mut size = Size::default();
    let mut chunk = Vec::new();
    let mut rows = rows.peekable();
    while let Some(row) = rows.next() {
        let row = fitted(row, columns);
        size.rows += 1;
        size.bytes += row.iter().map(|(_, value)| bytes_of(value)).sum::<u64>();
        chunk.push(row);
        if chunk.len() == 1024 || rows.peek().is_none() {
            let batch = serde_arrow::to_record_batch(&fields, &chunk)
                .map_err(|error| cannot("write", path, std::io::Error::other(error.to_string())))?;
            writer.write(&batch).map_err(failed)?;
            chunk.clear();
        }
    }
    writer.close().map_err(failed)?;
    Ok(size)
}

/// The cells of the columns, JSON if the column is.
fn fitted(mut row: Map<String, Value>, columns: &[Column]) -> Map<String, Value> {
    let cells = columns.iter().map(|column| {
        let value = match row.remove(&column.name) {
            Some(value) if column.kind == ColumnKind::Json && !value.is_null() => {
                Value::String(value.to_string())
            }
            Some(value) => value,
            None => Value::Null,
        };
        (column.name.clone(), value)
    });
    cells.collect()
}

fn bytes_of(value: &Value) -> u64 {
    match value {
        Value::String(text) => text.len() as u64 + 4,
        Value::Array(items) => items.iter().map(bytes_of).sum::<u64>() + 4,
        Value::Number(_) => 8,
        Value::Null | Value::Bool(_) | Value::Object(_) => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_file_does_not_unpack_to_fill_a_memory() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("same.parquet");
        let row = || Map::from_iter([("text".to_owned(), Value::from("int f;\n".repeat(15_000)))]);
        let columns = [Column::new("text", ColumnKind::Text)];
        write(&path, &columns, (0..4000).map(|_| row())).unwrap();
        assert!(fs::metadata(&path).unwrap().len() < 100_000);
        let mut rows = 0;
        let error = read(&path, &[&["text"]], |_| {
            rows += 1;
            Ok(())
        });
        let error = error.unwrap_err().to_string();
        assert!(error.contains("more than 256 MiB"), "{error}");
        assert!((1000..3000).contains(&rows), "{rows}");
        // The maximum.
        write(&path, &columns, (0..2000).map(|_| row())).unwrap();
        read(&path, &[&["text"]], |_| Ok(())).unwrap();
    }
}
