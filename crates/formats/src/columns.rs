//! Scored or judged documents in Arrow's columns: the content of data frames and Parquet files.
//!
//! Enter batches with a column for queries, one for documents and one for numbers, under any of their usual names;
//! texts may be of any width, views, or dictionaries. Leave the rows by query, in the order of each query's first
//! row; rows of one query need not be adjacent. No text is copied: rows of a query are ranges of the columns.
//!
//! [`Filling`] copies rows of JSON and of dictionaries into columns, one query after the other.

use std::path::{Path, PathBuf};

use arrow_array::builder::LargeStringBuilder;
use arrow_array::cast::AsArray;
use arrow_array::types::{
    Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, LargeStringArray, RecordBatch, StringArray, StringViewArray};
use arrow_schema::DataType;
use foldhash::{HashMap, HashMapExt};

use crate::trec::{Qrels, Scored};
use crate::{FormatError, Place};

/// The names of the columns, ranx's first: a column of queries, of documents, and of numbers.
const NAMES: [&[&str]; 3] = [
    &["q_id", "query_id", "query-id", "qid", "query"],
    &[
        "doc_id",
        "corpus_id",
        "corpus-id",
        "docno",
        "document_id",
        "doc",
    ],
    &["score", "relevance", "rel", "grade", "sim"],
];

/// Rows of queries, documents and numbers, by query.
#[derive(Debug)]
pub struct Columns {
    path: PathBuf,
    batches: Vec<Batch>,
    /// Each query with the ranges of its rows.
    queries: Vec<(String, Vec<Range>)>,
    /// The columns that all may be the grades, if the rows are judgments.
    grades: Vec<&'static str>,
}

/// Adjacent rows of a batch.
#[derive(Debug, Clone, Copy)]
struct Range {
    batch: usize,
    start: usize,
    end: usize,
}

#[derive(Debug)]
struct Batch {
    documents: Texts,
    numbers: Vec<f64>,
}

/// Columns that are filled query by query. All texts are in one buffer, so a document costs no allocation.
#[derive(Debug)]
pub struct Filling {
    path: PathBuf,
    queries: Vec<(String, Vec<Range>)>,
    documents: LargeStringBuilder,
    numbers: Vec<f64>,
}

impl Filling {
    /// No rows; `path` is their name in errors.
    pub fn new(path: &Path) -> Self {
        Filling {
            path: path.to_owned(),
            queries: Vec::new(),
            documents: LargeStringBuilder::new(),
            numbers: Vec::new(),
        }
    }

    /// Begins a query, which was not there before; the documents that follow are its.
    pub fn query(&mut self, query: &str) {
        let start = self.numbers.len();
        let rows = Range {
            batch: 0,
            start,
            end: start,
        };
        self.queries.push((query.to_owned(), vec![rows]));
    }

    /// Adds a document and its number, which is finite.
    ///
    /// # Panics
    /// Before the first query.
    pub fn document(&mut self, document: &str, number: f64) {
        self.documents.append_value(document);
        self.numbers.push(number);
        let (_, rows) = self.queries.last_mut().expect("a query was begun");
        rows[0].end += 1;
    }

    /// All rows.
    pub fn columns(mut self) -> Columns {
        Columns {
            path: self.path,
            batches: vec![Batch {
                documents: Texts::Long(self.documents.finish()),
                numbers: self.numbers,
            }],
            queries: self.queries,
            grades: Vec::new(),
        }
    }
}

/// Texts of any width.
#[derive(Debug)]
enum Texts {
    Short(StringArray),
    Long(LargeStringArray),
    Views(StringViewArray),
    /// A dictionary: for each row the index of its text.
    Keyed(Vec<usize>, Box<Texts>),
}

impl Texts {
    /// The texts of a column; `None` if it has none, or the row that is empty.
    fn of(column: &ArrayRef) -> Result<Self, Option<usize>> {
        if let Some(empty) = first_empty(column) {
            return Err(Some(empty));
        }
        Ok(match column.data_type() {
            DataType::Utf8 => Texts::Short(column.as_string::<i32>().clone()),
            DataType::LargeUtf8 => Texts::Long(column.as_string::<i64>().clone()),
            DataType::Utf8View => Texts::Views(column.as_string_view().clone()),
            DataType::Dictionary(_, words) if is_text(words) => {
                let dictionary = column.as_any_dictionary();
                let keys = dictionary.normalized_keys();
                let values = Texts::of(dictionary.values())?;
                Texts::Keyed(keys, Box::new(values))
            }
            _ => return Err(None),
        })
    }

