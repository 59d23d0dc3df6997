//! BEIR's folder: `corpus.jsonl`, `queries.jsonl` and `qrels/{split}.tsv`, each gzipped or not.
//!
//! A document is `{"_id", "title", "text"}`, a query `{"_id", "text"}`; other columns are kept. A qrels file has a
//! header line and then `query-id`, `corpus-id` and `score`, divided by tabs. Its loader takes a split's queries from
//! its judgments, so a query that no judgment names is in no split: here too, with a note. A folder without these
//! files whose folders have them is one benchmark with a subset each, as BEIR's own `CQADupStack` is laid out.

use std::path::Path;

use serde_json::{Value, json};

use crate::format::Read;
use crate::gather::Gather;
use crate::row;
use crate::source::{self, Lines};
use crate::staging::Writer;
use crate::write::folders;
use crate::{Document, FormatError, Judgment, Place, Query, Subset};

const CORPUS: &str = "corpus.jsonl";
const QUERIES: &str = "queries.jsonl";
const QRELS: &str = "qrels";
const HEADER: &str = "query-id\tcorpus-id\tscore";

/// Whether a folder is laid out so.
pub(crate) fn is_folder(folder: &Path) -> bool {
    source::plain_or_gz(folder, CORPUS).is_some() && folder.join(QRELS).is_dir()
}

/// Reads a folder, or a folder of them.
pub(crate) fn read(path: &Path, read: &mut Read) -> Result<(), FormatError> {
    if is_folder(path) {
        return one(path, "default", read);
    }
    let folders: Vec<_> = source::entries(path)?
        .into_iter()
        .filter(|entry| is_folder(entry))
        .collect();
    if folders.is_empty() {
        let message =
            format!("no `{CORPUS}` with a folder `{QRELS}`, neither here nor one level down");
        return Err(FormatError::invalid(Place::file(path), message));
    }
    for folder in folders {
        let name = folder
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        one(&folder, &name, read)?;
    }
    Ok(())
}

fn one(folder: &Path, name: &str, read: &mut Read) -> Result<(), FormatError> {
    let wanted = |file: &str| {
        source::plain_or_gz(folder, file).ok_or_else(|| {
            FormatError::invalid(Place::file(folder), format!("there is no `{file}`"))
        })
    };
    let (corpus, queries) = (wanted(CORPUS)?, wanted(QUERIES)?);
    let splits: Vec<_> = source::entries(&folder.join(QRELS))?
        .into_iter()
        .filter(|file| {
            let name = file.to_string_lossy();
            name.ends_with(".tsv") || name.ends_with(".tsv.gz")
        })
        .collect();
    if splits.is_empty() {
        return Err(FormatError::invalid(
            Place::file(&folder.join(QRELS)),
            "there is no `.tsv` file here, and each split has one",
        ));
    }
    for split in splits {
        let subset = Subset::new(name, source::stem(&split));
        let mut gather = Gather::new(subset, read.strictness);
        read_corpus(&corpus, &mut gather)?;
        read_queries(&queries, &mut gather)?;
        read_qrels(&split, &mut gather)?;
        gather.drop_unjudged(&mut read.notes, "BEIR's loader");
        read.subsets.push(gather.finish(&mut read.notes)?);
    }
    Ok(())
}

fn read_corpus(path: &Path, gather: &mut Gather) -> Result<(), FormatError> {
    row::json_lines(path, |mut row| {
        let document = Document {
            id: row.id(&["_id"])?,
            title: row.text_or_empty(&["title"])?,
            text: row.text(&["text"])?,
            extra: crate::Extra::new(),
        };
        let place = row.place.clone();
        let extra = row.rest();
        gather.document(&place, Document { extra, ..document })
    })
}

fn read_queries(path: &Path, gather: &mut Gather) -> Result<(), FormatError> {
    row::json_lines(path, |mut row| {
        let (id, text) = (row.id(&["_id"])?, row.text(&["text"])?);
        let place = row.place.clone();
        let extra = row.rest();
        gather.query(&place, Query { id, text, extra })
    })
}

fn read_qrels(path: &Path, gather: &mut Gather) -> Result<(), FormatError> {
    let mut lines = Lines::open(path)?;
    // The loader passes over the first line, whatever it says.
    if let Some((place, header)) = lines.next()?
        && header
            .split('\t')
            .nth(2)
            .is_some_and(|score| score.trim().parse::<i32>().is_ok())
    {
        return Err(FormatError::invalid(
            place,
            "this is a judgment where the header should be, and BEIR's loader would pass over it",
        )
        .with_hint(format!(
            "put the line `{}` first",
            HEADER.replace('\t', "<tab>")
        )));
    }
    while let Some((place, line)) = lines.next()? {
        if line.is_empty() {
            continue;
        }
        let mut fields = line.split('\t');
        let (Some(query), Some(document), Some(score), None) =
            (fields.next(), fields.next(), fields.next(), fields.next())
        else {
            let n = line.split('\t').count();
            let message = format!("{n} fields divided by tabs, expected query, document and score");
            return Err(FormatError::invalid(place, message));
        };
        let Ok(grade) = score.trim().parse() else {
            let column = (query.chars().count() + document.chars().count() + 3) as u64;
            let number = place.line.unwrap_or_default();
            return Err(FormatError::invalid(
                Place::column(path, number, column),
                format!("the score is `{score}`, expected a whole number"),
            ));
        };
        let judgment = Judgment {
            query: query.to_owned(),
            document: document.to_owned(),
            grade,
        };
        gather.judgment(place, judgment)?;
    }
    Ok(())
}

/// Writes one folder, or a folder for each name where there are several.
pub(crate) fn write(subsets: &[Subset], writer: &Writer) -> Result<(), FormatError> {
    for (base, splits) in folders(subsets) {
        write_one(&splits, &base, writer)?;
    }
    Ok(())
}

/// Several splits share documents and queries: each id is written once.
fn write_one(splits: &[&Subset], base: &str, writer: &Writer) -> Result<(), FormatError> {
    writer.file(&format!("{base}{CORPUS}"), |out| {
        let mut seen = std::collections::HashSet::new();
        for one in splits.iter().flat_map(|split| &split.documents) {
            if seen.insert(&one.id) {
                let mut row = one.extra.clone();
                row.insert("_id".to_owned(), json!(one.id));
                row.insert("title".to_owned(), json!(one.title));
                row.insert("text".to_owned(), json!(one.text));
                writeln!(out, "{}", Value::Object(row))?;
            }
        }
        Ok(())
    })?;
    writer.file(&format!("{base}{QUERIES}"), |out| {
        let mut seen = std::collections::HashSet::new();
        for one in splits.iter().flat_map(|split| &split.queries) {
            if seen.insert(&one.id) {
                let mut row = one.extra.clone();
                row.insert("_id".to_owned(), json!(one.id));
                row.insert("text".to_owned(), json!(one.text));
                writeln!(out, "{}", Value::Object(row))?;
            }
        }
        Ok(())
    })?;
    for split in splits {
        writer.file(&format!("{base}{QRELS}/{}.tsv", split.split), |out| {
            writeln!(out, "{HEADER}")?;
            for one in &split.judgments {
                writeln!(out, "{}\t{}\t{}", one.query, one.document, one.grade)?;
            }
            Ok(())
        })?;
    }
    Ok(())
}
