//! R: recall.
//!
//! # Definition
//! The number of relevant documents in the first `k`, divided by the number of all relevant documents.
//!
//! # Range and direction
//! 0 to 1, higher is better. With more than `k` relevant documents 1 cannot be reached.
//!
//! # Ties and empty cases
//! A tie that the cutoff divides counts its relevant documents by the share of its positions within the cutoff.
//! Without relevant documents the value is 0.
//!
//! # Example worked by hand
//! One relevant document in a tie of four at the top: a quarter of the orders have it first.
//!
//! ```
//! use std::collections::BTreeMap;
//! use barecode_scores::{Measure, Ranked, Ties, evaluate};
//! let ranked = ["a", "b", "c", "d"].map(|doc| Ranked { doc, score: 1.0 });
//! let qrels = BTreeMap::from([("c", 1)]);
//! let recall: Measure = "R@1".parse().unwrap();
//! assert_eq!(evaluate(&[recall], &ranked, &qrels, Ties::Expected), [0.25]);
//! ```
//!
//! # Source
//! `trec_eval`'s `recall`; ties after
//! [McSherry and Najork 2008](https://doi.org/10.1007/978-3-540-78646-7_38).

use crate::ties::{TieGroup, length};

/// The expectation over orders of ties; `total` is the number of all relevant documents of the query.
pub(crate) fn expected(k: Option<u32>, rel: i32, groups: &[TieGroup], total: usize) -> f64 {
    if total == 0 {
        return 0.0;
    }
    found(k, rel, groups) / total as f64
}

/// The expected number of relevant documents in the first `k`.
pub(crate) fn found(k: Option<u32>, rel: i32, groups: &[TieGroup]) -> f64 {
    let k = length(k);
    let in_group = |group: &TieGroup| {
        group.relevant(rel) as f64 * (group.within(k) as f64 / group.size as f64)
    };
    groups.iter().map(in_group).sum()
}
