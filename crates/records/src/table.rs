//! Parquet in and out.
//!
//! A table is written under a temporary name, flushed to the disk, and renamed: a reader sees the whole table or
//! none. Its footer has the table's name, its format version and the key of its input, which shows whether a shard is
//! current without reading its rows. It also has a digest of all bytes of the file, which is checked before rows are
//! read: a damaged table is an error, never other rows.
//!
//! The bytes depend on the rows and the key only.

use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _};
use std::marker::PhantomData;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{DataType, Field, FieldRef, Schema};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::metadata::{KeyValue, RowGroupMetaData};
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_arrow::schema::{SchemaLike, TracingOptions};

use crate::encoded::Encoded;
use crate::guarded;
use crate::python::{Program, ProgramVariant};
use crate::seal::{self, Seal};
use crate::{
    Candidate, ClusterMember, Difference, Digest, Document, Function, Hit, Judgment, ListedSubset,
    Pair, ProbePair, ProbeProgram, ProbeScore, Query, QueryScore, QueryText, Score, SetAside,
    SetDifference, SettingDrop, Similarity, SourceName, Statistic, Unit, Variant, caught,
};

/// A type with a table of its own.
pub trait Record: Serialize + DeserializeOwned {
    /// The table's name, as in the book: reference, tables.
    const TABLE: &'static str;
    /// The version of its columns; a change of columns is a new version.
    const VERSION: u32;
    /// True if there may be millions of short rows: large row groups, and no dictionaries.
    const LONG: bool = false;
}

macro_rules! tables {
    ($($record:ident $table:literal $version:literal $(LONG = $long:literal)?,)*) => {
        $(impl Record for $record {
            const TABLE: &'static str = $table;
            const VERSION: u32 = $version;
            $(const LONG: bool = $long;)?
        })*

        /// The tables, each with the version of its columns.
        pub const TABLES: &[(&str, u32)] = &[$(($table, $version)),*];
    };
}

tables! {
    Function "functions" 5,
    SourceName "names" 2 LONG = true,
    Unit "units" 5,
    Variant "variants" 4,
    Query "queries" 6,
    ListedSubset "subsets" 2,
    Document "documents" 3,
    QueryText "query-texts" 2,
    Judgment "judgments" 1,
    Pair "pairs" 2,
    ClusterMember "clusters" 2,
    Statistic "statistics" 4,
    Hit "hits" 1 LONG = true,
    Candidate "candidates" 1,
    QueryScore "query-scores" 4,
    Score "scores" 6,
    SettingDrop "drops" 4,
    Difference "differences" 4,
    SetDifference "sets" 1,
    SetAside "set-aside" 4,
    Program "programs" 2,
    ProgramVariant "program-variants" 2,
    ProbeProgram "probe-programs" 1,
    ProbePair "probe-pairs" 1,
    Similarity "similarities" 1 LONG = true,
    ProbeScore "probe-scores" 1,
}

/// The reason why a table could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    /// The file system refused.
    #[error("{action} `{}`: {source}", path.display())]
    Io {
        /// The action that failed: `write`, `read`, `rename`.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The file is not a table of barecode, or not this one.
    #[error("`{}` is not a {expected} table: {found}", path.display())]
    NotThisTable {
        /// The file.
        path: PathBuf,
        /// The table and version that were expected.
        expected: String,
        /// Its kind.
        found: String,
    },
    /// The file is this table, as another version of barecode wrote it.
    #[error("`{}` was written by another version of barecode: it is `{found}`, and `{expected}` is read", path.display())]
    OtherVersion {
        /// The file.
        path: PathBuf,
        /// The table and version that this program reads.
        expected: String,
        /// The version of the file.
        found: String,
    },
    /// The file is damaged, or its columns do not fit.
    #[error("damaged table `{}`: {message}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The message of the reader.
        message: String,
    },
}

const TABLE_KEY: &str = "barecode.table";
const INPUT_KEY: &str = "barecode.key";

/// The columns of a table, derived from the record's type.
pub fn schema<T: Record>() -> Vec<FieldRef> {
    // A column of words takes a step for each of its words, and there are more than a hundred reasons.
    let options = TracingOptions::default()
        .enums_without_data_as_strings(true)
        .from_type_budget(10_000);
    let traced = Vec::<FieldRef>::from_type::<T>(options)
        .expect("every record is made of structs, lists and strings");
    traced.iter().map(without_dictionaries).collect()
}

/// A column of words has one type, for a Rust enum as for a string: readers of several tables stumble over a column
/// that is a dictionary in one of them only. Parquet stores words that repeat once in any case.
fn without_dictionaries(field: &FieldRef) -> FieldRef {
    let kind = match field.data_type() {
        DataType::Dictionary(_, words) => DataType::clone(words),
        DataType::Struct(fields) => {
            DataType::Struct(fields.iter().map(without_dictionaries).collect())
        }
        DataType::LargeList(element) => DataType::LargeList(without_dictionaries(element)),
        other => other.clone(),
    };
    Arc::new(Field::clone(field).with_data_type(kind))
}

