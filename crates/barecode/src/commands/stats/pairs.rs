//! Test sets in numbers, as in `GenCodeSearchNet`'s Table 1: pairs, tokens of text and code, and the distances of both
//! from the training set's.
//!
//! In come a suite of test sets, or any dataset; out comes a row for each. Tokens are those of a named tokenizer, and the
//! distance is the total variation distance of the distributions of tokens. The last row has the sum of the pairs and the
//! unweighted means of the rows before it, as in the paper.

use std::path::Path;

use barecode_dataset::{TokenCounts, Tokenizer};
use barecode_formats::{Strictness, Subset, load};
use serde::Serialize;
use serde_json::json;

use super::Request;
use crate::answer::Answer;
use crate::console::grouped;
use crate::members::{Members, pairs, training_set};
use crate::recipe::Suite;
use crate::report::grid;
use crate::session::Session;

/// A set of pairs in numbers.
#[derive(Debug, Serialize)]
struct Row {
    name: String,
    pairs: usize,
    text_tokens: f64,
    code_tokens: f64,
    /// Total variation distance of the texts to those of the training set.
    text_distance: Option<f64>,
    /// The same of codes.
    code_distance: Option<f64>,
}

/// The tokens of both sides of pairs.
struct Sides {
    pairs: usize,
    text: TokenCounts,
    code: TokenCounts,
}

impl Sides {
    fn of(subset: &Subset, tokenizer: &Tokenizer) -> anyhow::Result<Self> {
        let pairs = pairs(subset);
        let (texts, codes): (Vec<&str>, Vec<&str>) = pairs.iter().copied().unzip();
        Ok(Sides {
            pairs: pairs.len(),
            text: TokenCounts::of(&texts, tokenizer)?,
            code: TokenCounts::of(&codes, tokenizer)?,
        })
    }

    fn row(&self, name: &str, train: Option<&Sides>) -> Row {
        Row {
            name: name.to_owned(),
            pairs: self.pairs,
            text_tokens: self.text.mean(),
            code_tokens: self.code.mean(),
            text_distance: train.and_then(|train| self.text.distance(&train.text)),
            code_distance: train.and_then(|train| self.code.distance(&train.code)),
        }
    }
}

/// Counts the members of a benchmark.
pub(super) fn run(session: &Session, path: &Path, arguments: &Request) -> anyhow::Result<Answer> {
    let suite = Suite::at(path, arguments.data.as_deref())?;
    let mut notes = Vec::new();
    let members = if let Some(suite) = &suite {
        suite.members(&[])?
    } else {
        let mut loaded = load(path, None, Strictness::AsLoader)?;
        notes.append(&mut loaded.notes);
        Members::of_dataset(loaded, path)
    };
    for sentence in members.not_here() {
        session.note(&sentence);
    }
    let note = |notes: &[String]| {
        for note in notes {
            session.note(&format!("note: {note}"));
        }
    };
    note(&notes);
    for found in &members.found {
        note(&found.notes);
    }
    let tokenizer = match &arguments.tokenizer {
        Some(path) => Tokenizer::read(path)?,
        None => Tokenizer::Words,
    };
    let train = match (&arguments.train, members.train()) {
        (Some(path), _) => {
            let (subset, notes) = training_set(path)?;
            note(&notes);
            Some((path.display().to_string(), Sides::of(&subset, &tokenizer)?))
        }
        (None, Some(own)) => {
            let sides = Sides::of(&own.subset, &tokenizer)?;
            Some((own.member.title.clone(), sides))
        }
        (None, None) => None,
    };
    let sides = train.as_ref().map(|(_, sides)| sides);
    let mut rows = Vec::new();
    for found in members.tests() {
        rows.push(Sides::of(&found.subset, &tokenizer)?.row(&found.member.title, sides));
    }
    if rows.len() > 1 {
        rows.push(combined(&rows));
    }
    let first = train
        .as_ref()
        .map(|(name, sides)| sides.row(name, Some(sides)));
    let number = |value: f64| format!("{value:.2}");
    let distance = |value: Option<f64>| value.map_or("–".to_owned(), |it| format!("{it:.4}"));
    let lines = first.iter().chain(&rows).map(|row| {
        vec![
            row.name.clone(),
            grouped(row.pairs as u64),
            number(row.text_tokens),
            number(row.code_tokens),
            distance(row.text_distance),
            distance(row.code_distance),
        ]
    });
    let heads = [
        "set",
        "pairs",
        "text tokens",
        "code tokens",
        "distance of text",
        "distance of code",
    ];
    let to = match &train {
        Some((name, _)) => format!("to those of {name}, the first row"),
        None => "to a training set, which is not here; --train names one".to_owned(),
    };
    let data = || {
        json!({
            "tokenizer": tokenizer.name(),
            "training": first,
            "test_sets": rows,
        })
    };
    session.answer(data, |screen| Ok(format!(
        "means over pairs that match; tokens as `{}` counts them; distance: total variation distance of the tokens {to}\n{}",
        tokenizer.name(),
        grid::table(1, &heads, lines, screen)
    )))
}

/// The last row: all pairs, and the means of the rows.
fn combined(rows: &[Row]) -> Row {
    let mean = |of: fn(&Row) -> f64| rows.iter().map(of).sum::<f64>() / rows.len() as f64;
    let some = |of: fn(&Row) -> Option<f64>| -> Option<f64> {
        let sum: Option<f64> = rows.iter().map(of).sum();
        sum.map(|sum| sum / rows.len() as f64)
    };
    Row {
        name: "combined".to_owned(),
        pairs: rows.iter().map(|row| row.pairs).sum(),
        text_tokens: mean(|row| row.text_tokens),
        code_tokens: mean(|row| row.code_tokens),
        text_distance: some(|row| row.text_distance),
        code_distance: some(|row| row.code_distance),
    }
}
