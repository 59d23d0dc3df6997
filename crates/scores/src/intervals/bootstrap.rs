//! Intervals over queries, by the requested method.
//!
//! The default needs no resamples (`student.rs`). The others draw the queries again and again with replacement, and
//! the middle `confidence` of the means is the interval: the percentile bootstrap, with `numpy`'s linear quantiles;
//! or the middle is moved for bias and skew (`bca.rs`).
//!
//! Edge cases, decided once for all statistics: no query is refused; values that are not finite are refused. Of one
//! query, or of equal values, resamples all have the same mean and no information: the interval has no width, while
//! that of the default is wide. `scipy`'s `BCa` returns not-a-number for equal values.

use serde::{Deserialize, Serialize};

use super::bca::bca;
use super::student::{Range, jackknife, student};
use crate::draws::{resampled, resampled_counts, sum};
use crate::statistics_error::{StatisticsError, enough, finite, share};

/// The options of the draws for intervals.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Bootstrap {
    /// Number of resamples.
    pub resamples: u32,
    /// The share of resamples within the interval: 0.95.
    pub confidence: f64,
    /// The seed of the draws.
    pub seed: u64,
}

/// The method by which an interval is computed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// Student's t with a third of an observation added at the least and at the greatest value ([`student`](super::student())): reaches its
    /// stated confidence from ten queries on.
    #[default]
    Student,
    /// The middle of the resampled values (Efron and Tibshirani, *An introduction to the bootstrap*, 13.3).
    Percentile,
    /// Bias-corrected and accelerated (the same, 14.3): better for skewed scores near 0 or 1.
    Bca,
}

/// A mean with its interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// The mean over queries.
    pub value: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// A statistic with its interval, where some resamples may leave it undefined.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Resampled {
    /// The statistic and its interval over the resamples that define it.
    #[serde(flatten)]
    pub interval: Interval,
    /// Number of resamples in which it was undefined, such as a ratio to a mean of 0.
    pub undefined: u32,
}

impl Interval {
    /// An interval of no width.
    pub(crate) fn point(value: f64) -> Self {
        Interval {
            value,
            low: value,
            high: value,
        }
    }

    /// Returns `true` if the number is within the interval, ends included.
    ///
    /// ```
    /// let interval = barecode_scores::Interval { value: 0.5, low: 0.4, high: 0.6 };
    /// assert!(interval.contains(0.4) && !interval.contains(0.0));
    /// ```
    pub fn contains(&self, number: f64) -> bool {
        self.low <= number && number <= self.high
    }
}

impl Bootstrap {
    /// The interval of the mean of scores in `0..=1`.
    ///
    /// ```
    /// use barecode_scores::{Bootstrap, Method};
    /// let bootstrap = Bootstrap { resamples: 9_999, confidence: 0.95, seed: 1 };
    /// let interval = bootstrap.mean(&[0.0, 0.0, 0.1, 0.2, 1.0, 0.0, 0.1, 0.0], Method::Bca)?;
    /// assert!(interval.low < interval.value && interval.value < interval.high);
    /// # Ok::<(), barecode_scores::StatisticsError>(())
    /// ```
    pub fn mean(&self, values: &[f64], method: Method) -> Result<Interval, StatisticsError> {
        self.mean_within(values, Range::SCORES, method)
    }

    /// The interval of the mean of values within a range, such as differences of scores.
    ///
    /// ```
    /// use barecode_scores::{Bootstrap, Method, intervals::Range};
    /// let bootstrap = Bootstrap { resamples: 9_999, confidence: 0.95, seed: 1 };
    /// let equal = bootstrap.mean_within(&[0.0; 30], Range::DIFFERENCES, Method::Student)?;
    /// assert!(equal.low < -0.09 && equal.high > 0.09 && equal.high < 0.1);
    /// # Ok::<(), barecode_scores::StatisticsError>(())
    /// ```
    pub fn mean_within(
        &self,
        values: &[f64],
        range: Range,
        method: Method,
    ) -> Result<Interval, StatisticsError> {
        finite("values", values)?;
        if method == Method::Student && !values.is_empty() {
            self.check()?;
            return Ok(student(values, range, self.confidence));
        }
        let means = self.of_sums(&[values], range, method, |sums, n| sums[0] / n)?;
        Ok(means.interval)
    }

