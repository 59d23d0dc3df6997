//! What became of each query from setting to setting.
//!
//! A mean that falls by ten points can be ten queries lost, or sixty lost and fifty won. Here each query has the
//! rank of its answer in each setting, in their order (standard, neutralized, randomized, …), and is *found*
//! where the rank is within `k`. Its trajectory is one of five ([`Trajectory`]), and each step from a setting
//! to the next, and from the first to each, has its counts with the exact test of `McNemar` (1947): of the
//! queries that changed, are as many lost as won?
//!
//! A rank may be a fraction, as the expectation under ties is; no rank means that the answer was not in the
//! list.

use serde::Serialize;

use crate::statistics_error::{StatisticsError, enough, same_length};

/// What became of a query over the settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Trajectory {
    /// Found in every setting.
    Kept,
    /// Found at first, and from some setting on no more.
    Lost,
    /// Not found at first, and from some setting on always.
    Won,
    /// Found in no setting.
    Missed,
    /// Changed more than once.
    Wavering,
}

/// What changed between two settings.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Change {
    /// The position of one setting.
    pub from: usize,
    /// The position of the other.
    pub to: usize,
    /// Queries found in both.
    pub kept: usize,
    /// Queries found in the first only.
    pub lost: usize,
    /// Queries found in the second only.
    pub won: usize,
    /// Queries found in neither.
    pub missed: usize,
    /// `McNemar`'s exact p, two-sided: 1 where nothing changed.
    pub p: f64,
}

/// What became of all queries.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Trajectories {
    /// The cutoff.
    pub k: u32,
    /// The trajectory of each query, in their order.
    pub of_query: Vec<Trajectory>,
    /// Number of queries of each trajectory, the empty ones included.
    pub counts: Vec<(Trajectory, usize)>,
    /// From each setting to the next.
    pub steps: Vec<Change>,
    /// From the first setting to each other.
    pub from_first: Vec<Change>,
}

/// The trajectories of queries over settings: one list of ranks (from 1) a setting, one rank a query.
///
/// ```
/// use barecode_scores::robustness::{Trajectory, trajectories};
/// let standard = vec![Some(1.0), Some(2.0), Some(40.0), None];
/// let neutralized = vec![Some(3.0), Some(25.0), Some(9.0), None];
/// let found = trajectories(&[standard, neutralized], 10)?;
/// assert_eq!(found.of_query, [Trajectory::Kept, Trajectory::Lost, Trajectory::Won, Trajectory::Missed]);
/// assert_eq!((found.steps[0].lost, found.steps[0].won, found.steps[0].p), (1, 1, 1.0));
/// # Ok::<(), barecode_scores::StatisticsError>(())
/// ```
pub fn trajectories(
    settings: &[Vec<Option<f64>>],
    k: u32,
) -> Result<Trajectories, StatisticsError> {
    enough("settings", settings.len(), 1)?;
    let first = &settings[0];
    for setting in settings {
        same_length(
            ("the first setting", first.len()),
            ("another setting", setting.len()),
        )?;
        let wrong = |rank: &Option<f64>| rank.filter(|rank| rank.is_nan() || *rank < 1.0);
        if let Some(value) = setting.iter().find_map(wrong) {
            return Err(StatisticsError::range(
                "a rank",
                value,
                "a number from 1 on",
            ));
        }
    }
    let found: Vec<Vec<bool>> = settings
        .iter()
        .map(|ranks| {
            let within = |rank: &Option<f64>| rank.is_some_and(|rank| rank <= f64::from(k));
            ranks.iter().map(within).collect()
        })
        .collect();
    let of_query: Vec<Trajectory> = (0..first.len())
        .map(|query| trajectory(found.iter().map(|setting| setting[query])))
        .collect();
    let counts = [
        Trajectory::Kept,
        Trajectory::Lost,
        Trajectory::Won,
        Trajectory::Missed,
        Trajectory::Wavering,
    ]
    .map(|class| (class, of_query.iter().filter(|&&of| of == class).count()));
    Ok(Trajectories {
        k,
        counts: counts.to_vec(),
        of_query,
        steps: (1..found.len())
            .map(|to| change(&found, to - 1, to))
            .collect(),
        from_first: (1..found.len()).map(|to| change(&found, 0, to)).collect(),
    })
}

fn trajectory(mut found: impl Iterator<Item = bool>) -> Trajectory {
    let first = found.next().expect("there is a setting");
    let (mut last, mut changes) = (first, 0);
    for now in found {
        changes += u32::from(now != last);
        last = now;
    }
    match (changes, first) {
        (0, true) => Trajectory::Kept,
        (0, false) => Trajectory::Missed,
        (1, true) => Trajectory::Lost,
        (1, false) => Trajectory::Won,
        _ => Trajectory::Wavering,
    }
}

fn change(found: &[Vec<bool>], from: usize, to: usize) -> Change {
    let count = |before: bool, after: bool| {
        let pairs = found[from].iter().zip(&found[to]);
        pairs.filter(|&pair| pair == (&before, &after)).count()
    };
    let (lost, won) = (count(true, false), count(false, true));
    Change {
        from,
        to,
        kept: count(true, true),
        lost,
        won,
        missed: count(false, false),
        p: even_coin(lost.min(won), lost + won),
    }
}

/// The chance that a fair coin falls at least as unevenly as so few of `n`, on either side.
fn even_coin(fewer: usize, n: usize) -> f64 {
    if 2 * fewer == n {
        return 1.0;
    }
    let n = n as f64;
    // Binomial coefficients by logarithms: the smallest terms vanish, and they may.
    let log_share = |hits: usize| {
        let hits = hits as f64;
        libm::lgamma(n + 1.0)
            - libm::lgamma(hits + 1.0)
            - libm::lgamma(n - hits + 1.0)
            - n * std::f64::consts::LN_2
    };
    let tail: f64 = (0..=fewer).map(|hits| log_share(hits).exp()).sum();
    (2.0 * tail).min(1.0)
}
