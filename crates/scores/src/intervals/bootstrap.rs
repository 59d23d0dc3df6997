//! Intervals over queries by resampling.
//!
//! The queries are drawn again and again with replacement, and the middle `confidence` of the means is the
//! interval: the percentile bootstrap, with `numpy`'s linear quantiles; or the middle is moved for bias and
//! skew (`bca.rs`). All columns of one call share the draws, so two columns of one table can also be
//! compared draw by draw, and a column's interval does not depend on which others stand beside it.
//!
//! Edge cases, decided once for all statistics: no query is refused (by [`Bootstrap::intervals`], not-a-number,
//! because a table may have an empty cell); one query, equal values, or no resamples give an interval of no
//! width at the estimate; values that are not finite are refused. `scipy`'s `BCa` gives not-a-number for equal
//! values.

use serde::{Deserialize, Serialize};

use super::bca::bca;
use crate::draws::{mean, resampled, resampled_each, sum};
use crate::statistics_error::{StatisticsError, finite, share};

/// How intervals are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Bootstrap {
    /// Number of resamples.
    pub resamples: u32,
    /// The share of resamples within the interval: 0.95.
    pub confidence: f64,
    /// The seed of the draws.
    pub seed: u64,
}

/// How resamples become an interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Method {
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

    /// Whether the number lies within, ends included.
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
    /// The percentile interval of the mean of every column.
    ///
    /// The columns hold one value a query, in the same order of queries. Without queries there is no mean and
    /// all three numbers are not-a-number; without resamples the interval is the mean.
    ///
    /// ```
    /// use barecode_scores::Bootstrap;
    /// let bootstrap = Bootstrap { resamples: 1000, confidence: 0.95, seed: 1 };
    /// let intervals = bootstrap.intervals(&[vec![0.0, 1.0, 1.0, 1.0], vec![0.5; 4]]);
    /// assert!(intervals[0].low < 0.75 && intervals[0].high == 1.0);
    /// assert_eq!((intervals[1].low, intervals[1].high), (0.5, 0.5));
    /// ```
    ///
    /// # Panics
    /// If the columns differ in length.
    pub fn intervals(&self, columns: &[Vec<f64>]) -> Vec<Interval> {
        let n_queries = columns.first().map_or(0, Vec::len);
        assert!(
            columns.iter().all(|column| column.len() == n_queries),
            "columns of one table have one value a query"
        );
        if n_queries == 0 {
            return vec![Interval::point(f64::NAN); columns.len()];
        }
        let slices: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
        let n = n_queries as f64;
        let means = resampled_each(&slices, self.resamples, self.seed, |sums, _, out| {
            out.extend(sums.iter().map(|sum| sum / n));
        });
        let interval = |(i, column): (usize, &Vec<f64>)| {
            let means = means.iter().skip(i).step_by(columns.len());
            percentile(mean(column), means.copied().collect(), self.confidence)
        };
        columns.iter().enumerate().map(interval).collect()
    }

    /// The interval of the mean of one column.
    ///
    /// ```
    /// use barecode_scores::{Bootstrap, Method};
    /// let bootstrap = Bootstrap { resamples: 9_999, confidence: 0.95, seed: 1 };
    /// let interval = bootstrap.mean(&[0.0, 0.0, 0.1, 0.2, 1.0, 0.0, 0.1, 0.0], Method::Bca)?;
    /// assert!(interval.low < interval.value && interval.value < interval.high);
    /// # Ok::<(), barecode_scores::StatisticsError>(())
    /// ```
    pub fn mean(&self, values: &[f64], method: Method) -> Result<Interval, StatisticsError> {
        finite("values", values)?;
        let means = self.of_sums(&[values], method, |sums, n| sums[0] / n)?;
        Ok(means.interval)
    }

    /// The interval of a function of the sums of columns over units, and of the number of units.
    ///
    /// A resample in which the function is not finite is counted and set aside.
    pub(crate) fn of_sums(
        &self,
        columns: &[&[f64]],
        method: Method,
        statistic: impl Fn(&[f64], f64) -> f64 + Sync,
    ) -> Result<Resampled, StatisticsError> {
        self.check()?;
        let n_units = columns.first().map_or(0, |column| column.len());
        if n_units == 0 {
            return Err(StatisticsError::TooFew {
                what: "values",
                n: 0,
                needed: 1,
            });
        }
        let n = n_units as f64;
        let totals: Vec<f64> = columns.iter().map(|column| sum(column)).collect();
        let value = statistic(&totals, n);
        let drawn = resampled(columns, self.resamples, self.seed, |sums, _| {
            statistic(sums, n)
        });
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
        Ok(self.interval(value, drawn, method, without))
    }

    /// The interval of resampled values, of which some may be undefined; `without` gives the statistic without
    /// each unit.
    pub(crate) fn interval(
        &self,
        value: f64,
        mut drawn: Vec<f64>,
        method: Method,
        without: impl FnOnce() -> Vec<f64>,
    ) -> Resampled {
        let n_drawn = drawn.len();
        drawn.retain(|value| value.is_finite());
        let undefined = u32::try_from(n_drawn - drawn.len()).expect("there are fewer than 2^32");
        let interval = match method {
            Method::Percentile => percentile(value, drawn, self.confidence),
            Method::Bca => bca(value, drawn, &without(), self.confidence),
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
