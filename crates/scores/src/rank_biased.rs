//! RBP: rank-biased precision.
//!
//! # Definition
//! The sum over the first `k` ranks `i` of `(1 - p) p^(i-1)` where the document is relevant: a reader goes on to the
//! next document with probability `p`.
//!
//! # Range and direction
//! 0 to 1, higher is better. With few relevant documents 1 is out of reach: `r` of them reach `1 - p^r`.
//!
//! # Ties and empty cases
//! Each position of a tie has a relevant document with the tie's share of them. Without relevant documents the value
//! is 0.
//!
//! # Example worked by hand
//! One relevant document at rank 2, `p` = 0.8: `0.2 · 0.8 = 0.16`.
//!
//! ```
//! use std::collections::BTreeMap;
//! use barecode_scores::{Measure, Ranked, Ties, evaluate};
//! let ranked = [("x", 2.0), ("a", 1.0)].map(|(doc, score)| Ranked { doc, score });
//! let measure: Measure = "RBP(rel=1)".parse().unwrap();
//! let value = evaluate(&[measure], &ranked, &BTreeMap::from([("a", 1)]), Ties::Expected)[0];
//! assert!((value - 0.16).abs() < 1e-12);
//! ```
//!
//! # Source
//! Moffat and Zobel, *Rank-biased precision for measurement of retrieval effectiveness*, TOIS 2008; `cwl_eval`.

use crate::ties::{TieGroup, length};

/// The expectation over orders of ties.
pub(crate) fn expected(k: Option<u32>, p: f64, rel: i32, groups: &[TieGroup]) -> f64 {
    let k = length(k);
    let reached = |places: usize| 1.0 - p.powf(places as f64);
    let in_group = |group: &TieGroup| {
        let share = group.relevant(rel) as f64 / group.size as f64;
        let end = group.before + group.within(k);
        share * (reached(end) - reached(group.before.min(end)))
    };
    groups.iter().map(in_group).sum::<f64>().clamp(0.0, 1.0)
}
