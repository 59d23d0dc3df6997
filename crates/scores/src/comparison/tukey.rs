//! Tukey's honestly significant differences: all pairs of systems at once.
//!
//! Of many equal systems the best and the worst seem far apart. Tukey's test computes how far by chance, and calls
//! only larger differences significant. Three tests have the name:
//!
//! - [`tukey_hsd`], the textbook's for independent groups, as `scipy.stats.tukey_hsd` and `ranx` compute it. For
//!   systems on the same queries it counts the difficulty of queries as noise and misses most differences; it exists
//!   to agree with those programs.
//! - [`tukey_blocked`]: the same with the difficulty of queries taken out first (two-way analysis of variance
//!   without interaction; Sakai, *Laboratory experiments in information retrieval*, 2018, 4.4).
//! - [`randomized_tukey`], the right choice for systems on the same queries: the systems' names are shuffled
//!   within each query, and p is the share of shuffles whose largest mean is further above the smallest than
//!   the pair is apart (Carterette, *Multiple testing in statistical analysis of systems-based information
//!   retrieval experiments*, 2012). It assumes no distribution.

use serde::Serialize;

use crate::distributions::{range_quantile, range_sf};
use crate::draws::{chunked, mean};
use crate::ranks::is_constant;
use crate::statistics_error::{StatisticsError, enough, finite, same_length, share};

/// Two systems under Tukey's test.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct TukeyPair {
    /// The position of one system.
    pub first: usize,
    /// The position of the other.
    pub second: usize,
    /// The mean of the first less the mean of the second.
    pub difference: f64,
    /// The lower end of the simultaneous interval; `None` under randomization.
    pub low: Option<f64>,
    /// Its upper end.
    pub high: Option<f64>,
    /// The probability that two of several equal systems are this far apart.
    pub p: f64,
}

/// All pairs of systems under Tukey's test, `first` before `second`, in order.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Tukey {
    /// The pairs.
    pub pairs: Vec<TukeyPair>,
    /// Degrees of freedom of the error; `None` under randomization.
    pub df: Option<f64>,
}

/// Tukey's test (Tukey and Kramer) for independent groups, which may differ in size.
///
/// Without any spread within groups, equal means have p 1 and others 0 (`scipy`: not-a-number).
///
/// ```
/// use barecode_scores::comparison::tukey_hsd;
/// let test = tukey_hsd(&[vec![1.0, 2.0, 3.0], vec![2.0, 3.0, 4.0], vec![7.0, 8.0, 9.0]], 0.95)?;
/// assert!(test.pairs[0].p > 0.4 && test.pairs[1].p < 0.001);
/// # Ok::<(), barecode_scores::StatisticsError>(())
/// ```
pub fn tukey_hsd(groups: &[Vec<f64>], confidence: f64) -> Result<Tukey, StatisticsError> {
    checked(groups, confidence)?;
    let n: usize = groups.iter().map(Vec::len).sum();
    let df = (n - groups.len()) as f64;
    enough("values in all groups", n, groups.len() + 1)?;
    let error: f64 = groups.iter().map(|group| spread(group)).sum::<f64>() / df;
    Ok(all_pairs(groups, error, df, confidence))
}

/// Tukey's test for systems on the same queries, the difficulty of queries taken out.
///
/// One list a system, one value per query. Needs at least two queries.
///
/// ```
/// use barecode_scores::comparison::{tukey_blocked, tukey_hsd};
/// // One system is always a little better, but queries differ much more.
/// let systems = [vec![0.1, 0.5, 0.9, 0.3], vec![0.2, 0.58, 1.0, 0.42]];
/// assert!(tukey_blocked(&systems, 0.95)?.pairs[0].p < 0.01);
/// assert!(tukey_hsd(&systems, 0.95)?.pairs[0].p > 0.5);
/// # Ok::<(), barecode_scores::StatisticsError>(())
/// ```
pub fn tukey_blocked(systems: &[Vec<f64>], confidence: f64) -> Result<Tukey, StatisticsError> {
    checked(systems, confidence)?;
    let n_queries = same_queries(systems)?;
    enough("queries", n_queries, 2)?;
    let df = ((n_queries - 1) * (systems.len() - 1)) as f64;
    // The residual of each value without its query's mean and without the effect of its system.
    let left: Vec<Vec<f64>> = without_query_means(systems);
    let error = left.iter().map(|system| spread(system)).sum::<f64>() / df;
    Ok(all_pairs(systems, error, df, confidence))
}

