//! Rprec: precision at the number of relevant documents.
//!
//! # Definition
//! With `R` relevant documents, the number of them in the first `R`, divided by `R`.
//!
//! # Range and direction
//! 0 to 1, higher is better. A perfect list has 1.
//!
//! # Ties and empty cases
//! As [recall](crate::Kind::Recall). Without relevant documents the value is 0.
//!
//! # Example worked by hand
//! Two relevant documents at ranks 1 and 3: one of two is in the first two.
//!
//! ```
//! use std::collections::BTreeMap;
//! use barecode_scores::{Measure, Ranked, Ties, evaluate};
//! let ranked = [("a", 3.0), ("x", 2.0), ("b", 1.0)].map(|(doc, score)| Ranked { doc, score });
//! let qrels = BTreeMap::from([("a", 1), ("b", 1)]);
//! let measure: Measure = "Rprec".parse().unwrap();
//! assert_eq!(evaluate(&[measure], &ranked, &qrels, Ties::Expected), [0.5]);
//! ```
//!
//! # Source
//! `trec_eval`'s `Rprec`; Buckley and Voorhees, *Retrieval System Evaluation*, 2005.

use crate::recall;
use crate::ties::TieGroup;

/// The expectation over orders of ties; `total` is the number of all relevant documents of the query.
pub(crate) fn expected(rel: i32, groups: &[TieGroup], total: usize) -> f64 {
    let k = u32::try_from(total).unwrap_or(u32::MAX);
    recall::expected(Some(k), rel, groups, total)
}
