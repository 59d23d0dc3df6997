//! A scored list as groups of documents that the scores do not order.
//!
//! Every measure is computed from [`TieGroup`]s, so each has one formula for both rules: under
//! [`Ties::Docno`] every group has one document.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// What equal scores mean.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Ties {
    /// Equally scored documents stand in random order; a measure is its exact expectation.
    #[default]
    Expected,
    /// Equally scored documents stand in descending order of their ids, as `trec_eval` has it.
    ///
    /// `trec_eval` compares scores as 32-bit numbers; here they are compared as given.
    Docno,
}

/// A document with the score that a retriever gave it.
///
/// Documents come in any order, each at most once. Higher scores are better; what is not a number comes last.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ranked<'a> {
    /// The document's id.
    pub doc: &'a str,
    /// Its score.
    pub score: f64,
}

/// Documents of equal score.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TieGroup {
    /// Number of documents with higher scores.
    pub(crate) before: usize,
    /// Number of documents in the group, at least one.
    pub(crate) size: usize,
    /// The grades above zero of the group's documents.
    pub(crate) grades: Vec<i32>,
}

impl TieGroup {
    /// Number of documents of at least this grade.
    pub(crate) fn relevant(&self, rel: i32) -> usize {
        self.grades.iter().filter(|&&grade| grade >= rel).count()
    }

    /// How many of the group's positions lie in the first `k` of the list.
    pub(crate) fn within(&self, k: usize) -> usize {
        k.saturating_sub(self.before).min(self.size)
    }
}

/// The groups from best to worst; their sizes add up to the length of the list.
pub(crate) fn tie_groups(
    ranked: &[Ranked],
    qrels: &BTreeMap<&str, i32>,
    ties: Ties,
) -> Vec<TieGroup> {
    let mut order: Vec<Ranked> = ranked.to_vec();
    // With equal scores the order by id is trec_eval's. Under `Expected` it only makes the sums below run
    // in the same order for any order of the input.
    order.sort_by(|a, b| by_score(b.score, a.score).then_with(|| b.doc.cmp(a.doc)));
    let mut groups: Vec<TieGroup> = Vec::new();
    let mut last: Option<f64> = None;
    for (before, entry) in order.iter().enumerate() {
        let tied = ties == Ties::Expected
            && last.is_some_and(|score| by_score(score, entry.score) == Ordering::Equal);
        if !tied {
            groups.push(TieGroup {
                before,
                size: 0,
                grades: Vec::new(),
            });
        }
        last = Some(entry.score);
        let group = groups
            .last_mut()
            .expect("a group was pushed for the first entry");
        group.size += 1;
        group
            .grades
            .extend(qrels.get(entry.doc).copied().filter(|&grade| grade > 0));
    }
    groups
}

/// Ascending; not-a-number is below everything and equal to itself, and the two zeros are equal.
fn by_score(a: f64, b: f64) -> Ordering {
    a.partial_cmp(&b)
        .unwrap_or_else(|| b.is_nan().cmp(&a.is_nan()))
}

/// A cutoff as a length; no cutoff is the longest.
pub(crate) fn length(k: Option<u32>) -> usize {
    k.map_or(usize::MAX, |k| usize::try_from(k).unwrap_or(usize::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list<'a>(entries: &[(&'a str, f64)]) -> Vec<Ranked<'a>> {
        entries
            .iter()
            .map(|&(doc, score)| Ranked { doc, score })
            .collect()
    }

    #[test]
    fn equal_scores_are_one_group() {
        let ranked = list(&[("d", 1.0), ("a", 2.0), ("c", 1.0), ("b", 2.0), ("e", 0.5)]);
        let qrels = BTreeMap::from([("c", 2), ("e", 1), ("a", 0), ("b", -1)]);
        let groups = tie_groups(&ranked, &qrels, Ties::Expected);
        let shape: Vec<_> = groups
            .iter()
            .map(|group| (group.before, group.size))
            .collect();
        assert_eq!(shape, [(0, 2), (2, 2), (4, 1)]);
        assert_eq!(groups[0].grades, [0; 0]);
        assert_eq!(groups[1].grades, [2]);
        assert_eq!(groups[2].grades, [1]);
    }

    #[test]
    fn docno_order_is_descending() {
        let ranked = list(&[("a", 1.0), ("c", 1.0), ("b", 1.0)]);
        let groups = tie_groups(&ranked, &BTreeMap::from([("c", 1), ("a", 2)]), Ties::Docno);
        let grades: Vec<_> = groups.iter().map(|group| group.grades.clone()).collect();
        assert_eq!(grades, [vec![1], vec![], vec![2]]);
    }

    #[test]
    fn zeros_tie_and_what_is_no_number_comes_last() {
        let ranked = list(&[
            ("a", f64::NAN),
            ("b", -0.0),
            ("c", 0.0),
            ("d", f64::NEG_INFINITY),
            ("e", f64::NAN),
        ]);
        let groups = tie_groups(&ranked, &BTreeMap::new(), Ties::Expected);
        let sizes: Vec<_> = groups.iter().map(|group| group.size).collect();
        assert_eq!(sizes, [2, 1, 2]);
    }
}
