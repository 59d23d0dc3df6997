//! CLARC's released JSON: `original/` (a matrix) and `cleaned/` (rows of pairs); a file is a subset.
//!
//! `original/reconstructed_group1_original.json` is one object of `query`, `corpus` and `qrel`, and in the sources
//! of group 3 of maps named `cid2…`, which become columns of the documents under their own names. `qrel` has every
//! pair, so grades of 0 are judgments here. `cleaned/…_cleaned.json` and the rows of its hub dataset are
//! `query_id, query_text, code_id, code_text, relevance`; a query and a document occur once for each pair,
//! always with the same text. A folder of such files is one benchmark.
//!
//! The subset's name is the file's without `reconstructed_` and `_cleaned` or `_sample`, and with a hyphen after
//! the group, as in configurations of barecode: `group1-original`.

use std::fmt;
use std::marker::PhantomData;
use std::path::Path;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::{Map, Value, json};

use crate::gather::{Gather, Read};
use crate::row::{self, Row, with_cells};
use crate::staging::Writer;
use crate::texts::judged;
use crate::{Document, Extra, FormatError, Judgment, Place, Query, Subset, source};

/// Reads a file of the form of `original/`.
pub(crate) fn read_original(path: &Path, read: &mut Read) -> Result<(), FormatError> {
    let mut json = serde_json::Deserializer::from_reader(source::open(path)?);
    let parts: Parts = Parts::deserialize(&mut json)
        .and_then(|parts| json.end().map(|()| parts))
        .map_err(|error| row::invalid_json(path, &error))?;
    let place = Place::file(path);
    let mut gather = read.gather(subset_name(&source::stem(path)), "test");
    let mut columns = parts.columns;
    for (id, text) in parts.corpus.0 {
        let mut extra = Map::new();
        for (name, of_document) in &mut columns {
            if let Some(value) = of_document.remove(&id) {
                extra.insert(name.clone(), value);
            }
        }
        let document = Document {
            extra,
            ..Document::new(id, text)
        };
        gather.document(&place, document)?;
    }
    for (id, text) in parts.query.0 {
        let query = Query::new(id, text);
        gather.query(&place, query)?;
    }
    for (query, grades) in parts.qrel.0 {
        for (document, grade) in grades.0 {
            let judgment = Judgment::new(query.clone(), document, grade);
            gather.judgment(place.clone(), judgment)?;
        }
    }
    gather.finish(read)
}

/// Reads a file of the form of `cleaned/`.
pub(crate) fn read_cleaned(path: &Path, read: &mut Read) -> Result<(), FormatError> {
    let mut gather = read.gather(subset_name(&source::stem(path)), "test");
    row::json_array(path, |row| pair(&mut gather, row))?;
    gather.finish(read)
}

/// Adds one row of pairs; other columns belong to the document.
pub(crate) fn pair(gather: &mut Gather, mut row: Row) -> Result<(), FormatError> {
    let query = Query::new(row.id(&["query_id"])?, row.text(&["query_text"])?);
    let (id, text) = (row.id(&["code_id"])?, row.text(&["code_text"])?);
    let grade = row.grade(&["relevance"])?;
    let judgment = Judgment::new(query.id.clone(), id.clone(), grade);
    let place = row.place.clone();
    let document = Document {
        extra: row.rest(),
        ..Document::new(id, text)
    };
    gather.pair(&place, query, document)?;
    gather.judgment(place, judgment)
}

/// Writes each subset in the form of `original/`.
pub(crate) fn write_original(subsets: &[Subset], writer: &Writer) -> Result<(), FormatError> {
    for subset in subsets {
        let mut columns: Vec<&String> = Vec::new();
        for document in &subset.documents {
            columns.extend(document.extra.keys());
        }
        columns.sort();
        columns.dedup();
        let path = format!("{}.json", file_stem(&subset.name));
        writer.file(&path, |out| {
            out.write_all(b"{\"query\": ")?;
            let queries = subset.queries.iter();
            object(out, queries.map(|query| (&query.id, json!(query.text))))?;
            out.write_all(b", \"corpus\": ")?;
            let documents = subset.documents.iter();
            object(out, documents.map(|one| (&one.id, json!(one.text))))?;
            out.write_all(b", \"qrel\": ")?;
            qrel(out, subset)?;
            for column in columns {
                write!(out, ", {}: ", Value::from(column.as_str()))?;
                let documents = subset.documents.iter();
                let cells = documents
                    .filter_map(|one| one.extra.get(column).map(|value| (&one.id, value.clone())));
                object(out, cells)?;
            }
            out.write_all(b"}\n")
        })?;
    }
    Ok(())
}

