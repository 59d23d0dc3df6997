//! The result of `eval`: rows with tied groups, a table, and the value of every query.
//!
//! It is a view of the tables of the stage `score`. Where a pool was drawn several times, a query's value is its mean
//! over the draws, so intervals are over queries.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::Path;

use barecode_evaluate::{POOLED, PoolConfig, Task, letters};
use barecode_formats::Taken;
use barecode_records::table::write_atomically;
use barecode_records::{Difference, QueryScore, Score, SettingDrop, Stage};
use barecode_scores::intervals::{FEWEST_QUERIES, Trials};
use barecode_scores::{Interval, Measure};
use serde::Serialize;
use serde_json::{Value, json};

use super::request::Request;
use super::shown::Report;
use super::work::Done;
use crate::console::{Screen, grouped};
use crate::recipe::{RetrieveConfig, ScoreConfig};
use crate::report::cut::{self, Cut};
use crate::report::draws::by_column;
use crate::report::leader::Leader;
use crate::report::{distinct, grid, interval, too_few};

/// The result, and its inputs.
pub(super) struct Evaluated<'a> {
    arguments: &'a Request,
    columns: Vec<Taken>,
    tasks: Vec<&'a Task>,
    systems: Vec<&'a str>,
    scoring: &'a ScoreConfig,
    pool: PoolConfig,
    rows: Vec<QueryScore>,
    scores: Vec<Score>,
    drops: Vec<SettingDrop>,
    differences: Vec<Difference>,
    cuts: &'a [Cut],
}

impl<'a> Evaluated<'a> {
    /// Reads the tables of what was done.
    pub(super) fn of(
        arguments: &'a Request,
        columns: Vec<Taken>,
        tasks: Vec<&'a Task>,
        systems: Vec<&'a str>,
        scoring: &'a ScoreConfig,
        done: &'a Done,
    ) -> anyhow::Result<Self> {
        let layout = done.folder.layout();
        Ok(Evaluated {
            arguments,
            columns,
            tasks,
            systems,
            scoring,
            pool: arguments.retrieve(RetrieveConfig::EVERYONE).pool,
            rows: layout.query_scores()?,
            scores: layout.scores()?,
            drops: layout.drops()?,
            differences: layout.differences()?,
            cuts: &done.cuts,
        })
    }
}

impl Report for Evaluated<'_> {
    fn account(&self) -> anyhow::Result<Value> {
        Ok(json!({
            "dataset": self.arguments.dataset,
            "columns": self.columns,
            "ties": self.scoring.ties.name(),
            "depth": self.arguments.depth,
            "pool": self.pool.to_string(),
            "cut": self.cuts,
            "scores": rows(self),
            "verdict": verdict(self),
        }))
    }

    fn write(&self, out: &Path) -> anyhow::Result<()> {
        write_values(&out.join("per-query.csv"), self)
    }

    fn texts(&self, screen: Screen) -> Vec<String> {
        let pool = self.pool.to_string();
        let mut texts = vec![terminal(&rows(self), &self.scoring.measures, &pool, screen)];
        texts.extend(verdict(self));
        texts.extend(cut::sentences(self.cuts));
        let subsets = self.scores.iter();
        let subsets = subsets.map(|score| (score.subset.as_str(), score.documents));
        texts.extend(cut::short_pools(self.pool, subsets));
        texts
    }

    fn rest(&self, out: &Path) -> String {
        format!("runs: {}", out.join(Stage::Retrieve.folder()).display())
    }
}

/// The result for one subset and measure.
#[derive(Debug, Serialize)]
struct Row {
    subset: String,
    split: String,
    measure: String,
    queries: u32,
    too_few: bool,
    documents: u32,
    /// The number of draws of the setting and of the pool that a query's value averages.
    draws: u32,
    models: Vec<Cell>,
    /// Systems that cannot read any of the documents, and so have no score.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    not_for_this_language: Vec<String>,
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
    /// The loss by this setting, as a share of the standard setting's score, on the same queries.
    #[serde(skip_serializing_if = "Option::is_none")]
    lost: Option<Interval>,
    /// Models that share a letter do not differ significantly.
    group: String,
}

#[derive(Debug, Serialize)]
struct Repositories {
    low: f64,
    high: f64,
    count: u32,
}

