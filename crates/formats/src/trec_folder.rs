//! TREC judgments with texts, as Anserini's tools read them: `collection.jsonl`, `topics.tsv`, `qrels.{split}.txt`.
//!
//! TREC itself fixes only the judgments: `query iteration document grade`, divided by blanks, `#` begins a comment.
//! A document is `{"id", "contents"}` (Anserini's `JsonCollection`), a query a line of id and text with a tab
//! between; where a query has a tab or several lines, all are in `topics.jsonl` instead (`{"id", "text"}`). No id
//! has a blank in it. A file of judgments alone is a benchmark whose texts are empty.

use std::path::Path;

use serde_json::{Value, json};

use crate::format::Read;
use crate::gather::Gather;
use crate::row;
use crate::source::{self, Lines};
use crate::staging::Writer;
use crate::write::folders;
use crate::{Document, Extra, FormatError, Judgment, Place, Query, Subset};

const COLLECTION: &str = "collection.jsonl";
const TOPICS: &str = "topics.tsv";
const LONG_TOPICS: &str = "topics.jsonl";

/// Whether a folder is laid out so.
pub(crate) fn is_folder(folder: &Path) -> bool {
    source::plain_or_gz(folder, COLLECTION).is_some() && topics_of(folder).is_some()
}

fn topics_of(folder: &Path) -> Option<std::path::PathBuf> {
    source::plain_or_gz(folder, TOPICS).or_else(|| source::plain_or_gz(folder, LONG_TOPICS))
}

/// Reads a folder, a folder of them, or a file of judgments alone.
pub(crate) fn read(path: &Path, read: &mut Read) -> Result<(), FormatError> {
    if path.is_file() {
        return judgments_alone(path, read);
    }
    if is_folder(path) {
        return one(path, "default", read);
    }
    let mut found = false;
    for folder in source::entries(path)?
        .iter()
        .filter(|entry| is_folder(entry))
    {
        found = true;
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        one(folder, &name, read)?;
    }
    if found {
        return Ok(());
    }
    let message =
        format!("no `{COLLECTION}` with `{TOPICS}`, neither in this folder nor one level down");
    Err(FormatError::invalid(Place::file(path), message))
}

fn one(folder: &Path, name: &str, read: &mut Read) -> Result<(), FormatError> {
    let (Some(collection), Some(topics)) =
        (source::plain_or_gz(folder, COLLECTION), topics_of(folder))
    else {
        let message = format!("there is no `{COLLECTION}` with `{TOPICS}`");
        return Err(FormatError::invalid(Place::file(folder), message));
    };
    let mut any = false;
    for file in source::entries(folder)? {
        let stem = source::stem(&file);
        let Some(split) = stem.strip_prefix("qrels.").filter(|_| file.is_file()) else {
            continue;
        };
        any = true;
        let mut gather = Gather::new(Subset::new(name, split), read.strictness);
        documents(&collection, &mut gather)?;
        queries(&topics, &mut gather)?;
        each_judgment(&file, |place, judgment| gather.judgment(place, judgment))?;
        if folder_has_several_splits(folder)? {
            gather.drop_unjudged(&mut read.notes, "every evaluator");
        }
        read.subsets.push(gather.finish(&mut read.notes)?);
    }
    if any {
        return Ok(());
    }
    Err(FormatError::invalid(
        Place::file(folder),
        "there is no `qrels.{split}.txt`",
    ))
}

fn folder_has_several_splits(folder: &Path) -> Result<bool, FormatError> {
    let files = source::entries(folder)?;
    let of_splits = files
        .iter()
        .filter(|file| source::stem(file).starts_with("qrels."));
    Ok(of_splits.count() > 1)
}

fn documents(path: &Path, gather: &mut Gather) -> Result<(), FormatError> {
    row::json_lines(path, |mut row| {
        let document = Document {
            id: row.id(&["id"])?,
            title: row.text_or_empty(&["title"])?,
            text: row.text(&["contents"])?,
            extra: Extra::new(),
        };
        let place = row.place.clone();
        let extra = row.rest();
        gather.document(&place, Document { extra, ..document })
    })
}

