//! BEIR's folder: `corpus.jsonl`, `queries.jsonl` and `qrels/{split}.tsv`, each gzipped or not.
//!
//! A document is `{"_id", "title", "text"}`, a query `{"_id", "text"}`; other columns are preserved. A qrels file has
//! a header line and then `query-id`, `corpus-id` and `score`, divided by tabs. Its loader reads a split's queries
//! from its judgments, so a query that no judgment names is in no split; it is left out here too, with a note. A
//! folder without these files whose folders have them is one benchmark with a subset each, as BEIR's own
//! `CQADupStack` is laid out.

use std::path::Path;

use serde_json::json;

use crate::gather::{Gather, Read};
use crate::row::{self, Row, with_cells};
use crate::source::{self, Lines};
use crate::split_folder::{self, folders};
use crate::staging::Writer;
use crate::texts::{documents_once, queries_once};
use crate::{FormatError, Judgment, Place, Subset};

const CORPUS: &str = "corpus.jsonl";
const QUERIES: &str = "queries.jsonl";
const QRELS: &str = "qrels";
const HEADER: &str = "query-id\tcorpus-id\tscore";

/// Returns `true` if a folder is laid out so.
pub(crate) fn is_folder(folder: &Path) -> bool {
    source::plain_or_gz(folder, CORPUS).is_some() && folder.join(QRELS).is_dir()
}

/// Reads a folder, or a folder of them.
pub(crate) fn read(path: &Path, read: &mut Read) -> Result<(), FormatError> {
    let missing =
        format!("no `{CORPUS}` with a folder `{QRELS}`, neither in this folder nor one level down");
    split_folder::read(path, read, is_folder, one, missing)
}

fn one(folder: &Path, name: &str, read: &mut Read) -> Result<(), FormatError> {
    let wanted = |file: &str| {
        source::plain_or_gz(folder, file)
            .ok_or_else(|| FormatError::invalid(Place::file(folder), format!("`{file}` not found")))
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
            "no `.tsv` file found; each split needs one",
        ));
    }
    for split in splits {
        let mut gather = read.gather(name, source::stem(&split));
        row::json_lines(&corpus, |row| {
            gather.document_row(row, &["_id"], &["text"], Row::rest)
        })?;
        row::json_lines(&queries, |row| {
            gather.query_row(row, &["_id"], &["text"], Row::rest)
        })?;
        read_qrels(&split, &mut gather)?;
        gather.drop_unjudged("BEIR's loader");
        gather.finish(read)?;
    }
    Ok(())
}

fn read_qrels(path: &Path, gather: &mut Gather) -> Result<(), FormatError> {
    let mut lines = Lines::open(path)?;
    // The loader skips the first line, whatever its content.
    if let Some((place, header)) = lines.next()?
        && header
            .split('\t')
            .nth(2)
            .is_some_and(|score| score.trim().parse::<i32>().is_ok())
    {
        return Err(FormatError::invalid(
            place,
            "this is a judgment where the header should be, and BEIR's loader would skip it",
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
        let judgment = Judgment::new(query, document, grade);
        gather.judgment(place, judgment)?;
    }
    Ok(())
}

/// Writes one folder, or a folder for each name if there are several.
pub(crate) fn write(subsets: &[Subset], writer: &Writer) -> Result<(), FormatError> {
    for (base, splits) in folders(subsets) {
        write_one(&splits, &base, writer)?;
    }
    Ok(())
}

/// Several splits share documents and queries: each id is written once.
fn write_one(splits: &[&Subset], base: &str, writer: &Writer) -> Result<(), FormatError> {
    let documents = documents_once(splits).into_iter().map(|one| {
        let cells = [
            ("_id", json!(one.id)),
            ("title", json!(one.title)),
            ("text", json!(one.text)),
        ];
        with_cells(&one.extra, cells)
    });
    writer.json_lines(&format!("{base}{CORPUS}"), documents)?;
    let queries = queries_once(splits).into_iter().map(|one| {
        let cells = [("_id", json!(one.id)), ("text", json!(one.text))];
        with_cells(&one.extra, cells)
    });
    writer.json_lines(&format!("{base}{QUERIES}"), queries)?;
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
