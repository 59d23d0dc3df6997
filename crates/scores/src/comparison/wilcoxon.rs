//! The Wilcoxon signed-rank test.
//!
//! Differences are ranked by size; if the systems are alike, each rank is as likely to be on one side as on the
//! other. It tests the middle of the differences, not about the mean that is reported, so it may disagree with the
//! interval; it is included because readers expect it.
//!
//! Differences of 0 are dropped (Wilcoxon's rule). Up to 50 differences p is exact, by counting all signs, with
//! ties too: the doubled midranks are whole numbers. Beyond that it is the normal approximation with the
//! correction for ties and none for continuity: `scipy.stats.wilcoxon(zero_method="wilcox")` with `exact`, or
//! `asymptotic`. With ties and up to 50 differences scipy counts signs only up to 13, this module always.

use serde::Serialize;

use crate::distributions::normal_sf;
use crate::ranks::midranks;
use crate::statistics_error::{StatisticsError, finite};

/// The result of a signed-rank test.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Wilcoxon {
    /// The sum of ranks of the side with the smaller sum.
    pub w: f64,
    /// Differences that are not 0.
    pub n: usize,
    /// The chance of sums at least as uneven, on either side.
    pub p: f64,
    /// True if all signs were counted.
    pub exact: bool,
}

/// Up to this many differences all signs are counted.
const COUNTED: usize = 50;

/// The two-sided signed-rank test of differences on the same queries; `None` when all are 0 or the list is empty.
///
/// ```
/// use barecode_scores::comparison::wilcoxon;
/// let test = wilcoxon(&[1.0, 2.0, 3.0, -4.0, 0.0])?.unwrap();
/// // The ranks of 1, 2, 3 against that of 4; 14 of 16 ways are as uneven.
/// assert_eq!((test.w, test.n, test.p), (4.0, 4, 0.875));
/// # Ok::<(), barecode_scores::StatisticsError>(())
/// ```
pub fn wilcoxon(differences: &[f64]) -> Result<Option<Wilcoxon>, StatisticsError> {
    finite("differences", differences)?;
    let signed: Vec<f64> = differences.iter().copied().filter(|&d| d != 0.0).collect();
    if signed.is_empty() {
        return Ok(None);
    }
    let sizes: Vec<f64> = signed.iter().map(|d| d.abs()).collect();
    let (ranks, ties) = midranks(&sizes);
    let plus: f64 = (ranks.iter().zip(&signed))
        .filter(|&(_, &difference)| difference > 0.0)
        .map(|(rank, _)| rank)
        .sum();
    let all: f64 = ranks.iter().sum();
    let w = plus.min(all - plus);
    let exact = signed.len() <= COUNTED;
    let p = if exact {
        2.0 * share_up_to(w, &ranks)
    } else {
        let n = signed.len() as f64;
        let tied: f64 = ties
            .iter()
            .map(|&size| (size as f64).powi(3) - size as f64)
            .sum();
        let variance = n * (n + 1.0) * (2.0 * n + 1.0) / 24.0 - tied / 48.0;
        2.0 * normal_sf((all / 2.0 - w) / variance.sqrt())
    };
    Ok(Some(Wilcoxon {
        w,
        n: signed.len(),
        p: p.min(1.0),
        exact,
    }))
}

/// The share of all choices of ranks whose sum is at most `w`.
fn share_up_to(w: f64, ranks: &[f64]) -> f64 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "doubled midranks are whole and small"
    )]
    let doubled = |rank: f64| (2.0 * rank).round() as usize;
    let most = doubled(w);
    // The probability of each sum; sums above `w` are not kept.
    let mut likely = vec![0.0; most + 1];
    likely[0] = 1.0;
    for &rank in ranks {
        let rank = doubled(rank);
        for sum in (0..=most).rev() {
            let with = if sum >= rank { likely[sum - rank] } else { 0.0 };
            likely[sum] = f64::midpoint(likely[sum], with);
        }
    }
    likely.iter().sum()
}
