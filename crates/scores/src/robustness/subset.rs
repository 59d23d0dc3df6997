//! The score of a subset beside the score of the whole.
//!
//! CLARC has human-written queries for 125 functions of each group, and compares the scores on them with those on
//! all queries (Table 9). The two are not independent: the subset's functions are among the whole. So functions are
//! drawn, and each draw gives both means and their difference.
//!
//! A function of the subset may have a score of its own there, because its query is another one; or the same score as
//! in the whole, if it is only a smaller sample. Resamples without any function of the subset are counted and set
//! aside.

use serde::Serialize;

use crate::intervals::{Range, Resampled};
use crate::statistics_error::{StatisticsError, enough, finite, same_length};
use crate::{Bootstrap, Interval, Method};

/// A score on a subset beside the score on the whole.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Subset {
    /// Number of functions in the whole.
    pub n_whole: usize,
    /// Number of functions in the subset.
    pub n_subset: usize,
    /// The mean over the whole.
    pub whole: Interval,
    /// The mean over the subset.
    pub subset: Resampled,
    /// The subset's mean less the whole's.
    pub difference: Resampled,
    /// For the functions of the subset alone: their mean there less their mean in the whole. 0 if the subset has the
    /// same queries.
    pub same_functions: Interval,
}

/// Compares a subset with the whole: the score of each function, and the score in the subset of those in it.
///
/// ```
/// use barecode_scores::{Bootstrap, Method, robustness::subset};
/// let bootstrap = Bootstrap { resamples: 2_000, confidence: 0.95, seed: 1 };
/// let whole = [1.0, 0.5, 1.0, 0.0, 0.5, 1.0];
/// let people = [Some(1.0), Some(0.5), Some(0.5), None, None, None];
/// let told = subset(&whole, &people, &bootstrap, Method::Percentile)?;
/// assert_eq!((told.n_subset, told.subset.interval.value), (3, 2.0 / 3.0));
/// assert!(told.difference.interval.contains(0.0));
/// assert_eq!(told.same_functions.value, -0.5 / 3.0);
/// # Ok::<(), barecode_scores::StatisticsError>(())
/// ```
pub fn subset(
    whole: &[f64],
    subset: &[Option<f64>],
    bootstrap: &Bootstrap,
    method: Method,
) -> Result<Subset, StatisticsError> {
    same_length(
        ("the whole", whole.len()),
        ("the subset's list", subset.len()),
    )?;
    finite("the whole", whole)?;
    let there: Vec<f64> = subset.iter().flatten().copied().collect();
    finite("the subset", &there)?;
    enough("functions in the subset", there.len(), 1)?;
    let values: Vec<f64> = subset.iter().map(|value| value.unwrap_or(0.0)).collect();
    let members: Vec<f64> = subset
        .iter()
        .map(|v| f64::from(u8::from(v.is_some())))
        .collect();
    let columns: [&[f64]; 3] = [&values, &members, whole];
    let of_both = |whole: &f64, own: &Option<f64>| own.map(|own| own - whole);
    let moved: Vec<f64> = (whole.iter().zip(subset))
        .filter_map(|(whole, own)| of_both(whole, own))
        .collect();
    Ok(Subset {
        n_whole: whole.len(),
        n_subset: there.len(),
        whole: bootstrap.mean(whole, method)?,
        subset: bootstrap.of_sums(&columns, Range::SCORES, method, |sums, _| sums[0] / sums[1])?,
        difference: bootstrap.of_sums(&columns, Range::DIFFERENCES, method, |sums, n| {
            sums[0] / sums[1] - sums[2] / n
        })?,
        same_functions: bootstrap.mean_within(&moved, Range::DIFFERENCES, method)?,
    })
}