/// Tukey's test for systems on the same queries, by shuffling names within queries.
///
/// p is `(hits + 1) / (permutations + 1)`.
///
/// ```
/// use barecode_scores::comparison::randomized_tukey;
/// let good: Vec<f64> = (0..30).map(|i| f64::from(i % 7) / 7.0).collect();
/// let bad: Vec<f64> = good.iter().map(|value| value * 0.8).collect();
/// let test = randomized_tukey(&[good.clone(), bad, good], 2_000, 1)?;
/// assert!(test.pairs[0].p < 0.01);
/// assert_eq!(test.pairs[1].p, 1.0);
/// # Ok::<(), barecode_scores::StatisticsError>(())
/// ```
pub fn randomized_tukey(
    systems: &[Vec<f64>],
    permutations: u32,
    seed: u64,
) -> Result<Tukey, StatisticsError> {
    checked(systems, 0.5)?;
    let n_queries = same_queries(systems)?;
    let rows: Vec<f64> = (0..n_queries)
        .flat_map(|query| systems.iter().map(move |system| system[query]))
        .collect();
    let k = u32::try_from(systems.len()).expect("there are fewer than 2^32 systems");
    let mut ranges = chunked(permutations, seed, |draws, permutations, ranges| {
        let mut sums = vec![0.0; systems.len()];
        let mut row = vec![0.0; systems.len()];
        for _ in 0..permutations {
            sums.fill(0.0);
            for given in rows.chunks_exact(systems.len()) {
                row.copy_from_slice(given);
                for (last, at) in (1..k).rev().zip((1..row.len()).rev()) {
                    row.swap(at, draws.below(last + 1) as usize);
                }
                for (sum, value) in sums.iter_mut().zip(&row) {
                    *sum += value;
                }
            }
            let highest = sums.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let lowest = sums.iter().copied().fold(f64::INFINITY, f64::min);
            ranges.push((highest - lowest) / n_queries as f64);
        }
    });
    ranges.sort_unstable_by(f64::total_cmp);
    let size = rows.iter().map(|value| value.abs()).sum::<f64>() / n_queries as f64;
    let pair = |(first, second): (usize, usize)| {
        let difference = mean(&systems[first]) - mean(&systems[second]);
        // Ranges that are equal but for rounding count as equal.
        let reached = difference.abs() - 1e-13 * size;
        let hits = ranges.len() - ranges.partition_point(|&range| range < reached);
        TukeyPair {
            first,
            second,
            difference,
            low: None,
            high: None,
            p: (hits as f64 + 1.0) / (f64::from(permutations) + 1.0),
        }
    };
    Ok(Tukey {
        pairs: pairs(systems.len()).map(pair).collect(),
        df: None,
    })
}

/// All pairs of positions below `n`.
pub(crate) fn pairs(n: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..n).flat_map(move |first| (first + 1..n).map(move |second| (first, second)))
}

fn checked(groups: &[Vec<f64>], confidence: f64) -> Result<(), StatisticsError> {
    share("confidence", confidence)?;
    enough("systems", groups.len(), 2)?;
    for group in groups {
        finite("values of a system", group)?;
        enough("values of a system", group.len(), 1)?;
    }
    Ok(())
}

fn same_queries(systems: &[Vec<f64>]) -> Result<usize, StatisticsError> {
    let n_queries = systems[0].len();
    for system in systems {
        same_length(
            ("the first system", n_queries),
            ("another system", system.len()),
        )?;
    }
    Ok(n_queries)
}

fn all_pairs(groups: &[Vec<f64>], error: f64, df: f64, confidence: f64) -> Tukey {
    let k = groups.len();
    let means: Vec<f64> = groups.iter().map(|group| mean(group)).collect();
    let critical = range_quantile(1.0 - confidence, k, df);
    let pair = |(first, second): (usize, usize)| {
        let difference: f64 = means[first] - means[second];
        let sizes = 1.0 / groups[first].len() as f64 + 1.0 / groups[second].len() as f64;
        let deviation = (error / 2.0 * sizes).sqrt();
        let p = if difference == 0.0 {
            1.0
        } else {
            range_sf(difference.abs() / deviation, k, df)
        };
        TukeyPair {
            first,
            second,
            difference,
            low: Some(difference - critical * deviation),
            high: Some(difference + critical * deviation),
            p,
        }
    };
    Tukey {
        pairs: pairs(k).map(pair).collect(),
        df: Some(df),
    }
}

/// The sum of squared distances from the mean; exactly 0 for equal values.
fn spread(values: &[f64]) -> f64 {
    if is_constant(values) {
        return 0.0;
    }
    let center = mean(values);
    values.iter().map(|value| (value - center).powi(2)).sum()
}

fn without_query_means(systems: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let mut left = systems.to_vec();
    for query in 0..systems[0].len() {
        let sum: f64 = systems.iter().map(|system| system[query]).sum();
        for system in &mut left {
            system[query] -= sum / systems.len() as f64;
        }
    }
    left
}
