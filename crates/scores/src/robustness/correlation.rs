//! Correlation of two columns, with intervals.
//!
//! CLARC's Table 11 correlates the shift of an embedding (the L2 distance of the vectors before and after) with
//! lines, cyclomatic complexity and perturbation fraction, and does not name the correlation. This file has both:
//! Pearson's, of the values, and Spearman's, of their midranks. Each comes with two intervals: by Fisher's z (with
//! Bonett and Wright's variance, *Sample size requirements for estimating Pearson, Kendall and Spearman
//! correlations*, 2000, for Spearman's), which assumes that the columns are normal, and by bootstrap over pairs,
//! which does not.
//!
//! Functions of one repository are alike, so pairs are not independent: [`cluster_correlation`] draws whole
//! repositories.
//!
//! A constant column has no correlation: `None`. The p value is of the t test with `n - 2` degrees of freedom,
//! as in `scipy.stats.pearsonr` and `spearmanr`. Resamples with a constant column are counted and set aside.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::distributions::{normal_quantile, t_two_sided};
use crate::draws::mean;
use crate::intervals::{Range, Resampled};
use crate::ranks::{is_constant, midranks};
use crate::statistics_error::{StatisticsError, paired, same_length};
use crate::{Bootstrap, Interval, Method};

/// The kind of a correlation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Coefficient {
    /// Of the values: the fit of a line.
    Pearson,
    /// Of the midranks: the fit of any rising or falling curve.
    Spearman,
}

/// A correlation of two columns.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Correlation {
    /// The kind of the correlation.
    pub coefficient: Coefficient,
    /// Number of pairs.
    pub n: usize,
    /// The correlation, in `-1..=1`, with its bootstrap interval.
    pub bootstrap: Resampled,
    /// The correlation with its interval by Fisher's z; from -1 to 1 for three pairs and fewer.
    pub fisher: Interval,
    /// The chance of a correlation at least as far from 0 without any, on either side; `None` if there are too few
    /// pairs.
    pub p: Option<f64>,
}

/// The correlation of two columns of pairs; `None` for fewer than two pairs or a constant column.
///
/// ```
/// use barecode_scores::robustness::{Coefficient, correlation};
/// use barecode_scores::{Bootstrap, Method};
/// let bootstrap = Bootstrap { resamples: 1_000, confidence: 0.95, seed: 1 };
/// let (fraction, shift) = ([0.1, 0.2, 0.3, 0.4, 0.5], [1.0, 4.0, 9.0, 16.0, 25.0]);
/// let found = correlation(&fraction, &shift, Coefficient::Spearman, &bootstrap, Method::Percentile)?;
/// assert_eq!(found.unwrap().fisher.value, 1.0);
/// let pearson = correlation(&fraction, &shift, Coefficient::Pearson, &bootstrap, Method::Percentile)?;
/// assert!((pearson.unwrap().fisher.value - 0.9811).abs() < 1e-4);
/// # Ok::<(), barecode_scores::StatisticsError>(())
/// ```
pub fn correlation(
    x: &[f64],
    y: &[f64],
    coefficient: Coefficient,
    bootstrap: &Bootstrap,
    method: Method,
) -> Result<Option<Correlation>, StatisticsError> {
    let alone: Vec<usize> = (0..x.len()).collect();
    cluster_correlation(x, y, &alone, coefficient, bootstrap, method)
}

