//! RR: reciprocal rank. Its mean over queries is the MRR.
//!
//! # Definition
//! `1 / rank` of the first relevant document, 0 if there is none in the first `k`.
//!
//! # Range and direction
//! 0 to 1, higher is better.
//!
//! # Ties and empty cases
//! Of `n` tied documents `m` are relevant: the first relevant one is at position `j` of the tie with probability
//! `C(n - j, m - 1) / C(n, m)`, and the value is the mean of the reciprocal ranks under these probabilities. It is
//! *not* the reciprocal of the mean rank. Without relevant documents the value is 0.
//!
//! # Example worked by hand
//! One relevant document tied with one other at the top: `(1/1 + 1/2) / 2 = 0.75`.
//!
//! ```
//! use std::collections::BTreeMap;
//! use barecode_scores::{Measure, Ranked, Ties, evaluate};
//! let ranked = ["a", "b"].map(|doc| Ranked { doc, score: 1.0 });
//! let qrels = BTreeMap::from([("a", 1)]);
//! let rr: Measure = "RR@10".parse().unwrap();
//! assert_eq!(evaluate(&[rr], &ranked, &qrels, Ties::Expected), [0.75]);
//! ```
//!
//! # Source
//! Kantor and Voorhees, *The TREC-5 confusion track*, 2000; `trec_eval`'s `recip_rank`; ties after
//! [McSherry and Najork 2008](https://doi.org/10.1007/978-3-540-78646-7_38). CLARC treats only the highest grade as
//! relevant in Group 3 Short: `RR(rel=max)@10`.

use crate::ties::{TieGroup, length};

/// The expectation over orders of ties.
pub(crate) fn expected(k: Option<u32>, rel: i32, groups: &[TieGroup]) -> f64 {
    let Some(group) = groups.iter().find(|group| group.relevant(rel) > 0) else {
        return 0.0;
    };
    let relevant = group.relevant(rel);
    let others = group.size - relevant;
    let mut sum = 0.0;
    // The probability that all positions so far have other documents.
    let mut none_yet = 1.0;
    for place in 0..group.within(length(k)).min(others + 1) {
        let here = none_yet * relevant as f64 / (group.size - place) as f64;
        sum += here / (group.before + place + 1) as f64;
        none_yet *= (others - place) as f64 / (group.size - place) as f64;
    }
    sum
}
