//! `IPrec`: interpolated precision.
//!
//! # Definition
//! `IPrec@x` is the highest precision at any rank from the one where recall reaches `x` on. With `R` relevant
//! documents recall reaches `x` at the relevant document number `floor(x R + 0.9)`.
//!
//! # Range and direction
//! 0 to 1, higher is better. It falls with `x`.
//!
//! # Ties and empty cases
//! The value is a maximum, so its expectation is not made of expectations. The orders of different ties are
//! independent. So the probability that the maximum is at most some `v` is the product over ties of the share of
//! orders that stay at or below `v`, which is counted position by position. The expectation is the sum over all
//! possible values. That is exact, and its cost is the square of the number of positions times the number of relevant
//! documents of a tie. Where recall does not reach `x`, and without relevant documents, the value is 0.
//!
//! # Example worked by hand
//! Relevant documents at ranks 2 and 3 of three: the precisions at these ranks are 1/2 and 2/3, so 2/3 from the first
//! on.
//!
//! ```
//! use std::collections::BTreeMap;
//! use barecode_scores::{Measure, Ranked, Ties, evaluate};
//! let ranked = [("x", 3.0), ("a", 2.0), ("b", 1.0)].map(|(doc, score)| Ranked { doc, score });
//! let qrels = BTreeMap::from([("a", 1), ("b", 1)]);
//! let measure: Measure = "IPrec@0.1".parse().unwrap();
//! assert_eq!(evaluate(&[measure], &ranked, &qrels, Ties::Expected), [2.0 / 3.0]);
//! ```
//!
//! # Source
//! `iprec_at_recall` of `trec_eval` up to version 9 and of `pytrec_eval`. Version 10 rounds `x R` to the
//! nearest instead of adding 0.9, so its values can differ.

use crate::ties::TieGroup;

/// The expectation over orders of ties; `total` is the number of all relevant documents of the query.
pub(crate) fn expected(recall: f64, rel: i32, groups: &[TieGroup], total: usize) -> f64 {
    let needed = needed(recall, total).max(1);
    let mut parts = Vec::new();
    let mut found = 0;
    for group in groups {
        let relevant = group.relevant(rel);
        if relevant > 0 {
            parts.push(Part {
                found,
                relevant,
                before: group.before,
                size: group.size,
                needed,
            });
        }
        found += relevant;
    }
    if found < needed {
        return 0.0;
    }
    let mut values: Vec<Precision> = parts.iter().flat_map(Part::precisions).collect();
    values.sort_unstable();
    values.dedup_by(|a, b| a.cmp(&b).is_eq());
    let mut sum = 0.0;
    let mut so_far = 0.0;
    for value in values {
        let below: f64 = parts.iter().map(|part| part.at_most(value)).product();
        sum += value.number() * (below - so_far);
        so_far = below;
    }
    sum
}

/// The number of relevant documents at which recall counts as reached.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "at most the number of documents, and cut off as in trec_eval"
)]
fn needed(recall: f64, total: usize) -> usize {
    (recall * total as f64 + 0.9) as usize
}

/// `found` relevant documents among the first `rank`.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Precision {
    found: usize,
    rank: usize,
}

impl Precision {
    fn number(self) -> f64 {
        self.found as f64 / self.rank as f64
    }
}

impl Ord for Precision {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let product = |a: usize, b: usize| a as u128 * b as u128;
        product(self.found, other.rank).cmp(&product(other.found, self.rank))
    }
}

impl PartialOrd for Precision {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// A tie with relevant documents.
struct Part {
    /// Relevant documents before it, and in it.
    found: usize,
    relevant: usize,
    /// Documents before it, and in it.
    before: usize,
    size: usize,
    /// Relevant documents from which on precision counts.
    needed: usize,
}

impl Part {
    /// Every precision that can be found at a relevant document of the tie and counts.
    fn precisions(&self) -> impl Iterator<Item = Precision> + '_ {
        (1..=self.relevant)
            .filter(|number| self.found + number >= self.needed)
            .flat_map(move |number| {
                let last = self.size - self.relevant + number;
                (number..=last).map(move |place| Precision {
                    found: self.found + number,
                    rank: self.before + place,
                })
            })
    }

    /// The share of the tie's orders in which no precision that counts is above the limit.
    fn at_most(&self, limit: Precision) -> f64 {
        // By the number of relevant documents placed so far.
        let mut shares = vec![0.0; self.relevant + 1];
        shares[0] = 1.0;
        for place in 1..=self.size {
            let left = (self.size - place + 1) as f64;
            for number in (0..=self.relevant.min(place)).rev() {
                let relevant_left = (self.relevant - number) as f64;
                let stays = shares[number] * (1.0 - relevant_left / left).max(0.0);
                let precision = Precision {
                    found: self.found + number,
                    rank: self.before + place,
                };
                let counts = precision.found >= self.needed;
                let comes = if number == 0 || (counts && precision > limit) {
                    0.0
                } else {
                    shares[number - 1] * (relevant_left + 1.0) / left
                };
                shares[number] = stays + comes;
            }
        }
        shares[self.relevant]
    }
}
