//! SDCG: scaled discounted cumulative gain.
//!
//! # Definition
//! As nDCG, but gains are `(grade - min_rel) / (max_rel - min_rel)`, cut off at 0 and 1, and the divisor is the
//! discounted gain of `k` documents of gain 1, even if the query has fewer.
//!
//! # Range and direction
//! 0 to 1, higher is better.
//!
//! # Ties and empty cases
//! As [nDCG](crate::Kind::NDcg).
//!
//! # Example worked by hand
//! Grades 3 and 0 with `max_rel` 3 and cutoff 2: `1 / (1 + 1/log2(3)) = 0.6131`.
//!
//! ```
//! use std::collections::BTreeMap;
//! use barecode_scores::{Measure, Ranked, Ties, evaluate};
//! let ranked = [("a", 2.0), ("x", 1.0)].map(|(doc, score)| Ranked { doc, score });
//! let measure: Measure = "SDCG(max_rel=3)@2".parse().unwrap();
//! let value = evaluate(&[measure], &ranked, &BTreeMap::from([("a", 3)]), Ties::Expected)[0];
//! assert!((value - 0.613_147_192).abs() < 1e-9);
//! ```
//!
//! # Source
//! `cwl_eval`'s NDCG, which `ir_measures` calls `SDCG`.

use crate::ndcg::discount;
use crate::ties::{TieGroup, length};

/// The expectation over orders of ties.
pub(crate) fn expected(k: Option<u32>, min_rel: i32, max_rel: i32, groups: &[TieGroup]) -> f64 {
    let k = length(k);
    let range = f64::from(max_rel) - f64::from(min_rel);
    let gain =
        |grade: i32| ((f64::from(grade.max(0)) - f64::from(min_rel)) / range).clamp(0.0, 1.0);
    let best: f64 = (0..k).map(discount).sum();
    let in_group = |group: &TieGroup| {
        let grades = group.grades.iter();
        let mean = grades.map(|&grade| gain(grade)).sum::<f64>() / group.size as f64;
        let places = group.before..group.before + group.within(k);
        mean * places.map(discount).sum::<f64>()
    };
    groups.iter().map(in_group).sum::<f64>() / best
}
