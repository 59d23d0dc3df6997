//! Showing that two sides are equal but for a margin.
//!
//! Two one-sided tests (TOST; Schuirmann, *A comparison of the two one-sided tests procedure and the power approach*,
//! 1987): the first side is not worse by the margin, and not better by it. Both must be shown, so p is the larger of
//! the two, and the equivalent interval is the one with a confidence of `1 - 2 * level`: equivalence is shown exactly
//! if it is within `-margin..margin`.
//!
//! As for non-inferiority, the margin is decided before the study.

use serde::Serialize;

use super::non_inferiority::{NonInferiority, non_inferiority};
use crate::statistics_error::StatisticsError;

/// The result of a test of equivalence.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Equivalence {
    /// The mean of the first side less the mean of the second.
    pub difference: f64,
    /// The difference that would still count as none.
    pub margin: f64,
    /// The level of each of the two tests.
    pub level: f64,
    /// The lower end of the difference at a confidence of `1 - 2 * level`.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// The p value of the test that the first side is not worse.
    pub p_not_worse: f64,
    /// The p value of the test that it is not better.
    pub p_not_better: f64,
    /// The larger of the two.
    pub p: f64,
    /// True if the sides are shown to be equal but for the margin: p is at most the level.
    pub shown: bool,
}

/// Tests that the sides differ by less than the margin, on at least two functions.
///
/// ```
/// use barecode_scores::study::equivalence;
/// let model = [1.0, 0.5, 0.5, 1.0, 0.5, 1.0, 0.5, 0.5, 1.0, 0.5];
/// let people = [0.5, 0.5, 1.0, 0.5, 0.5, 0.5, 1.0, 0.5, 0.5, 0.5];
/// let test = equivalence(&model, &people, 0.4, 0.05)?;
/// assert!(test.shown && -0.4 < test.low && test.high < 0.4);
/// // Not worse by a quarter, but perhaps better by more.
/// let test = equivalence(&model, &people, 0.25, 0.05)?;
/// assert!(!test.shown && test.p_not_worse < 0.05 && test.p == test.p_not_better);
/// # Ok::<(), barecode_scores::StatisticsError>(())
/// ```
pub fn equivalence(
    first: &[f64],
    second: &[f64],
    margin: f64,
    level: f64,
) -> Result<Equivalence, StatisticsError> {
    let NonInferiority {
        difference,
        low,
        p: p_not_worse,
        ..
    } = non_inferiority(first, second, margin, level)?;
    let turned = non_inferiority(second, first, margin, level)?;
    let p = p_not_worse.max(turned.p);
    Ok(Equivalence {
        difference,
        margin,
        level,
        low,
        high: -turned.low,
        p_not_worse,
        p_not_better: turned.p,
        p,
        shown: p <= level,
    })
}
