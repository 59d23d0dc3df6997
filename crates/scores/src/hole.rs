//! Hole: the share of the list that was never judged.
//!
//! # Definition
//! The number of documents in the first `k` that no query's judgments mention, divided by `k`, also where the
//! list is shorter. It is *not* the share of relevant documents that are missing.
//!
//! # Range and direction
//! 0 to 1, higher is worse.
//!
//! # Ties and empty cases
//! A tie that the cutoff divides counts by the share of its positions within the cutoff. An empty list has 0.
//!
//! # Example worked by hand
//! Of the first two documents one is judged for this query and one for another one: no hole.
//!
//! ```
//! use std::collections::{BTreeMap, BTreeSet};
//! use barecode_scores::{Measure, Ranked, Ties, evaluate_in_pool};
//! let ranked = [("a", 3.0), ("b", 2.0), ("x", 1.0)].map(|(doc, score)| Ranked { doc, score });
//! let (qrels, pool) = (BTreeMap::from([("a", 1)]), BTreeSet::from(["a", "b"]));
//! let measures: Vec<Measure> = ["Hole@2", "Hole@4"].iter().map(|name| name.parse().unwrap()).collect();
//! let values = evaluate_in_pool(&measures, &ranked, &qrels, &pool, Ties::Expected);
//! assert_eq!(values, [0.0, 0.25]);
//! ```
//!
//! # Source
//! `hole` in MTEB's `retrieval_metrics.py` (`Hole_at_k`), and in BEIR's.

use crate::ties::{List, TieGroup, length};

/// The expectation over orders of ties.
pub(crate) fn expected(k: Option<u32>, list: &List) -> f64 {
    let k = length(k);
    let in_group = |group: &TieGroup| {
        let known = group.grades.len() + group.elsewhere;
        known as f64 * (group.within(k) as f64 / group.size as f64)
    };
    let known: f64 = list.groups.iter().map(in_group).sum();
    ((k.min(list.length) as f64 - known) / k as f64).clamp(0.0, 1.0)
}
