//! The documents that compete for a query: `[retrieve] pool` of a recipe, `--pool` of `eval`.
//!
//! In come a task and the requested pool, out come the candidates of each draw. Draws of a uniform pool differ in
//! their seed; the others have one draw. Copies are never drawn: documents with the text of an answer, to this query
//! or to another one of the same text. Not part of this: scoring.

use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;

use barecode_records::{Candidate, Digest, Id};
use barecode_retrieval::{Corpus, Pool, Scored, windows};

use crate::asked::List;
use crate::drawn::Drawn;
use crate::error::EvaluateError;
use crate::task::Task;

/// `everyone`, `uniform:N`, `nearest:N` or `gecs:N`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PoolConfig {
    /// All documents.
    #[default]
    Everyone,
    /// The answers and this many others, drawn for each query.
    Uniform(usize),
    /// The answers and those others that the first system lists first.
    Nearest(usize),
    /// This many others as `GenCodeSearchNet`'s released script draws them: each pool from the pool before it, copies
    /// of the answer included.
    Gecs(usize),
    /// One answer and one other: the balanced pairs of matching, which a recipe does not name.
    Pairs,
}

impl FromStr for PoolConfig {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (kind, count) = text.split_once(':').unwrap_or((text, ""));
        let count = || {
            count
                .parse::<usize>()
                .ok()
                .filter(|&count| count > 0)
                .ok_or_else(|| format!("`{kind}` needs a number of other documents: `{kind}:99`"))
        };
        match kind {
            "everyone" => Ok(PoolConfig::Everyone),
            "uniform" => Ok(PoolConfig::Uniform(count()?)),
            "nearest" => Ok(PoolConfig::Nearest(count()?)),
            "gecs" => Ok(PoolConfig::Gecs(count()?)),
            _ => Err("a pool is everyone, uniform:N, nearest:N or gecs:N".to_owned()),
        }
    }
}

impl std::fmt::Display for PoolConfig {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            PoolConfig::Everyone => f.write_str("everyone"),
            PoolConfig::Uniform(count) => write!(f, "uniform:{count}"),
            PoolConfig::Nearest(count) => write!(f, "nearest:{count}"),
            PoolConfig::Gecs(count) => write!(f, "gecs:{count}"),
            PoolConfig::Pairs => f.write_str("pairs"),
        }
    }
}

impl PoolConfig {
    /// Returns the number of draws if `asked` are requested: only pools that depend on a seed are drawn more than
    /// once.
    pub fn draws(self, asked: u32) -> u32 {
        match self {
            PoolConfig::Uniform(_) | PoolConfig::Gecs(_) | PoolConfig::Pairs => asked,
            PoolConfig::Everyone | PoolConfig::Nearest(_) => 1,
        }
    }

    /// The number of others that an answer is among, if a subset has that many.
    pub fn others(self) -> Option<usize> {
        match self {
            PoolConfig::Everyone => None,
            PoolConfig::Pairs => Some(1),
            PoolConfig::Uniform(n) | PoolConfig::Nearest(n) | PoolConfig::Gecs(n) => Some(n),
        }
    }