    fn at(&self, row: usize) -> &str {
        match self {
            Texts::Short(texts) => texts.value(row),
            Texts::Long(texts) => texts.value(row),
            Texts::Views(texts) => texts.value(row),
            Texts::Keyed(keys, values) => values.at(keys[row]),
        }
    }
}

fn is_text(kind: &DataType) -> bool {
    matches!(
        kind,
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View
    )
}

/// The first row without a value; a dictionary may have empty words that no row uses.
fn first_empty(column: &ArrayRef) -> Option<usize> {
    let nulls = column
        .logical_nulls()
        .filter(|nulls| nulls.null_count() > 0)?;
    (0..column.len()).find(|&row| nulls.is_null(row))
}

/// The numbers of a column; `None` if it has none.
fn numbers(column: &ArrayRef) -> Option<Vec<f64>> {
    macro_rules! wide {
        ($kind:ty) => {{
            let values = column.as_primitive::<$kind>().values();
            values.iter().map(|&value| f64::from(value)).collect()
        }};
    }
    Some(match column.data_type() {
        DataType::Float64 => column.as_primitive::<Float64Type>().values().to_vec(),
        DataType::Float32 => wide!(Float32Type),
        DataType::Int32 => wide!(Int32Type),
        DataType::Int16 => wide!(Int16Type),
        DataType::Int8 => wide!(Int8Type),
        DataType::UInt32 => wide!(UInt32Type),
        DataType::UInt16 => wide!(UInt16Type),
        DataType::UInt8 => wide!(UInt8Type),
        // Beyond 2^53 a number is the nearest representable one.
        DataType::Int64 => {
            let values = column.as_primitive::<Int64Type>().values();
            values.iter().map(|&value| value as f64).collect()
        }
        DataType::UInt64 => {
            let values = column.as_primitive::<UInt64Type>().values();
            values.iter().map(|&value| value as f64).collect()
        }
        _ => return None,
    })
}

impl Columns {
    /// The rows of some batches; `path` is their name in errors.
    ///
    /// # Errors
    /// Columns that are missing or of another type, empty cells, numbers that are not finite, with the row.
    pub fn of_batches(
        path: &Path,
        batches: impl IntoIterator<Item = RecordBatch>,
    ) -> Result<Self, FormatError> {
        let mut columns = Columns {
            path: path.to_owned(),
            batches: Vec::new(),
            queries: Vec::new(),
            grades: Vec::new(),
        };
        let mut index: HashMap<String, usize> = HashMap::new();
        let mut before = 0;
        for batch in batches {
            let (queries, read) = columns.read(&batch, before)?;
            let is_there = |name: &&str| batch.column_by_name(name).is_some();
            columns.grades = NAMES[2].iter().copied().filter(is_there).collect();
            columns.group(&queries, read.numbers.len(), &mut index);
            columns.batches.push(read);
            before += batch.num_rows() as u64;
        }
        Ok(columns)
    }

    /// The queries of a batch that follows this many rows, and its documents with their numbers.
    fn read(&self, batch: &RecordBatch, before: u64) -> Result<(Texts, Batch), FormatError> {
        let [queries, documents, scores] = NAMES.map(|names| self.column(batch, names));
        let ((query_name, queries), (document_name, documents)) = (queries?, documents?);
        let (score_name, scores) = scores?;
        let numbers = match first_empty(scores) {
            Some(row) => Err(Some(row)),
            None => numbers(scores).ok_or(None),
        };
        let unread = |name: &str, column: &ArrayRef, row: Option<usize>, wanted: &str| {
            let found = match row {
                Some(_) => "empty".to_owned(),
                None => format!("of type {}", column.data_type()),
            };
            self.wrong(
                before + row.unwrap_or(0) as u64 + 1,
                format!("`{name}` is {found} here, expected {wanted}"),
            )
        };
        let texts = |name: &str, column: &ArrayRef| {
            Texts::of(column).map_err(|row| unread(name, column, row, "text"))
        };
        let queries = texts(query_name, queries)?;
        let read = Batch {
            documents: texts(document_name, documents)?,
            numbers: numbers.map_err(|row| unread(score_name, scores, row, "a finite number"))?,
        };
        if let Some(row) = read.numbers.iter().position(|number| !number.is_finite()) {
            let number = read.numbers[row];
            return Err(self.wrong(
                before + row as u64 + 1,
                format!("`{score_name}` is {number} here, expected a finite number"),
            ));
        }
        Ok((queries, read))
    }

