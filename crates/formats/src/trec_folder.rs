//! TREC judgments with texts, as Anserini's tools read them: `collection.jsonl`, `topics.tsv`, `qrels.{split}.txt`.
//!
//! TREC itself fixes only the judgments: `query iteration document grade`, divided by blanks, `#` begins a comment.
//! A document is `{"id", "contents"}` (Anserini's `JsonCollection`), a query a line of id and text with a tab
//! between; if a query has a tab or several lines, all are in `topics.jsonl` instead (`{"id", "text"}`). No id has a
//! blank in it. A file of judgments alone is a benchmark whose texts are empty.

use std::path::Path;

use serde_json::json;

use crate::gather::{Gather, Read};
use crate::row::{self, Row, with_cells};
use crate::source::{self, Lines};
use crate::split_folder::{self, folders};
use crate::staging::Writer;
use crate::texts::{documents_once, queries_once};
use crate::{Document, Extra, FormatError, Judgment, Place, Query, Subset};

const COLLECTION: &str = "collection.jsonl";
const TOPICS: &str = "topics.tsv";
const LONG_TOPICS: &str = "topics.jsonl";

/// Returns `true` if a folder is laid out so.
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
    let missing =
        format!("no `{COLLECTION}` with `{TOPICS}`, neither in this folder nor one level down");
    split_folder::read(path, read, is_folder, one, missing)
}

fn one(folder: &Path, name: &str, read: &mut Read) -> Result<(), FormatError> {
    let (Some(collection), Some(topics)) =
        (source::plain_or_gz(folder, COLLECTION), topics_of(folder))
    else {
        let message = format!("`{COLLECTION}` with `{TOPICS}` not found");
        return Err(FormatError::invalid(Place::file(folder), message));
    };
    let mut any = false;
    for file in source::entries(folder)? {
        let stem = source::stem(&file);
        let Some(split) = stem.strip_prefix("qrels.").filter(|_| file.is_file()) else {
            continue;
        };
        any = true;
        let mut gather = read.gather(name, split);
        row::json_lines(&collection, |row| {
            gather.document_row(row, &["id"], &["contents"], Row::rest)
        })?;
        queries(&topics, &mut gather)?;
        each_judgment(&file, |place, judgment| gather.judgment(place, judgment))?;
        if folder_has_several_splits(folder)? {
            gather.drop_unjudged("every evaluator");
        }
        gather.finish(read)?;
    }
    if any {
        return Ok(());
    }
    Err(FormatError::invalid(
        Place::file(folder),
        "`qrels.{split}.txt` not found",
    ))
}

fn folder_has_several_splits(folder: &Path) -> Result<bool, FormatError> {
    let files = source::entries(folder)?;
    let of_splits = files
        .iter()
        .filter(|file| source::stem(file).starts_with("qrels."));
    Ok(of_splits.count() > 1)
}

fn queries(path: &Path, gather: &mut Gather) -> Result<(), FormatError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if name.starts_with(LONG_TOPICS) {
        return row::json_lines(path, |row| {
            gather.query_row(row, &["id"], &["text"], |_| Extra::new())
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
        let query = Query::new(id, text);
        gather.query(&place, query)?;
    }
    Ok(())
}

/// Passes each judgment of a qrels file to `each`.
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
        let judgment = Judgment::new(*query, *document, grade);
        each(place, judgment)?;
    }
    Ok(())
}

fn judgments_alone(path: &Path, read: &mut Read) -> Result<(), FormatError> {
    let mut gather = read.gather(source::stem(path), "test");
    each_judgment(path, |place, judgment| {
        let query = Query::new(judgment.query.clone(), "");
        let document = Document::new(judgment.document.clone(), "");
        gather.pair(&place, query, document)?;
        gather.judgment(place, judgment)
    })?;
    read.notes
        .push("these are judgments alone, so all texts are empty".to_owned());
    gather.finish(read)
}

/// Writes one folder, or a folder for each name if there are several.
pub(crate) fn write(subsets: &[Subset], writer: &Writer) -> Result<(), FormatError> {
    for (base, splits) in folders(subsets) {
        write_one(&splits, &base, writer)?;
    }
    Ok(())
}

fn write_one(splits: &[&Subset], base: &str, writer: &Writer) -> Result<(), FormatError> {
    let documents = documents_once(splits).into_iter().map(|one| {
        let mut row = with_cells(&one.extra, [("id", json!(one.id))]);
        if !one.title.is_empty() {
            row.insert("title".to_owned(), json!(one.title));
        }
        row.insert("contents".to_owned(), json!(one.text));
        row
    });
    writer.json_lines(&format!("{base}{COLLECTION}"), documents)?;
    let queries = queries_once(splits);
    let mut all = splits.iter().flat_map(|split| &split.queries);
    if all.any(|one| one.text.contains(['\t', '\n', '\r'])) {
        let rows = queries.into_iter().map(|one| {
            let cells = [("id", json!(one.id)), ("text", json!(one.text))];
            with_cells(&Extra::new(), cells)
        });
        writer.json_lines(&format!("{base}{LONG_TOPICS}"), rows)?;
    } else {
        writer.file(&format!("{base}{TOPICS}"), |out| {
            for one in queries {
                writeln!(out, "{}\t{}", one.id, one.text)?;
            }
            Ok(())
        })?;
    }
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