    /// The candidates of a task; `None` leaves them as they are. `nearest` returns the lists of the system that
    /// chooses the nearest, at the depth that it is called with.
    ///
    /// # Errors
    /// If the subset has candidates of its own.
    pub fn draw<E: From<EvaluateError>>(
        self,
        task: &Task,
        seeds: impl Iterator<Item = u64>,
        nearest: impl FnOnce(&Task, usize) -> Result<Vec<List>, E>,
    ) -> Result<Option<Vec<Drawn>>, E> {
        if self == PoolConfig::Everyone {
            return Ok(None);
        }
        if task.draws != [Drawn::Everyone] {
            let message = format!(
                "subset `{}` has candidates of its own for its queries, so no pool can be drawn",
                task.subset.name
            );
            return Err(EvaluateError::invalid(message)
                .hint("leave out the pool")
                .into());
        }
        let corpus = Corpus::new(
            task.documents
                .iter()
                .map(|document| document.id.as_str())
                .collect(),
        );
        let indexes = task.indexes();
        let answers: Vec<BTreeSet<usize>> = task
            .queries
            .iter()
            .map(|query| {
                let grades = task.grades.get(&query.id).into_iter().flatten();
                grades
                    .filter(|(_, grade)| **grade > 0)
                    .filter_map(|(document, _)| indexes.get(document.as_str()).copied())
                    .collect()
            })
            .collect();
        let copies = match self {
            PoolConfig::Uniform(_) | PoolConfig::Pairs => copies(task, &answers),
            _ => vec![BTreeSet::new(); answers.len()],
        };
        let drawn = |pool: &dyn Fn(usize) -> Vec<usize>| {
            Drawn::Candidates((0..task.queries.len()).map(pool).collect())
        };
        Ok(Some(match self {
            PoolConfig::Everyone => vec![Drawn::Everyone],
            PoolConfig::Uniform(distractors) => seeds
                .map(|seed| {
                    drawn(&|query| {
                        let pool = Pool::Sampled { distractors, seed };
                        let id = &task.queries[query].id;
                        pool.candidates(&corpus, id, &answers[query], &copies[query])
                    })
                })
                .collect(),
            PoolConfig::Pairs => {
                let first = |query: usize| -> BTreeSet<usize> {
                    let best = best_answer(task, &indexes, query);
                    best.into_iter().collect()
                };
                let pairs = |seed: u64| {
                    // The other of a pair is not the first distractor of a pool of the same seed.
                    let seed = Digest::new("pairs").field(seed.to_le_bytes()).seed();
                    let distractors = 1;
                    drawn(&|query| {
                        let pool = Pool::Sampled { distractors, seed };
                        let mut others = copies[query].clone();
                        others.extend(&answers[query]);
                        let id = &task.queries[query].id;
                        pool.candidates(&corpus, id, &first(query), &others)
                    })
                };
                seeds.map(pairs).collect()
            }
            PoolConfig::Gecs(distractors) => {
                let of_query = |query| best_answer(task, &indexes, query);
                let best: Option<Vec<usize>> = (0..task.queries.len()).map(of_query).collect();
                let Some(best) = best else {
                    let message = format!(
                        "a query of subset `{}` has no answer, and the pool `gecs` needs one of each",
                        task.subset.name
                    );
                    return Err(EvaluateError::invalid(message).into());
                };
                let documents = task.documents.len();
                let draw = |seed| windows(documents, &best, distractors, seed);
                seeds.map(draw).map(Drawn::Candidates).collect()
            }
            PoolConfig::Nearest(distractors) => {
                // Deep enough if all answers come first.
                let most = answers.iter().map(BTreeSet::len).max().unwrap_or(0);
                let lists = nearest(task, distractors.saturating_add(most))?;
                vec![drawn(&|query| {
                    let list: Vec<Scored> = lists[query]
                        .iter()
                        .map(|&(document, score)| Scored { document, score })
                        .collect();
                    let pool = Pool::Nearest {
                        distractors,
                        list: &list,
                    };
                    let id = &task.queries[query].id;
                    pool.candidates(&corpus, id, &answers[query], &copies[query])
                })]
            }
        }))
    }
}

/// The answer of the highest grade, the first by id among equals.
pub(crate) fn best_answer(
    task: &Task,
    indexes: &BTreeMap<&str, usize>,
    query: usize,
) -> Option<usize> {
    let grades = task.grades.get(&task.queries[query].id)?;
    let mut best: Option<(i32, usize)> = None;
    for (document, &grade) in grades {
        let found = indexes.get(document.as_str()).filter(|_| grade > 0);
        if let Some(&at) = found
            && best.is_none_or(|(highest, _)| grade > highest)
        {
            best = Some((grade, at));
        }
    }
    best.map(|(_, at)| at)
}

/// The documents of each query that have the text of an answer, to it or to another query of the same text.
fn copies(task: &Task, answers: &[BTreeSet<usize>]) -> Vec<BTreeSet<usize>> {
    let mut by_text: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, document) in task.documents.iter().enumerate() {
        by_text.entry(&document.text).or_default().push(at);
    }
    let mut by_query: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
    for (query, answers) in task.queries.iter().zip(answers) {
        let of_text = by_query.entry(&query.text).or_default();
        for &answer in answers {
            of_text.extend(&by_text[task.documents[answer].text.as_str()]);
        }
    }
    let queries = task.queries.iter();
    queries
        .map(|query| by_query[query.text.as_str()].clone())
        .collect()
}

impl Drawn {
    /// The candidates as rows, and [`Drawn::of_rows`] the other way.
    pub fn rows(draws: &[Drawn], task: &Task) -> Vec<Candidate> {
        let mut rows = Vec::new();
        for (draw, drawn) in (1..).zip(draws) {
            let Drawn::Candidates(candidates) = drawn else {
                continue;
            };
            for (query, own) in task.queries.iter().zip(candidates) {
                rows.extend(own.iter().map(|&document| Candidate {
                    pool_draw: draw,
                    query_id: Id::from(query.id.clone()),
                    doc_id: Id::from(task.documents[document].id.clone()),
                }));
            }
        }
        rows
    }

    /// The draws of rows of a table.
    pub fn of_rows(rows: &[Candidate], task: &Task) -> Vec<Drawn> {
        let (indexes, queries) = (task.indexes(), task.query_indexes());
        let n_draws = rows.iter().map(|row| row.pool_draw).max().unwrap_or(0) as usize;
        let mut draws = vec![vec![Vec::new(); task.queries.len()]; n_draws];
        for row in rows {
            let query = queries.get(row.query_id.as_str());
            let document = indexes.get(row.doc_id.as_str());
            if let (Some(&query), Some(&document)) = (query, document) {
                draws[row.pool_draw as usize - 1][query].push(document);
            }
        }
        draws.into_iter().map(Drawn::Candidates).collect()
    }
}
