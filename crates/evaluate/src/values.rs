//! Lists to values: a row for each query and measure.

use std::collections::{BTreeMap, BTreeSet};

use barecode_records::{Hit, Id, QueryScore, SubsetKind};
use barecode_scores::{
    Judged, Measure, Ranked, Ties, Twins, answer_rank, ceiling, evaluate_judged, floor,
};
use rayon::prelude::*;

use crate::drawn::Drawn;
use crate::error::EvaluateError;
use crate::task::Task;

/// How lists are scored.
#[derive(Debug, Clone, Copy)]
pub struct Scoring<'a> {
    /// The measures.
    pub measures: &'a [Measure],
    /// What equal scores mean.
    pub ties: Ties,
}

/// The values of one query's list. `position` finds a document in the list; `pool` has what other queries judge, for
/// measures that look at it; `grades` is the query's grades and `sorted` the same from high to low.
pub fn score_query<D>(
    scoring: Scoring<'_>,
    ranked: &[Ranked<'_>],
    position: impl Fn(&str) -> Option<usize>,
    (grades, sorted): (&BTreeMap<D, i32>, &[i32]),
    pool: &BTreeSet<&str>,
) -> Vec<f64>
where
    D: AsRef<str> + Ord + std::borrow::Borrow<str>,
{
    let found = grades
        .iter()
        .filter_map(|(document, &grade)| Some((position(document.as_ref())?, grade)));
    let mut here: Vec<(usize, i32)> = found.collect();
    here.sort_unstable();
    let other = |document: &str| pool.contains(document) && !grades.contains_key(document);
    let elsewhere: Vec<usize> = if pool.is_empty() {
        Vec::new()
    } else {
        let listed = ranked.iter().enumerate();
        let listed = listed.filter(|(_, entry)| other(entry.doc));
        listed.map(|(at, _)| at).collect()
    };
    let judged = Judged {
        here: &here,
        elsewhere: &elsewhere,
        grades: sorted,
    };
    evaluate_judged(scoring.measures, ranked, &judged, scoring.ties)
}

/// The rows of a system on a task: `hits` has the lists of each draw.
///
/// # Errors
/// If the subset is of a kind that is not scored yet.
pub fn values(
    system: &str,
    task: &Task,
    hits: &[Vec<Hit>],
    bounds: &Bounds,
    scoring: Scoring<'_>,
) -> Result<Vec<QueryScore>, EvaluateError> {
    let subset = &task.subset;
    match subset.kind {
        SubsetKind::Retrieval => {}
        // Pair labels and pairs of vectors get their own scores here.
        kind @ (SubsetKind::Matching | SubsetKind::Probe) => {
            return Err(EvaluateError::NotScored {
                subset: subset.name.clone(),
                kind,
            });
        }
    }
    let measures: Vec<String> = scoring.measures.iter().map(Measure::to_string).collect();
    let mut rows = Vec::new();
    for (draw, (hits, bounds)) in (1..).zip(hits.iter().zip(&bounds.0)) {
        let mut lists: BTreeMap<&str, Vec<Ranked<'_>>> = BTreeMap::new();
        for hit in hits {
            let list = lists.entry(hit.query_id.as_str()).or_default();
            list.push(Ranked {
                doc: hit.doc_id.as_str(),
                score: hit.score,
            });
        }
        let of_query = |(query, bounds): (&crate::TaskQuery, &Vec<Bound>)| {
            let ranked = lists.get(query.id.as_str());
            let ranked = ranked.map(Vec::as_slice).unwrap_or_default();
            let grades = task.grades_of(&query.id);
            let positions: BTreeMap<&str, usize> = ranked
                .iter()
                .zip(0..)
                .filter(|(entry, _)| grades.contains_key(entry.doc))
                .map(|(entry, at)| (entry.doc, at))
                .collect();
            let mut sorted: Vec<i32> = grades.values().copied().collect();
            sorted.sort_unstable_by(|a, b| b.cmp(a));
            let position = |document: &str| positions.get(document).copied();
            let values = score_query(
                scoring,
                ranked,
                position,
                (&grades, sorted.as_slice()),
                &BTreeSet::new(),
            );
            let answer_rank = answer_rank(ranked, &grades, scoring.ties);
            let row = |((measure, value), bound): ((&String, f64), &Bound)| QueryScore {
                retriever: system.to_owned(),
                subset: subset.name_without_draw().to_owned(),
                group: subset.facets.group.clone(),
                setting: subset.facets.setting,
                draw: subset.facets.draw,
                language: subset.facets.language,
                pool_draw: (task.draws.len() > 1).then_some(draw),
                query_id: Id::from(query.id.clone()),
                leak: query.leak,
                measure: measure.clone(),
                value,
                ceiling: bound.ceiling,
                floor: bound.floor,
                answer_rank,
            };
            let values = measures.iter().zip(values).zip(bounds);
            values.map(row).collect::<Vec<QueryScore>>()
        };
        let queries = task.queries.par_iter().zip(bounds);
        let of_queries: Vec<Vec<QueryScore>> = queries.map(of_query).collect();
        rows.extend(of_queries.into_iter().flatten());
    }
    Ok(rows)
}

/// What a perfect model and random order expect of each query, by draw, query and measure; the same for all systems.
#[derive(Debug)]
pub struct Bounds(Vec<Vec<Vec<Bound>>>);

#[derive(Debug, Clone, Copy)]
struct Bound {
    ceiling: Option<f64>,
    floor: Option<f64>,
}

impl Bounds {
    /// The bounds of a task.
    pub fn of(task: &Task, scoring: Scoring<'_>) -> Self {
        let pairs = task.pairs();
        let all = Twins::among(pairs.iter().copied());
        let measures = scoring.measures;
        let of_draw = |draw: &Drawn| -> Vec<Vec<Bound>> {
            let of_query = |(at, query): (usize, &crate::TaskQuery)| -> Vec<Bound> {
                let grades = task.grades_of(&query.id);
                let (ceilings, floors) = match draw {
                    Drawn::Everyone => (
                        ceiling(measures, &all, &grades),
                        floor(measures, pairs.len(), &grades),
                    ),
                    Drawn::Candidates(candidates) => {
                        let own = &candidates[at];
                        let twins = Twins::among(own.iter().map(|&document| pairs[document]));
                        (
                            ceiling(measures, &twins, &grades),
                            floor(measures, own.len(), &grades),
                        )
                    }
                };
                let both = ceilings.into_iter().zip(floors);
                both.map(|(ceiling, floor)| Bound { ceiling, floor })
                    .collect()
            };
            let queries = task.queries.par_iter().enumerate();
            queries.map(of_query).collect()
        };
        Bounds(task.draws.iter().map(of_draw).collect())
    }
}
