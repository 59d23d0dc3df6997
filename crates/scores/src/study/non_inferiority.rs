//! Showing that one side is not worse.
//!
//! "Not significantly worse" is what a study without power always finds. To *show* that texts by a model are not
//! worse, a study has to fix beforehand how much worse is still acceptable, the margin, and reject that they are
//! worse by that much. The null hypothesis is that the mean difference is at most `-margin` (Walker and Nowacki,
//! *Understanding equivalence and noninferiority testing*, 2011). A small p value then shows something.
//!
//! The test is the one-sided t test of the difference plus the margin; beside it is the lower end of the one-sided
//! interval, which is equivalent: not inferior exactly if it is above `-margin`. [`power`] is the probability that a
//! study succeeds, [`smallest_margin`] the least margin that a study of this size can show, and [`queries_needed`]
//! the size that a study must have. The power is of the noncentral t distribution, not of its normal approximation.
//!
//! The margin is a decision, made before the study. A margin chosen afterwards proves nothing.

use serde::Serialize;

use crate::comparison::standard_error;
use crate::distributions::{bisect, power_of_t, t_quantile, t_sf};
use crate::draws::mean;
use crate::statistics_error::{StatisticsError, enough, paired, share};

/// The result of a test of non-inferiority.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct NonInferiority {
    /// Number of functions.
    pub n: usize,
    /// The mean of the first side less the mean of the second.
    pub difference: f64,
    /// The number of points by which the first side may be worse.
    pub margin: f64,
    /// The one-sided level.
    pub level: f64,
    /// The one-sided lower end of the difference.
    pub low: f64,
    /// The t of the difference plus the margin; infinite without any spread.
    pub t: f64,
    /// The chance of such a t if the first side is worse by the margin.
    pub p: f64,
    /// True if the first side is shown not to be worse by the margin: p is at most the level.
    pub shown: bool,
    /// The chance that a study of this size and spread shows it when both sides are equal.
    pub power: f64,
    /// The smallest margin that a study of this size and spread shows four times in five when both are equal.
    pub smallest_margin: f64,
}

/// Tests that the first side is not worse than the second by the margin, on at least two functions.
///
/// ```
/// use barecode_scores::study::non_inferiority;
/// let model = [1.0, 0.5, 0.5, 1.0, 0.5, 1.0, 0.5, 0.5, 1.0, 0.5];
/// let people = [0.5, 0.5, 1.0, 0.5, 0.5, 0.5, 1.0, 0.5, 0.5, 0.5];
/// let test = non_inferiority(&model, &people, 0.25, 0.05)?;
/// assert!(test.shown && test.low > -0.25);
/// // Without a margin nothing is shown, although the model's mean is higher.
/// assert!(test.difference > 0.0 && !non_inferiority(&model, &people, 0.0, 0.05)?.shown);
/// # Ok::<(), barecode_scores::StatisticsError>(())
/// ```
pub fn non_inferiority(
    first: &[f64],
    second: &[f64],
    margin: f64,
    level: f64,
) -> Result<NonInferiority, StatisticsError> {
    paired(("the first side", first), ("the second side", second))?;
    share("the level", level)?;
    at_least("the margin", margin, 0.0)?;
    enough("functions", first.len(), 2)?;
    let differences: Vec<f64> = first.iter().zip(second).map(|(a, b)| a - b).collect();
    let n = first.len();
    let df = n as f64 - 1.0;
    let difference = mean(&differences);
    let error = standard_error(&differences);
    let t = match (difference + margin, error) {
        // At the margin and without spread, nothing can be shown.
        (0.0, 0.0) => 0.0,
        (above, error) => above / error,
    };
    let p = t_sf(t, df);
    let deviation = error * (n as f64).sqrt();
    Ok(NonInferiority {
        n,
        difference,
        margin,
        level,
        low: difference - t_quantile(level, df) * error,
        t,
        p,
        shown: p <= level,
        power: power(n, deviation, margin, 0.0, level)?,
        smallest_margin: smallest_margin(n, deviation, 0.8, level)?,
    })
}

