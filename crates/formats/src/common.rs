//! Common tables: rows of a query and its document under any names, with or without ids.
//!
//! The role of a column comes from well-known names (`docstring` and `function`, `query` and `positive`), or from the
//! caller ([`Columns`]); either way [`Taken`] lists the columns that were read and those that were not. A row without
//! ids has the query `q7` and the document `c7` for the seventh row, so equal texts stay separate and can be counted;
//! a list of documents becomes `c7-1`, `c7-2`, …. Negatives are documents that are judged 0.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use crate::gather::{Gather, Read};
use crate::roles::{Columns, Role, Taken};
use crate::row::{self, Row, Shape};
use crate::{Document, FormatError, Judgment, Place, Query, csv_rows, parquet_rows, source};

/// Reads a file.
pub(crate) fn read(path: &Path, read: &mut Read) -> Result<(), FormatError> {
    table(&[path.to_owned()], &source::stem(path), "test", read)
}

/// Reads a table that may have several files. The names of the columns are those of the first.
pub(crate) fn table(
    files: &[PathBuf],
    name: &str,
    split: &str,
    read: &mut Read,
) -> Result<(), FormatError> {
    let Some(first) = files.first() else {
        return Ok(());
    };
    let names = names(first)?.unwrap_or_default();
    let guessed = read.columns.is_none();
    let Some(columns) = read.columns.clone().or_else(|| Columns::guess(&names)) else {
        return Err(unknown(first, &names));
    };
    if let Some(absent) = columns.names().find(|column| !names.contains(column)) {
        let message = format!(
            "no column `{absent}`; the columns are `{}`",
            names.join("`, `")
        );
        return Err(FormatError::invalid(Place::file(first), message)
            .with_hint("`--columns query=docstring,document=function` names the columns"));
    }
    let mut gather = read.gather(name, split);
    let mut number = 0;
    for file in files {
        each_row(file, |row| {
            number += 1;
            add(&mut gather, row, number, &columns)
        })?;
    }
    let is_other = |name: &&String| !columns.names().any(|column| column == *name);
    read.taken.push(Taken {
        table: gather.label(),
        others: names.iter().filter(is_other).cloned().collect(),
        columns,
        guessed,
    });
    gather.finish(read)
}

/// The names of a file's columns; `None` if it is not a table.
pub(crate) fn names(path: &Path) -> Result<Option<Vec<String>>, FormatError> {
    if source::starts_with(path, b"PAR1")? {
        return parquet_rows::names(path).map(Some);
    }
    match row::first_names(path)? {
        Some((_, names)) => Ok(Some(names)),
        None => csv_rows::separator(path)
            .map(|separator| csv_rows::names(path, separator))
            .transpose(),
    }
}

fn each_row(
    path: &Path,
    each: impl FnMut(Row) -> Result<(), FormatError>,
) -> Result<(), FormatError> {
    if source::starts_with(path, b"PAR1")? {
        return parquet_rows::read(path, &[], each);
    }
    match row::first_names(path)? {
        Some((Shape::Object, _)) => row::json_lines(path, each),
        Some((Shape::Array, _)) => row::json_array(path, each),
        None => csv_rows::read(path, csv_rows::separator(path).unwrap_or(b','), each),
    }
}

pub(crate) fn unknown(path: &Path, names: &[String]) -> FormatError {
    let message = format!(
        "none of the columns `{}` is known to have queries, or none documents",
        names.join("`, `")
    );
    FormatError::invalid(Place::file(path), message)
        .with_hint("name them: --columns query=NAME,document=NAME")
}

fn add(
    gather: &mut Gather,
    mut row: Row,
    number: u64,
    columns: &Columns,
) -> Result<(), FormatError> {
    let place = row.place.clone();
    let grade = match columns.of(Role::Grade) {
        Some(column) => row.grade(&[column])?,
        None => 1,
    };
    let mut id = |role: Role, own: String| match columns.of(role) {
        Some(column) => row.id(&[column]).map(|id| (id, true)),
        None => Ok((own, false)),
    };
    let (query_id, query_is_named) = id(Role::QueryId, format!("q{number}"))?;
    let (document_id, document_is_named) = id(Role::DocumentId, format!("c{number}"))?;
    let mut texts = |role: Role| match columns.of(role) {
        Some(column) => texts_of(&mut row, column),
        None => Ok(Vec::new()),
    };
    let asked = texts(Role::Query)?.join("\n");
    let (answers, negatives) = (texts(Role::Document)?, texts(Role::Negative)?);
    let query = Query::new(query_id.clone(), asked);
    if query_is_named {
        gather.shared_query(&place, query)?;
    } else {
        gather.query(&place, query)?;
    }
    let several = answers.len() > 1;
    let extra = row.present();
    let numbered = answers.into_iter().zip(1..).map(|(text, at)| {
        let id = if several {
            format!("{document_id}-{at}")
        } else {
            document_id.clone()
        };
        (id, text, grade)
    });
    let negatives = negatives.into_iter().zip(1..);
    let negatives = negatives.map(|(text, at)| (format!("{document_id}-negative-{at}"), text, 0));
    for (id, text, grade) in numbered.chain(negatives) {
        let document = Document {
            id: id.clone(),
            text,
            // A document that several rows name has one text, and whatever else belongs to the rows.
            extra: if document_is_named {
                crate::Extra::new()
            } else {
                extra.clone()
            },
            ..Document::default()
        };
        if document_is_named {
            gather.shared_document(&place, document)?;
        } else {
            gather.document(&place, document)?;
        }
        let judgment = Judgment::new(query_id.clone(), id, grade);
        gather.judgment(place.clone(), judgment)?;
    }
    Ok(())
}

/// A text, or a list of texts.
fn texts_of(row: &mut Row, column: &str) -> Result<Vec<String>, FormatError> {
    match row.take(&[column]) {
        None => Ok(vec![String::new()]),
        Some(Value::String(text)) => Ok(vec![text]),
        Some(Value::Array(items)) => {
            let text = |item: Value| match item {
                Value::String(text) => Ok(text),
                Value::Object(fields) => text_in(&fields)
                    .ok_or_else(|| row.invalid(format!("`{column}` has an object without `text`"))),
                _ => Err(row.invalid(format!("`{column}` has a value that is not text"))),
            };
            items.into_iter().map(text).collect()
        }
        Some(_) => Err(row.invalid(format!("`{column}` is neither a text nor a list of texts"))),
    }
}

fn text_in(fields: &Map<String, Value>) -> Option<String> {
    fields.get("text")?.as_str().map(str::to_owned)
}
