//! Parquet in and out.
//!
//! A table is written under a temporary name, flushed to the disk, and renamed: a reader
//! sees the whole table or none. Its footer carries the table's name, its format version and the key of
//! what it was made from, so whether a shard is current is known without reading its rows, and a digest of all bytes
//! of the file, which is checked before rows are read: a damaged table is an error, never other rows.
//!
//! The bytes depend on the rows and the key only.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::ops::Range;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{DataType, Field, FieldRef, Schema};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_arrow::schema::{SchemaLike, TracingOptions};

use crate::seal::{self, Seal};
use crate::{
    Candidate, ClusterMember, Difference, Document, Function, Hit, Judgment, ListedSubset, Pair,
    Query, QueryScore, QueryText, Score, SetAside, SettingDrop, Statistic, Unit, Variant,
};

/// A type with a table of its own.
pub trait Record: Serialize + DeserializeOwned {
    /// The table's name, as in FORMAT.md.
    const TABLE: &'static str;
    /// The version of its columns; a change of columns is a new version.
    const VERSION: u32;
}

macro_rules! tables {
    ($($record:ident $table:literal $version:literal,)*) => {
        $(impl Record for $record {
            const TABLE: &'static str = $table;
            const VERSION: u32 = $version;
        })*
    };
}

tables! {
    Function "functions" 3,
    Unit "units" 3,
    Variant "variants" 3,
    Query "queries" 2,
    ListedSubset "subsets" 1,
    Document "documents" 3,
    QueryText "query-texts" 2,
    Judgment "judgments" 1,
    Pair "pairs" 1,
    ClusterMember "clusters" 2,
    Statistic "statistics" 3,
    Hit "hits" 1,
    Candidate "candidates" 1,
    QueryScore "query-scores" 4,
    Score "scores" 5,
    SettingDrop "drops" 3,
    Difference "differences" 3,
    SetAside "set-aside" 3,
}

/// Why a table could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    /// The file system refused.
    #[error("{action} `{}`: {source}", path.display())]
    Io {
        /// What was tried: `write`, `read`, `rename`.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file is not a table of barecode, or not this one.
    #[error("`{}` is not a {expected} table: {found}", path.display())]
    NotThisTable {
        /// The file.
        path: PathBuf,
        /// The table and version wanted.
        expected: String,
        /// What it is.
        found: String,
    },
    /// The file is this table, as another version of barecode wrote it.
    #[error("`{}` was written by another version of barecode: it is `{found}`, and `{expected}` is read", path.display())]
    OtherVersion {
        /// The file.
        path: PathBuf,
        /// The table and version that is read.
        expected: String,
        /// The version that it is.
        found: String,
    },
    /// The file is damaged, or its columns do not fit.
    #[error("damaged table `{}`: {message}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What the reader said.
        message: String,
    },
}

const TABLE_KEY: &str = "barecode.table";
const INPUT_KEY: &str = "barecode.key";

/// The columns of a table, derived from the record's type.
pub fn schema<T: Record>() -> Vec<FieldRef> {
    let options = TracingOptions::default().enums_without_data_as_strings(true);
    let traced = Vec::<FieldRef>::from_type::<T>(options)
        .expect("every record is made of structs, lists and strings");
    traced.iter().map(without_dictionaries).collect()
}

/// A column of words has one type, whether a Rust enum or a string is behind it: readers of several tables
/// stumble over a column that is a dictionary in one of them only. Parquet stores words that repeat once in any
/// case.
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

/// The rows as one Arrow batch.
pub fn to_batch<T: Record>(rows: &[T]) -> RecordBatch {
    serde_arrow::to_record_batch(&schema::<T>(), &rows)
        .expect("rows fit the schema of their own type")
}

/// The rows of a batch; `Err` says which column does not fit.
pub fn from_batch<T: Record>(batch: &RecordBatch) -> Result<Vec<T>, String> {
    serde_arrow::from_record_batch(batch).map_err(|error| error.to_string())
}

fn label<T: Record>() -> String {
    format!("{} v{}", T::TABLE, T::VERSION)
}

/// Writes a table; `key` says what it was made from.
///
/// # Errors
/// [`TableError::Io`] when the disk is full, the folder is missing or not writable; nothing is left behind.
pub fn write<T: Record>(path: &Path, rows: &[T], key: &str) -> Result<(), TableError> {
    let fields = schema::<T>();
    let metadata = vec![
        KeyValue::new(TABLE_KEY.to_owned(), label::<T>()),
        KeyValue::new(INPUT_KEY.to_owned(), key.to_owned()),
        KeyValue::new(seal::KEY.to_owned(), seal::ZEROS.to_owned()),
    ];
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_created_by("barecode".to_owned())
        .set_key_value_metadata(Some(metadata))
        .set_max_row_group_row_count(Some(4096))
        .build();
    write_atomically(path, |file| {
        let schema = Arc::new(Schema::new(fields));
        let mut writer = ArrowWriter::try_new(Vec::new(), schema, Some(properties))?;
        for chunk in rows.chunks(1024) {
            writer.write(&to_batch(chunk))?;
        }
        let mut bytes = writer.into_inner()?;
        seal::close(&mut bytes)?;
        file.write_all(&bytes)
    })
}

/// Writes a file under a temporary name, flushes it, and renames it into place.
///
/// # Errors
/// As the file system has it; the temporary file is removed.
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
        // The disk may be full; whatever can be given back is.
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
/// [`TableError::Damaged`] when the bytes do not hold.
pub fn read<T: Record>(path: &Path) -> Result<Vec<T>, TableError> {
    read_some(path, None)
}

/// Reads some rows of a table, by their number; the bytes of all of it are checked.
///
/// # Errors
/// As [`read`].
pub fn read_range<T: Record>(path: &Path, rows: Range<u64>) -> Result<Vec<T>, TableError> {
    read_some(path, Some(&rows))
}

fn read_some<T: Record>(path: &Path, wanted: Option<&Range<u64>>) -> Result<Vec<T>, TableError> {
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
        let reader = reader.build().map_err(|error| error.to_string())?;
        // Room for as many rows as the footer says would be a damaged footer's to ask for.
        let mut rows = Vec::new();
        for batch in reader {
            let batch = batch.map_err(|error| error.to_string())?;
            rows.extend(from_batch::<T>(&batch)?);
        }
        Ok(rows)
    })
}

/// Checks that a file has the bytes that were written, if it is a table of barecode's; other files pass.
///
/// # Errors
/// [`TableError::Damaged`] when it has others.
pub fn check(path: &Path) -> Result<(), TableError> {
    whole(path).map(drop)
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
    let caught = panic::catch_unwind(AssertUnwindSafe(read));
    let result =
        caught.unwrap_or_else(|_| Err("the Parquet reader cannot make sense of it".into()));
    result.map_err(|message| TableError::Damaged {
        path: path.to_owned(),
        message,
    })
}

/// What the footer of a table shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Footer {
    /// The table's name and version: `units v1`.
    pub table: String,
    /// The key of what it was made from.
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
    File::open(path).map_err(|source| TableError::Io {
        action: "read",
        path: path.to_owned(),
        source,
    })
}
