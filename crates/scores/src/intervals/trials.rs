//! The mean over trials and its standard error, as CLARC's Table 8 prints it.
//!
//! The standard error is about other draws with the same queries. It has no information about other queries.

use serde::Serialize;

use crate::draws::{mean, sum};
use crate::statistics_error::{StatisticsError, enough, finite};

/// A mean over trials with its standard error.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Trials {
    /// The mean over trials.
    pub mean: f64,
    /// The standard deviation of trials (with n - 1) over the root of their number; `None` for one trial.
    pub standard_error: Option<f64>,
    /// Number of trials.
    pub trials: usize,
}

/// The mean of a score over trials and its standard error (CLARC, appendix F.1, Table 8).
///
/// ```
/// let trials = barecode_scores::intervals::trials(&[0.5, 0.6, 0.7])?;
/// assert!((trials.mean - 0.6).abs() < 1e-12);
/// assert!((trials.standard_error.unwrap() - 0.1 / 3.0_f64.sqrt()).abs() < 1e-12);
/// # Ok::<(), barecode_scores::StatisticsError>(())
/// ```
pub fn trials(scores: &[f64]) -> Result<Trials, StatisticsError> {
    finite("trials", scores)?;
    enough("trials", scores.len(), 1)?;
    let n = scores.len() as f64;
    let center = mean(scores);
    let squares: Vec<f64> = scores
        .iter()
        .map(|score| (score - center).powi(2))
        .collect();
    Ok(Trials {
        mean: center,
        standard_error: (scores.len() > 1).then(|| (sum(&squares) / (n - 1.0) / n).sqrt()),
        trials: scores.len(),
    })
}
