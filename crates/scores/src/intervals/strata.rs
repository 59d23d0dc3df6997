//! The interval of a weighted sum of means, each over units of its own: the means of a suite's members.
//!
//! Units are drawn within each stratum, so the interval is about other queries of the same test sets, and not about
//! other test sets.

use super::bootstrap::{Bootstrap, Interval, percentile};
use crate::draws::{resampled, sum};
use crate::statistics_error::{StatisticsError, enough, finite};

/// Apart enough that strata never share a stream.
const STRIDE: u64 = 0x9e37_79b9_7f4a_7c15;

impl Bootstrap {
    /// The sum of `weight × mean` over strata, with the middle of its resamples. The draws of a stratum depend on the seed and
    /// its number, so systems on the same strata are drawn alike.
    ///
    /// ```
    /// use barecode_scores::Bootstrap;
    /// let bootstrap = Bootstrap { resamples: 999, confidence: 0.95, seed: 1 };
    /// let (large, small) = ([1.0, 0.0, 1.0, 0.0, 1.0, 0.0], [0.0, 1.0]);
    /// let mean = bootstrap.mean_of_strata(&[(0, 0.5, &large), (1, 0.5, &small)])?;
    /// assert_eq!(mean.value, 0.5);
    /// assert!(mean.low < 0.5 && mean.high > 0.5);
    /// # Ok::<(), barecode_scores::StatisticsError>(())
    /// ```
    ///
    /// # Errors
    /// Without a stratum or with an empty one, and if a value is not a number.
    pub fn mean_of_strata(
        &self,
        strata: &[(u64, f64, &[f64])],
    ) -> Result<Interval, StatisticsError> {
        self.check()?;
        let sizes = strata.iter().map(|(.., values)| values.len());
        enough("values", sizes.min().unwrap_or(0), 1)?;
        let mut value = 0.0;
        let mut drawn = vec![0.0; self.resamples as usize];
        for &(number, weight, values) in strata {
            finite("values", values)?;
            let n = values.len() as f64;
            value += weight * sum(values) / n;
            let seed = self.seed ^ STRIDE.wrapping_mul(number + 1);
            let means = resampled(&[values], self.resamples, seed, |sums, _| sums[0] / n);
            for (drawn, mean) in drawn.iter_mut().zip(means) {
                *drawn += weight * mean;
            }
        }
        Ok(percentile(value, drawn, self.confidence))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_is_as_wide_as_the_variances_of_the_strata_say() {
        let bootstrap = Bootstrap {
            resamples: 20_000,
            confidence: 0.95,
            seed: 3,
        };
        let halves =
            |n: usize| -> Vec<f64> { (0..n).map(|i| f64::from(u8::from(i % 2 == 0))).collect() };
        let (many, few) = (halves(400), halves(100));
        let interval = bootstrap
            .mean_of_strata(&[(0, 0.25, &many), (1, 0.75, &few)])
            .unwrap();
        let variance: f64 = 0.25_f64.powi(2) * 0.25 / 400.0 + 0.75_f64.powi(2) * 0.25 / 100.0;
        let width = interval.high - interval.low;
        let expected = 2.0 * 1.96 * variance.sqrt();
        assert!((width / expected - 1.0).abs() < 0.03, "{width} {expected}");
        assert!((interval.value - 0.5).abs() < 1e-12);
    }
}
