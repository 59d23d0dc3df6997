//! The values of measures for one query.

use std::collections::BTreeMap;

use crate::ties::{TieGroup, tie_groups};
use crate::{
    Measure, Ranked, Ties, average_precision, ndcg, precision, recall, reciprocal_rank, success,
};

/// The values of the measures for one query, in the order of `measures`, each in `0..=1`.
///
/// `qrels` holds the grades of judged documents; what is not in it, and grades below 1, are not relevant.
/// A query without relevant documents has the value 0 everywhere, and so has an empty list.
pub fn evaluate(
    measures: &[Measure],
    ranked: &[Ranked],
    qrels: &BTreeMap<&str, i32>,
    ties: Ties,
) -> Vec<f64> {
    let groups = tie_groups(ranked, qrels, ties);
    let grades = positive_grades(qrels);
    measures
        .iter()
        .map(|&measure| value(measure, &groups, &grades))
        .collect()
}

/// The expected rank of the first document of the highest grade, one-based; `None` where none was retrieved.
///
/// Under [`Ties::Expected`] one such document among `n` equals stands in their middle; the first of `m`
/// among `n` stands at `(n + 1) / (m + 1)` on average.
///
/// ```
/// use std::collections::BTreeMap;
/// use barecode_scores::{Ranked, Ties, answer_rank};
/// let ranked = ["a", "b", "c"].map(|doc| Ranked { doc, score: 1.0 });
/// let qrels = BTreeMap::from([("a", 2), ("b", 1)]);
/// assert_eq!(answer_rank(&ranked, &qrels, Ties::Expected), Some(2.0));
/// assert_eq!(answer_rank(&ranked, &qrels, Ties::Docno), Some(3.0));
/// ```
pub fn answer_rank(ranked: &[Ranked], qrels: &BTreeMap<&str, i32>, ties: Ties) -> Option<f64> {
    let best = qrels.values().copied().max().filter(|&grade| grade > 0)?;
    let groups = tie_groups(ranked, qrels, ties);
    let group = groups.iter().find(|group| group.relevant(best) > 0)?;
    let step = (group.size + 1) as f64 / (group.relevant(best) + 1) as f64;
    Some(group.before as f64 + step)
}

/// The value of one measure for a list of groups; `grades` are all positive grades of the query.
pub(crate) fn value(measure: Measure, groups: &[TieGroup], grades: &[i32]) -> f64 {
    let relevant = |rel: i32| grades.iter().filter(|&&grade| grade >= rel).count();
    match measure {
        Measure::NDcg { k } => ndcg::expected(k, groups, grades),
        Measure::Rr { k, rel } => reciprocal_rank::expected(k, rel, groups),
        Measure::Ap { k, rel } => average_precision::expected(k, rel, groups, relevant(rel)),
        Measure::Recall { k, rel } => recall::expected(k, rel, groups, relevant(rel)),
        Measure::Precision { k, rel } => precision::expected(k, rel, groups),
        Measure::Success { k, rel } => success::expected(k, rel, groups),
    }
}

/// The grades that count, highest first.
pub(crate) fn positive_grades(qrels: &BTreeMap<&str, i32>) -> Vec<i32> {
    let mut grades: Vec<i32> = qrels.values().copied().filter(|&grade| grade > 0).collect();
    grades.sort_unstable_by(|a, b| b.cmp(a));
    grades
}
