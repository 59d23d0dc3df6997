//! What came out: values of queries to means with intervals, tied groups, ceiling and floor.
//!
//! In come the lists of every system, out come rows, a table, and the value of every query. Where a pool was drawn
//! several times, a query's value is its mean over the draws, so intervals are over queries.

use std::io::Write as _;
use std::path::Path;

use barecode_records::table::write_atomically;
use barecode_scores::comparison::{Judge, Plan, compare_all};
use barecode_scores::intervals::{Trials, trials};
use barecode_scores::{
    Bootstrap, Interval, Measure, Method, Ranked, Ties, Twins, ceiling, evaluate, floor,
};
use serde::Serialize;

use super::lists::Lists;
use super::pool::Drawn;
use super::task::{Grades, Task};
use crate::console::grouped;
use crate::report::statistics;

/// The values of one system on one task: by measure and draw, a value a query.
pub(super) struct Answered(Vec<Vec<Vec<f64>>>);

/// What came out for one subset and measure.
#[derive(Debug, Serialize)]
pub(super) struct Row {
    subset: String,
    split: String,
    measure: String,
    queries: usize,
    documents: usize,
    models: Vec<Cell>,
    ceiling: Option<f64>,
    floor: Option<f64>,
}

#[derive(Debug, Serialize)]
struct Cell {
    model: String,
    #[serde(flatten)]
    score: Interval,
    /// The interval with whole repositories drawn, where the dataset tells the repository of every answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    repositories: Option<Repositories>,
    /// The means of the draws of a pool.
    #[serde(skip_serializing_if = "Option::is_none")]
    draws: Option<Trials>,
    /// Models that share a letter are not told apart.
    group: String,
}

#[derive(Debug, Serialize)]
struct Repositories {
    low: f64,
    high: f64,
    count: usize,
}

/// How values become rows.
pub(super) struct Judged<'a> {
    pub(super) measures: &'a [Measure],
    pub(super) ties: Ties,
    pub(super) resamples: u32,
    pub(super) seed: u64,
}

impl Judged<'_> {
    /// The value of every query.
    pub(super) fn values(&self, task: &Task<'_>, lists: &Lists) -> Answered {
        let mut values = vec![vec![Vec::new(); lists.len()]; self.measures.len()];
        for (draw, lists) in lists.iter().enumerate() {
            for ((query, _), list) in task.queries.iter().zip(lists) {
                let ranked: Vec<Ranked<'_>> = list
                    .iter()
                    .map(|&(document, score)| Ranked {
                        doc: &task.subset.documents[document].id,
                        score,
                    })
                    .collect();
                let of_query = evaluate(self.measures, &ranked, &task.qrels[query], self.ties);
                for (columns, value) in values.iter_mut().zip(of_query) {
                    columns[draw].push(value);
                }
            }
        }
        Answered(values)
    }

    /// A row for each measure of a task; none where it has no queries.
    pub(super) fn rows(
        &self,
        task: &Task<'_>,
        names: &[&str],
        answered: &[&Answered],
    ) -> anyhow::Result<Vec<Row>> {
        if task.queries.is_empty() {
            return Ok(Vec::new());
        }
        let bootstrap = Bootstrap {
            resamples: self.resamples,
            confidence: 0.95,
            seed: self.seed,
        };
        let plan = Plan {
            bootstrap,
            method: Method::Percentile,
            permutations: self.resamples,
        };
        let (ceilings, floors) = self.bounds(task);
        let repositories = task.repositories();
        let mut rows = Vec::new();
        for (which, measure) in self.measures.iter().enumerate() {
            let columns: Vec<Vec<f64>> = answered.iter().map(|of| of.of_queries(which)).collect();
            let letters = if columns.len() > 1 {
                compare_all(&columns, Judge::Holm, &plan)?.groups.letters
            } else {
                vec![String::new()]
            };
            let mut cells = Vec::new();
            for (((name, column), answered), group) in
                names.iter().zip(&columns).zip(answered).zip(letters)
            {
                let draws = &answered.0[which];
                let means: Vec<f64> = draws.iter().map(|draw| mean(draw)).collect();
                let repositories = match &repositories {
                    Some(of) => {
                        let drawn = bootstrap.cluster_mean(column, of, Method::Percentile)?;
                        Some(Repositories {
                            low: drawn.interval.low,
                            high: drawn.interval.high,
                            count: drawn.clusters,
                        })
                    }
                    None => None,
                };
                cells.push(Cell {
                    model: (*name).to_owned(),
                    score: bootstrap.mean(column, Method::Percentile)?,
                    repositories,
                    draws: if means.len() > 1 {
                        Some(trials(&means)?)
                    } else {
                        None
                    },
                    group,
                });
            }
            rows.push(Row {
                subset: task.subset.name.clone(),
                split: task.subset.split.clone(),
                measure: measure.to_string(),
                queries: task.queries.len(),
                documents: task.documents.len(),
                models: cells,
                ceiling: ceilings[which],
                floor: floors[which],
            });
        }
        Ok(rows)
    }

    /// Best and random value of each measure, where all queries have one.
    fn bounds(&self, task: &Task<'_>) -> (Vec<Option<f64>>, Vec<Option<f64>>) {
        let pairs = task.pairs();
        let all = Twins::among(pairs.iter().copied());
        let mut best = Means::new(self.measures.len());
        let mut random = Means::new(self.measures.len());
        for draw in &task.draws {
            for (place, (query, _)) in task.queries.iter().enumerate() {
                let qrels: &Grades<'_> = &task.qrels[query];
                match draw {
                    Drawn::Everyone => {
                        best.add(&ceiling(self.measures, &all, qrels));
                        random.add(&floor(self.measures, pairs.len(), qrels));
                    }
                    Drawn::Candidates(candidates) => {
                        let own = &candidates[place];
                        let twins = Twins::among(own.iter().map(|&document| pairs[document]));
                        best.add(&ceiling(self.measures, &twins, qrels));
                        random.add(&floor(self.measures, own.len(), qrels));
                    }
                }
            }
        }
        (best.done(), random.done())
    }
}