/// Writes a table; `key` represents its input.
///
/// # Errors
/// As [`Table::write`].
pub fn write<T: Record>(path: &Path, rows: &[T], key: &str) -> Result<(), TableError> {
    Table::of(rows).write(path, key)
}

/// The rows of a table as they will be in its file, and their digest.
#[derive(Debug)]
pub struct Table<T> {
    writer: ArrowWriter<Encoded>,
    rows: u64,
    digest: String,
    record: PhantomData<T>,
}

/// Rows of a batch.
const BATCH: usize = 1024;

/// A table whose rows are added one after the other: the memory holds the rows of a batch, and what is encoded
/// already.
#[derive(Debug)]
pub struct Growing<T> {
    table: Table<T>,
    waiting: Vec<T>,
}

impl<T: Record> Default for Growing<T> {
    fn default() -> Self {
        Growing {
            table: Table::empty(),
            waiting: Vec::new(),
        }
    }
}

impl<T: Record> Growing<T> {
    /// Adds a row.
    pub fn push(&mut self, row: T) {
        self.waiting.push(row);
        if self.waiting.len() == BATCH {
            self.encode();
        }
    }

    /// The table: the bytes of [`Table::of`] the same rows.
    pub fn end(mut self) -> Table<T> {
        if !self.waiting.is_empty() {
            self.encode();
        }
        self.table.ended()
    }

    fn encode(&mut self) {
        self.table.push(&batch(&self.waiting));
        self.waiting.clear();
    }
}

/// Rows as batches of Arrow, which carry the table's name and version in their schema as a file does; at least one.
pub fn batches<T: Record>(rows: &[T]) -> Vec<RecordBatch> {
    let named = [(TABLE_KEY.to_owned(), label::<T>())];
    let schema = Arc::new(Schema::new_with_metadata(schema::<T>(), named.into()));
    let named = |rows: &[T]| {
        let batch = batch(rows).with_schema(Arc::clone(&schema));
        batch.expect("metadata change no column")
    };
    if rows.is_empty() {
        return vec![named(rows)];
    }
    rows.chunks(BATCH).map(named).collect()
}

/// The batches of a table of barecode, of any kind; at least one. Its bytes are checked.
///
/// # Errors
/// [`TableError::NotThisTable`] when the file is another program's, [`TableError::Damaged`] when the bytes are not
/// those that were written.
pub fn any_batches(path: &Path) -> Result<Vec<RecordBatch>, TableError> {
    let label = footer(path)?.table;
    let file = whole(path)?.ok_or_else(|| TableError::NotThisTable {
        path: path.to_owned(),
        expected: "barecode".to_owned(),
        found: label.clone(),
    })?;
    whole_or_damaged(path, || {
        let reader =
            ParquetRecordBatchReaderBuilder::try_new(file).map_err(|error| error.to_string())?;
        let fields = reader.schema().fields().clone();
        let named = [(TABLE_KEY.to_owned(), label.clone())];
        let schema = Arc::new(Schema::new_with_metadata(fields, named.into()));
        let reader = reader.build().map_err(|error| error.to_string())?;
        let with_name = |batch: RecordBatch| {
            let batch = batch.with_schema(Arc::clone(&schema));
            batch.map_err(|error| error.to_string())
        };
        let mut batches = Vec::new();
        for batch in reader {
            batches.push(with_name(batch.map_err(|error| error.to_string())?)?);
        }
        if batches.is_empty() {
            batches.push(RecordBatch::new_empty(schema));
        }
        Ok(batches)
    })
}

/// The rows of a batch that has the columns of [`schema`].
///
/// # Errors
/// If something does not fit the record: a word that is none of those of its column, an empty cell.
pub fn rows<T: Record>(batch: &RecordBatch) -> Result<Vec<T>, String> {
    serde_arrow::from_record_batch(batch).map_err(|error| error.to_string())
}

/// The table and version that a schema names, if it names them.
pub fn named(schema: &Schema) -> Option<&str> {
    schema.metadata().get(TABLE_KEY).map(String::as_str)
}

/// The name and version of a record's table, as files carry it: `units v4`.
pub fn label<T: Record>() -> String {
    format!("{} v{}", T::TABLE, T::VERSION)
}

fn batch<T: Record>(rows: &[T]) -> RecordBatch {
    serde_arrow::to_record_batch(&schema::<T>(), &rows)
        .expect("rows fit the schema of their own type")
}

impl<T: Record> Table<T> {
    /// The table of some rows.
    pub fn of(rows: &[T]) -> Self {
        Table::of_batches(rows.chunks(BATCH).map(batch))
    }

