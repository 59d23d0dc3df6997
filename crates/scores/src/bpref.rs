//! Bpref: binary preference.
//!
//! # Definition
//! With `R` relevant documents and `N` that are judged and not relevant, the sum over the retrieved relevant
//! documents of `1 - min(n, R) / min(N, R)`, divided by `R`, where `n` of the `N` are before the document. Documents
//! without judgment, and those with a negative grade, are skipped.
//!
//! # Range and direction
//! 0 to 1, higher is better.
//!
//! # Ties and empty cases
//! In a tie with `q` documents that are judged and not relevant, a relevant one has 0, 1, … or `q` of them
//! before it with equal probability, so it counts by the mean over these. Without relevant documents the value
//! is 0.
//!
//! # Example worked by hand
//! A document that is not an answer, then the two that are: `1 - 1/1 = 0` each, because `min(N, R)` is 1.
//!
//! ```
//! use std::collections::BTreeMap;
//! use barecode_scores::{Measure, Ranked, Ties, evaluate};
//! let ranked = [("x", 3.0), ("a", 2.0), ("b", 1.0)].map(|(doc, score)| Ranked { doc, score });
//! let bpref: [Measure; 1] = ["Bpref".parse().unwrap()];
//! let judged = BTreeMap::from([("x", 0), ("a", 1), ("b", 1)]);
//! assert_eq!(evaluate(&bpref, &ranked, &judged, Ties::Expected), [0.0]);
//! let unjudged = BTreeMap::from([("a", 1), ("b", 1)]);
//! assert_eq!(evaluate(&bpref, &ranked, &unjudged, Ties::Expected), [1.0]);
//! ```
//!
//! # Source
//! Buckley and Voorhees, *Retrieval evaluation with incomplete information*, SIGIR 2004, as `trec_eval`'s
//! `bpref` has it since version 8.

use crate::ties::TieGroup;

/// The expectation over orders of ties; `grades` are all grades of the query.
pub(crate) fn expected(rel: i32, groups: &[TieGroup], grades: &[i32]) -> f64 {
    let relevant = grades.iter().filter(|&&grade| grade >= rel).count();
    let not_relevant = grades.iter().filter(|&&g| (0..rel).contains(&g)).count();
    if relevant == 0 {
        return 0.0;
    }
    let worth = |before: usize| match before {
        0 => 1.0,
        _ => 1.0 - before.min(relevant) as f64 / not_relevant.min(relevant) as f64,
    };
    let mut sum = 0.0;
    let mut before = 0;
    for group in groups {
        let beside = group.not_relevant(rel);
        let found = group.relevant(rel);
        if found > 0 {
            let worths: f64 = (before..=before + beside).map(worth).sum();
            sum += found as f64 * worths / (beside + 1) as f64;
        }
        before += beside;
    }
    sum / relevant as f64
}
