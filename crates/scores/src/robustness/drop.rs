//! The drop from the standard setting to another.
//!
//! The drop is the mean difference over queries; the relative drop is `1 - mean(setting) / mean(standard)`,
//! the share of the score that is lost. Both have intervals from the same draws of queries. A mean of
//! per-query ratios would be another number, and undefined for each query that failed from the start.
//!
//! A positive drop is a loss. Where the standard mean is 0 there is no relative drop, and resamples in which
//! it is 0 are counted and set aside.

use serde::Serialize;

use crate::draws::mean;
use crate::intervals::{Range, Resampled};
use crate::statistics_error::{StatisticsError, paired};
use crate::{Bootstrap, Interval, Method};

/// The drop of a setting against the standard one.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Drop {
    /// The mean in the standard setting.
    pub standard: f64,
    /// The mean in the other.
    pub setting: f64,
    /// The mean difference, standard less setting.
    pub absolute: Interval,
    /// The share of the standard mean that is lost; `None` if that mean is 0.
    pub relative: Option<Resampled>,
}

/// The drop from `standard` to `setting`: one value per query each, in the same order.
///
/// ```
/// use barecode_scores::{Bootstrap, Method, robustness::drop_from};
/// let bootstrap = Bootstrap { resamples: 2_000, confidence: 0.95, seed: 1 };
/// let drop = drop_from(&[1.0, 1.0, 0.5, 0.5], &[1.0, 0.5, 0.0, 0.0], &bootstrap, Method::Percentile)?;
/// assert_eq!((drop.standard, drop.setting, drop.absolute.value), (0.75, 0.375, 0.375));
/// assert_eq!(drop.relative.unwrap().interval.value, 0.5);
/// # Ok::<(), barecode_scores::StatisticsError>(())
/// ```
pub fn drop_from(
    standard: &[f64],
    setting: &[f64],
    bootstrap: &Bootstrap,
    method: Method,
) -> Result<Drop, StatisticsError> {
    paired(("the standard setting", standard), ("the setting", setting))?;
    let lost: Vec<f64> = standard.iter().zip(setting).map(|(a, b)| a - b).collect();
    let absolute = bootstrap.mean_within(&lost, Range::DIFFERENCES, method)?;
    let ratio = |sums: &[f64], _| {
        if sums[1] == 0.0 {
            f64::NAN
        } else {
            1.0 - sums[0] / sums[1]
        }
    };
    let relative = match method {
        Method::Student => linearized(standard, setting, bootstrap)?,
        Method::Percentile | Method::Bca => {
            bootstrap.of_sums(&[setting, standard], Range::UNKNOWN, method, ratio)?
        }
    };
    Ok(Drop {
        standard: mean(standard),
        setting: mean(setting),
        absolute,
        relative: Some(relative).filter(|relative| relative.interval.value.is_finite()),
    })
}

/// The relative drop by its linear part. The part of a query in the ratio `r` of means is `(setting - r * standard)`
/// over the standard mean, which for scores is between `-r` and 1 over that mean.
fn linearized(
    standard: &[f64],
    setting: &[f64],
    bootstrap: &Bootstrap,
) -> Result<Resampled, StatisticsError> {
    let before = mean(standard);
    let kept = mean(setting) / before;
    if !kept.is_finite() {
        return Ok(Resampled {
            interval: Interval::point(f64::NAN),
            undefined: 0,
        });
    }
    let parts: Vec<f64> = (standard.iter().zip(setting))
        .map(|(standard, setting)| 1.0 - kept - (setting - kept * standard) / before)
        .collect();
    let range = Range {
        low: 1.0 - kept - 1.0 / before,
        high: 1.0 - kept + kept / before,
    };
    let drawn = bootstrap.mean_within(&parts, range, Method::Student)?;
    Ok(Resampled {
        // No score loses more than everything.
        interval: Interval {
            value: 1.0 - kept,
            low: drawn.low,
            high: drawn.high.min(1.0),
        },
        undefined: 0,
    })
}