fn queries(path: &Path, gather: &mut Gather) -> Result<(), FormatError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if name.starts_with(LONG_TOPICS) {
        return row::json_lines(path, |mut row| {
            let query = Query {
                id: row.id(&["id"])?,
                text: row.text(&["text"])?,
                extra: Extra::new(),
            };
            gather.query(&row.place, query)
        });
    }
    let mut lines = Lines::open(path)?;
    while let Some((place, line)) = lines.next()? {
        let Some((id, text)) = line.split_once('\t') else {
            return Err(FormatError::invalid(
                place,
                "no tab, and one is needed between a topic's id and its text",
            ));
        };
        let query = Query {
            id: id.to_owned(),
            text: text.to_owned(),
            extra: Extra::new(),
        };
        gather.query(&place, query)?;
    }
    Ok(())
}

/// Gives each judgment of a qrels file to `each`.
fn each_judgment(
    path: &Path,
    mut each: impl FnMut(Place, Judgment) -> Result<(), FormatError>,
) -> Result<(), FormatError> {
    let mut lines = Lines::open(path)?;
    while let Some((place, line)) = lines.next()? {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let fields: Vec<&str> = line.split_ascii_whitespace().collect();
        let [query, _, document, grade] = fields.as_slice() else {
            let message = format!(
                "{} fields, expected query, iteration, document and grade",
                fields.len()
            );
            return Err(FormatError::invalid(place, message));
        };
        let Ok(grade) = grade.parse() else {
            let before = line.rfind(grade).unwrap_or_default();
            let column = line
                .char_indices()
                .take_while(|(at, _)| *at < before)
                .count() as u64
                + 1;
            let number = place.line.unwrap_or_default();
            return Err(FormatError::invalid(
                Place::column(path, number, column),
                format!("the grade is `{grade}`, expected a whole number"),
            ));
        };
        let judgment = Judgment {
            query: (*query).to_owned(),
            document: (*document).to_owned(),
            grade,
        };
        each(place, judgment)?;
    }
    Ok(())
}

fn judgments_alone(path: &Path, read: &mut Read) -> Result<(), FormatError> {
    let mut gather = Gather::new(Subset::new(source::stem(path), "test"), read.strictness);
    each_judgment(path, |place, judgment| {
        let query = Query {
            id: judgment.query.clone(),
            ..Query::default()
        };
        let document = Document {
            id: judgment.document.clone(),
            ..Document::default()
        };
        gather.pair(&place, query, document)?;
        gather.judgment(place, judgment)
    })?;
    read.notes
        .push("these are judgments alone, so all texts are empty".to_owned());
    read.subsets.push(gather.finish(&mut read.notes)?);
    Ok(())
}

/// Writes one folder, or a folder for each name if there are several.
pub(crate) fn write(subsets: &[Subset], writer: &Writer) -> Result<(), FormatError> {
    for (base, splits) in folders(subsets) {
        write_one(&splits, &base, writer)?;
    }
    Ok(())
}

fn write_one(splits: &[&Subset], base: &str, writer: &Writer) -> Result<(), FormatError> {
    writer.file(&format!("{base}{COLLECTION}"), |out| {
        let mut seen = std::collections::HashSet::new();
        for one in splits.iter().flat_map(|split| &split.documents) {
            if seen.insert(&one.id) {
                let mut row = one.extra.clone();
                row.insert("id".to_owned(), json!(one.id));
                if !one.title.is_empty() {
                    row.insert("title".to_owned(), json!(one.title));
                }
                row.insert("contents".to_owned(), json!(one.text));
                writeln!(out, "{}", Value::Object(row))?;
            }
        }
        Ok(())
    })?;
    let queries = || splits.iter().flat_map(|split| &split.queries);
    let long = queries().any(|one| one.text.contains(['\t', '\n', '\r']));
    let topics = if long { LONG_TOPICS } else { TOPICS };
    writer.file(&format!("{base}{topics}"), |out| {
        let mut seen = std::collections::HashSet::new();
        for one in queries().filter(|one| seen.insert(&one.id)) {
            if long {
                writeln!(out, "{}", json!({ "id": one.id, "text": one.text }))?;
            } else {
                writeln!(out, "{}\t{}", one.id, one.text)?;
            }
        }
        Ok(())
    })?;
    for split in splits {
        let path = format!("{base}qrels.{}.txt", split.split);
        writer.file(&path, |out| {
            for one in &split.judgments {
                writeln!(out, "{} 0 {} {}", one.query, one.document, one.grade)?;
            }
            Ok(())
        })?;
    }
    Ok(())
}
