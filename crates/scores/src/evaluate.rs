//! The values of measures for one query.

use std::collections::{BTreeMap, BTreeSet};

use crate::measure::{Kind, Measure};
use crate::ties::{Judged, List, Ranked, TieGroup, Ties, list};
use crate::{
    accuracy, average_precision, bpref, capped_recall, expected_reciprocal_rank, hole, inferred_ap,
    interpolated_precision, judged, ndcg, precision, r_precision, rank_biased, recall,
    reciprocal_rank, scaled_dcg, set, success,
};

/// The values of the measures for one query, in the order of `measures`; each in `0..=1`, but for those that
/// [count](Measure::counts).
///
/// `qrels` holds the grades of judged documents; documents that are not in it, and grades below 1, are not relevant.
/// A query without relevant documents has the value 0 everywhere but in `Judged`, `Hole` and counts, and an empty
/// list has 0 everywhere but in `NumQ` and `NumRel`. `Hole` treats this query as the only one that judges; with
/// others, see [`evaluate_in_pool`].
pub fn evaluate(
    measures: &[Measure],
    ranked: &[Ranked],
    qrels: &BTreeMap<&str, i32>,
    ties: Ties,
) -> Vec<f64> {
    evaluate_in_pool(measures, ranked, qrels, &BTreeSet::new(), ties)
}

/// As [`evaluate`], with the documents that any query judges in `pool`: `Hole` uses them.
///
/// ```
/// use std::collections::{BTreeMap, BTreeSet};
/// use barecode_scores::{Measure, Ranked, Ties, evaluate, evaluate_in_pool};
/// let measures: [Measure; 1] = ["Hole@2".parse().unwrap()];
/// let ranked = [("a", 2.0), ("b", 1.0)].map(|(doc, score)| Ranked { doc, score });
/// let qrels = BTreeMap::from([("a", 1)]);
/// assert_eq!(evaluate(&measures, &ranked, &qrels, Ties::Expected), [0.5]);
/// let pool = BTreeSet::from(["b"]);
/// assert_eq!(evaluate_in_pool(&measures, &ranked, &qrels, &pool, Ties::Expected), [0.0]);
/// ```
pub fn evaluate_in_pool(
    measures: &[Measure],
    ranked: &[Ranked],
    qrels: &BTreeMap<&str, i32>,
    pool: &BTreeSet<&str>,
    ties: Ties,
) -> Vec<f64> {
    let mut here = Vec::new();
    let mut elsewhere = Vec::new();
    for (at, entry) in ranked.iter().enumerate() {
        match qrels.get(entry.doc) {
            Some(&grade) => here.push((at, grade)),
            None if pool.contains(entry.doc) => elsewhere.push(at),
            None => {}
        }
    }
    let judged = Judged {
        here: &here,
        elsewhere: &elsewhere,
        grades: &grades_of(qrels),
    };
    evaluate_judged(measures, ranked, &judged, ties)
}

/// As [`evaluate_in_pool`], for a caller that has looked up the documents already.
///
/// ```
/// use barecode_scores::{Judged, Measure, Ranked, Ties, evaluate_judged};
/// let measures: [Measure; 1] = ["R@1".parse().unwrap()];
/// let ranked = [("a", 2.0), ("b", 1.0)].map(|(doc, score)| Ranked { doc, score });
/// let judged = Judged { here: &[(0, 1)], elsewhere: &[], grades: &[1, 1] };
/// assert_eq!(evaluate_judged(&measures, &ranked, &judged, Ties::Expected), [0.5]);
/// ```
pub fn evaluate_judged(
    measures: &[Measure],
    ranked: &[Ranked],
    judged: &Judged,
    ties: Ties,
) -> Vec<f64> {
    let list = list(ranked, judged, ties);
    measures
        .iter()
        .map(|measure| value(measure, &list, judged.grades))
        .collect()
}

