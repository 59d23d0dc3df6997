//! ERR: expected reciprocal rank.
//!
//! # Definition
//! A reader goes down the list and stops at a document of grade `g` with probability `(2^g - 1) / 2^4`; the
//! value is the mean of one by the rank where the reader stops within the first `k`. Grades above 4 count as
//! 4, negative ones as 0.
//!
//! # Range and direction
//! 0 to 1, higher is better. With the highest grade first it is 15/16 and a little more.
//!
//! # Ties and empty cases
//! In a tie, the probability of coming past its first `p` positions is the mean, over all ways to fill them, of the
//! product of the probabilities of going on: elementary symmetric polynomials of these. The probability of stopping
//! at a position is the difference of two neighbors of them. Without relevant documents the value is 0.
//!
//! # Example worked by hand
//! Grades 0 and 4: the reader stops at rank 2 with 15/16, so the value is `15/32`.
//!
//! ```
//! use std::collections::BTreeMap;
//! use barecode_scores::{Measure, Ranked, Ties, evaluate};
//! let ranked = [("x", 2.0), ("a", 1.0)].map(|(doc, score)| Ranked { doc, score });
//! let measure: Measure = "ERR@10".parse().unwrap();
//! let values = evaluate(&[measure], &ranked, &BTreeMap::from([("a", 4)]), Ties::Expected);
//! assert_eq!(values, [15.0 / 32.0]);
//! ```
//!
//! # Source
//! Chapelle et al., *Expected reciprocal rank for graded relevance*, CIKM 2009, as in `gdeval.pl`.
//! `gdeval.pl` refuses grades above 4 and prints five digits.

use crate::hypergeometric::LnFactorials;
use crate::ties::{TieGroup, length};

/// The highest grade on the scale of `gdeval.pl`.
const HIGHEST: i32 = 4;

/// The expectation over orders of ties.
pub(crate) fn expected(k: Option<u32>, groups: &[TieGroup]) -> f64 {
    let k = length(k);
    let mut sum = 0.0;
    // The probability of coming to the next group.
    let mut going_on = 1.0;
    for group in groups.iter().filter(|group| group.relevant(1) > 0) {
        let grades = group.grades.iter().filter(|&&grade| grade > 0);
        let past: Vec<f64> = grades.map(|&grade| 1.0 - stop(grade)).collect();
        if group.size == 1 {
            if group.within(k) == 1 {
                sum += going_on * (1.0 - past[0]) / (group.before + 1) as f64;
            }
        } else {
            let passing = passing(group.size, &past);
            for place in 0..group.within(k) {
                let stops = passing[place] - passing[place + 1];
                sum += going_on * stops / (group.before + place + 1) as f64;
            }
        }
        going_on *= past.iter().product::<f64>();
    }
    sum.clamp(0.0, 1.0)
}

/// The probability of stopping at a document of this grade.
fn stop(grade: i32) -> f64 {
    let scale = f64::from(HIGHEST).exp2();
    (f64::from(grade.min(HIGHEST)).exp2() - 1.0) / scale
}

/// For each number of positions from 0 to `size`, the mean probability of coming past them, where each document that
/// may stop the reader is passed with its probability in `past`.
fn passing(size: usize, past: &[f64]) -> Vec<f64> {
    let mut symmetric = vec![0.0; past.len() + 1];
    symmetric[0] = 1.0;
    for &one in past {
        for degree in (1..symmetric.len()).rev() {
            symmetric[degree] += one * symmetric[degree - 1];
        }
    }
    let ln = LnFactorials::up_to(size);
    let rest = size - past.len();
    (0..=size)
        .map(|places| {
            let all = ln.choose(size, places);
            let least = places.saturating_sub(rest);
            (least..=past.len().min(places))
                .map(|met| symmetric[met] * (ln.choose(rest, places - met) - all).exp())
                .sum()
        })
        .collect()
}