/// Returns a row for each subset and measure; draws of one setting are one subset, and groups appear together once
/// more.
fn rows(result: &Evaluated<'_>) -> Vec<Row> {
    let mut rows = Vec::new();
    let scores = result.scores.iter().filter(|score| score.slice == "all");
    for name in distinct(scores.clone().map(|score| score.subset.as_str())) {
        let task = result
            .tasks
            .iter()
            .find(|task| task.subset.name_without_draw() == name);
        for measure in &result.scoring.measures {
            let measure = measure.to_string();
            let of_row = of_systems(result, name, &measure);
            let Some(first) = of_row.first() else {
                continue;
            };
            let pairs = differences(result, name, &measure);
            let groups = if of_row.len() > 1 {
                let means: Vec<f64> = of_row.iter().map(|score| score.value).collect();
                let names: Vec<&str> = of_row.iter().map(|it| it.retriever.as_str()).collect();
                letters(&names, &means, &pairs, result.scoring.confidence)
            } else {
                vec![String::new()]
            };
            let lost = |score: &Score| {
                let same = |drop: &&SettingDrop| {
                    drop.retriever == score.retriever
                        && drop.measure == score.measure
                        && drop.group == score.group
                        && Some(drop.setting) == score.setting
                };
                result.drops.iter().find(same)
            };
            let has_none = |system: &&&str| of_row.iter().all(|score| score.retriever != **system);
            let unread = result.systems.iter().filter(has_none);
            rows.push(Row {
                not_for_this_language: unread.map(|system| (*system).to_owned()).collect(),
                subset: task.map_or_else(|| name.to_owned(), |task| label(task, result)),
                split: task.map_or("", |task| &task.split).to_owned(),
                measure,
                queries: first.queries,
                too_few: first.too_few,
                documents: first.documents,
                draws: first.draws,
                ceiling: first.ceiling,
                floor: first.floor,
                models: of_row
                    .iter()
                    .zip(groups)
                    .map(|(score, group)| cell(score, lost(score), group))
                    .collect(),
            });
        }
    }
    rows
}

/// Returns the name of a task in the dataset; of all draws of a setting, the name without the draw.
fn title(task: &Task) -> &str {
    match task.subset.facets.draw {
        Some(_) => task.subset.name_without_draw(),
        None => &task.title,
    }
}

/// The same with its split, if another split has a subset of this name: `all-standard/train`.
fn label(task: &Task, result: &Evaluated<'_>) -> String {
    let of_task = title(task);
    let mut tasks = result.tasks.iter();
    let is_other = |other: &&Task| title(other) == of_task && other.split != task.split;
    if tasks.any(is_other) {
        format!("{of_task}/{}", task.split)
    } else {
        of_task.to_owned()
    }
}

/// The scores of a subset and measure, in the order of the systems.
fn of_systems<'a>(result: &'a Evaluated<'_>, subset: &str, measure: &str) -> Vec<&'a Score> {
    let of_system = |system: &&str| {
        let mut scores = result.scores.iter();
        scores.find(|score| {
            score.subset == subset
                && score.slice == "all"
                && score.measure == measure
                && score.retriever == *system
        })
    };
    result.systems.iter().filter_map(of_system).collect()
}

fn differences<'a>(result: &'a Evaluated<'_>, subset: &str, measure: &str) -> Vec<&'a Difference> {
    let differences = result.differences.iter();
    differences
        .filter(|pair| pair.subset == subset && pair.measure == measure)
        .collect()
}

/// More subsets than this are counted instead of listed.
const TOLD: usize = 3;

/// Returns the leading system by the main measure: on all groups together where there are several, or on each of a few
/// subsets.
fn verdict(result: &Evaluated<'_>) -> Vec<String> {
    let Some(measure) = result.scoring.measures.first().map(ToString::to_string) else {
        return Vec::new();
    };
    if result.systems.len() < 2 {
        return Vec::new();
    }
    let subsets = distinct(result.scores.iter().map(|score| score.subset.as_str()));
    let leaders = subsets.into_iter().filter_map(|subset| {
        let scores = of_systems(result, subset, &measure);
        let pairs = differences(result, subset, &measure);
        let leader = Leader::of(&scores, &pairs, result.scoring.confidence)?;
        let pooled = scores.first()?.group.as_deref() == Some(POOLED);
        Some((subset, pooled, leader))
    });
    let mut leaders: Vec<_> = leaders.collect();
    if leaders.iter().any(|(_, pooled, _)| *pooled) {
        leaders.retain(|(_, pooled, _)| *pooled);
    }
    if leaders.len() <= TOLD {
        let sentences = leaders
            .iter()
            .map(|(subset, _, leader)| leader.sentence(&format!("by {measure} on {subset}")));
        return sentences.collect();
    }
    let all = leaders.len();
    let sentence = |system: &&str| {
        let first: Vec<_> = leaders
            .iter()
            .filter(|(_, _, leader)| leader.name == *system)
            .collect();
        let alone = first
            .iter()
            .filter(|(_, _, leader)| !leader.is_tied())
            .count();
        (!first.is_empty()).then(|| {
            let first = first.len();
            format!("By {measure}, {system} is first on {first} of {all} subsets, on {alone} of them ahead of every other one.")
        })
    };
    result.systems.iter().filter_map(sentence).collect()
}

fn cell(score: &Score, lost: Option<&SettingDrop>, group: String) -> Cell {
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
        lost: lost.and_then(|drop| {
            Some(Interval {
                value: drop.relative?,
                low: drop.relative_low?,
                high: drop.relative_high?,
            })
        }),
        group,
    }
}

