//! Totals over functions, and CLARC's p value.
//!
//! CLARC (section 3.2, Table 2) adds the points of each side over all functions, draws the functions again
//! 10,000 times, and reports the middle 95 % of the totals and "p", the share of resamples in which the model's
//! total is at least the humans'. The null hypothesis is that the model is at least as good, and a high p is
//! read as a proof of it.
//!
//! That is failing to reject, and it shows nothing: few functions always fail to reject. The number is available
//! under its name, [`Totals::share_at_least`], for comparison with the paper's; [`super::non_inferiority()`] is the
//! test that can show it. Functions are drawn with both sides together, since both were judged in one comparison; the
//! paper does not say whether it does so.

use serde::Serialize;

use crate::draws::{resampled_each, sum};
use crate::intervals::percentile;
use crate::statistics_error::{StatisticsError, enough, paired};
use crate::{Bootstrap, Interval};

/// Totals of both sides.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Totals {
    /// Number of functions.
    pub n: usize,
    /// The first side's total (the model's), with its percentile interval.
    pub first: Interval,
    /// The second side's total (the humans'), with its percentile interval.
    pub second: Interval,
    /// The first total less the second, with its percentile interval.
    pub difference: Interval,
    /// CLARC's p: the share of resamples in which the first total is at least the second; `None` without any.
    pub share_at_least: Option<f64>,
}

/// Totals of points over functions, one value per function and side; points of several annotators of one
/// function averaged first.
///
/// ```
/// use barecode_scores::{Bootstrap, study::totals};
/// let clarc = Bootstrap { resamples: 10_000, confidence: 0.95, seed: 1 };
/// let found = totals(&[1.0, 0.5, 0.5, 1.0], &[0.5, 0.5, 1.0, -1.0], &clarc)?;
/// assert_eq!((found.first.value, found.second.value), (3.0, 1.0));
/// assert!(found.share_at_least.unwrap() > 0.8);
/// # Ok::<(), barecode_scores::StatisticsError>(())
/// ```
pub fn totals(
    first: &[f64],
    second: &[f64],
    bootstrap: &Bootstrap,
) -> Result<Totals, StatisticsError> {
    paired(("the first side", first), ("the second side", second))?;
    bootstrap.check()?;
    enough("functions", first.len(), 1)?;
    let drawn = resampled_each(
        &[first, second],
        bootstrap.resamples,
        bootstrap.seed,
        |sums, _, out| out.extend([sums[0], sums[1]]),
    );
    let (pairs, _) = drawn.as_chunks::<2>();
    let interval = |value: f64, of: fn(&[f64; 2]) -> f64| {
        percentile(value, pairs.iter().map(of).collect(), bootstrap.confidence)
    };
    // Totals of halves are exact; averages over three annotators are equal but for rounding.
    let at_least = |&&[first, second]: &&[f64; 2]| first >= second - 1e-9;
    let share = |hits: usize| hits as f64 / pairs.len() as f64;
    Ok(Totals {
        n: first.len(),
        first: interval(sum(first), |pair| pair[0]),
        second: interval(sum(second), |pair| pair[1]),
        difference: interval(sum(first) - sum(second), |pair| pair[0] - pair[1]),
        share_at_least: (!pairs.is_empty()).then(|| share(pairs.iter().filter(at_least).count())),
    })
}
