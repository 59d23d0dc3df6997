//! `--pool`: which documents a query is asked of.
//!
//! In come tasks and what was asked for, out come the candidates of each draw. Draws of a uniform pool differ in their
//! seed; the others have one draw. What this does not do: score.

use std::collections::BTreeSet;
use std::str::FromStr;

use barecode_retrieval::{Corpus, Pool, Scored, Twins};

use super::lists::List;
use super::task::Task;
use crate::exit::Failure;

/// `everyone`, `uniform:N` or `nearest:N`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum PoolArgument {
    #[default]
    Everyone,
    Uniform(usize),
    Nearest(usize),
}

/// The candidates of one draw.
pub(super) enum Drawn {
    /// All documents.
    Everyone,
    /// For each query some documents, by place from first to last.
    Candidates(Vec<Vec<usize>>),
}

impl FromStr for PoolArgument {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (kind, count) = text.split_once(':').unwrap_or((text, ""));
        let count = || {
            count
                .parse::<usize>()
                .ok()
                .filter(|&count| count > 0)
                .ok_or_else(|| format!("`{kind}` wants a number of other documents: `{kind}:99`"))
        };
        match kind {
            "everyone" => Ok(PoolArgument::Everyone),
            "uniform" => Ok(PoolArgument::Uniform(count()?)),
            "nearest" => Ok(PoolArgument::Nearest(count()?)),
            _ => Err("a pool is everyone, uniform:N or nearest:N".to_owned()),
        }
    }
}

impl std::fmt::Display for PoolArgument {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            PoolArgument::Everyone => f.write_str("everyone"),
            PoolArgument::Uniform(count) => write!(f, "uniform:{count}"),
            PoolArgument::Nearest(count) => write!(f, "nearest:{count}"),
        }
    }
}

impl PoolArgument {
    /// The candidates of a task; `None` leaves them as they are. `nearest` gives the lists of whoever chooses the nearest,
    /// so many documents deep.
    pub(super) fn draw(
        self,
        task: &Task<'_>,
        seeds: impl Iterator<Item = u64>,
        nearest: impl FnOnce(&Task<'_>, usize) -> anyhow::Result<Vec<List>>,
    ) -> anyhow::Result<Option<Vec<Drawn>>> {
        if self == PoolArgument::Everyone {
            return Ok(None);
        }
        if !task.subset.candidates.is_empty() {
            let message = format!(
                "subset `{}` has candidates of its own for its queries, so no pool can be drawn",
                task.subset.name
            );
            return Err(Failure::invalid(message).hint("leave out --pool").into());
        }
        let corpus = Corpus::new(task.pairs());
        let places = task.places();
        let answers: Vec<BTreeSet<usize>> = task
            .queries
            .iter()
            .map(|(query, _)| {
                let answers = task.qrels[query].iter().filter(|(_, grade)| **grade > 0);
                answers
                    .filter_map(|(document, _)| places.get(document).copied())
                    .collect()
            })
            .collect();
        let drawn = |pool: &dyn Fn(usize) -> Vec<usize>| {
            Drawn::Candidates((0..task.queries.len()).map(pool).collect())
        };
        Ok(Some(match self {
            PoolArgument::Everyone => vec![Drawn::Everyone],
            PoolArgument::Uniform(distractors) => seeds
                .map(|seed| {
                    drawn(&|query| {
                        let pool = Pool::Sampled {
                            distractors,
                            seed,
                            twins: Twins::Allowed,
                        };
                        pool.candidates(&corpus, task.queries[query].0, &answers[query])
                    })
                })
                .collect(),
            PoolArgument::Nearest(distractors) => {
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
                        twins: Twins::Allowed,
                    };
                    pool.candidates(&corpus, task.queries[query].0, &answers[query])
                })]
            }
        }))
    }
}

impl Drawn {
    /// Whether a document is a candidate of a query.
    pub(super) fn has(&self, query: usize, document: usize) -> bool {
        match self {
            Drawn::Everyone => true,
            Drawn::Candidates(candidates) => candidates[query].binary_search(&document).is_ok(),
        }
    }
}