    /// The interval of a function of the sums of columns over units, and of the number of units.
    ///
    /// A resample in which the function is not finite is counted and set aside. `range` is the range of its values.
    pub(crate) fn of_sums(
        &self,
        columns: &[&[f64]],
        range: Range,
        method: Method,
        statistic: impl Fn(&[f64], f64) -> f64 + Sync,
    ) -> Result<Resampled, StatisticsError> {
        self.check()?;
        let n_units = columns.first().map_or(0, |column| column.len());
        enough("values", n_units, 1)?;
        let n = n_units as f64;
        let totals: Vec<f64> = columns.iter().map(|column| sum(column)).collect();
        let value = statistic(&totals, n);
        let drawn = || {
            resampled(columns, self.resamples, self.seed, |sums, _| {
                statistic(sums, n)
            })
        };
        let without = || {
            let mut rest = totals.clone();
            (0..n_units)
                .map(|unit| {
                    for ((rest, total), column) in rest.iter_mut().zip(&totals).zip(columns) {
                        *rest = total - column[unit];
                    }
                    statistic(&rest, n - 1.0)
                })
                .collect::<Vec<f64>>()
        };
        Ok(self.interval(value, range, drawn, method, without))
    }

    /// The interval of a statistic of the number of times that each of some units is drawn; `None` where it is
    /// undefined for the units themselves.
    pub(crate) fn of_counts(
        &self,
        n_units: usize,
        range: Range,
        method: Method,
        statistic: impl Fn(&[u32]) -> f64 + Sync,
    ) -> Option<Resampled> {
        let mut counts = vec![1; n_units];
        let value = statistic(&counts);
        let drawn = || resampled_counts(n_units, self.resamples, self.seed, &statistic);
        let without = || {
            let each = (0..n_units).map(|unit| {
                counts[unit] = 0;
                let value = statistic(&counts);
                counts[unit] = 1;
                value
            });
            each.collect()
        };
        let defined = value.is_finite();
        defined.then(|| self.interval(value, range, drawn, method, without))
    }

    /// The interval of a statistic, which may be undefined for some resamples; `drawn` returns its resampled values,
    /// and `without` its values without each unit.
    pub(crate) fn interval(
        &self,
        value: f64,
        range: Range,
        drawn: impl FnOnce() -> Vec<f64>,
        method: Method,
        without: impl FnOnce() -> Vec<f64>,
    ) -> Resampled {
        if method == Method::Student {
            return Resampled {
                interval: jackknife(value, &without(), range, self.confidence),
                undefined: 0,
            };
        }
        let mut drawn = drawn();
        let n_drawn = drawn.len();
        drawn.retain(|value| value.is_finite());
        let undefined = u32::try_from(n_drawn - drawn.len()).expect("there are fewer than 2^32");
        let interval = match method {
            Method::Bca => bca(value, drawn, &without(), self.confidence),
            Method::Student | Method::Percentile => percentile(value, drawn, self.confidence),
        };
        Resampled {
            interval,
            undefined,
        }
    }

    /// Refuses a confidence that is not a share.
    pub(crate) fn check(&self) -> Result<(), StatisticsError> {
        share("confidence", self.confidence)
    }
}

/// The middle `confidence` of resampled values, with `numpy`'s linear quantiles.
///
/// Without resamples the interval is the estimate.
///
/// ```
/// use barecode_scores::intervals::percentile;
/// let interval = percentile(2.0, vec![3.0, 1.0, 2.0, 4.0, 0.0], 0.5);
/// assert_eq!((interval.low, interval.high), (1.0, 3.0));
/// ```
pub fn percentile(value: f64, mut drawn: Vec<f64>, confidence: f64) -> Interval {
    if drawn.is_empty() {
        return Interval::point(value);
    }
    drawn.sort_unstable_by(f64::total_cmp);
    let outside = (1.0 - confidence) / 2.0;
    Interval {
        value,
        low: quantile(&drawn, outside),
        high: quantile(&drawn, 1.0 - outside),
    }
}

/// The quantile of sorted numbers, with linear interpolation between neighbors.
pub(crate) fn quantile(sorted: &[f64], share: f64) -> f64 {
    let place = share.clamp(0.0, 1.0) * (sorted.len() - 1) as f64;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the place lies within the list"
    )]
    let below = place.floor() as usize;
    let above = (below + 1).min(sorted.len() - 1);
    sorted[below] + (sorted[above] - sorted[below]) * (place - below as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_interpolate_between_neighbors() {
        let sorted = [1.0, 2.0, 3.0, 4.0];
        for (share, expected) in [(0.0, 1.0), (0.1, 1.3), (0.5, 2.5), (1.0, 4.0)] {
            assert!(
                (quantile(&sorted, share) - expected).abs() < 1e-12,
                "{share}"
            );
        }
    }
}