/// The chance that a study shows non-inferiority: for `n` functions, the standard deviation of differences,
/// the margin, the true mean difference, and the one-sided level.
///
/// ```
/// use barecode_scores::study::power;
/// let small = power(50, 0.8, 0.1, 0.0, 0.05)?;
/// let large = power(500, 0.8, 0.1, 0.0, 0.05)?;
/// assert!((small - 0.219).abs() < 0.001 && large > 0.87);
/// # Ok::<(), barecode_scores::StatisticsError>(())
/// ```
pub fn power(
    n: usize,
    deviation: f64,
    margin: f64,
    difference: f64,
    level: f64,
) -> Result<f64, StatisticsError> {
    share("the level", level)?;
    at_least("the margin", margin, 0.0)?;
    at_least("the standard deviation", deviation, 0.0)?;
    at_least("the true difference", difference, f64::NEG_INFINITY)?;
    enough("functions", n, 2)?;
    let above = difference + margin;
    if deviation == 0.0 {
        return Ok(f64::from(u8::from(above > 0.0)));
    }
    let df = n as f64 - 1.0;
    let shift = above / deviation * (n as f64).sqrt();
    Ok(power_of_t(t_quantile(level, df), shift, df))
}

/// The smallest margin that a study of `n` functions shows with this power when both sides are equal.
///
/// It is also the smallest true difference that a one-sided test for superiority finds with this power.
///
/// ```
/// use barecode_scores::study::{power, smallest_margin};
/// let margin = smallest_margin(125, 0.8, 0.8, 0.05)?;
/// assert!((power(125, 0.8, margin, 0.0, 0.05)? - 0.8).abs() < 1e-9);
/// # Ok::<(), barecode_scores::StatisticsError>(())
/// ```
pub fn smallest_margin(
    n: usize,
    deviation: f64,
    wanted: f64,
    level: f64,
) -> Result<f64, StatisticsError> {
    share("the wanted power", wanted)?;
    if power(n, deviation, 0.0, 0.0, level)? >= wanted || deviation == 0.0 {
        return Ok(0.0);
    }
    let df = n as f64 - 1.0;
    let critical = t_quantile(level, df);
    let falls_short = |shift: f64| power_of_t(critical, shift, df) < wanted;
    let mut high = 1.0;
    while falls_short(high) {
        high *= 2.0;
    }
    Ok(bisect(0.0, high, falls_short) * deviation / (n as f64).sqrt())
}

/// The fewest functions with which a study shows the margin with this power when both sides are equal.
///
/// ```
/// use barecode_scores::study::{power, queries_needed};
/// let n = queries_needed(0.8, 0.1, 0.8, 0.05)?;
/// assert!(power(n, 0.8, 0.1, 0.0, 0.05)? >= 0.8 && power(n - 1, 0.8, 0.1, 0.0, 0.05)? < 0.8);
/// # Ok::<(), barecode_scores::StatisticsError>(())
/// ```
pub fn queries_needed(
    deviation: f64,
    margin: f64,
    wanted: f64,
    level: f64,
) -> Result<usize, StatisticsError> {
    share("the wanted power", wanted)?;
    share("the level", level)?;
    at_least("the standard deviation", deviation, 0.0)?;
    if !(margin > 0.0 && margin >= deviation * 1e-4) {
        let range = "a number above 0, and at least a ten-thousandth of the standard deviation";
        return Err(StatisticsError::range("the margin", margin, range));
    }
    let suffices = |n: usize| Ok(power(n, deviation, margin, 0.0, level)? >= wanted);
    let mut high = 2;
    while !suffices(high)? {
        high *= 2;
    }
    let mut low = high / 2;
    while high - low > 1 {
        let middle = usize::midpoint(low, high);
        if suffices(middle)? {
            high = middle;
        } else {
            low = middle;
        }
    }
    Ok(high)
}

fn at_least(what: &'static str, value: f64, least: f64) -> Result<(), StatisticsError> {
    if value.is_finite() && value >= least {
        return Ok(());
    }
    let range = match least {
        0.0 => "a finite number from 0 on",
        _ => "a finite number",
    };
    Err(StatisticsError::range(what, value, range))
}
