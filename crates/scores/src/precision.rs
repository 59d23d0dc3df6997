//! P: precision.
//!
//! # Definition
//! The number of relevant documents in the first `k`, divided by `k`, also where the list is shorter.
//!
//! # Range and direction
//! 0 to 1, higher is better. With fewer than `k` relevant documents 1 cannot be reached.
//!
//! # Ties and empty cases
//! As [recall](crate::Kind::Recall): a tie that the cutoff divides counts by share.
//!
//! # Example worked by hand
//! One relevant document among the first five: `1/5`.
//!
//! ```
//! use std::collections::BTreeMap;
//! use barecode_scores::{Measure, Ranked, Ties, evaluate};
//! let ranked = [("a", 2.0), ("b", 1.0)].map(|(doc, score)| Ranked { doc, score });
//! let qrels = BTreeMap::from([("b", 1)]);
//! let precision: Measure = "P@5".parse().unwrap();
//! assert_eq!(evaluate(&[precision], &ranked, &qrels, Ties::Expected), [0.2]);
//! ```
//!
//! # Source
//! `trec_eval`'s `P`; ties after
//! [McSherry and Najork 2008](https://doi.org/10.1007/978-3-540-78646-7_38).

use crate::recall::found;
use crate::ties::{TieGroup, length};

/// The expectation over orders of ties.
pub(crate) fn expected(k: Option<u32>, rel: i32, groups: &[TieGroup]) -> f64 {
    found(k, rel, groups) / length(k) as f64
}
