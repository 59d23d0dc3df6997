//! The bias-corrected and accelerated interval.
//!
//! Percentiles are right when the resampled values are evenly around the estimate and have the same spread for any
//! truth. Scores near 0 or 1 do neither. `BCa` moves the two percentiles by the share of resamples below the estimate
//! (bias) and by the skew of the leave-one-out values (acceleration): Efron and Tibshirani, *An introduction to the
//! bootstrap*, 14.3; `scipy.stats.bootstrap(method="BCa")`, from the same resamples to 1e-9.
//!
//! Where `scipy` returns not-a-number, this file decides. Without spread among the leave-one-out values there is no
//! acceleration; when all resamples are on one side of the estimate, half a resample counts on the other. Resamples
//! equal to the estimate count half, and equal means equal but for rounding: a mean of thirds has many sums.

use super::bootstrap::{Interval, quantile};
use crate::distributions::{normal_cdf, normal_quantile};
use crate::draws::mean;

/// The `BCa` interval of resampled values.
///
/// `value` is the estimate, `drawn` its resampled values, `without` its values with each unit left out.
/// Without resamples the interval is the estimate.
///
/// ```
/// use barecode_scores::intervals::bca;
/// let drawn = (0..=100).map(|i| f64::from(i) / 100.0).collect();
/// let interval = bca(0.5, drawn, &[0.4, 0.5, 0.6], 0.9);
/// assert!((interval.low - 0.05).abs() < 1e-12 && (interval.high - 0.95).abs() < 1e-12);
/// ```
pub fn bca(value: f64, mut drawn: Vec<f64>, without: &[f64], confidence: f64) -> Interval {
    if drawn.is_empty() {
        return Interval::point(value);
    }
    drawn.sort_unstable_by(f64::total_cmp);
    let (lowest, highest) = (drawn[0], drawn[drawn.len() - 1]);
    let close = 1e-12 * lowest.abs().max(highest.abs());
    if highest - lowest <= close {
        return Interval {
            value,
            low: lowest.min(value),
            high: highest.max(value),
        };
    }
    let n = drawn.len() as f64;
    let below = drawn.partition_point(|&drawn| drawn < value - close) as f64;
    let up_to = drawn.partition_point(|&drawn| drawn <= value + close) as f64;
    let share = f64::midpoint(below, up_to) / n;
    let bias = normal_quantile(share.clamp(0.5 / n, 1.0 - 0.5 / n));
    let acceleration = acceleration(without);
    let moved = |z: f64| {
        let place = bias + z;
        normal_cdf(bias + place / (1.0 - acceleration * place))
    };
    let z = normal_quantile((1.0 - confidence) / 2.0);
    Interval {
        value,
        low: quantile(&drawn, moved(z)),
        high: quantile(&drawn, moved(-z)),
    }
}

/// A sixth of the skew of the leave-one-out values; 0 without spread.
fn acceleration(without: &[f64]) -> f64 {
    // A unit without which the statistic is undefined has no information about the skew.
    let defined: Vec<f64> = without.iter().copied().filter(|v| v.is_finite()).collect();
    if defined.is_empty() {
        return 0.0;
    }
    let center = mean(&defined);
    let (mut squares, mut cubes) = (0.0, 0.0);
    for value in &defined {
        let step = center - value;
        squares += step * step;
        cubes += step * step * step;
    }
    let spread = squares.powf(1.5);
    if spread > 0.0 {
        cubes / (6.0 * spread)
    } else {
        0.0
    }
}