impl Answered {
    /// Each query's mean over the draws.
    fn of_queries(&self, measure: usize) -> Vec<f64> {
        let draws = &self.0[measure];
        let n = draws.len() as f64;
        (0..draws[0].len())
            .map(|query| draws.iter().map(|draw| draw[query]).sum::<f64>() / n)
            .collect()
    }
}

/// Means of columns, some of which have no value.
struct Means {
    sums: Vec<Option<f64>>,
    count: usize,
}

impl Means {
    fn new(columns: usize) -> Self {
        Means {
            sums: vec![Some(0.0); columns],
            count: 0,
        }
    }

    fn add(&mut self, values: &[Option<f64>]) {
        self.count += 1;
        for (sum, value) in self.sums.iter_mut().zip(values) {
            *sum = sum.zip(*value).map(|(sum, value)| sum + value);
        }
    }

    fn done(self) -> Vec<Option<f64>> {
        let n = self.count as f64;
        let sums = self.sums.into_iter();
        sums.map(|sum| sum.map(|sum| sum / n)).collect()
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Writes the value of every query: `subset,split,query,system,measure,value`.
pub(super) fn write_values(
    path: &Path,
    tasks: &[Task<'_>],
    names: &[&str],
    measures: &[Measure],
    answered: &[Vec<Answered>],
) -> anyhow::Result<()> {
    write_atomically(path, |file| {
        let mut out = csv::Writer::from_writer(std::io::BufWriter::new(file));
        out.write_record(["subset", "split", "query", "system", "measure", "value"])?;
        for (place, task) in tasks.iter().enumerate() {
            for (which, measure) in measures.iter().enumerate() {
                let measure = measure.to_string();
                for (name, of_system) in names.iter().zip(answered) {
                    let values = of_system[place].of_queries(which);
                    for ((query, _), value) in task.queries.iter().zip(values) {
                        let subset = task.subset;
                        let value = format!("{value:?}");
                        let record = [&subset.name, &subset.split, *query, name, &measure, &value];
                        out.write_record(record)?;
                    }
                }
            }
        }
        out.flush()
    })?;
    Ok(())
}

/// Writes everything that is told.
pub(super) fn write_account(path: &Path, account: &serde_json::Value) -> anyhow::Result<()> {
    let text = serde_json::to_string_pretty(account)?;
    write_atomically(path, |file| writeln!(file, "{text}"))?;
    Ok(())
}

/// The table: for each subset a line for each system, then ceiling and floor.
pub(super) fn shown(
    rows: &[Row],
    measures: &[Measure],
    pool: &str,
    width: u16,
    color: bool,
) -> String {
    let mut heads = vec!["subset".to_owned(), "system".to_owned()];
    heads.extend(measures.iter().map(ToString::to_string));
    let heads: Vec<&str> = heads.iter().map(String::as_str).collect();
    let mut lines: Vec<(usize, Vec<String>)> = Vec::new();
    for of_subset in rows.chunks(measures.len()) {
        let first = &of_subset[0];
        let mut left = [
            first.subset.clone(),
            format!("{} queries", grouped(first.queries as u64)),
            format!("{} documents", grouped(first.documents as u64)),
        ]
        .into_iter();
        let mut line = |name: &str, of: &dyn Fn(&Row) -> String| {
            let mut cells = vec![left.next().unwrap_or_default(), name.to_owned()];
            cells.extend(of_subset.iter().map(of));
            lines.push((2, cells));
        };
        for (place, cell) in first.models.iter().enumerate() {
            line(&cell.model, &|row| {
                let Cell { score, group, .. } = &row.models[place];
                let Interval { value, low, high } = score;
                let text = format!("{value:.4} [{low:.4}, {high:.4}] {group}");
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
    format!(
        "means over queries [95 % bootstrap interval]; systems that share a letter are not told apart (Holm, level 0.05); \
         ceiling: a perfect model that cannot tell twins apart; floor: random order{pool}\n{}",
        statistics::table(&heads, &lines, width, color)
    )
}
