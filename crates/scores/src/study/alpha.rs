//! Krippendorff's alpha: the agreement of annotators beyond chance.
//!
//! `1 - observed / expected` disagreement: the observed one is over pairs of ratings of the same unit, the expected
//! one over pairs of all ratings (Krippendorff, *Computing Krippendorff's alpha-reliability*, 2011). 1 is perfect
//! agreement, 0 the agreement by chance, and below 0 is systematic disagreement. Any number of annotators may be
//! missing anywhere; units with fewer than two ratings pair nothing and are left out.
//!
//! The weight of a disagreement depends on the level of measurement ([`Level`]). With a single value in all ratings
//! no disagreement is expected and alpha is undefined, however well the annotators agree.
//!
//! The interval draws units with replacement and computes alpha anew. Resamples in which it is undefined are
//! counted and set aside; with few units, or nearly always the same value, they are many, and the interval is
//! then of little worth. CLARC's Table 2 reports alphas without intervals, on 50 units.

use serde::{Deserialize, Serialize};

use crate::draws::mean;
use crate::intervals::{Range, Resampled};
use crate::ranks::equal;
use crate::statistics_error::{StatisticsError, finite, same_length};
use crate::{Bootstrap, Method};

/// The meaning of a difference of two ratings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Ratings are the same or not.
    Nominal,
    /// Ratings have an order; the distance is the number of ratings between.
    Ordinal,
    /// The distance is the squared difference.
    Interval,
    /// Ratings are amounts from 0 on; the distance is the squared difference over the squared sum.
    Ratio,
}

/// The agreement of annotators.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Alpha {
    /// The level of measurement.
    pub level: Level,
    /// Alpha, at most 1, with its interval over units and the number of undefined resamples.
    #[serde(flatten)]
    pub alpha: Resampled,
    /// Units with at least two ratings.
    pub units: usize,
    /// Ratings in them.
    pub ratings: usize,
}

/// Krippendorff's alpha of units' ratings: one list per unit, one rating an annotator, `None` if missing.
///
/// `None` if alpha is undefined: no unit with two ratings, or the same value in all of them.
///
/// ```
/// use barecode_scores::study::{Level, krippendorff_alpha};
/// use barecode_scores::{Bootstrap, Method};
/// let bootstrap = Bootstrap { resamples: 1_000, confidence: 0.95, seed: 1 };
/// let ratings = [
///     vec![Some(1.0), Some(1.0), None],
///     vec![Some(2.0), Some(2.0), Some(3.0)],
///     vec![Some(3.0), Some(3.0), Some(3.0)],
/// ];
/// let found = krippendorff_alpha(&ratings, Level::Nominal, &bootstrap, Method::Percentile)?.unwrap();
/// assert!((found.alpha.interval.value - 13.0 / 20.0).abs() < 1e-12);
/// assert_eq!((found.units, found.ratings), (3, 8));
/// # Ok::<(), barecode_scores::StatisticsError>(())
/// ```
pub fn krippendorff_alpha(
    ratings: &[Vec<Option<f64>>],
    level: Level,
    bootstrap: &Bootstrap,
    method: Method,
) -> Result<Option<Alpha>, StatisticsError> {
    bootstrap.check()?;
    let mut units: Vec<Vec<f64>> = Vec::new();
    for unit in ratings {
        same_length(
            ("the first unit", ratings[0].len()),
            ("another unit", unit.len()),
        )?;
        let given: Vec<f64> = unit.iter().flatten().copied().collect();
        finite("ratings of a unit", &given)?;
        if let (Level::Ratio, Some(&value)) = (level, given.iter().find(|&&value| value < 0.0)) {
            return Err(StatisticsError::range(
                "a rating on the ratio level",
                value,
                "a number from 0 on",
            ));
        }
        if given.len() > 1 {
            units.push(given);
        }
    }
    let table = Table::of(&units);
    let alpha = |counts: &[u32]| table.alpha(counts, level);
    let alpha = bootstrap.of_counts(units.len(), Range::DIFFERENCES, method, alpha);
    Ok(alpha.filter(|_| !units.is_empty()).map(|alpha| Alpha {
        level,
        alpha,
        units: units.len(),
        ratings: units.iter().map(Vec::len).sum(),
    }))
}

