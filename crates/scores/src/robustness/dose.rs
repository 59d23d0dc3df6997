//! A score over doses: the amount that must be removed before it falls.
//!
//! One column of per-query values per dose, the share of identifiers renamed for example. The curve's area is the
//! mean height by trapezoids (1 for a model that loses nothing), its slope the least-squares change of the
//! score for one unit of dose. Both are linear in each query's values, so each query has its own area and slope,
//! and their means have intervals over queries. All intervals share their draws.

use serde::Serialize;

use crate::intervals::Range;
use crate::statistics_error::{StatisticsError, enough, finite, same_length};
use crate::{Bootstrap, Interval, Method};

/// A score at one dose.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct DosePoint {
    /// The dose.
    pub dose: f64,
    /// The mean over queries with its interval.
    #[serde(flatten)]
    pub score: Interval,
}

/// A score over doses.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DoseCurve {
    /// The points, by dose.
    pub points: Vec<DosePoint>,
    /// The mean height between the first and the last dose.
    pub area: Interval,
    /// The change of the score for one unit of dose.
    pub slope: Interval,
}

/// The curve of a score over at least two doses, which rise; one list of per-query values a dose.
///
/// ```
/// use barecode_scores::{Bootstrap, Method, robustness::dose_curve};
/// let bootstrap = Bootstrap { resamples: 1_000, confidence: 0.95, seed: 1 };
/// let scores = [vec![1.0, 1.0], vec![0.5, 1.0], vec![0.0, 0.5]];
/// let curve = dose_curve(&[0.0, 0.5, 1.0], &scores, &bootstrap, Method::Percentile)?;
/// assert_eq!((curve.area.value, curve.slope.value), (0.6875, -0.75));
/// # Ok::<(), barecode_scores::StatisticsError>(())
/// ```
pub fn dose_curve(
    doses: &[f64],
    scores: &[Vec<f64>],
    bootstrap: &Bootstrap,
    method: Method,
) -> Result<DoseCurve, StatisticsError> {
    finite("doses", doses)?;
    same_length(("doses", doses.len()), ("columns of scores", scores.len()))?;
    enough("doses", doses.len(), 2)?;
    if let Some(pair) = doses.windows(2).find(|pair| pair[0] >= pair[1]) {
        return Err(StatisticsError::range(
            "a dose",
            pair[1],
            "a number above the dose before it",
        ));
    }
    let n_queries = scores[0].len();
    for column in scores {
        same_length(
            ("the first dose", n_queries),
            ("another dose", column.len()),
        )?;
        finite("values at a dose", column)?;
    }
    let weighted = |weights: &[f64]| -> Vec<f64> {
        (0..n_queries)
            .map(|query| {
                (weights.iter().zip(scores))
                    .map(|(w, column)| w * column[query])
                    .sum()
            })
            .collect()
    };
    let mut points = Vec::new();
    for (&dose, column) in doses.iter().zip(scores) {
        let score = bootstrap.mean(column, method)?;
        points.push(DosePoint { dose, score });
    }
    let steepness = least_squares(doses);
    // The steepest lines of scores: 1 where a weight is positive and 0 elsewhere, and the other way round.
    let steepest = |sign: f64| steepness.iter().map(|w| (sign * w).max(0.0)).sum::<f64>() * sign;
    let slopes = Range {
        low: steepest(-1.0),
        high: steepest(1.0),
    };
    Ok(DoseCurve {
        points,
        area: bootstrap.mean(&weighted(&trapezoids(doses)), method)?,
        slope: bootstrap.mean_within(&weighted(&steepness), slopes, method)?,
    })
}

/// The weight of each dose in the mean height.
fn trapezoids(doses: &[f64]) -> Vec<f64> {
    let last = doses.len() - 1;
    let span = doses[last] - doses[0];
    (0..doses.len())
        .map(|i| (doses[(i + 1).min(last)] - doses[i.saturating_sub(1)]) / 2.0 / span)
        .collect()
}

/// The weight of each dose in the slope of the line.
fn least_squares(doses: &[f64]) -> Vec<f64> {
    let center = doses.iter().sum::<f64>() / doses.len() as f64;
    let squares: f64 = doses.iter().map(|dose| (dose - center).powi(2)).sum();
    doses.iter().map(|dose| (dose - center) / squares).collect()
}
