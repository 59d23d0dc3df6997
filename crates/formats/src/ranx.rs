//! ranx's files: `{query: {document: number}}` in JSON, and columns `q_id`, `doc_id`, `score` in Parquet.
//!
//! BEIR saves results in the same JSON. MTEB's predictions hold it by subset and split; a file with one of each is
//! read, one with more is refused with their names, because one run is needed. A key that occurs twice is an error,
//! while Python's reader silently uses the last.

use std::collections::BTreeSet;
use std::fmt;
use std::io::{BufReader, Write};
use std::path::Path;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use barecode_records::guarded;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde::de::{Deserialize, Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};

use crate::columns::{Columns, Filling};
use crate::parquet_rows::Batches;
use crate::trec::{Qrels, finite, open_plain, whole};
use crate::{FormatError, Place, source};

/// A run's queries with their scored documents, in the order of the file.
pub type Table = Vec<(String, Vec<(String, f64)>)>;

/// The name of their model, which MTEB writes beside the predictions.
const MODEL: &str = "mteb_model_meta";

/// A JSON value that is a number or an object of such.
enum Node {
    Number(f64),
    Object(Vec<(String, Node)>),
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NodeVisitor)
    }
}

struct NodeVisitor;

impl<'de> Visitor<'de> for NodeVisitor {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number, or an object `{query: {document: number}}`")
    }

    fn visit_f64<E>(self, number: f64) -> Result<Node, E> {
        Ok(Node::Number(number))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Node, E> {
        Ok(Node::Number(number as f64))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Node, E> {
        Ok(Node::Number(number as f64))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Node, A::Error> {
        let mut pairs: Vec<(String, Node)> = Vec::new();
        let mut seen: BTreeSet<String> = BTreeSet::new();
        while let Some(key) = map.next_key::<String>()? {
            if key == MODEL {
                map.next_value::<IgnoredAny>()?;
                continue;
            }
            if !seen.insert(key.clone()) {
                return Err(A::Error::custom(format_args!("`{key}` occurs twice")));
            }
            pairs.push((key, map.next_value()?));
        }
        Ok(Node::Object(pairs))
    }
}

/// Reads a run in JSON.
///
/// # Errors
/// Returns an error with line and column if the text is not JSON of this shape, or a key occurs twice.
pub fn read_run_json(path: &Path) -> Result<Columns, FormatError> {
    let plain = open_plain(path)?;
    let node: Node =
        serde_json::from_reader(BufReader::with_capacity(1 << 18, plain)).map_err(|error| {
            if error.is_io() {
                return source::cannot_read(path, error.into());
            }
            let text = error.to_string();
            let message = text.split(" at line ").next().unwrap_or(&text).to_owned();
            let place = Place::column(path, error.line() as u64, error.column() as u64);
            FormatError::invalid(place, message)
                .with_hint("expected {query: {document: number}}; JSON has no NaN and no Infinity")
        })?;
    let Node::Object(top) = node else {
        let message = "a number alone, expected {query: {document: number}}";
        return Err(FormatError::invalid(Place::file(path), message));
    };
    match depth(&top) {
        ..=2 => numbers(path, top),
        4 => numbers(path, only_split(path, top)?),
        depth => {
            let message = format!(
                "objects within objects {depth} deep, expected {{query: {{document: number}}}}"
            );
            Err(FormatError::invalid(Place::file(path), message))
        }
    }
}

fn depth(pairs: &[(String, Node)]) -> usize {
    let below = pairs.iter().map(|(_, node)| match node {
        Node::Number(_) => 0,
        Node::Object(pairs) => depth(pairs),
    });
    1 + below.max().unwrap_or(0)
}

/// Of MTEB's subsets and splits the only one.
fn only_split(
    path: &Path,
    subsets: Vec<(String, Node)>,
) -> Result<Vec<(String, Node)>, FormatError> {
    let mut names = Vec::new();
    let mut found = None;
    for (subset, node) in subsets {
        let Node::Object(splits) = node else { continue };
        for (split, node) in splits {
            names.push(format!("{subset}/{split}"));
            if let Node::Object(queries) = node {
                found = Some(queries);
            }
        }
    }
    if let (Some(queries), 1) = (found, names.len()) {
        return Ok(queries);
    }
    let message = format!("{} runs in one file: {}", names.len(), names.join(", "));
    Err(FormatError::invalid(Place::file(path), message)
        .with_hint("one run is scored at a time; save one split of one subset"))
}

fn numbers(path: &Path, queries: Vec<(String, Node)>) -> Result<Columns, FormatError> {
    let invalid = |message: String| FormatError::invalid(Place::file(path), message);
    let mut rows = Filling::new(path);
    for (query, node) in queries {
        let Node::Object(documents) = node else {
            return Err(invalid(format!(
                "`{query}` is a number, expected an object of documents"
            )));
        };
        rows.query(&query);
        for (document, node) in documents {
            match node {
                Node::Number(number) if number.is_finite() => rows.document(&document, number),
                Node::Number(number) => {
                    return Err(invalid(format!(
                        "the number of `{document}` for `{query}` is {number}"
                    )));
                }
                Node::Object(_) => {
                    return Err(invalid(format!(
                        "`{document}` of `{query}` is not a number"
                    )));
                }
            }
        }
    }
    Ok(rows.columns())
}

/// Reads judgments in JSON.
///
/// # Errors
/// As [`read_run_json`], and grades that are not whole numbers.
pub fn read_qrels_json(path: &Path) -> Result<Qrels, FormatError> {
    read_run_json(path)?.qrels()
}

/// Reads a run in Parquet.
///
/// # Errors
/// Returns an error if the file is not Parquet, a column is missing or of another type, or a cell is empty.
pub fn read_run_parquet(path: &Path) -> Result<Columns, FormatError> {
    let damaged = |message: String| {
        FormatError::invalid(
            Place::file(path),
            format!("this Parquet file cannot be read: {message}"),
        )
    };
    let file = guarded::open(path).map_err(|error| source::cannot_read(path, error))?;
    let builder =
        ParquetRecordBatchReaderBuilder::try_new(file).map_err(|e| damaged(e.to_string()))?;
    let batches: Result<Vec<RecordBatch>, _> = Batches::of(path, builder, 1024)?.collect();
    let batches = batches.map_err(damaged)?;
    Columns::of_batches(path, batches)
}

/// Reads judgments in Parquet.
///
/// # Errors
/// As [`read_run_parquet`], and grades that are not whole numbers.
pub fn read_qrels_parquet(path: &Path) -> Result<Qrels, FormatError> {
    read_run_parquet(path)?.qrels()
}

/// Writes a run in JSON; scores are written so that reading returns the same numbers.
///
/// # Errors
/// A score that is not finite, and errors of the file system.
pub fn write_run_json(path: &Path, table: &Table) -> Result<(), FormatError> {
    all_finite(path, table)?;
    let queries = table.iter().map(|(query, documents)| (query, documents));
    write_json(path, queries, |documents| {
        let scored = documents.iter();
        scored
            .map(|(document, score)| (document, format!("{score:?}")))
            .collect()
    })
}

/// Writes judgments in JSON.
///
/// # Errors
/// Returns the error of the file system.
pub fn write_qrels_json(path: &Path, qrels: &Qrels) -> Result<(), FormatError> {
    write_json(path, qrels.iter(), |grades| {
        let graded = grades.iter();
        graded
            .map(|(document, grade)| (document, grade.to_string()))
            .collect()
    })
}

fn write_json<'a, D: 'a>(
    path: &Path,
    queries: impl Iterator<Item = (&'a String, &'a D)>,
    numbers: impl Fn(&'a D) -> Vec<(&'a String, String)>,
) -> Result<(), FormatError> {
    let text = |text: &str| serde_json::Value::from(text).to_string();
    whole(path, |out| {
        out.write_all(b"{")?;
        let mut before = "";
        for (query, documents) in queries {
            write!(out, "{before}\n{}: {{", text(query))?;
            before = ",";
            let mut between = "";
            for (document, number) in numbers(documents) {
                write!(out, "{between}{}: {number}", text(document))?;
                between = ", ";
            }
            out.write_all(b"}")?;
        }
        out.write_all(b"\n}\n")
    })
}

/// Writes a run in Parquet.
///
/// # Errors
/// As [`write_run_json`].
pub fn write_run_parquet(path: &Path, table: &Table) -> Result<(), FormatError> {
    all_finite(path, table)?;
    let mut ids = Vec::new();
    let mut scores = Vec::new();
    for (query, documents) in table {
        for (document, score) in documents {
            ids.push([query.as_str(), document]);
            scores.push(*score);
        }
    }
    write_parquet(path, &ids, Arc::new(Float64Array::from(scores)))
}

/// Writes judgments in Parquet.
///
/// # Errors
/// Returns the error of the file system.
pub fn write_qrels_parquet(path: &Path, qrels: &Qrels) -> Result<(), FormatError> {
    let mut ids = Vec::new();
    let mut grades = Vec::new();
    for (query, documents) in qrels {
        for (document, grade) in documents {
            ids.push([query.as_str(), document]);
            grades.push(i64::from(*grade));
        }
    }
    write_parquet(path, &ids, Arc::new(Int64Array::from(grades)))
}

fn write_parquet(path: &Path, ids: &[[&str; 2]], numbers: ArrayRef) -> Result<(), FormatError> {
    let schema = Arc::new(Schema::new(vec![
        Field::new("q_id", DataType::Utf8, false),
        Field::new("doc_id", DataType::Utf8, false),
        Field::new("score", numbers.data_type().clone(), false),
    ]));
    let queries = StringArray::from_iter_values(ids.iter().map(|[query, _]| query));
    let documents = StringArray::from_iter_values(ids.iter().map(|[_, document]| document));
    let batch = RecordBatch::try_new(
        schema.clone(),
        vec![Arc::new(queries), Arc::new(documents), numbers],
    )
    .expect("columns are as long as one another and of the schema's types");
    whole(path, |out| {
        let other = |error: parquet::errors::ParquetError| std::io::Error::other(error);
        let mut writer = ArrowWriter::try_new(out, schema, None).map_err(other)?;
        writer.write(&batch).map_err(other)?;
        writer.close().map_err(other)?;
        Ok(())
    })
}

fn all_finite(path: &Path, table: &Table) -> Result<(), FormatError> {
    let mut all = table
        .iter()
        .flat_map(|(query, documents)| documents.iter().map(move |one| (query, one)));
    all.try_for_each(|(query, (document, score))| finite(path, query, document, *score))
}