/// The ratings as counts of values.
struct Table {
    /// The values that occur, rising, less their mean.
    centered: Vec<f64>,
    /// The values that occur, rising.
    values: Vec<f64>,
    /// For each unit the values in it, by position, with their counts.
    units: Vec<Vec<(usize, f64)>>,
}

impl Table {
    fn of(units: &[Vec<f64>]) -> Self {
        let mut values: Vec<f64> = units.iter().flatten().copied().collect();
        values.sort_by(f64::total_cmp);
        values.dedup_by(|a, b| equal(*a, *b));
        let center = mean(&values);
        let count = |unit: &Vec<f64>| {
            let mut counts = vec![0.0; values.len()];
            for rating in unit {
                counts[values.partition_point(|value| value < rating)] += 1.0;
            }
            let there = counts.into_iter().enumerate();
            there.filter(|&(_, count)| count > 0.0).collect()
        };
        Table {
            units: units.iter().map(count).collect(),
            centered: values.iter().map(|value| value - center).collect(),
            values,
        }
    }

    /// Alpha of the units with these counts of draws; not-a-number where undefined.
    fn alpha(&self, drawn: &[u32], level: Level) -> f64 {
        let drawn_units = || {
            self.units
                .iter()
                .zip(drawn)
                .filter(|&(_, &times)| times > 0)
        };
        let mut totals = vec![0.0; self.values.len()];
        for (unit, &times) in drawn_units() {
            for &(value, count) in unit {
                totals[value] += f64::from(times) * count;
            }
        }
        // The ratings below each value and half of those of it: the position of the value on the ordinal level.
        let mut places = Vec::with_capacity(totals.len());
        let mut before = 0.0;
        for total in &totals {
            places.push(before + total / 2.0);
            before += total;
        }
        let n = before;
        let distance = |a: usize, b: usize| match level {
            Level::Nominal => f64::from(u8::from(a != b)),
            Level::Ordinal => (places[a] - places[b]).powi(2),
            Level::Interval => (self.values[a] - self.values[b]).powi(2),
            Level::Ratio if a == b => 0.0,
            Level::Ratio => {
                let (a, b) = (self.values[a], self.values[b]);
                ((a - b) / (a + b)).powi(2)
            }
        };
        let observed: f64 = drawn_units()
            .map(|(unit, &times)| {
                let ratings: f64 = unit.iter().map(|&(_, count)| count).sum();
                f64::from(times) * pairwise(unit, distance) / (ratings - 1.0)
            })
            .sum();
        let there: Vec<(usize, f64)> = totals
            .iter()
            .copied()
            .enumerate()
            .filter(|&(_, total)| total > 0.0)
            .collect();
        if there.len() < 2 {
            return f64::NAN;
        }
        let expected = match level {
            Level::Interval => self.expected_of_squares(&there, n),
            _ => pairwise(&there, distance),
        };
        1.0 - (n - 1.0) * observed / expected
    }

    /// The expected disagreement of squared differences, without going through all pairs.
    fn expected_of_squares(&self, there: &[(usize, f64)], n: f64) -> f64 {
        let (mut sum, mut squares) = (0.0, 0.0);
        for &(value, count) in there {
            sum += count * self.centered[value];
            squares += count * self.centered[value].powi(2);
        }
        n * squares - sum * sum
    }
}

/// The distances of all pairs of values, each pair once, weighted by its count.
fn pairwise(counts: &[(usize, f64)], distance: impl Fn(usize, usize) -> f64) -> f64 {
    let mut sum = 0.0;
    for (i, &(a, of_a)) in counts.iter().enumerate() {
        for &(b, of_b) in &counts[i + 1..] {
            sum += of_a * of_b * distance(a, b);
        }
    }
    sum
}
