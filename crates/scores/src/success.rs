//! Success: 1 if any relevant document was found.
//!
//! # Definition
//! 1 if a relevant document is in the first `k`, else 0. With one relevant document it equals recall.
//!
//! # Range and direction
//! 0 to 1, higher is better.
//!
//! # Ties and empty cases
//! Of `n` tied documents `m` are relevant and `t` positions are within the cutoff: the value is
//! `1 - C(n - t, m) / C(n, m)`. Without relevant documents the value is 0.
//!
//! # Example worked by hand
//! Two relevant documents in a tie of four, cutoff 2: `1 - (2 · 1)/(4 · 3) = 5/6`.
//!
//! ```
//! use std::collections::BTreeMap;
//! use barecode_scores::{Measure, Ranked, Ties, evaluate};
//! let ranked = ["a", "b", "c", "d"].map(|doc| Ranked { doc, score: 1.0 });
//! let qrels = BTreeMap::from([("a", 1), ("c", 1)]);
//! let success: Measure = "Success@2".parse().unwrap();
//! let value = evaluate(&[success], &ranked, &qrels, Ties::Expected)[0];
//! assert!((value - 5.0 / 6.0).abs() < 1e-12);
//! ```
//!
//! # Source
//! `trec_eval`'s `success`, MTEB's and BEIR's top-k accuracy; ties by the hypergeometric distribution.

use crate::ties::{TieGroup, length};

/// The expectation over orders of ties.
pub(crate) fn expected(k: Option<u32>, rel: i32, groups: &[TieGroup]) -> f64 {
    let Some(group) = groups.iter().find(|group| group.relevant(rel) > 0) else {
        return 0.0;
    };
    let others = group.size - group.relevant(rel);
    let mut none = 1.0;
    for place in 0..group.within(length(k)) {
        none *= others.saturating_sub(place) as f64 / (group.size - place) as f64;
    }
    1.0 - none
}
