//! AP: average precision. Its mean over queries is the MAP.
//!
//! # Definition
//! The sum, over the relevant documents in the first `k`, of the precision at their rank, divided by the
//! number of all relevant documents.
//!
//! # Range and direction
//! 0 to 1, higher is better.
//!
//! # Ties and empty cases
//! Of `n` tied documents `m` are relevant, after `s` documents of which `r` are relevant. Position `j` of the tie has
//! a relevant document with probability `m / n`, and then `(j - 1)(m - 1) / (n - 1)` of the positions before it in
//! the tie are relevant on average. So the tie adds `sum over j of m/n · (r + 1 + (j - 1)(m - 1)/(n - 1)) / (s + j)`.
//! Relevant documents that were not retrieved add 0. Without relevant documents the value is 0.
//!
//! # Example worked by hand
//! Relevant documents at ranks 1 and 3 of three: `(1/1 + 2/3) / 2 = 0.8333`.
//!
//! ```
//! use std::collections::BTreeMap;
//! use barecode_scores::{Measure, Ranked, Ties, evaluate};
//! let ranked = [("a", 3.0), ("b", 2.0), ("c", 1.0)].map(|(doc, score)| Ranked { doc, score });
//! let qrels = BTreeMap::from([("a", 1), ("c", 1)]);
//! let ap: Measure = "AP".parse().unwrap();
//! let value = evaluate(&[ap], &ranked, &qrels, Ties::Expected)[0];
//! assert!((value - 5.0 / 6.0).abs() < 1e-12);
//! ```
//!
//! # Source
//! `trec_eval`'s `map` and `map_cut`; ties after
//! [McSherry and Najork 2008](https://doi.org/10.1007/978-3-540-78646-7_38).

use crate::ties::{TieGroup, length};

/// The expectation over orders of ties; `total` is the number of all relevant documents of the query.
pub(crate) fn expected(k: Option<u32>, rel: i32, groups: &[TieGroup], total: usize) -> f64 {
    if total == 0 {
        return 0.0;
    }
    let k = length(k);
    let mut sum = 0.0;
    let mut relevant_before = 0;
    for group in groups {
        let relevant = group.relevant(rel);
        if relevant == 0 {
            continue;
        }
        let share = relevant as f64 / group.size as f64;
        // The share of relevant documents among the others of the tie, seen from one that is relevant.
        let rest = (relevant - 1) as f64 / (group.size - 1).max(1) as f64;
        for place in 0..group.within(k) {
            let found = (relevant_before + 1) as f64 + place as f64 * rest;
            sum += share * found / (group.before + place + 1) as f64;
        }
        relevant_before += relevant;
    }
    // The shares are rounded, so a perfect list may end a rounding above 1.
    sum / total as f64
}