/// The expected rank of the first document of the highest grade, one-based; `None` if none was retrieved.
///
/// Under [`Ties::Expected`] one such document among `n` equals is in their middle; the first of `m`
/// among `n` is at `(n + 1) / (m + 1)` on average.
///
/// ```
/// use barecode_scores::{Judged, Ranked, Ties, answer_rank};
/// let ranked = ["a", "b", "c"].map(|doc| Ranked { doc, score: 1.0 });
/// let judged = Judged { here: &[(0, 2), (1, 1)], elsewhere: &[], grades: &[2, 1] };
/// assert_eq!(answer_rank(&ranked, &judged, Ties::Expected), Some(2.0));
/// assert_eq!(answer_rank(&ranked, &judged, Ties::Docno), Some(3.0));
/// ```
pub fn answer_rank(ranked: &[Ranked], judged: &Judged, ties: Ties) -> Option<f64> {
    let best = *judged.grades.first().filter(|&&grade| grade > 0)?;
    let list = list(ranked, judged, ties);
    let group = list.groups.iter().find(|group| group.relevant(best) > 0)?;
    let step = (group.size + 1) as f64 / (group.relevant(best) + 1) as f64;
    Some(group.before as f64 + step)
}

/// The value of one measure for a list; `grades` are all grades of the query, highest first.
pub(crate) fn value(measure: &Measure, list: &List, grades: &[i32]) -> f64 {
    if measure.judged_only {
        let all = Measure {
            judged_only: false,
            ..measure.clone()
        };
        return value(&all, &list.judged_only(), grades);
    }
    let rel = measure.rel.lowest(grades);
    let total = grades.iter().filter(|&&grade| grade >= rel).count();
    let groups: &[TieGroup] = &list.groups;
    let k = measure.k;
    let share: f64 = match &measure.kind {
        Kind::NDcg(gain) => ndcg::expected(k, gain, groups, grades),
        Kind::Rr => reciprocal_rank::expected(k, rel, groups),
        Kind::Ap => average_precision::expected(k, rel, groups, total),
        Kind::Recall => recall::expected(k, rel, groups, total),
        Kind::CappedRecall => capped_recall::expected(k, rel, groups, total),
        Kind::Precision => precision::expected(k, rel, groups),
        Kind::Success => success::expected(k, rel, groups),
        Kind::RPrecision => r_precision::expected(rel, groups, total),
        Kind::Judged => judged::expected(k, list),
        Kind::Hole => hole::expected(k, list),
        Kind::Accuracy => accuracy::expected(k, rel, list),
        Kind::Bpref => bpref::expected(rel, groups, grades),
        Kind::InferredAp => inferred_ap::expected(rel, groups, total),
        Kind::InterpolatedPrecision { recall } => {
            interpolated_precision::expected(*recall, rel, groups, total)
        }
        Kind::SetPrecision { relative } => set::precision(*relative, rel, list, total),
        Kind::SetRecall => set::recall(rel, list, total),
        Kind::SetF { beta } => set::f(*beta, rel, list, total),
        Kind::SetAp => set::average_precision(rel, list, total),
        Kind::RankBiased { p } => rank_biased::expected(k, *p, rel, groups),
        Kind::ExpectedRr => expected_reciprocal_rank::expected(k, groups),
        Kind::ScaledDcg { min_rel, max_rel } => scaled_dcg::expected(k, *min_rel, *max_rel, groups),
        Kind::NumQ => return 1.0,
        Kind::NumRet {
            only_relevant: false,
        } => return list.length as f64,
        Kind::NumRet {
            only_relevant: true,
        } => return set::found(rel, list) as f64,
        Kind::NumRel => return total as f64,
    };
    // Shares are rounded, so a perfect list may end a rounding above 1; and a sum over nothing is -0.
    share.min(1.0) + 0.0
}

/// All grades, highest first.
pub(crate) fn grades_of(qrels: &BTreeMap<&str, i32>) -> Vec<i32> {
    let mut grades: Vec<i32> = qrels.values().copied().collect();
    grades.sort_unstable_by(|a, b| b.cmp(a));
    grades
}
