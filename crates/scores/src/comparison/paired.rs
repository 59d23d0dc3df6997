//! Two systems on the same queries.
//!
//! Everything is computed on the differences query by query: the interval of their mean, the randomization test, the
//! t test and the signed-rank test. The four rarely disagree; the interval is the one to report, because it shows how
//! large the difference may be.

use serde::Serialize;

use super::permutation::{Permutation, permutation_test};
use super::t_test::{TTest, standard_error, t_test};
use super::wilcoxon::{Wilcoxon, wilcoxon};
use crate::draws::mean;
use crate::intervals::Range;
use crate::statistics_error::{StatisticsError, paired};
use crate::study::smallest_margin;
use crate::{Bootstrap, Interval, Method};

/// The options of a comparison of systems.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Plan {
    /// Resamples and confidence of intervals, and the seed of all draws.
    pub bootstrap: Bootstrap,
    /// The method by which resamples become an interval.
    pub method: Method,
    /// Number of permutations; fewer if there are fewer ways.
    pub permutations: u32,
}

/// Two systems on the same queries.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Paired {
    /// Number of queries.
    pub n: usize,
    /// The mean of the first system.
    pub first: f64,
    /// The mean of the second.
    pub second: f64,
    /// The mean of the first less the mean of the second, with its interval.
    pub difference: Interval,
    /// The true difference that a test on this many queries with such differences finds four times in five.
    pub detectable: Option<f64>,
    /// Queries on which the first is better.
    pub wins: usize,
    /// Queries on which both have the same value.
    pub ties: usize,
    /// Queries on which the second is better.
    pub losses: usize,
    /// The randomization test.
    pub permutation: Permutation,
    /// The t test; `None` if it has nothing to test.
    pub t: Option<TTest>,
    /// The signed-rank test; `None` if it has nothing to test.
    pub wilcoxon: Option<Wilcoxon>,
}

/// Compares two systems, given as one value per query in the same order.
///
/// ```
/// use barecode_scores::comparison::{Plan, compare};
/// use barecode_scores::{Bootstrap, Method};
/// let plan = Plan {
///     bootstrap: Bootstrap { resamples: 9_999, confidence: 0.95, seed: 1 },
///     method: Method::Bca,
///     permutations: 9_999,
/// };
/// let names = [1.0, 1.0, 0.5, 1.0, 0.5, 1.0, 1.0, 0.3];
/// let bare = [0.5, 1.0, 0.2, 0.3, 0.0, 0.5, 0.2, 0.1];
/// let paired = compare(&names, &bare, &plan)?;
/// assert_eq!((paired.wins, paired.ties, paired.losses), (7, 1, 0));
/// assert!(paired.difference.low > 0.0 && paired.permutation.p < 0.05);
/// # Ok::<(), barecode_scores::StatisticsError>(())
/// ```
pub fn compare(first: &[f64], second: &[f64], plan: &Plan) -> Result<Paired, StatisticsError> {
    paired(("the first system", first), ("the second system", second))?;
    let differences: Vec<f64> = first.iter().zip(second).map(|(a, b)| a - b).collect();
    Ok(Paired {
        n: first.len(),
        first: mean(first),
        second: mean(second),
        difference: (plan.bootstrap).mean_within(&differences, Range::DIFFERENCES, plan.method)?,
        detectable: detectable(&differences, plan.bootstrap.confidence)?,
        wins: differences.iter().filter(|&&d| d > 0.0).count(),
        ties: differences.iter().filter(|&&d| d == 0.0).count(),
        losses: differences.iter().filter(|&&d| d < 0.0).count(),
        permutation: permutation_test(&differences, plan.permutations, plan.bootstrap.seed)?,
        t: t_test(&differences)?,
        wilcoxon: wilcoxon(&differences)?,
    })
}

/// The smallest true difference that the two-sided t test on the same number of queries finds four times in five,
/// given the spread of these differences; `None` if they have none.
///
/// ```
/// use barecode_scores::comparison::detectable;
/// let even: Vec<f64> = (0..100).map(|i| f64::from(i % 2) - 0.5).collect();
/// // About 2.8 standard errors.
/// assert!((detectable(&even, 0.95)?.unwrap() - 0.142).abs() < 0.001);
/// # Ok::<(), barecode_scores::StatisticsError>(())
/// ```
pub fn detectable(differences: &[f64], confidence: f64) -> Result<Option<f64>, StatisticsError> {
    let n = differences.len();
    let deviation = standard_error(differences) * (n as f64).sqrt();
    if deviation == 0.0 {
        return Ok(None);
    }
    smallest_margin(n, deviation, 0.8, (1.0 - confidence) / 2.0).map(Some)
}
