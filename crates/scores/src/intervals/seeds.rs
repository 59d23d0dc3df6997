//! One score from several seeds.
//!
//! A randomized setting draws names several times, so a score varies with queries and with seeds. Three
//! numbers answer three questions, and they are not exchangeable:
//!
//! - [`Pooling::Queries`]: each query's mean over its seeds, queries drawn. What would other queries give,
//!   with these seeds?
//! - [`Pooling::QueriesAndSeeds`]: queries and, independently, seeds drawn; the mean over the drawn rows and
//!   columns. What would other queries and other seeds give? (Owen, *The pigeonhole bootstrap*, Annals of Applied Statistics 2007;
//!   it errs on the wide side.)
//! - [`trials`]: the mean over trials and its standard error, as CLARC's Table 8 prints it. What would other
//!   seeds give, with the same queries? It says nothing about queries, and is the narrowest.

use serde::{Deserialize, Serialize};

use super::bootstrap::{Bootstrap, Interval, Method};
use super::student::Range;
use crate::draws::{mean, resampled, sum};
use crate::statistics_error::{StatisticsError, enough, finite, same_length};

/// What is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pooling {
    /// Queries; each is worth its mean over seeds.
    Queries,
    /// Queries and seeds. The interval is always by percentiles: the leave-one-out values of a table with two
    /// sides have no acceleration in common.
    QueriesAndSeeds,
}

/// A mean over queries and seeds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SeedInterval {
    /// The mean and its interval.
    #[serde(flatten)]
    pub interval: Interval,
    /// What was drawn.
    pub pooling: Pooling,
    /// Number of seeds.
    pub seeds: usize,
}

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

impl Bootstrap {
    /// The interval of the mean over queries and seeds: one list of per-query values a seed.
    ///
    /// ```
    /// use barecode_scores::{Bootstrap, Method, intervals::Pooling};
    /// let bootstrap = Bootstrap { resamples: 2_000, confidence: 0.95, seed: 1 };
    /// let seeds = [vec![1.0, 0.0, 0.5], vec![0.0, 1.0, 0.5]];
    /// let pooled = bootstrap.over_seeds(&seeds, Pooling::Queries, Method::Percentile)?;
    /// assert_eq!((pooled.interval.low, pooled.interval.high), (0.5, 0.5));
    /// let both = bootstrap.over_seeds(&seeds, Pooling::QueriesAndSeeds, Method::Percentile)?;
    /// assert!(both.interval.low < 0.5 && both.interval.high > 0.5);
    /// # Ok::<(), barecode_scores::StatisticsError>(())
    /// ```
    pub fn over_seeds(
        &self,
        seeds: &[Vec<f64>],
        pooling: Pooling,
        method: Method,
    ) -> Result<SeedInterval, StatisticsError> {
        let pooled = query_means(seeds)?;
        let interval = match pooling {
            Pooling::Queries => self.mean(&pooled, method)?,
            Pooling::QueriesAndSeeds => {
                self.check()?;
                let columns: Vec<&[f64]> = seeds.iter().map(Vec::as_slice).collect();
                let n_seeds = u32::try_from(seeds.len()).expect("there are fewer than 2^32 seeds");
                let cells = (seeds.len() * pooled.len()) as f64;
                let drawn = resampled(&columns, self.resamples, self.seed, |sums, draws| {
                    let chosen = (0..n_seeds).map(|_| sums[draws.below(n_seeds) as usize]);
                    chosen.sum::<f64>() / cells
                });
                self.interval(
                    mean(&pooled),
                    Range::SCORES,
                    || drawn,
                    Method::Percentile,
                    Vec::new,
                )
                .interval
            }
        };
        Ok(SeedInterval {
            interval,
            pooling,
            seeds: seeds.len(),
        })
    }
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

/// Each query's mean over the seeds.
pub(crate) fn query_means(seeds: &[Vec<f64>]) -> Result<Vec<f64>, StatisticsError> {
    enough("seeds", seeds.len(), 1)?;
    let first = &seeds[0];
    for seed in seeds {
        same_length(
            ("the first seed", first.len()),
            ("another seed", seed.len()),
        )?;
        finite("values of a seed", seed)?;
    }
    let over_seeds = |query: usize| seeds.iter().map(|seed| seed[query]).sum::<f64>();
    Ok((0..first.len())
        .map(|query| over_seeds(query) / seeds.len() as f64)
        .collect())
}
