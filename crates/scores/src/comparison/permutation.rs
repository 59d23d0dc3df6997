//! The paired randomization test: what if the two systems' names meant nothing?
//!
//! If two systems are alike, each query's difference could as well have had the other sign. The test turns the
//! signs in all ways, or at random, and p is the share of ways whose mean difference is at least as far from 0
//! as the one seen (Smucker, Allan and Carterette, *A comparison of statistical significance tests for
//! information retrieval evaluation*, 2007, which recommends it).
//!
//! When there are at most as many ways as requested permutations, all are tried and p is exact. Differences of 0 have
//! no sign and are left out of the count of ways. Otherwise p is `(hits + 1) / (permutations + 1)`, which is never 0
//! (Phipson and Smyth, 2010), as in `scipy.stats.permutation_test`. Sums that are equal but for rounding count as
//! equal.
//!
//! The hard thing is speed. Eight differences have 256 signed sums, which are made once for all permutations of a
//! chunk; a permutation then needs one random byte, one look-up and one addition for eight signs.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use rayon::prelude::*;
use serde::Serialize;

use crate::statistics_error::{StatisticsError, enough, finite};

/// The result of a randomization test.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Permutation {
    /// The chance of a difference at least this large if the systems are alike, on either side.
    pub p: f64,
    /// The number of assignments of signs that were tried.
    pub permutations: u64,
    /// True if these were all assignments.
    pub exact: bool,
}

/// Permutations that share a table: their sums fit the first-level cache.
const CHUNK: u32 = 1024;

/// The two-sided randomization test of differences between two systems on the same queries.
///
/// Range: above 0 and at most 1. Without any difference p is 1. No query is refused.
///
/// ```
/// use barecode_scores::comparison::permutation_test;
/// // All eight of eight signs agree: of 256 ways two are as extreme.
/// let test = permutation_test(&[0.1, 0.2, 0.3, 0.1, 0.5, 0.1, 0.2, 0.4], 9_999, 1)?;
/// assert!(test.exact && test.permutations == 256);
/// assert_eq!(test.p, 2.0 / 256.0);
/// # Ok::<(), barecode_scores::StatisticsError>(())
/// ```
pub fn permutation_test(
    differences: &[f64],
    permutations: u32,
    seed: u64,
) -> Result<Permutation, StatisticsError> {
    finite("differences", differences)?;
    enough("differences", differences.len(), 1)?;
    let signed: Vec<f64> = differences.iter().copied().filter(|&d| d != 0.0).collect();
    let total: f64 = signed.iter().sum();
    let size: f64 = signed.iter().map(|d| d.abs()).sum();
    // A sum of n numbers is off by at most n roundings; 1e-13 allows for a thousand, more than blocks make.
    let reached = total.abs() - 1e-13 * size;
    let is_hit = |chosen: f64| (2.0 * chosen - total).abs() >= reached;
    let ways = u32::try_from(signed.len())
        .ok()
        .and_then(|n| 1_u64.checked_shl(n))
        .filter(|&ways| ways <= u64::from(permutations));
    if let Some(ways) = ways {
        let hits = all_sums(&signed).into_iter().filter(|&s| is_hit(s)).count();
        return Ok(Permutation {
            p: hits as f64 / ways as f64,
            permutations: ways,
            exact: true,
        });
    }
    let hits: usize = (0..permutations.div_ceil(CHUNK))
        .into_par_iter()
        .map(|chunk| {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            rng.set_stream(u64::from(chunk));
            let sums = chosen_sums(&signed, CHUNK.min(permutations - chunk * CHUNK), &mut rng);
            sums.into_iter().filter(|&sum| is_hit(sum)).count()
        })
        .sum();
    Ok(Permutation {
        p: (hits as f64 + 1.0) / (f64::from(permutations) + 1.0),
        permutations: u64::from(permutations),
        exact: false,
    })
}

/// The sum of a random half of the differences, each chosen by a coin, once a permutation.
fn chosen_sums(differences: &[f64], permutations: u32, rng: &mut ChaCha8Rng) -> Vec<f64> {
    let mut sums = vec![0.0; permutations as usize];
    let mut coins = vec![0_u8; permutations as usize];
    let mut table = [0.0; 256];
    for eight in differences.chunks(8) {
        fill_sums(eight, &mut table);
        // Beyond the end of a short block the table repeats itself, so the spare coins have no effect.
        for filled in eight.len()..8 {
            table.copy_within(0..1 << filled, 1 << filled);
        }
        rng.fill_bytes(&mut coins);
        for (sum, &coin) in sums.iter_mut().zip(&coins) {
            *sum += table[usize::from(coin)];
        }
    }
    sums
}

/// The sums of all subsets.
fn all_sums(differences: &[f64]) -> Vec<f64> {
    let mut sums = vec![0.0; 1 << differences.len()];
    fill_sums(differences, &mut sums);
    sums
}

/// Puts the sum of each subset at the index whose bits represent it.
fn fill_sums(differences: &[f64], sums: &mut [f64]) {
    sums[0] = 0.0;
    for (bit, difference) in differences.iter().enumerate() {
        let (without, with) = sums.split_at_mut(1 << bit);
        for (with, without) in with.iter_mut().zip(without) {
            *with = *without + difference;
        }
    }
}
