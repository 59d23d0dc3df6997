//! Several lists of one query to one list.
//!
//! Enters: the lists of several retrievers for the same query. Leaves: one list over every document that one of
//! them has. Each retriever's scores are made comparable, weighted and added:
//!
//! | method | what a list gives a document that it has | source |
//! | --- | --- | --- |
//! | [`ReciprocalRank`](Fusion::ReciprocalRank) | 1 / (k + rank) | Cormack, Clarke and Büttcher, *Reciprocal rank fusion*, SIGIR 2009; k = 60 there |
//! | [`MinMax`](Fusion::MinMax) | (score − least) / (greatest − least) | the convex combination of Bruch, Gai and Ingber, *An analysis of fusion functions*, 2023, section 4, with weights that add up to 1 |
//! | [`ZScore`](Fusion::ZScore) | (score − mean) / deviation | Montague and Aslam, *Relevance score normalization for metasearch*, 2001 (ZMUV) |
//!
//! A list adds nothing, 0, to a document that it does not have, as `ranx` 0.3.21 does. For z-scores this equals the
//! mean; a document at the end of a list then scores less than one that is not on it.
//!
//! Ties: equal scores share the first of their ranks, so documents that are equal in every list stay equal. Where no
//! scores tie these are the ranks of `ranx`, which ranks equal scores in an order of its own.
//!
//! A list of equal scores, a list of one document among them, has no spread: min-max and z-scores both give 0, as in
//! `ranx`.

use std::collections::BTreeMap;

/// The method by which lists become one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Fusion {
    /// By the reciprocals of ranks, which are one-based, plus `k`.
    ReciprocalRank {
        /// The constant that makes the first ranks weigh less; usually 60.
        k: f64,
    },
    /// By scores stretched to the range from 0 to 1.
    MinMax,
    /// By scores in standard deviations (of the list as it is, not of a sample) from their mean.
    ZScore,
}

impl Fusion {
    /// The gain of each document of a list, whose scores these are, in any order.
    ///
    /// ```
    /// use barecode_retrieval::Fusion;
    /// assert_eq!(Fusion::MinMax.gains(&[5.0, 1.0, 3.0]), [1.0, 0.0, 0.5]);
    /// assert_eq!(Fusion::ReciprocalRank { k: 60.0 }.gains(&[7.0, 9.0, 7.0]), [1.0 / 62.0, 1.0 / 61.0, 1.0 / 62.0]);
    /// assert_eq!(Fusion::ZScore.gains(&[1.0, 3.0]), [-1.0, 1.0]);
    /// ```
    pub fn gains(self, scores: &[f64]) -> Vec<f64> {
        match self {
            Fusion::ReciprocalRank { k } => ranks(scores)
                .into_iter()
                .map(|rank| 1.0 / (k + rank as f64))
                .collect(),
            Fusion::MinMax => {
                let least = scores.iter().copied().fold(f64::INFINITY, f64::min);
                let greatest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                let stretch = |&score: &f64| {
                    if greatest > least {
                        (score - least) / (greatest - least)
                    } else {
                        0.0
                    }
                };
                scores.iter().map(stretch).collect()
            }
            Fusion::ZScore => {
                // In order of the scores, so that the order of the list does not enter the sums.
                let mut sorted = scores.to_vec();
                sorted.sort_by(f64::total_cmp);
                let n = scores.len() as f64;
                let mean = sorted.iter().sum::<f64>() / n;
                let variance = sorted
                    .iter()
                    .map(|score| (score - mean).powi(2))
                    .sum::<f64>()
                    / n;
                let deviation = variance.sqrt();
                let is_flat = sorted.first() == sorted.last();
                let standard = |&score: &f64| {
                    if is_flat || deviation == 0.0 {
                        0.0
                    } else {
                        (score - mean) / deviation
                    }
                };
                scores.iter().map(standard).collect()
            }
        }
    }
}

