//! What came out of `eval`: rows with tied groups, a table, and the value of every query.
//!
//! It is a view of the tables of the stage `score`; where a pool was drawn several times, a query's value is its mean over
//! the draws, so intervals are over queries.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

use barecode_evaluate::letters;
use barecode_records::table::write_atomically;
use barecode_records::{Difference, Score};
use barecode_scores::intervals::{FEWEST_QUERIES, Trials};
use barecode_scores::{Interval, Measure};
use serde::Serialize;

use super::Evaluated;
use crate::console::{Screen, grouped};
use crate::report::draws::MeanByQuery;
use crate::report::{grid, interval, too_few};

/// What came out for one subset and measure.
#[derive(Debug, Serialize)]
pub(super) struct Row {
    subset: String,
    split: String,
    measure: String,
    queries: u32,
    too_few: bool,
    documents: u32,
    models: Vec<Cell>,
    ceiling: Option<f64>,
    floor: Option<f64>,
}

#[derive(Debug, Serialize)]
struct Cell {
    model: String,
    #[serde(flatten)]
    score: Interval,
    /// The interval with whole repositories drawn, if there are several and that of every answer is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    repositories: Option<Repositories>,
    /// The means of the draws of a pool.
    #[serde(skip_serializing_if = "Option::is_none")]
    draws: Option<Trials>,
    /// Models that share a letter do not differ significantly.
    group: String,
}

#[derive(Debug, Serialize)]
struct Repositories {
    low: f64,
    high: f64,
    count: u32,
}

/// A row for each subset and measure.
pub(super) fn rows(result: &Evaluated<'_>) -> Vec<Row> {
    let mut rows = Vec::new();
    for task in result.tasks {
        for measure in &result.scoring.measures {
            let measure = measure.to_string();
            let name = task.subset.name_without_draw();
            let of_row: Vec<&Score> = result
                .systems
                .iter()
                .filter_map(|system| {
                    result.scores.iter().find(|score| {
                        score.subset == name
                            && score.slice == "all"
                            && score.measure == measure
                            && score.retriever == *system
                    })
                })
                .collect();
            let Some(first) = of_row.first() else {
                continue;
            };
            let pairs: Vec<&Difference> = result
                .differences
                .iter()
                .filter(|pair| pair.subset == name && pair.measure == measure)
                .collect();
            let groups = if of_row.len() > 1 {
                let means: Vec<f64> = of_row.iter().map(|score| score.value).collect();
                letters(&result.systems, &means, &pairs, result.scoring.confidence)
            } else {
                vec![String::new()]
            };
            rows.push(Row {
                subset: task.title.clone(),
                split: task.split.clone(),
                measure: measure.clone(),
                queries: first.queries,
                too_few: first.too_few,
                documents: first.documents,
                ceiling: first.ceiling,
                floor: first.floor,
                models: of_row
                    .iter()
                    .zip(groups)
                    .map(|(score, group)| cell(score, group))
                    .collect(),
            });
        }
    }
    rows
}

fn cell(score: &Score, group: String) -> Cell {
    let Score {
        repository_low,
        repository_high,
        repositories,
        ..
    } = score;
    let known = repository_low.zip(*repository_high).zip(*repositories);
    Cell {
        model: score.retriever.clone(),
        score: Interval {
            value: score.value,
            low: score.low,
            high: score.high,
        },
        repositories: known.map(|((low, high), count)| Repositories { low, high, count }),
        draws: (score.draws > 1).then_some(Trials {
            trials: score.draws as usize,
            mean: score.value,
            standard_error: score.draw_error,
        }),
        group,
    }
}

/// Writes the value of every query: `subset,split,query,system,measure,value`.
pub(super) fn write_values(path: &Path, result: &Evaluated<'_>) -> anyhow::Result<()> {
    let mut columns: BTreeMap<(&str, &str, &str), MeanByQuery<'_>> = BTreeMap::new();
    for row in &result.rows {
        let key = (&*row.subset, &*row.measure, &*row.retriever);
        columns.entry(key).or_default().add(row);
    }
    write_atomically(path, |file| {
        let mut out = csv::Writer::from_writer(std::io::BufWriter::new(file));
        out.write_record(["subset", "split", "query", "system", "measure", "value"])?;
        for task in result.tasks {
            let subset = task.subset.name_without_draw();
            for measure in &result.scoring.measures {
                let measure = measure.to_string();
                for system in &result.systems {
                    let column = columns.get(&(subset, measure.as_str(), *system));
                    for query in &task.queries {
                        let Some(value) = column.and_then(|column| column.get(&query.id)) else {
                            continue;
                        };
                        let value = format!("{value:?}");
                        let [title, split, query, system] =
                            [&task.title, &task.split, &query.id, *system].map(no_formula);
                        out.write_record([&title, &split, &query, &system, &*measure, &*value])?;
                    }
                }
            }
        }
        out.flush()
    })?;
    Ok(())
}

/// A text that a spreadsheet takes for text: what begins like a formula gets a `'` in front.
fn no_formula(text: &str) -> Cow<'_, str> {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        return Cow::Owned(format!("'{text}"));
    }
    Cow::Borrowed(text)
}

/// The table: for each subset a line for each system, then ceiling and floor.
pub(super) fn terminal(rows: &[Row], measures: &[Measure], pool: &str, screen: Screen) -> String {
    let mut heads = vec!["subset".to_owned(), "system".to_owned()];
    heads.extend(measures.iter().map(ToString::to_string));
    let heads: Vec<&str> = heads.iter().map(String::as_str).collect();
    let mut lines: Vec<Vec<String>> = Vec::new();
    for of_subset in rows.chunks(measures.len()) {
        let first = &of_subset[0];
        let mut left = [
            first.subset.clone(),
            format!("{} queries", grouped(first.queries.into())),
            format!("{} documents", grouped(first.documents.into())),
        ]
        .into_iter();
        let mut line = |name: &str, of: &dyn Fn(&Row) -> String| {
            let mut cells = vec![left.next().unwrap_or_default(), name.to_owned()];
            cells.extend(of_subset.iter().map(of));
            lines.push(cells);
        };
        for (at, cell) in first.models.iter().enumerate() {
            line(&cell.model, &|row| {
                if row.too_few {
                    return too_few(row.queries.into());
                }
                let Cell { score, group, .. } = &row.models[at];
                let text = format!("{} {group}", interval(score, 4));
                text.trim_end().to_owned()
            });
        }
        let number = |value: Option<f64>| value.map_or("–".to_owned(), |it| format!("{it:.4}"));
        line("ceiling", &|row| number(row.ceiling));
        line("floor", &|row| number(row.floor));
    }
    let pool = match pool {
        "everyone" => String::new(),
        pool => format!("; candidates of a query: {pool}"),
    };
    let warning = if rows.iter().all(|row| row.too_few) {
        format!("too few queries: no subset has {FEWEST_QUERIES}, so no score is shown\n")
    } else {
        String::new()
    };
    format!(
        "{warning}means over queries [95 % interval]; systems that share a letter do not differ significantly (Holm, α = 0.05); ceiling: best possible score, given identical texts; floor: expected score of a random order{pool}\n{}",
        grid::table(2, &heads, lines, screen)
    )
}
