//! Pairs to train on, as sentence-transformers and `datasets` load them.
//!
//! ```text
//! README.md                     card: what is in it, what was left out and why
//! train/standard.parquet        anchor, positive, negative_1, …, and where each pair is from
//! dev/standard.parquet          the same, of other repositories
//! left_out.csv                  every function that an evaluation set has too
//! ```
//!
//! A configuration of the card is a setting, with the splits `train` and `dev`.

use std::path::Path;

use serde_json::{Map, Value, json};

use crate::card::{self, CardTable};
use crate::parquet_rows::{self, Column, ColumnKind};
use crate::staging::{self, Existing};
use crate::{Facts, FormatError, Place};

/// Two texts that belong together, with texts that do not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TrainingPair {
    /// The query: a sentence, or the same function in another setting.
    pub anchor: String,
    /// The code that answers it.
    pub positive: String,
    /// Code that is like an answer but is not one, the most likely first.
    pub negatives: Vec<String>,
    /// The id of the query or, if the query is code, of the function.
    pub anchor_id: String,
    /// The id of the function.
    pub code_id: String,
    /// The change that was made to the code.
    pub setting: String,
    /// Which draw of the setting.
    pub draw: Option<u32>,
    /// Its group: `group1`.
    pub group: Option<String>,
    /// The repository as a whole.
    pub repository: String,
    /// The commit, if it is known.
    pub commit: Option<String>,
    /// Its file in the repository.
    pub path: String,
    /// Its first and last line, from 1.
    pub lines: [u32; 2],
    /// Its license, if it is known.
    pub license: Option<String>,
    /// The key of its language: `python`.
    pub language: String,
}

/// The pairs of one split and setting.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TrainingPart {
    /// `train` or `dev`.
    pub split: String,
    /// The setting, which is the name of the file and of the configuration; `views` if code is the query for code.
    pub name: String,
    /// The pairs.
    pub pairs: Vec<TrainingPair>,
}

/// Writes a training set.
///
/// `left_out` are rows of the table of that name, its header first.
///
/// # Errors
/// A folder that already exists, unless it may be replaced, and errors of the disk; no files are left behind then.
pub fn write_training(
    out: &Path,
    existing: Existing,
    facts: &Facts,
    parts: &[TrainingPart],
    left_out: &[Vec<String>],
) -> Result<(), FormatError> {
    staging::folder(out, existing, |writer| {
        let mut tables = Vec::new();
        for part in parts {
            let file = format!("{}/{}.parquet", part.split, part.name);
            let path = writer.place(&file)?;
            let columns = columns(part);
            parquet_rows::write(&path, &columns, part.pairs.iter().map(row))?;
            tables.push(CardTable {
                config: part.name.clone(),
                split: part.split.clone(),
                path: file,
                rows: part.pairs.len() as u64,
            });
        }
        writer.file("left_out.csv", |out| {
            let mut table = csv::Writer::from_writer(out);
            for row in left_out {
                table.write_record(row)?;
            }
            table.flush()
        })?;
        let title = facts.title.as_deref().unwrap_or("training pairs");
        let card = card::write(facts, title, &tables, None).map_err(|error| {
            FormatError::invalid(Place::file(out), format!("no card can be written: {error}"))
        })?;
        writer.file(card::CARD, |out| out.write_all(card.as_bytes()))
    })
}

fn columns(part: &TrainingPart) -> Vec<Column> {
    let text = |name: &str| Column::new(name, ColumnKind::Text);
    let most = part.pairs.iter().map(|pair| pair.negatives.len()).max();
    let mut columns = vec![text("anchor"), text("positive")];
    columns.extend((1..=most.unwrap_or(0)).map(|at| text(&format!("negative_{at}"))));
    columns.extend(["anchor_id", "code_id", "setting"].map(text));
    columns.push(Column::new("draw", ColumnKind::Grade));
    columns.extend(["group", "repository", "commit", "path"].map(text));
    let line = |name: &str| Column::new(name, ColumnKind::Whole);
    columns.extend(["start_line", "end_line"].map(line));
    columns.extend(["license", "language"].map(text));
    columns
}

fn row(pair: &TrainingPair) -> Map<String, Value> {
    let mut row = Map::new();
    let mut put = |name: String, value: Value| row.insert(name, value);
    put("anchor".to_owned(), json!(pair.anchor));
    put("positive".to_owned(), json!(pair.positive));
    for (at, negative) in (1..).zip(&pair.negatives) {
        put(format!("negative_{at}"), json!(negative));
    }
    for (name, value) in [
        ("anchor_id", json!(pair.anchor_id)),
        ("code_id", json!(pair.code_id)),
        ("setting", json!(pair.setting)),
        ("draw", json!(pair.draw)),
        ("group", json!(pair.group)),
        ("repository", json!(pair.repository)),
        ("commit", json!(pair.commit)),
        ("path", json!(pair.path)),
        ("start_line", json!(pair.lines[0])),
        ("end_line", json!(pair.lines[1])),
        ("license", json!(pair.license)),
        ("language", json!(pair.language)),
    ] {
        put(name.to_owned(), value);
    }
    row
}