/// As [`correlation()`], but the bootstrap draws whole clusters of pairs, such as the functions of a repository, the
/// same number as in the data (Davison and Hinkley, *Bootstrap methods and their application*, 3.8).
///
/// `clusters` names the cluster of each pair. Only the bootstrap interval uses the clusters: that by Fisher's z and
/// the p value treat pairs as independent. Of one cluster every resample is the data, and the interval has no width.
///
/// ```
/// use barecode_scores::robustness::{Coefficient, cluster_correlation, correlation};
/// use barecode_scores::{Bootstrap, Method};
/// let bootstrap = Bootstrap { resamples: 1_000, confidence: 0.95, seed: 1 };
/// let (x, y) = ([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [1.0, 3.0, 2.0, 9.0, 7.0, 8.0]);
/// let repositories = ["zlib", "zlib", "zlib", "curl", "curl", "lua"];
/// let of = Coefficient::Pearson;
/// let drawn = cluster_correlation(&x, &y, &repositories, of, &bootstrap, Method::Percentile)?.unwrap();
/// let alone = correlation(&x, &y, of, &bootstrap, Method::Percentile)?.unwrap();
/// assert_eq!(drawn.fisher, alone.fisher);
/// assert_ne!(drawn.bootstrap, alone.bootstrap);
/// # Ok::<(), barecode_scores::StatisticsError>(())
/// ```
pub fn cluster_correlation<C: Ord>(
    x: &[f64],
    y: &[f64],
    clusters: &[C],
    coefficient: Coefficient,
    bootstrap: &Bootstrap,
    method: Method,
) -> Result<Option<Correlation>, StatisticsError> {
    paired(("the first column", x), ("the second column", y))?;
    same_length(("pairs", x.len()), ("clusters", clusters.len()))?;
    bootstrap.check()?;
    let mut numbers: BTreeMap<&C, usize> = clusters.iter().map(|cluster| (cluster, 0)).collect();
    for (number, place) in numbers.values_mut().enumerate() {
        *place = number;
    }
    let of: Vec<usize> = clusters.iter().map(|cluster| numbers[cluster]).collect();
    let drawn = match coefficient {
        Coefficient::Pearson => of_values(x, y, &of, numbers.len(), bootstrap, method)?,
        Coefficient::Spearman => of_ranks(x, y, &of, numbers.len(), bootstrap, method),
    };
    let Some(drawn) = drawn else {
        return Ok(None);
    };
    let value = drawn.interval.value;
    let df = x.len() as f64 - 2.0;
    let t = value * (df / ((1.0 - value) * (1.0 + value))).sqrt();
    let p = match (coefficient, x.len()) {
        // Two points are always on a line; scipy returns 1 for Pearson's p value and not-a-number for Spearman's.
        (Coefficient::Pearson, 2) => Some(1.0),
        (_, 0..=2) => None,
        _ => Some(t_two_sided(t, df)),
    };
    Ok(Some(Correlation {
        coefficient,
        n: x.len(),
        bootstrap: drawn,
        fisher: fisher(value, x.len() as f64, coefficient, bootstrap.confidence),
        p,
    }))
}

/// Pearson's correlation by sums over clusters.
fn of_values(
    x: &[f64],
    y: &[f64],
    clusters: &[usize],
    n_clusters: usize,
    bootstrap: &Bootstrap,
    method: Method,
) -> Result<Option<Resampled>, StatisticsError> {
    let (Some(x), Some(y)) = (standardized(x), standardized(y)) else {
        return Ok(None);
    };
    let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).collect::<Vec<f64>>();
    let (xx, yy, xy) = (product(&x, &x), product(&y, &y), product(&x, &y));
    let once = vec![1.0; x.len()];
    let columns = [x, y, xx, yy, xy, once].map(|column| {
        let mut sums = vec![0.0; n_clusters];
        for (&value, &cluster) in column.iter().zip(clusters) {
            sums[cluster] += value;
        }
        sums
    });
    let columns = columns.each_ref().map(Vec::as_slice);
    let drawn = bootstrap.of_sums(&columns, Range::DIFFERENCES, method, |sums, _| {
        from_sums(sums[0], sums[1], sums[2], sums[3], sums[4], sums[5])
    })?;
    Ok(Some(drawn).filter(|drawn| drawn.interval.value.is_finite()))
}

