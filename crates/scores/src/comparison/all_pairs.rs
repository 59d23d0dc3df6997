//! Several systems on the same queries, in all pairs.
//!
//! Each pair is compared as if it were alone, and then corrected as one of many: Holm's correction of the
//! randomization tests, and the randomized Tukey test. The chosen correction decides which systems differ, and so the
//! tied groups. Holm's is valid for any systems; Tukey's is the sharper one when there are many systems of about the
//! same strength. The two parametric forms of Tukey's test are for comparison with the numbers of other reports.

use serde::{Deserialize, Serialize};

use super::holm::holm;
use super::paired::{Paired, Plan, compare};
use super::tied_groups::{TiedGroups, tied_groups};
use super::tukey::{Tukey, pairs, randomized_tukey, tukey_blocked, tukey_hsd};
use crate::statistics_error::{StatisticsError, share};

/// The corrected p value that decides whether two systems are separated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Judge {
    /// Randomization tests under Holm's correction.
    Holm,
    /// The randomized Tukey test.
    Tukey,
    /// Tukey's HSD after an analysis of variance with queries as blocks.
    Blocked,
    /// Tukey's HSD for independent groups, as scipy and ranx compute it.
    Hsd,
}

/// Two of several systems.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PairOfSystems {
    /// The position of one system.
    pub first: usize,
    /// The position of the other.
    pub second: usize,
    /// The two as if there were no others.
    #[serde(flatten)]
    pub paired: Paired,
    /// The randomization test's p under Holm's correction.
    pub holm: f64,
    /// The randomized Tukey test's p.
    pub tukey: f64,
    /// The p of Tukey's HSD with queries as blocks; `None` where there are too few.
    pub blocked: Option<f64>,
    /// The p of Tukey's HSD for independent groups; `None` where there are too few values.
    pub hsd: Option<f64>,
}

/// Several systems in all pairs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AllPairs {
    /// The pairs, `first` before `second`, in order.
    pub pairs: Vec<PairOfSystems>,
    /// The correction that decided which systems are separated.
    pub judge: Judge,
    /// Systems that the judge did not separate.
    pub groups: TiedGroups,
}

/// Compares at least two systems, given as one value per query each, in the same order.
///
/// ```
/// use barecode_scores::comparison::{Judge, Plan, compare_all};
/// use barecode_scores::{Bootstrap, Method};
/// let plan = Plan {
///     bootstrap: Bootstrap { resamples: 999, confidence: 0.95, seed: 1 },
///     method: Method::Percentile,
///     permutations: 9_999,
/// };
/// let good: Vec<f64> = (0..60).map(|i| f64::from(i % 7) / 7.0).collect();
/// let like: Vec<f64> = good.iter().enumerate().map(|(i, v)| v + [0.1, -0.1][i % 2]).collect();
/// let bad: Vec<f64> = good.iter().map(|value| value * 0.5).collect();
/// let all = compare_all(&[bad, good, like], Judge::Holm, &plan)?;
/// assert_eq!(all.groups.letters, ["b", "a", "a"]);
/// # Ok::<(), barecode_scores::StatisticsError>(())
/// ```
pub fn compare_all(
    systems: &[Vec<f64>],
    judge: Judge,
    plan: &Plan,
) -> Result<AllPairs, StatisticsError> {
    share("confidence", plan.bootstrap.confidence)?;
    let tukey = randomized_tukey(systems, plan.permutations, plan.bootstrap.seed)?;
    // Both need a degree of freedom that the others do not.
    let parametric = |test: Result<Tukey, StatisticsError>| -> Vec<Option<f64>> {
        match test {
            Ok(test) => test.pairs.iter().map(|pair| Some(pair.p)).collect(),
            Err(_) => vec![None; tukey.pairs.len()],
        }
    };
    let blocked = parametric(tukey_blocked(systems, plan.bootstrap.confidence));
    let hsd = parametric(tukey_hsd(systems, plan.bootstrap.confidence));
    let mut alone = Vec::new();
    for (first, second) in pairs(systems.len()) {
        alone.push(compare(&systems[first], &systems[second], plan)?);
    }
    let p_values: Vec<f64> = alone.iter().map(|paired| paired.permutation.p).collect();
    let parametric = blocked.into_iter().zip(hsd);
    let pairs: Vec<PairOfSystems> = (tukey
        .pairs
        .iter()
        .zip(alone)
        .zip(holm(&p_values))
        .zip(parametric))
    .map(|(((tukey, paired), holm), (blocked, hsd))| PairOfSystems {
        first: tukey.first,
        second: tukey.second,
        paired,
        holm,
        tukey: tukey.p,
        blocked,
        hsd,
    })
    .collect();
    let level = 1.0 - plan.bootstrap.confidence;
    let separated = |pair: &PairOfSystems| match judge {
        Judge::Holm => pair.holm <= level,
        Judge::Tukey => pair.tukey <= level,
        Judge::Blocked => pair.blocked.is_some_and(|p| p <= level),
        Judge::Hsd => pair.hsd.is_some_and(|p| p <= level),
    };
    let apart: Vec<(usize, usize)> = pairs
        .iter()
        .filter(|pair| separated(pair))
        .map(|pair| (pair.first, pair.second))
        .collect();
    let means: Vec<f64> = systems
        .iter()
        .map(|system| crate::draws::mean(system))
        .collect();
    Ok(AllPairs {
        groups: tied_groups(&means, &apart),
        pairs,
        judge,
    })
}