/// Writes the value of every query: `subset,split,query,system,measure,value`.
fn write_values(path: &Path, result: &Evaluated<'_>) -> anyhow::Result<()> {
    let columns = by_column(&result.rows);
    write_atomically(path, |file| {
        let mut out = csv::Writer::from_writer(std::io::BufWriter::new(file));
        out.write_record(["subset", "split", "query", "system", "measure", "value"])?;
        let mut written: BTreeSet<&str> = BTreeSet::new();
        for task in &result.tasks {
            let subset = task.subset.name_without_draw();
            if !written.insert(subset) {
                continue;
            }
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
                            [title(task), &task.split, &query.id, *system].map(no_formula);
                        out.write_record([&title, &split, &query, &system, &*measure, &*value])?;
                    }
                }
            }
        }
        out.flush()
    })?;
    Ok(())
}

/// Returns the text in a form that a spreadsheet reads as text: a `'` is put before the beginning of a formula.
fn no_formula(text: &str) -> Cow<'_, str> {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        return Cow::Owned(format!("'{text}"));
    }
    Cow::Borrowed(text)
}

/// The table: for each subset a line for each system, then ceiling and floor.
fn terminal(rows: &[Row], measures: &[Measure], pool: &str, screen: Screen) -> String {
    if rows.is_empty() {
        return "no score: no system knows the language of these documents".to_owned();
    }
    let loses = rows
        .iter()
        .flat_map(|row| &row.models)
        .any(|cell| cell.lost.is_some());
    let mut heads = vec!["subset".to_owned(), "system".to_owned()];
    heads.extend(measures.iter().map(ToString::to_string));
    if loses {
        heads.insert(3, "lost".to_owned());
    }
    let heads: Vec<&str> = heads.iter().map(String::as_str).collect();
    let mut lines: Vec<Vec<String>> = Vec::new();
    for of_subset in rows.chunks(measures.len()) {
        let first = &of_subset[0];
        let draws = match first.draws {
            0 | 1 => String::new(),
            draws => format!(" ×{draws}"),
        };
        let mut left = [
            format!("{}{draws}", first.subset),
            format!("{} queries", grouped(first.queries.into())),
            format!("{} documents", grouped(first.documents.into())),
        ]
        .into_iter();
        let mut line = |name: &str, lost: Option<String>, of: &dyn Fn(&Row) -> String| {
            let mut cells = vec![left.next().unwrap_or_default(), name.to_owned()];
            cells.extend(of_subset.iter().map(of));
            if loses {
                cells.insert(3, lost.unwrap_or_default());
            }
            lines.push(cells);
        };
        for (at, model) in first.models.iter().enumerate() {
            let lost = model.lost.filter(|_| !first.too_few).map(|lost| {
                let [value, low, high] = [lost.value, lost.low, lost.high].map(whole_percent);
                format!("{value} % [{low}, {high}]")
            });
            line(&model.model, lost, &|row| {
                if row.too_few {
                    return too_few(row.queries.into());
                }
                let Cell { score, group, .. } = &row.models[at];
                let text = format!("{} {group}", interval(score, 3));
                text.trim_end().to_owned()
            });
        }
        for name in &first.not_for_this_language {
            line(name, None, &|_| "not for this language".to_owned());
        }
        let number = |value: Option<f64>| value.map_or("–".to_owned(), |it| format!("{it:.3}"));
        line("ceiling", None, &|row| number(row.ceiling));
        line("floor", None, &|row| number(row.floor));
    }
    let mut notes = vec!["means over queries [95 % interval]".to_owned()];
    if rows.iter().any(|row| row.models.len() > 1) {
        notes.push(
            "systems that share a letter do not differ significantly (Holm, α = 0.05)".to_owned(),
        );
    }
    if loses {
        let measure = measures
            .first()
            .map(ToString::to_string)
            .unwrap_or_default();
        notes.push(format!(
            "lost: the share of the standard setting's {measure} that the setting costs"
        ));
    }
    notes.push("ceiling: best possible score, given identical texts".to_owned());
    notes.push("floor: expected score of a random order".to_owned());
    if rows.iter().any(|row| row.draws > 1) {
        notes.push("×N: mean of N draws".to_owned());
    }
    if pool != "everyone" {
        notes.push(format!("candidates of a query: {pool}"));
    }
    let warning = if rows.iter().all(|row| row.too_few) {
        format!("too few queries: no subset has {FEWEST_QUERIES}, so no score is shown\n")
    } else {
        String::new()
    };
    format!(
        "{warning}{}\n{}",
        notes.join("; "),
        grid::table(2, &heads, lines, screen)
    )
}

/// A share as a whole number of percent.
fn whole_percent(share: f64) -> f64 {
    (share * 100.0).round() + 0.0
}