fn qrel(out: &mut dyn std::io::Write, subset: &Subset) -> std::io::Result<()> {
    let mut by_query: std::collections::BTreeMap<&str, Vec<&Judgment>> =
        std::collections::BTreeMap::new();
    for judgment in &subset.judgments {
        by_query.entry(&judgment.query).or_default().push(judgment);
    }
    out.write_all(b"{")?;
    let mut between = "";
    for query in &subset.queries {
        let Some(judgments) = by_query.get(query.id.as_str()) else {
            continue;
        };
        write!(out, "{between}{}: ", Value::from(query.id.as_str()))?;
        between = ", ";
        let grades = judgments.iter();
        object(out, grades.map(|one| (&one.document, json!(one.grade))))?;
    }
    out.write_all(b"}")
}

fn object<'a>(
    out: &mut dyn std::io::Write,
    entries: impl Iterator<Item = (&'a String, Value)>,
) -> std::io::Result<()> {
    out.write_all(b"{")?;
    let mut between = "";
    for (name, value) in entries {
        write!(out, "{between}{}: {value}", Value::from(name.as_str()))?;
        between = ", ";
    }
    out.write_all(b"}")
}

/// Writes each subset in the form of `cleaned/`.
pub(crate) fn write_cleaned(subsets: &[Subset], writer: &Writer) -> Result<(), FormatError> {
    for subset in subsets {
        let path = format!("{}_cleaned.json", file_stem(&subset.name));
        writer.file(&path, |out| {
            let mut before = "[\n";
            for (judgment, query, document) in judged(subset) {
                let row = pair_row(judgment, query, document);
                write!(out, "{before}{}", Value::Object(row))?;
                before = ",\n";
            }
            out.write_all(if before == "[\n" { b"[]\n" } else { b"\n]\n" })
        })?;
    }
    Ok(())
}

/// A judged pair as a row, with the document's own columns.
pub(crate) fn pair_row(judgment: &Judgment, query: &Query, document: &Document) -> Extra {
    let cells = [
        ("query_id", json!(query.id)),
        ("query_text", json!(query.text)),
        ("code_id", json!(document.id)),
        ("code_text", json!(document.text)),
        ("relevance", json!(judgment.grade)),
    ];
    with_cells(&document.extra, cells)
}

/// `reconstructed_group1_original_cleaned` → `group1-original`.
pub(crate) fn subset_name(stem: &str) -> String {
    let name = stem.strip_prefix("reconstructed_").unwrap_or(stem);
    let name = ["_cleaned", "_sample"]
        .iter()
        .find_map(|ending| name.strip_suffix(ending))
        .unwrap_or(name);
    match name.split_once('_') {
        Some((group, setting)) if is_group(group) => format!("{group}-{setting}"),
        _ => name.to_owned(),
    }
}

/// `group1-original` → `reconstructed_group1_original`.
pub(crate) fn file_stem(subset: &str) -> String {
    match subset.split_once('-') {
        Some((group, setting)) if is_group(group) => format!("reconstructed_{group}_{setting}"),
        _ => format!("reconstructed_{subset}"),
    }
}

fn is_group(text: &str) -> bool {
    text.strip_prefix("group")
        .is_some_and(|number| !number.is_empty() && number.chars().all(|c| c.is_ascii_digit()))
}

/// A JSON object in the order of the file.
struct Ordered<T>(Vec<(String, T)>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Ordered<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Entries(PhantomData))
    }
}

struct Entries<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for Entries<T> {
    type Value = Ordered<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object from ids to values")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Ordered<T>, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(Ordered(entries))
    }
}

struct Parts {
    query: Ordered<String>,
    corpus: Ordered<String>,
    qrel: Ordered<Ordered<i32>>,
    columns: Vec<(String, Map<String, Value>)>,
}

impl<'de> Deserialize<'de> for Parts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(PartsVisitor)
    }
}

struct PartsVisitor;

impl<'de> Visitor<'de> for PartsVisitor {
    type Value = Parts;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of `query`, `corpus` and `qrel`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Parts, A::Error> {
        use serde::de::Error;
        let (mut query, mut corpus, mut qrel) = (None, None, None);
        let mut columns = Vec::new();
        while let Some(name) = map.next_key::<String>()? {
            match name.as_str() {
                "query" => query = Some(map.next_value()?),
                "corpus" => corpus = Some(map.next_value()?),
                "qrel" => qrel = Some(map.next_value()?),
                _ => columns.push((name, map.next_value()?)),
            }
        }
        Ok(Parts {
            query: query.ok_or_else(|| A::Error::missing_field("query"))?,
            corpus: corpus.ok_or_else(|| A::Error::missing_field("corpus"))?,
            qrel: qrel.ok_or_else(|| A::Error::missing_field("qrel"))?,
            columns,
        })
    }
}
