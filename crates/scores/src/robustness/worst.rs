//! The worst of several seeds.
//!
//! A mean over random names hides how often a query fails with some of them. Two worst cases are distinguished:
//! each query with its own worst seed (`ReCode`'s robust pass, 3.4: what holds whatever the names), and
//! the one seed that is worst for all queries together. The first is at most the second, and both are lower
//! the more seeds there are: compare only with equally many.
//!
//! The worst seed is chosen by the data it is then measured on, so its mean is a little too low as an estimate
//! for that seed; its interval is over queries, for the seed as chosen.

use serde::Serialize;

use crate::draws::mean;
use crate::intervals::{Pooling, SeedInterval};
use crate::statistics_error::StatisticsError;
use crate::{Bootstrap, Interval, Method};

/// The mean and the worst over seeds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Worst {
    /// The mean over seeds and queries, queries drawn.
    pub mean: SeedInterval,
    /// The mean over queries of each query's smallest value over seeds.
    pub per_query: Interval,
    /// The position of the seed with the lowest mean; the first of equals.
    pub seed: usize,
    /// That seed's mean.
    pub of_seed: Interval,
}

/// The worst over seeds: one list of per-query values a seed, where higher is better.
///
/// ```
/// use barecode_scores::{Bootstrap, Method, robustness::worst_over_seeds};
/// let bootstrap = Bootstrap { resamples: 1_000, confidence: 0.95, seed: 1 };
/// let seeds = [vec![1.0, 0.5, 0.0], vec![0.5, 0.25, 0.5]];
/// let worst = worst_over_seeds(&seeds, &bootstrap, Method::Percentile)?;
/// assert_eq!((worst.per_query.value, worst.seed), (0.25, 1));
/// # Ok::<(), barecode_scores::StatisticsError>(())
/// ```
pub fn worst_over_seeds(
    seeds: &[Vec<f64>],
    bootstrap: &Bootstrap,
    method: Method,
) -> Result<Worst, StatisticsError> {
    let pooled = bootstrap.over_seeds(seeds, Pooling::Queries, method)?;
    let smallest: Vec<f64> = (0..seeds[0].len())
        .map(|query| {
            let of_seeds = seeds.iter().map(|seed| seed[query]);
            of_seeds.fold(f64::INFINITY, f64::min)
        })
        .collect();
    let means: Vec<f64> = seeds.iter().map(|seed| mean(seed)).collect();
    let seed = (0..means.len())
        .min_by(|&a, &b| means[a].total_cmp(&means[b]))
        .expect("there is a seed, or the means over seeds had failed");
    Ok(Worst {
        mean: pooled,
        per_query: bootstrap.mean(&smallest, method)?,
        seed,
        of_seed: bootstrap.mean(&seeds[seed], method)?,
    })
}