    /// The table of batches that have its columns.
    pub fn of_batches(batches: impl IntoIterator<Item = RecordBatch>) -> Self {
        let mut table = Table::empty();
        for batch in batches {
            table.push(&batch);
        }
        table.ended()
    }

    fn empty() -> Self {
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_created_by("barecode".to_owned())
            .set_dictionary_enabled(!T::LONG)
            .set_max_row_group_row_count(Some(if T::LONG { 1 << 16 } else { 1 << 12 }))
            .build();
        let schema = Arc::new(Schema::new(schema::<T>()));
        Table {
            writer: ArrowWriter::try_new(Encoded::default(), schema, Some(properties))
                .expect("Parquet has all types of records"),
            rows: 0,
            digest: String::new(),
            record: PhantomData,
        }
    }

    fn push(&mut self, batch: &RecordBatch) {
        self.rows += batch.num_rows() as u64;
        let written = self.writer.write(batch);
        written.expect("rows fit the schema of their own type");
    }

    fn ended(mut self) -> Self {
        let written = self.writer.flush().and_then(|()| Ok(self.writer.sync()?));
        written.expect("errors of a disk wait in `Encoded`");
        let digest = Digest::new("table").field(label::<T>());
        self.digest = self.writer.inner_mut().digest(digest).hex();
        self
    }

    /// Number of rows.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// A digest of the rows, independent of the key.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// Writes it; `key` represents its input.
    ///
    /// # Errors
    /// [`TableError::Io`] when the disk is full, the folder is missing or not writable; nothing is left behind.
    pub fn write(mut self, path: &Path, key: &str) -> Result<(), TableError> {
        for (name, value) in [
            (TABLE_KEY, &*label::<T>()),
            (INPUT_KEY, key),
            (seal::KEY, seal::ZEROS),
        ] {
            let entry = KeyValue::new(name.to_owned(), value.to_owned());
            self.writer.append_key_value_metadata(entry);
        }
        write_atomically(path, |file| self.writer.into_inner()?.copy(file))
    }
}

/// Writes a file under a temporary name, flushes it, and renames it into place.
///
/// # Errors
/// As the file system reports; the temporary file is removed.
pub fn write_atomically(
    path: &Path,
    fill: impl FnOnce(&mut File) -> io::Result<()>,
) -> Result<(), TableError> {
    let error = |action, source| TableError::Io {
        action,
        path: path.to_owned(),
        source,
    };
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".partial");
    let partial = path.with_file_name(name);
    let written = File::create(&partial).and_then(|mut file| {
        fill(&mut file)?;
        file.sync_all()
    });
    if let Err(source) = written {
        // The disk may be full; the space that can be freed is freed.
        let _ = fs::remove_file(&partial);
        return Err(error("write", source));
    }
    fs::rename(&partial, path).map_err(|source| {
        let _ = fs::remove_file(&partial);
        error("rename", source)
    })
}

/// Reads a whole table.
///
/// # Errors
/// [`TableError::NotThisTable`] or [`TableError::OtherVersion`] when the footer names another one,
/// [`TableError::Damaged`] when the bytes are not those that were written.
pub fn read<T: Record>(path: &Path) -> Result<Vec<T>, TableError> {
    read_some(path, None)
}

/// Reads a whole table batch by batch. An error of `see` is the error of the table.
///
/// # Errors
/// As [`read`].
pub fn read_batches<T: Record>(
    path: &Path,
    see: impl FnMut(&RecordBatch) -> Result<(), String>,
) -> Result<(), TableError> {
    see_batches::<T>(path, None, see)
}

/// Reads some rows of a table, by their number; the bytes of all of it are checked.
///
/// # Errors
/// As [`read`].
pub fn read_range<T: Record>(path: &Path, rows: Range<u64>) -> Result<Vec<T>, TableError> {
    read_some(path, Some(&rows))
}

fn read_some<T: Record>(path: &Path, wanted: Option<&Range<u64>>) -> Result<Vec<T>, TableError> {
    // Reserving the number of rows that the footer states would let a damaged footer decide the memory.
    let mut rows = Vec::new();
    see_batches::<T>(path, wanted, |batch| {
        rows.extend(self::rows::<T>(batch)?);
        Ok(())
    })?;
    Ok(rows)
}