    fn wrong(&self, row: u64, message: String) -> FormatError {
        FormatError::invalid(Place::line(&self.path, row), message)
    }

    fn column<'b>(
        &self,
        batch: &'b RecordBatch,
        names: &'static [&'static str],
    ) -> Result<(&'static str, &'b ArrayRef), FormatError> {
        let mut found = names
            .iter()
            .filter_map(|name| Some((*name, batch.column_by_name(name)?)));
        found.next().ok_or_else(|| {
            let schema = batch.schema();
            let all: Vec<&str> = schema.fields().iter().map(|it| it.name().as_str()).collect();
            let message = format!("column `{}` not found; found {}", names[0], all.join(", "));
            let other = names[1..].join("`, `");
            FormatError::invalid(Place::file(&self.path), message).with_hint(format!(
                "columns of a run are q_id, doc_id and score, as ranx writes them; `{}` may also be called `{other}`",
                names[0]
            ))
        })
    }

    /// Adds the rows of the next batch to their queries.
    fn group(&mut self, queries: &Texts, rows: usize, index: &mut HashMap<String, usize>) {
        let number = self.batches.len();
        let mut start = 0;
        while start < rows {
            let query = queries.at(start);
            let same = |row: &usize| queries.at(*row) == query;
            let end = (start + 1..rows).find(|row| !same(row)).unwrap_or(rows);
            let at = if let Some(&at) = index.get(query) {
                at
            } else {
                index.insert(query.to_owned(), self.queries.len());
                self.queries.push((query.to_owned(), Vec::new()));
                self.queries.len() - 1
            };
            self.queries[at].1.push(Range {
                batch: number,
                start,
                end,
            });
            start = end;
        }
    }

    /// The origin of the rows.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns `true` if there are no rows.
    pub(crate) fn is_empty(&self) -> bool {
        self.batches.iter().all(|batch| batch.numbers.is_empty())
    }

    /// The number of queries.
    pub(crate) fn len(&self) -> usize {
        self.queries.len()
    }

    /// A query with its documents, in the order of the rows.
    pub(crate) fn query<'a>(&'a self, at: usize, documents: &mut Vec<Scored<'a>>) -> &'a str {
        let (query, ranges) = &self.queries[at];
        documents.clear();
        for range in ranges {
            let batch = &self.batches[range.batch];
            documents.extend((range.start..range.end).map(|row| Scored {
                doc: batch.documents.at(row),
                score: batch.numbers[row],
            }));
        }
        query
    }

    /// The rows as judgments.
    ///
    /// # Errors
    /// Several columns that may be grades, grades that are not whole numbers, documents twice for a query, and no judgment
    /// at all.
    pub fn qrels(&self) -> Result<Qrels, FormatError> {
        let invalid = |message: String| FormatError::invalid(Place::file(&self.path), message);
        if self.grades.len() > 1 {
            let message = format!("grades may be in `{}`", self.grades.join("` or in `"));
            return Err(invalid(message).with_hint("leave one of these columns out"));
        }
        let mut qrels = Qrels::new();
        let mut documents = Vec::new();
        for at in 0..self.len() {
            let query = self.query(at, &mut documents);
            let judged = qrels.entry(query.to_owned()).or_default();
            for one in &documents {
                let grade = whole_number(one.score).ok_or_else(|| {
                    invalid(format!(
                        "the grade {} of `{}` for the query `{query}` is not a whole number",
                        one.score, one.doc
                    ))
                })?;
                if judged.insert(one.doc.to_owned(), grade).is_some() {
                    let message = format!("a document is judged twice for the query `{query}`");
                    return Err(invalid(message));
                }
            }
        }
        if self.is_empty() {
            return Err(invalid("no judgment found".to_owned()));
        }
        Ok(qrels)
    }
}

/// A grade, if a number is one.
#[expect(
    clippy::cast_possible_truncation,
    reason = "the range is tested before"
)]
pub(crate) fn whole_number(number: f64) -> Option<i32> {
    let fits = number >= f64::from(i32::MIN) && number <= f64::from(i32::MAX);
    (fits && number.fract() == 0.0).then_some(number as i32)
}
