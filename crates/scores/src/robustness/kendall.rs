//! Kendall's tau-b: do two columns put systems in the same order?
//!
//! Pairs of systems that both columns order alike, less those they order differently, over the geometric mean
//! of the pairs that each column orders at all (Kendall 1945). p without ties and up to 33 systems is exact, by
//! counting orders; otherwise it is the normal approximation corrected for ties: `scipy.stats.kendalltau`.
//!
//! Pairs are compared one by one, which is quadratic: meant for systems, not for queries.

use serde::Serialize;

use crate::distributions::normal_sf;
use crate::ranks::{equal, is_constant, midranks};
use crate::statistics_error::{StatisticsError, paired};

/// The agreement of two orders.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Kendall {
    /// In `-1..=1`: 1 for the same order, -1 for the reverse.
    pub tau: f64,
    /// The chance of a tau at least as far from 0 for unrelated orders; `None` if it is undefined.
    pub p: Option<f64>,
    /// Whether p was counted.
    pub exact: bool,
}

/// Kendall's tau-b of two columns; `None` for fewer than two values or a constant column.
///
/// ```
/// use barecode_scores::robustness::kendall;
/// // Three systems in the same order but for one pair.
/// let agreement = kendall(&[0.9, 0.5, 0.4], &[0.8, 0.3, 0.6])?.unwrap();
/// assert!((agreement.tau - 1.0 / 3.0).abs() < 1e-12);
/// assert_eq!(agreement.p, Some(1.0));
/// # Ok::<(), barecode_scores::StatisticsError>(())
/// ```
pub fn kendall(x: &[f64], y: &[f64]) -> Result<Option<Kendall>, StatisticsError> {
    paired(("the first column", x), ("the second column", y))?;
    let n = x.len();
    let (mut alike, mut different) = (0_u64, 0_u64);
    for a in 0..n {
        for b in a + 1..n {
            if equal(x[a], x[b]) || equal(y[a], y[b]) {
                continue;
            }
            if (x[a] < x[b]) == (y[a] < y[b]) {
                alike += 1;
            } else {
                different += 1;
            }
        }
    }
    let all = n as f64 * (n as f64 - 1.0) / 2.0;
    let (of_x, of_y) = (Ties::of(x), Ties::of(y));
    if n < 2 || is_constant(x) || is_constant(y) {
        return Ok(None);
    }
    let excess = alike as f64 - different as f64;
    let tau = excess / (all - of_x.pairs).sqrt() / (all - of_y.pairs).sqrt();
    let untied = of_x.pairs == 0.0 && of_y.pairs == 0.0;
    let exact = untied && (n <= 33 || alike.min(different) <= 1);
    let p = if exact {
        let fewer = usize::try_from(alike.min(different)).expect("pairs fit memory");
        Some((2.0 * share_of_orders(n, fewer)).min(1.0))
    } else if n == 2 {
        None
    } else {
        let (n, ordered) = (n as f64, 2.0 * all);
        let variance = (ordered * (2.0 * n + 5.0) - of_x.fives - of_y.fives) / 18.0
            + 2.0 * of_x.pairs * of_y.pairs / ordered
            + of_x.triples * of_y.triples / (9.0 * ordered * (n - 2.0));
        Some((2.0 * normal_sf(excess.abs() / variance.sqrt())).min(1.0))
    };
    Ok(Some(Kendall {
        tau: tau.clamp(-1.0, 1.0),
        p,
        exact,
    }))
}

/// Sums over groups of equal values that Kendall's variance needs.
struct Ties {
    pairs: f64,
    triples: f64,
    fives: f64,
}

impl Ties {
    fn of(column: &[f64]) -> Self {
        let (_, sizes) = midranks(column);
        let sum = |term: fn(f64) -> f64| sizes.iter().map(|&size| term(size as f64)).sum::<f64>();
        Ties {
            pairs: sum(|t| t * (t - 1.0) / 2.0),
            triples: sum(|t| t * (t - 1.0) * (t - 2.0)),
            fives: sum(|t| t * (t - 1.0) * (2.0 * t + 5.0)),
        }
    }
}

/// The share of orders of `n` items with at most so many inversions.
fn share_of_orders(n: usize, most: usize) -> f64 {
    // How likely each number of inversions is; the i-th item makes 0 to i - 1 of them, each as likely.
    let mut likely = vec![0.0; most + 1];
    likely[0] = 1.0;
    for item in 2..=n {
        let mut window = 0.0;
        let before = likely.clone();
        for inversions in 0..=most {
            window += before[inversions];
            if inversions >= item {
                window -= before[inversions - item];
            }
            likely[inversions] = window / item as f64;
        }
    }
    likely.iter().sum()
}
