//! Student's t interval with a third of a query at each end of the range: the default.
//!
//! The mean of few queries is hardest to bound where scores are best and worst: most values are equal, and the few
//! others, which the sample may lack, decide. Resamples cannot contain values that the sample lacks, so percentiles
//! are too narrow there (and too narrow by `sqrt(1 - 1/n)` everywhere). But scores have a range. A third of a query
//! is added at each end of it, as Agresti and Coull (*Approximate is better than "exact" for interval estimation of
//! binomial proportions*, 1998) do with two of each kind for proportions; then Student's t with `n - 1` degrees of
//! freedom. With hundreds of queries this is the textbook's interval.
//!
//! Equal values: another value that a share p of all queries has is missed by n queries with the chance `(1 - p)^n`,
//! so at a confidence of 95 % p is at most `1 - 0.05^(1/n)`, about `3/n` (Hanley and Lippman-Hand, *If nothing goes
//! wrong, is everything all right?*, 1983). The interval extends to the means that this share of values at either end
//! of the range could cause.
//!
//! The share of such intervals that contain the truth is simulated in `examples/coverage.rs`.

use super::bootstrap::Interval;
use crate::distributions::t_quantile;
use crate::draws::{mean, sum};

/// Number of queries that are added at each end of the range.
const AT_EACH_END: f64 = 1.0 / 3.0;

/// Fewer queries than this are too few to show a mean. The interval of ten covers the truth with its stated
/// confidence in all columns of the simulation, and is already forty to sixty points wide.
pub const FEWEST_QUERIES: usize = 10;

/// The least and the highest value that a unit can have.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Range {
    /// The least.
    pub low: f64,
    /// The highest.
    pub high: f64,
}

impl Range {
    /// Scores: from 0 to 1.
    pub const SCORES: Range = Range {
        low: 0.0,
        high: 1.0,
    };
    /// Differences of scores: from -1 to 1.
    pub const DIFFERENCES: Range = Range {
        low: -1.0,
        high: 1.0,
    };
    /// No bounds: nothing is added at the ends, and equal values give an interval of no width.
    pub const UNKNOWN: Range = Range {
        low: f64::NEG_INFINITY,
        high: f64::INFINITY,
    };
}

/// The interval of a mean of values within a range; values outside of it widen it.
///
/// Not-a-number without values.
///
/// ```
/// use barecode_scores::intervals::{Range, student};
/// let all_found = student(&[1.0; 15], Range::SCORES, 0.95);
/// assert!((all_found.low - 0.05_f64.powf(1.0 / 15.0)).abs() < 1e-12 && all_found.high == 1.0);
/// let textbook = student(&[1.0, 2.0, 3.0], Range::UNKNOWN, 0.95);
/// assert!((textbook.high - 2.0 - 4.302652729 / 3.0_f64.sqrt()).abs() < 1e-8);
/// ```
pub fn student(values: &[f64], range: Range, confidence: f64) -> Interval {
    let value = mean(values);
    if values.is_empty() {
        return Interval::point(value);
    }
    let (least, most) = (values.iter()).fold((value, value), |(least, most), &value| {
        (least.min(value), most.max(value))
    });
    let (low, high) = (range.low.min(least), range.high.max(most));
    let is_bounded = low.is_finite() && high.is_finite();
    let n = values.len() as f64;
    if most - least <= 1e-12 * most.abs().max(least.abs()) {
        let missed = 1.0 - (1.0 - confidence).powf(1.0 / n);
        return if is_bounded {
            Interval {
                value,
                low: value - missed * (value - low),
                high: value + missed * (high - value),
            }
        } else {
            Interval::point(value)
        };
    }
    let ends = if is_bounded { AT_EACH_END } else { 0.0 };
    let weighted = |of: &dyn Fn(f64) -> f64| {
        let inside: Vec<f64> = values.iter().map(|&value| of(value)).collect();
        let at_ends = if is_bounded {
            ends * (of(low) + of(high))
        } else {
            0.0
        };
        sum(&inside) + at_ends
    };
    let n_all = n + 2.0 * ends;
    let center = weighted(&|value| value) / n_all;
    let squares = weighted(&|value| (value - center).powi(2));
    let reach =
        t_quantile((1.0 - confidence) / 2.0, n - 1.0) * (squares / n_all / (n_all - 1.0)).sqrt();
    Interval {
        value,
        low: (center - reach).clamp(low, value),
        high: (center + reach).clamp(value, high),
    }
}

/// The interval of any statistic from its values without each unit: the same, of its pseudo-values (Tukey's
/// jackknife; Efron and Tibshirani, *An introduction to the bootstrap*, chapter 11).
///
/// Units without which the statistic is undefined have no information; if fewer than two are left, all of the range
/// is possible.
pub(crate) fn jackknife(value: f64, without: &[f64], range: Range, confidence: f64) -> Interval {
    let n = without.len() as f64;
    let defined: Vec<f64> = without.iter().copied().filter(|v| v.is_finite()).collect();
    if !value.is_finite() || defined.len() < 2 {
        let is_bounded = range.low.is_finite() && range.high.is_finite();
        return if value.is_finite() && is_bounded {
            Interval {
                value,
                low: range.low.min(value),
                high: range.high.max(value),
            }
        } else {
            Interval::point(value)
        };
    }
    let center = mean(&defined);
    let pseudo: Vec<f64> = defined
        .iter()
        .map(|without| value + (n - 1.0) * (center - without))
        .collect();
    // Pseudo-values may be outside of a range that the statistic cannot leave.
    let interval = student(&pseudo, range, confidence);
    Interval {
        value,
        low: interval.low.clamp(range.low.min(value), value),
        high: interval.high.clamp(value, range.high.max(value)),
    }
}