fn see_batches<T: Record>(
    path: &Path,
    wanted: Option<&Range<u64>>,
    mut see: impl FnMut(&RecordBatch) -> Result<(), String>,
) -> Result<(), TableError> {
    let found = footer(path)?;
    let (expected, found) = (label::<T>(), found.table);
    if found != expected {
        let path = path.to_owned();
        let is_this_table = found
            .rsplit_once(' ')
            .is_some_and(|(table, _)| table == T::TABLE);
        return Err(if is_this_table {
            TableError::OtherVersion {
                path,
                expected,
                found,
            }
        } else {
            TableError::NotThisTable {
                path,
                expected,
                found,
            }
        });
    }
    let file = whole(path)?;
    let file = file.ok_or_else(|| TableError::OtherVersion {
        path: path.to_owned(),
        expected: label::<T>(),
        found: format!("{} without a digest of its bytes", label::<T>()),
    })?;
    whole_or_damaged(path, || {
        let mut reader = ParquetRecordBatchReaderBuilder::try_new(file)
            .map_err(|error| error.to_string())?
            .with_batch_size(1024);
        if let Some(&Range { start, end }) = wanted {
            let size = |number: u64| usize::try_from(number).map_err(|error| error.to_string());
            let length = size(end.saturating_sub(start))?;
            reader = reader.with_offset(size(start)?).with_limit(length);
        }
        let mut reader = reader.build().map_err(|error| error.to_string())?;
        reader.try_for_each(|batch| see(&batch.map_err(|error| error.to_string())?))
    })
}

/// Checks that a file has the bytes that were written, if it is a table of barecode; other files pass.
///
/// # Errors
/// [`TableError::Damaged`] when it has others.
pub fn check(path: &Path) -> Result<(), TableError> {
    whole(path).map(drop)
}

/// Returns the number of rows that a table has, and [`Table::digest`] of them; all of its bytes are checked.
///
/// # Errors
/// As [`read`], for a table of any kind; a table without a digest of its bytes is damaged.
pub fn content(path: &Path) -> Result<(u64, String), TableError> {
    let found = footer(path)?;
    let file = whole(path)?.ok_or_else(|| TableError::Damaged {
        path: path.to_owned(),
        message: "it has no digest of its bytes".to_owned(),
    })?;
    whole_or_damaged(path, || {
        let mut from_start = file.try_clone().map_err(|error| error.to_string())?;
        let reader = SerializedFileReader::new(file).map_err(|error| error.to_string())?;
        let groups = reader.metadata().row_groups().iter();
        let columns = groups.flat_map(RowGroupMetaData::columns);
        let ends = columns.map(|column| {
            let (start, length) = column.byte_range();
            start + length
        });
        // Without a row there is nothing before the footer but the four letters of every Parquet file.
        let end = ends.max().unwrap_or(4);
        let digest = Digest::new("table").field(&found.table);
        let digest = from_start
            .rewind()
            .and_then(|()| digest.field_from(end, from_start.take(end)))
            .map_err(|error| error.to_string())?;
        Ok((found.rows, digest.hex()))
    })
}

/// Opens a file that has the bytes that were written; `None` if that was not recorded.
fn whole(path: &Path) -> Result<Option<File>, TableError> {
    let mut file = open(path)?;
    let seal = seal::look(&mut file).map_err(|source| TableError::Io {
        action: "read",
        path: path.to_owned(),
        source,
    })?;
    match seal {
        Seal::Whole => Ok(Some(file)),
        Seal::None => Ok(None),
        Seal::Broken => Err(TableError::Damaged {
            path: path.to_owned(),
            message: "its bytes are not those that were written".to_owned(),
        }),
    }
}

/// Runs a part of the Parquet reader, which panics at some of the bytes that a failing disk may leave.
fn whole_or_damaged<T>(
    path: &Path,
    read: impl FnOnce() -> Result<T, String>,
) -> Result<T, TableError> {
    let unread = || Err("the Parquet reader cannot make sense of it".into());
    let result = caught(read).unwrap_or_else(unread);
    result.map_err(|message| TableError::Damaged {
        path: path.to_owned(),
        message,
    })
}

/// The content of the footer of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Footer {
    /// The table's name and version: `units v1`.
    pub table: String,
    /// The key of its input.
    pub key: String,
    /// Number of rows.
    pub rows: u64,
}

/// Reads the footer only.
///
/// # Errors
/// As [`read`].
pub fn footer(path: &Path) -> Result<Footer, TableError> {
    let file = open(path)?;
    let reader = whole_or_damaged(path, || {
        SerializedFileReader::new(file).map_err(|error| error.to_string())
    })?;
    let metadata = reader.metadata().file_metadata();
    let value = |key: &str| {
        let pairs = metadata.key_value_metadata()?;
        pairs.iter().find(|pair| pair.key == key)?.value.clone()
    };
    Ok(Footer {
        table: value(TABLE_KEY)
            .unwrap_or_else(|| "a Parquet file of some other program".to_owned()),
        key: value(INPUT_KEY).unwrap_or_default(),
        rows: u64::try_from(metadata.num_rows()).unwrap_or_default(),
    })
}

fn open(path: &Path) -> Result<File, TableError> {
    guarded::open(path).map_err(|source| TableError::Io {
        action: "read",
        path: path.to_owned(),
        source,
    })
}
