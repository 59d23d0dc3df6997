//! Lists to values: a row for each query and measure.

use std::collections::BTreeMap;

use barecode_records::{Id, QueryScore, SubsetKind};
use barecode_scores::{
    Judged, Measure, Ties, Twins, answer_rank, ceiling, ceiling_of_twins, evaluate_judged, floor,
};
use rayon::prelude::*;

use crate::asked::{List, Lists};
use crate::drawn::Drawn;
use crate::error::EvaluateError;
use crate::rows::{by_id, ranked};
use crate::task::{Task, TaskQuery};

/// The options of scoring.
#[derive(Debug, Clone, Copy)]
pub struct Scoring<'a> {
    /// The measures.
    pub measures: &'a [Measure],
    /// The treatment of equal scores.
    pub ties: Ties,
}

/// The rows of a system on a task.
///
/// # Errors
/// If the subset is of a kind that is not scored yet.
pub fn values(
    system: &str,
    task: &Task,
    lists: &Lists,
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
    let indexes = task.indexes();
    for (draw, (lists, bounds)) in (1..).zip(lists.iter().zip(&bounds.0)) {
        let of_query = |((query, list), bounds): ((&TaskQuery, &List), &Vec<Bound>)| {
            let own = task.grades.get(&query.id);
            let mut grades: Vec<i32> = own.into_iter().flatten().map(|(_, &it)| it).collect();
            grades.sort_unstable_by(|a, b| b.cmp(a));
            let own = own.into_iter().flatten();
            let own: BTreeMap<usize, i32> = own
                .filter_map(|(document, &grade)| Some((*indexes.get(document.as_str())?, grade)))
                .collect();
            let list = by_id(task, list);
            let listed = list.iter().enumerate();
            let here: Vec<(usize, i32)> = listed
                .filter_map(|(at, (document, _))| Some((at, *own.get(document)?)))
                .collect();
            let ranked = ranked(task, &list);
            let judged = Judged {
                here: &here,
                elsewhere: &[],
                grades: &grades,
            };
            let values = evaluate_judged(scoring.measures, &ranked, &judged, scoring.ties);
            let answer_rank = answer_rank(&ranked, &judged, scoring.ties);
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
        let queries = task.queries.par_iter().zip(lists).zip(bounds);
        let of_queries: Vec<Vec<QueryScore>> = queries.map(of_query).collect();
        rows.extend(of_queries.into_iter().flatten());
    }
    Ok(rows)
}

/// The expected value of a perfect model and of random order for each query, by draw, query and measure; the same for
/// all systems.
///
/// Queries with the same text among all documents have one ceiling: the mean over them under the list that is best for
/// all of them together. Where candidates are drawn, each query has a list of its own.
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
        // Queries with the same text get the same list from any model.
        let mut same: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for query in &task.queries {
            same.entry(&query.text).or_default().push(&query.id);
        }
        let same: BTreeMap<&str, Vec<Option<f64>>> = same
            .into_par_iter()
            .filter(|(_, queries)| queries.len() > 1)
            .map(|(text, queries)| {
                let grades: Vec<_> = queries.iter().map(|query| task.grades_of(query)).collect();
                let grades: Vec<&BTreeMap<&str, i32>> = grades.iter().collect();
                (text, ceiling_of_twins(measures, &all, &grades))
            })
            .collect();
        let of_draw = |draw: &Drawn| -> Vec<Vec<Bound>> {
            let of_query = |(at, query): (usize, &TaskQuery)| -> Vec<Bound> {
                let grades = task.grades_of(&query.id);
                let (ceilings, floors) = match draw {
                    Drawn::Everyone => (
                        same.get(query.text.as_str())
                            .cloned()
                            .unwrap_or_else(|| ceiling(measures, &all, &grades)),
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
