//! Judged: the share of the list that was judged for this query.
//!
//! # Definition
//! The share of the first `k` documents that the query judges, with any grade, negative ones included. A list shorter
//! than `k` counts by its length.
//!
//! # Range and direction
//! 0 to 1. It shows how far the other measures can be trusted.
//!
//! # Ties and empty cases
//! A tie that the cutoff divides counts its judged documents by the share of its positions within the cutoff. An
//! empty list has 0.
//!
//! # Example worked by hand
//! Of three documents the query judges two, one of them as not an answer: `2/3`.
//!
//! ```
//! use std::collections::BTreeMap;
//! use barecode_scores::{Measure, Ranked, Ties, evaluate};
//! let ranked = [("a", 3.0), ("x", 2.0), ("b", 1.0)].map(|(doc, score)| Ranked { doc, score });
//! let qrels = BTreeMap::from([("a", 1), ("b", 0)]);
//! let measure: Measure = "Judged@10".parse().unwrap();
//! assert_eq!(evaluate(&[measure], &ranked, &qrels, Ties::Expected), [2.0 / 3.0]);
//! ```
//!
//! # Source
//! `ir_measures`' provider `judged`, after `OpenNIR`.

use crate::ties::{List, TieGroup, length};

/// The expectation over orders of ties.
pub(crate) fn expected(k: Option<u32>, list: &List) -> f64 {
    let looked_at = length(k).min(list.length);
    if looked_at == 0 {
        return 0.0;
    }
    let in_group = |group: &TieGroup| {
        group.grades.len() as f64 * (group.within(looked_at) as f64 / group.size as f64)
    };
    let judged: f64 = list.groups.iter().map(in_group).sum();
    judged / looked_at as f64
}