/// Spearman's correlation, ranked anew in each resample.
fn of_ranks(
    x: &[f64],
    y: &[f64],
    clusters: &[usize],
    n_clusters: usize,
    bootstrap: &Bootstrap,
    method: Method,
) -> Option<Resampled> {
    let (of_x, of_y) = (Order::of(x), Order::of(y));
    let ranked = |counts: &[u32]| {
        let n: f64 = counts.iter().map(|&count| f64::from(count)).sum();
        let (x, y) = (of_x.ranks(counts), of_y.ranks(counts));
        // Ranks from the middle one on, so that no digits are lost.
        let middle = f64::midpoint(n, 1.0);
        let (mut xx, mut yy, mut xy) = (0.0, 0.0, 0.0);
        for ((x, y), &count) in x.iter().zip(&y).zip(counts) {
            let (x, y, count) = (x - middle, y - middle, f64::from(count));
            xx += count * x * x;
            yy += count * y * y;
            xy += count * x * y;
        }
        from_sums(0.0, 0.0, xx, yy, xy, n)
    };
    let ranked = |counts: &[u32]| {
        let of_pairs: Vec<u32> = clusters.iter().map(|&cluster| counts[cluster]).collect();
        ranked(&of_pairs)
    };
    if x.len() < 2 {
        return None;
    }
    bootstrap.of_counts(n_clusters, Range::DIFFERENCES, method, ranked)
}

/// The correlation from sums of columns, squares and products; not-a-number for a constant column.
fn from_sums(x: f64, y: f64, xx: f64, yy: f64, xy: f64, n: f64) -> f64 {
    let (of_x, of_y) = (xx - x * x / n, yy - y * y / n);
    // The rounding error of a constant column is not a spread.
    if of_x <= 1e-13 * xx || of_y <= 1e-13 * yy {
        return f64::NAN;
    }
    ((xy - x * y / n) / (of_x * of_y).sqrt()).clamp(-1.0, 1.0)
}

/// The column less its mean, over its largest distance from it; `None` for a constant one.
fn standardized(column: &[f64]) -> Option<Vec<f64>> {
    if is_constant(column) {
        return None;
    }
    let center = mean(column);
    let largest = (column.iter().map(|value| (value - center).abs())).fold(0.0, f64::max);
    // A spread below the last digit of the values leaves nothing to correlate.
    (largest > 0.0).then(|| {
        column
            .iter()
            .map(|value| (value - center) / largest)
            .collect()
    })
}

/// The positions of a column from the smallest value up, in groups of equal values.
struct Order {
    places: Vec<usize>,
    sizes: Vec<usize>,
}

impl Order {
    fn of(column: &[f64]) -> Self {
        let mut places: Vec<usize> = (0..column.len()).collect();
        places.sort_by(|&a, &b| column[a].total_cmp(&column[b]));
        let (_, sizes) = midranks(column);
        Order { places, sizes }
    }

    /// The midrank of each value when it occurs the counted number of times.
    fn ranks(&self, counts: &[u32]) -> Vec<f64> {
        let mut ranks = vec![0.0; counts.len()];
        let mut before = 0.0;
        let mut places = self.places.as_slice();
        for &size in &self.sizes {
            let (group, rest) = places.split_at(size);
            places = rest;
            let drawn: f64 = group.iter().map(|&place| f64::from(counts[place])).sum();
            for &place in group {
                ranks[place] = before + f64::midpoint(drawn, 1.0);
            }
            before += drawn;
        }
        ranks
    }
}

fn fisher(r: f64, n: f64, coefficient: Coefficient, confidence: f64) -> Interval {
    if n <= 3.0 {
        return Interval {
            value: r,
            low: -1.0,
            high: 1.0,
        };
    }
    let variance = match coefficient {
        Coefficient::Pearson => 1.0 / (n - 3.0),
        Coefficient::Spearman => (1.0 + r * r / 2.0) / (n - 3.0),
    };
    let reach = normal_quantile(f64::midpoint(1.0, confidence)) * variance.sqrt();
    Interval {
        value: r,
        low: (r.atanh() - reach).tanh(),
        high: (r.atanh() + reach).tanh(),
    }
}
