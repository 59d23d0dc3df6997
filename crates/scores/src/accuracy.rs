//! Accuracy: the order of relevant documents before the others.
//!
//! # Definition
//! Among the first `k` documents, the share of pairs of a relevant and another document in which the relevant one
//! comes first. Relevant documents that are not in the first `k` do not count. The accuracy of MTEB and BEIR is
//! [Success](crate::Kind::Success).
//!
//! # Range and direction
//! 0 to 1, higher is better; random order has 1/2.
//!
//! # Ties and empty cases
//! In a tie a relevant document is before another one in half of the orders. Where the cutoff divides a tie, the
//! number of its relevant documents within the cutoff is random. The value is the mean over that number, which is
//! hypergeometric. With no relevant document in the first `k` the value is 0, and with only relevant ones it is 1;
//! `ir_measures` leaves the query out in the first case and fails in the second.
//!
//! # Example worked by hand
//! Relevant documents at ranks 1 and 3 of four: of the four pairs one is the wrong way round.
//!
//! ```
//! use std::collections::BTreeMap;
//! use barecode_scores::{Measure, Ranked, Ties, evaluate};
//! let ranked = [("a", 4.0), ("x", 3.0), ("b", 2.0), ("y", 1.0)].map(|(doc, score)| Ranked { doc, score });
//! let qrels = BTreeMap::from([("a", 1), ("b", 1)]);
//! let measure: Measure = "Accuracy".parse().unwrap();
//! assert_eq!(evaluate(&[measure], &ranked, &qrels, Ties::Expected), [0.75]);
//! ```
//!
//! # Source
//! `ir_measures`' provider `accuracy`.

use crate::hypergeometric::Hypergeometric;
use crate::ties::{List, length};

/// The expectation over orders of ties.
pub(crate) fn expected(k: Option<u32>, rel: i32, list: &List) -> f64 {
    let k = length(k).min(list.length);
    // Relevant documents so far, and pairs in which another document is before a relevant one.
    let mut relevant = 0;
    let mut inverted = 0.0;
    for group in &list.groups {
        let (size, mine) = (group.size, group.relevant(rel));
        let within = group.within(k);
        let others_before = (group.before.min(k) - relevant) as f64;
        if within == size {
            inverted += mine as f64 * (others_before + (size - mine) as f64 / 2.0);
            relevant += mine;
        } else if within > 0 {
            // The last group that matters: `found` of its relevant documents are within the cutoff.
            let drawn = Hypergeometric::new(size, mine, within);
            return drawn
                .outcomes()
                .map(|(found, probability)| {
                    let beside = (within - found) as f64 / 2.0;
                    let inverted = inverted + found as f64 * (others_before + beside);
                    probability * share(relevant + found, k, inverted)
                })
                .sum();
        }
    }
    share(relevant, k, inverted)
}

fn share(relevant: usize, k: usize, inverted: f64) -> f64 {
    let others = k - relevant;
    match (relevant, others) {
        (0, _) => 0.0,
        (_, 0) => 1.0,
        _ => 1.0 - inverted / (relevant as f64 * others as f64),
    }
}
