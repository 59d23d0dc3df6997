//! `R_cap`: recall by the most that is possible.
//!
//! # Definition
//! The number of relevant documents in the first `k`, divided by the smaller of `k` and the number of all
//! relevant documents.
//!
//! # Range and direction
//! 0 to 1, higher is better. Unlike recall it can always reach 1.
//!
//! # Ties and empty cases
//! As [recall](crate::Kind::Recall). Without relevant documents the value is 0; MTEB's code fails there.
//!
//! # Example worked by hand
//! Three relevant documents, two of them first: `R@2` is `2/3`, `R_cap@2` is `2/2`.
//!
//! ```
//! use std::collections::BTreeMap;
//! use barecode_scores::{Measure, Ranked, Ties, evaluate};
//! let ranked = [("a", 3.0), ("b", 2.0), ("x", 1.0)].map(|(doc, score)| Ranked { doc, score });
//! let qrels = BTreeMap::from([("a", 1), ("b", 1), ("c", 1)]);
//! let capped: Measure = "R_cap@2".parse().unwrap();
//! assert_eq!(evaluate(&[capped], &ranked, &qrels, Ties::Expected), [1.0]);
//! ```
//!
//! # Source
//! `recall_cap` of MTEB and BEIR (`R_cap@k`).

use crate::recall::found;
use crate::ties::{TieGroup, length};

/// The expectation over orders of ties; `total` is the number of all relevant documents of the query.
pub(crate) fn expected(k: Option<u32>, rel: i32, groups: &[TieGroup], total: usize) -> f64 {
    let most = length(k).min(total);
    if most == 0 {
        return 0.0;
    }
    found(k, rel, groups) / most as f64
}
