//! The paired t test.
//!
//! The mean difference over its standard error, against Student's t with `n - 1` degrees of freedom. It assumes
//! that the mean of the differences is normal, which is nearly true for many queries even with scores in `0..=1`.
//! The same numbers as `scipy.stats.ttest_rel`.

use serde::Serialize;

use crate::distributions::t_two_sided;
use crate::draws::{mean, sum};
use crate::ranks::is_constant;
use crate::statistics_error::{StatisticsError, finite};

/// The result of a paired t test.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct TTest {
    /// The mean difference over its standard error; infinite when all differences are equal and not 0.
    pub t: f64,
    /// Degrees of freedom: one less than queries.
    pub df: f64,
    /// The chance of a t at least as far from 0, on either side.
    pub p: f64,
}

/// The two-sided t test of differences on the same queries.
///
/// `None` for fewer than two differences and when all are 0: there is nothing to test.
///
/// ```
/// use barecode_scores::comparison::t_test;
/// let test = t_test(&[1.0, 2.0, 3.0])?.unwrap();
/// assert!((test.t - 12.0_f64.sqrt()).abs() < 1e-12);
/// assert!((test.p - 0.0741799).abs() < 1e-6);
/// # Ok::<(), barecode_scores::StatisticsError>(())
/// ```
pub fn t_test(differences: &[f64]) -> Result<Option<TTest>, StatisticsError> {
    finite("differences", differences)?;
    if differences.len() < 2 || differences.iter().all(|&difference| difference == 0.0) {
        return Ok(None);
    }
    let df = differences.len() as f64 - 1.0;
    let t = mean(differences) / standard_error(differences);
    Ok(Some(TTest {
        t,
        df,
        p: t_two_sided(t, df),
    }))
}

/// The standard error of a mean: the standard deviation (with `n - 1`) over the root of `n`.
pub(crate) fn standard_error(values: &[f64]) -> f64 {
    if is_constant(values) {
        return 0.0;
    }
    let n = values.len() as f64;
    let center = mean(values);
    let squares: Vec<f64> = values
        .iter()
        .map(|value| (value - center).powi(2))
        .collect();
    (sum(&squares) / (n - 1.0) / n).sqrt()
}