/// One list of every document that a list has, best first, equal scores in the order of `D`.
///
/// Each list comes with its weight, 1 for all if none should count more; the convex combination needs weights that
/// add up to 1. A document must not be in a list twice. Lists are added in their order.
///
/// ```
/// use barecode_retrieval::{Fusion, fuse};
/// let words = [("a", 12.0), ("b", 7.0)];
/// let vectors = [("b", 0.9), ("c", 0.8)];
/// let fused = fuse(Fusion::ReciprocalRank { k: 60.0 }, &[(&words, 1.0), (&vectors, 1.0)]);
/// assert_eq!(fused.iter().map(|(document, _)| *document).collect::<Vec<_>>(), ["b", "a", "c"]);
/// ```
pub fn fuse<D: Ord + Clone>(method: Fusion, lists: &[(&[(D, f64)], f64)]) -> Vec<(D, f64)> {
    let mut sums: BTreeMap<&D, f64> = BTreeMap::new();
    for (list, weight) in lists {
        let scores: Vec<f64> = list.iter().map(|&(_, score)| score).collect();
        for ((document, _), gain) in list.iter().zip(method.gains(&scores)) {
            *sums.entry(document).or_default() += weight * gain;
        }
    }
    let mut fused: Vec<(D, f64)> = sums
        .into_iter()
        .map(|(document, sum)| (document.clone(), sum + 0.0))
        .collect();
    // A stable sort keeps equal scores in the order of the documents.
    fused.sort_by(|a, b| b.1.total_cmp(&a.1));
    fused
}

/// The one-based rank of each score; equal scores share the first of theirs.
fn ranks(scores: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]));
    let mut ranks = vec![0; scores.len()];
    let mut last: Option<(f64, usize)> = None;
    for (place, &i) in order.iter().enumerate() {
        let rank = match last {
            Some((score, rank)) if score.total_cmp(&scores[i]).is_eq() => rank,
            _ => place + 1,
        };
        last = Some((scores[i], rank));
        ranks[i] = rank;
    }
    ranks
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ALL: [Fusion; 3] = [
        Fusion::ReciprocalRank { k: 60.0 },
        Fusion::MinMax,
        Fusion::ZScore,
    ];

    #[test]
    fn lists_without_a_spread_or_without_anything() {
        assert_eq!(Fusion::MinMax.gains(&[0.1, 0.1, 0.1]), [0.0; 3]);
        assert_eq!(Fusion::ZScore.gains(&[0.1, 0.1, 0.1]), [0.0; 3]);
        for method in ALL {
            assert!(method.gains(&[]).is_empty());
            let none: [(u8, f64); 0] = [];
            assert!(fuse(method, &[(&none, 1.0)]).is_empty());
        }
    }

    proptest! {
        #[test]
        fn one_list_keeps_its_order(scores in prop::collection::vec(-9_i8..9, 1..30)) {
            let list: Vec<(usize, f64)> =
                scores.iter().map(|&score| f64::from(score)).enumerate().collect();
            let mut sorted = list.clone();
            sorted.sort_by(|a, b| b.1.total_cmp(&a.1));
            for method in ALL {
                let fused = fuse(method, &[(&list, 0.7)]);
                let order = |list: &[(usize, f64)]| list.iter().map(|&(d, _)| d).collect::<Vec<_>>();
                prop_assert_eq!(order(&fused), order(&sorted));
                for (fused, sorted) in fused.windows(2).zip(sorted.windows(2)) {
                    let same = |pair: &[(usize, f64)]| pair[0].1.to_bits() == pair[1].1.to_bits();
                    prop_assert_eq!(same(fused), same(sorted));
                }
            }
        }

        #[test]
        fn the_order_inside_a_list_means_nothing(
            list in prop::collection::btree_map(0_u8..40, -5.0..5.0_f64, 0..20),
            other in prop::collection::btree_map(0_u8..40, -5.0..5.0_f64, 0..20),
        ) {
            let list: Vec<(u8, f64)> = list.into_iter().collect();
            let other: Vec<(u8, f64)> = other.into_iter().collect();
            let turned: Vec<(u8, f64)> = list.iter().rev().copied().collect();
            for method in ALL {
                let fused = fuse(method, &[(&list, 0.3), (&other, 0.7)]);
                prop_assert_eq!(&fused, &fuse(method, &[(&turned, 0.3), (&other, 0.7)]));
                prop_assert!(fused.is_sorted_by(|a, b| a.1 > b.1 || (a.1.total_cmp(&b.1).is_eq() && a.0 < b.0)));
            }
        }
    }
}
