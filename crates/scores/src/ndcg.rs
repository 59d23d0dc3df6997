//! nDCG: normalized discounted cumulative gain.
//!
//! # Definition
//! The sum over the first `k` ranks `i` of `grade(i) / log2(i + 1)`, divided by the same sum for the best possible
//! order of all judged documents. The gain is the grade itself (linear), or `2^grade - 1` with `dcg='exp-log2'`, or
//! the value in `gains={grade:gain}`; a negative grade or gain counts as 0.
//!
//! # Range and direction
//! 0 to 1, higher is better.
//!
//! # Ties and empty cases
//! The expectation over orders of a tie gives each of its positions the mean gain of its documents, because
//! gain and discount enter linearly. Documents that were not retrieved gain nothing. Without relevant
//! documents the value is 0.
//!
//! # Example worked by hand
//! Grades 0, 2, 1 in this order: `2/log2(3) + 1/log2(4) = 1.26186 + 0.5`, against `2/log2(2) + 1/log2(3) =
//! 2.63093` at best.
//!
//! ```
//! use std::collections::BTreeMap;
//! use barecode_scores::{Measure, Ranked, Ties, evaluate};
//! let ranked = [("a", 3.0), ("b", 2.0), ("c", 1.0)].map(|(doc, score)| Ranked { doc, score });
//! let qrels = BTreeMap::from([("b", 2), ("c", 1)]);
//! let ndcg: Measure = "nDCG@10".parse().unwrap();
//! let value = evaluate(&[ndcg], &ranked, &qrels, Ties::Expected)[0];
//! assert!((value - 1.761_859_507 / 2.630_929_754).abs() < 1e-9);
//! ```
//!
//! # Source
//! Järvelin and Kekäläinen, *Cumulated gain-based evaluation of IR techniques*, TOIS 2002, with the discount
//! of `trec_eval`'s `ndcg_cut`; `exp-log2` is that of `gdeval`. Ties after
//! [McSherry and Najork 2008](https://doi.org/10.1007/978-3-540-78646-7_38).

use crate::measure::Gain;
use crate::ties::{TieGroup, length};

/// The expectation over orders of ties; `grades` are all grades of the query, highest first.
pub(crate) fn expected(k: Option<u32>, gain: &Gain, groups: &[TieGroup], grades: &[i32]) -> f64 {
    let k = length(k);
    let mut gains: Vec<f64> = grades.iter().map(|&grade| gain.of(grade)).collect();
    if let Gain::Custom(_) = gain {
        gains.sort_unstable_by(|a, b| b.total_cmp(a));
    }
    let ideal: f64 = gains
        .into_iter()
        .take(k)
        .take_while(|&gain| gain > 0.0)
        .enumerate()
        .map(|(i, gain)| gain * discount(i))
        .sum();
    if ideal == 0.0 {
        return 0.0;
    }
    let mut gained = 0.0;
    for group in groups {
        let grades = group.grades.iter();
        let sum: f64 = grades.map(|&grade| gain.of(grade)).sum();
        if sum == 0.0 {
            continue;
        }
        let mean = sum / group.size as f64;
        let discounts: f64 = (group.before..group.before + group.within(k))
            .map(discount)
            .sum();
        gained += mean * discounts;
    }
    // The two sums add the same numbers in another order, so a perfect list may end a rounding above 1, which `value` bounds.
    gained / ideal
}

/// The discount at this rank; `index` is zero-based.
pub(crate) fn discount(index: usize) -> f64 {
    1.0 / ((index + 2) as f64).log2()
}
