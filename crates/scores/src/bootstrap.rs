//! Intervals over queries by resampling.
//!
//! The queries are drawn again and again with replacement, and the middle `confidence` of the means is the
//! interval: the percentile bootstrap, with `numpy`'s linear quantiles. All columns share the draws, so two
//! columns of one table can also be compared draw by draw, and a column's interval does not depend on which
//! others stand beside it.
//!
//! Resamples are made in chunks, each with its own stream of the generator, so the numbers are the same on any number
//! of threads.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// How intervals are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Bootstrap {
    /// Number of resamples.
    pub resamples: u32,
    /// The share of resamples within the interval: 0.95.
    pub confidence: f64,
    /// The seed of the draws.
    pub seed: u64,
}

/// A mean with its interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// The mean over queries.
    pub value: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// Small enough for many threads, large enough that starting a stream costs nothing.
const CHUNK: u32 = 128;

impl Bootstrap {
    /// The interval of the mean of every column.
    ///
    /// The columns hold one value a query, in the same order of queries. Without queries there is no mean and
    /// all three numbers are not-a-number; without resamples the interval is the mean.
    ///
    /// ```
    /// use barecode_scores::Bootstrap;
    /// let bootstrap = Bootstrap { resamples: 1000, confidence: 0.95, seed: 1 };
    /// let intervals = bootstrap.intervals(&[vec![0.0, 1.0, 1.0, 1.0], vec![0.5; 4]]);
    /// assert!(intervals[0].low < 0.75 && intervals[0].high == 1.0);
    /// assert_eq!((intervals[1].low, intervals[1].high), (0.5, 0.5));
    /// ```
    ///
    /// # Panics
    /// If the columns differ in length.
    pub fn intervals(&self, columns: &[Vec<f64>]) -> Vec<Interval> {
        let n_queries = columns.first().map_or(0, Vec::len);
        assert!(
            columns.iter().all(|column| column.len() == n_queries),
            "columns of one table have one value a query"
        );
        if n_queries == 0 {
            let none = Interval {
                value: f64::NAN,
                low: f64::NAN,
                high: f64::NAN,
            };
            return vec![none; columns.len()];
        }
        let mut means = self.resampled_means(columns, n_queries);
        columns
            .iter()
            .zip(&mut means)
            .map(|(column, means)| self.interval(column, means))
            .collect()
    }

    /// One list of `resamples` means a column, in the order of the draws.
    fn resampled_means(&self, columns: &[Vec<f64>], n_queries: usize) -> Vec<Vec<f64>> {
        let width = columns.len();
        // A draw touches all columns of one query: they lie side by side.
        let mut rows = Vec::with_capacity(n_queries * width);
        for query in 0..n_queries {
            rows.extend(columns.iter().map(|column| column[query]));
        }
        let chunks: Vec<Vec<f64>> = (0..self.resamples.div_ceil(CHUNK))
            .into_par_iter()
            .map(|chunk| self.chunk_means(&rows, width, n_queries, chunk))
            .collect();
        let mut means = vec![Vec::with_capacity(self.resamples as usize); width];
        for resample in chunks.iter().flat_map(|chunk| chunk.chunks_exact(width)) {
            for (column, &mean) in means.iter_mut().zip(resample) {
                column.push(mean);
            }
        }
        means
    }

    fn chunk_means(&self, rows: &[f64], width: usize, n_queries: usize, chunk: u32) -> Vec<f64> {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        rng.set_stream(u64::from(chunk));
        let resamples = CHUNK.min(self.resamples - chunk * CHUNK);
        let mut means = Vec::with_capacity(resamples as usize * width);
        let mut sums = vec![0.0; width];
        let n = u32::try_from(n_queries).expect("a benchmark has fewer than 2^32 queries");
        for _ in 0..resamples {
            sums.fill(0.0);
            for _ in 0..n_queries {
                let start = below(&mut rng, n) * width;
                for (sum, value) in sums.iter_mut().zip(&rows[start..start + width]) {
                    *sum += value;
                }
            }
            means.extend(sums.iter().map(|sum| sum / n_queries as f64));
        }
        means
    }

    fn interval(&self, column: &[f64], means: &mut [f64]) -> Interval {
        let value = column.iter().sum::<f64>() / column.len() as f64;
        if means.is_empty() {
            return Interval {
                value,
                low: value,
                high: value,
            };
        }
        means.sort_unstable_by(f64::total_cmp);
        let outside = (1.0 - self.confidence) / 2.0;
        Interval {
            value,
            low: quantile(means, outside),
            high: quantile(means, 1.0 - outside),
        }
    }
}

/// A number in `0..n`, each equally likely (Lemire, *Fast random integer generation in an interval*, 2019).
fn below(rng: &mut ChaCha8Rng, n: u32) -> usize {
    loop {
        let product = u64::from(rng.next_u32()) * u64::from(n);
        // Without this a few numbers would be drawn once more often than the rest.
        if product & 0xffff_ffff >= u64::from(n.wrapping_neg() % n) {
            return usize::try_from(product >> 32).expect("the number is below 2^32");
        }
    }
}

/// The quantile of sorted numbers, with linear interpolation between neighbors.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let place = share.clamp(0.0, 1.0) * (sorted.len() - 1) as f64;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the place lies within the list"
    )]
    let below = place.floor() as usize;
    let above = (below + 1).min(sorted.len() - 1);
    sorted[below] + (sorted[above] - sorted[below]) * (place - below as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_interpolate_between_neighbors() {
        let sorted = [1.0, 2.0, 3.0, 4.0];
        for (share, expected) in [(0.0, 1.0), (0.1, 1.3), (0.5, 2.5), (1.0, 4.0)] {
            assert!(
                (quantile(&sorted, share) - expected).abs() < 1e-12,
                "{share}"
            );
        }
    }

    #[test]
    fn draws_are_even() {
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        let mut counts = [0_u32; 5];
        for _ in 0..50_000 {
            counts[below(&mut rng, 5)] += 1;
        }
        // 10,000 each, with a standard deviation of 89.
        assert!(
            counts.iter().all(|&count| count.abs_diff(10_000) < 400),
            "{counts:?}"
        );
    }
}
