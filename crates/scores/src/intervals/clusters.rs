//! The interval of a mean when queries of one repository are alike.
//!
//! Functions of one repository share style, domain and helpers, so a model that does well on one tends to do well on
//! the next, and queries are not independent. Here whole repositories are drawn with replacement, the same number as
//! in the data, and the statistic is the mean over all queries of the drawn repositories (Davison and Hinkley,
//! *Bootstrap methods and their application*, 3.8). A repository drawn twice counts twice.
//!
//! With two or three repositories [`Method::Student`] shows that hardly anything is known: nearly all of the range is
//! possible. Resamples then are too narrow. With one that has most queries no interval can be trusted. Both numbers
//! are in the result.

use std::collections::BTreeMap;

use serde::Serialize;

use super::bootstrap::{Bootstrap, Interval, Method};
use super::student::Range;
use crate::draws::sum;
use crate::statistics_error::{StatisticsError, finite, same_length};

/// A mean over queries with its interval over clusters of queries.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ClusterInterval {
    /// The mean over queries, and the interval.
    #[serde(flatten)]
    pub interval: Interval,
    /// Number of clusters.
    pub clusters: usize,
    /// The share of queries in the largest one.
    pub largest: f64,
}

impl Bootstrap {
    /// The interval of the mean over queries, with whole clusters drawn.
    ///
    /// `clusters` names the cluster of each query. One cluster has no information: [`Method::Student`] returns all of
    /// the range, and resamples an interval of no width.
    ///
    /// ```
    /// use barecode_scores::{Bootstrap, Method};
    /// let bootstrap = Bootstrap { resamples: 2_000, confidence: 0.95, seed: 1 };
    /// let values = [1.0, 1.0, 1.0, 0.0, 0.0, 0.5];
    /// let repositories = ["zlib", "zlib", "zlib", "curl", "curl", "lua"];
    /// let drawn = bootstrap.cluster_mean(&values, &repositories, Method::Percentile)?;
    /// assert_eq!((drawn.clusters, drawn.largest), (3, 0.5));
    /// assert_eq!((drawn.interval.low, drawn.interval.high), (0.0, 1.0));
    /// # Ok::<(), barecode_scores::StatisticsError>(())
    /// ```
    pub fn cluster_mean<C: Ord>(
        &self,
        values: &[f64],
        clusters: &[C],
        method: Method,
    ) -> Result<ClusterInterval, StatisticsError> {
        same_length(("values", values.len()), ("clusters", clusters.len()))?;
        finite("values", values)?;
        let mut members: BTreeMap<&C, Vec<f64>> = BTreeMap::new();
        for (&value, cluster) in values.iter().zip(clusters) {
            members.entry(cluster).or_default().push(value);
        }
        let sums: Vec<f64> = members.values().map(|values| sum(values)).collect();
        let sizes: Vec<f64> = members.values().map(|values| values.len() as f64).collect();
        let drawn = self.of_sums(&[&sums, &sizes], Range::SCORES, method, |sums, _| {
            sums[0] / sums[1]
        })?;
        Ok(ClusterInterval {
            interval: drawn.interval,
            clusters: sizes.len(),
            largest: sizes.iter().copied().fold(0.0, f64::max) / values.len() as f64,
        })
    }
}
