//! The power of a study of some size: many studies are simulated before one is run.
//!
//! A function has a true verdict; a rater gives it, or with the chance of a mistake one drawn anew from the same
//! verdicts. Functions that several raters see have the mean of their points, as in the real study.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{Preference, Rule, Verdict, non_inferiority, points};
use crate::draws::Draws;
use crate::statistics_error::{StatisticsError, enough, share};

/// The assumptions about the texts and the raters.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Assumed {
    /// The share of the first side's texts with a factual error.
    pub first_wrong: f64,
    /// The share of the second side's.
    pub second_wrong: f64,
    /// The share of pairs of correct texts in which the first is better.
    pub first_better: f64,
    /// The share in which the second is better.
    pub second_better: f64,
    /// The share of ratings that are the true verdict other than by chance.
    pub reliability: f64,
}

/// The size of a study and its test.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Planned {
    /// Functions.
    pub functions: u32,
    /// Those of them that all raters see; the others are seen by one.
    pub shared: u32,
    /// Raters.
    pub raters: u32,
    /// The rule of points.
    pub rule: Rule,
    /// The number of points by which the first side may be worse.
    pub margin: f64,
    /// The one-sided level.
    pub level: f64,
}

/// The share of simulated studies that show that the first side is not worse.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SimulatedPower {
    /// The share of studies that show it.
    pub power: f64,
    /// Its standard error, from the number of simulations.
    pub standard_error: f64,
    /// The mean difference of points over all simulated studies.
    pub difference: f64,
}

/// Simulates studies; the same seed gives the same result on any number of threads.
///
/// ```
/// use barecode_scores::study::{Assumed, Planned, Rule, simulated_power};
/// let equal = Assumed { first_wrong: 0.02, second_wrong: 0.02, first_better: 0.2, second_better: 0.2, reliability: 0.8 };
/// let paper = Planned { functions: 125, shared: 50, raters: 3, rule: Rule::Draft, margin: 0.1, level: 0.05 };
/// let (of_paper, of_few) = (
///     simulated_power(&equal, &paper, 400, 1)?,
///     simulated_power(&equal, &Planned { functions: 30, shared: 0, ..paper }, 400, 1)?,
/// );
/// assert!(of_paper.power > of_few.power);
/// # Ok::<(), barecode_scores::StatisticsError>(())
/// ```
pub fn simulated_power(
    assumed: &Assumed,
    planned: &Planned,
    simulations: u32,
    seed: u64,
) -> Result<SimulatedPower, StatisticsError> {
    let shares = [
        ("the share of the candidate's errors", assumed.first_wrong),
        ("the share of the reference's errors", assumed.second_wrong),
        ("how often the candidate is better", assumed.first_better),
        ("how often the reference is better", assumed.second_better),
        ("the reliability of raters", assumed.reliability),
        (
            "how often one of both is better",
            assumed.first_better + assumed.second_better,
        ),
    ];
    for (what, value) in shares {
        if !(0.0..=1.0).contains(&value) {
            return Err(StatisticsError::range(what, value, "a number from 0 to 1"));
        }
    }
    share("the level", planned.level)?;
    let lacks = simulations == 0 || planned.raters == 0 || planned.shared > planned.functions;
    let what = "simulations, raters, or functions for those that are shared";
    enough(what, usize::from(!lacks), 1)?;
    let of_one = |stream: u32| {
        let mut draws = Draws::new(seed, u64::from(stream));
        let mut sides = [Vec::new(), Vec::new()];
        for function in 0..planned.functions {
            let truth = verdict(assumed, &mut draws);
            let raters = if function < planned.shared {
                planned.raters
            } else {
                1
            };
            let mut sums = [0.0; 2];
            for _ in 0..raters {
                let is_true = happens(assumed.reliability, &mut draws);
                let said = if is_true {
                    truth
                } else {
                    verdict(assumed, &mut draws)
                };
                let given = points(said, planned.rule);
                sums = [sums[0] + given[0], sums[1] + given[1]];
            }
            for (side, sum) in sides.iter_mut().zip(sums) {
                side.push(sum / f64::from(raters));
            }
        }
        let test = non_inferiority(&sides[0], &sides[1], planned.margin, planned.level)?;
        Ok((test.shown, test.difference))
    };
    let studies: Vec<(bool, f64)> = (0..simulations)
        .into_par_iter()
        .map(of_one)
        .collect::<Result<_, StatisticsError>>()?;
    let n = f64::from(simulations);
    let power = studies.iter().filter(|(shown, _)| *shown).count() as f64 / n;
    Ok(SimulatedPower {
        power,
        standard_error: (power * (1.0 - power) / n).sqrt(),
        difference: studies
            .iter()
            .map(|(_, difference)| difference)
            .sum::<f64>()
            / n,
    })
}

/// More functions than these are not tried.
pub const MOST_FUNCTIONS: u32 = 10_240;

/// Returns the number of functions that reach a power of 80 %, to a twentieth; `None` if [`MOST_FUNCTIONS`] do not.
///
/// # Errors
/// Those of the simulation.
pub fn functions_needed<E>(
    simulated: impl Fn(u32) -> Result<SimulatedPower, E>,
) -> Result<Option<u32>, E> {
    const ENOUGH: f64 = 0.8;
    let is_enough = |functions| Ok(simulated(functions)?.power >= ENOUGH);
    let mut enough = 20;
    while !is_enough(enough)? {
        if enough >= MOST_FUNCTIONS {
            return Ok(None);
        }
        enough *= 2;
    }
    let mut too_few = enough / 2;
    while enough - too_few > enough / 20 && enough - too_few > 1 {
        let middle = u32::midpoint(too_few, enough);
        if is_enough(middle)? {
            enough = middle;
        } else {
            too_few = middle;
        }
    }
    Ok(Some(enough))
}

fn happens(share: f64, draws: &mut Draws) -> bool {
    const PARTS: u32 = 1 << 30;
    f64::from(draws.below(PARTS)) < share * f64::from(PARTS)
}

fn verdict(assumed: &Assumed, draws: &mut Draws) -> Verdict {
    match (
        happens(assumed.first_wrong, draws),
        happens(assumed.second_wrong, draws),
    ) {
        (true, true) => Verdict::BothWrong,
        (false, true) => Verdict::OnlyFirst,
        (true, false) => Verdict::OnlySecond,
        (false, false) if happens(assumed.first_better, draws) => {
            Verdict::BothCorrect(Preference::First)
        }
        (false, false) => {
            // A share of the rest, so that both shares are of all.
            let left = 1.0 - assumed.first_better;
            let second = left > 0.0 && happens(assumed.second_better / left, draws);
            Verdict::BothCorrect(if second {
                Preference::Second
            } else {
                Preference::Neither
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ASSUMED: Assumed = Assumed {
        first_wrong: 0.1,
        second_wrong: 0.02,
        first_better: 0.3,
        second_better: 0.1,
        reliability: 1.0,
    };
    const PLANNED: Planned = Planned {
        functions: 200,
        shared: 0,
        raters: 1,
        rule: Rule::Draft,
        margin: 0.2,
        level: 0.05,
    };

    #[test]
    fn the_mean_difference_is_what_the_shares_make_it() {
        let found = simulated_power(&ASSUMED, &PLANNED, 2_000, 5).unwrap();
        let (only_first, only_second, both) = (0.9 * 0.02, 0.1 * 0.98, 0.9 * 0.98);
        let expected = 2.0 * only_first - 2.0 * only_second + 0.5 * both * (0.3 - 0.1);
        assert!(
            (found.difference - expected).abs() < 0.005,
            "{} {expected}",
            found.difference
        );
    }

    #[test]
    fn the_power_agrees_with_the_formula_for_means() {
        let found = simulated_power(
            &Assumed {
                first_wrong: 0.02,
                first_better: 0.1,
                ..ASSUMED
            },
            &PLANNED,
            4_000,
            5,
        )
        .unwrap();
        // Differences are ±2 with 0.0196 each and ±0.5 with 0.09604 each.
        let deviation = (2.0 * (4.0 * 0.0196 + 0.25 * 0.09604_f64)).sqrt();
        let formula = super::super::power(200, deviation, 0.2, 0.0, 0.05).unwrap();
        assert!(
            (found.power - formula).abs() < 0.03,
            "{} {formula}",
            found.power
        );
    }

    #[test]
    fn raters_who_see_the_same_functions_help_less_than_more_functions() {
        let noisy = Assumed {
            reliability: 0.5,
            first_wrong: 0.05,
            second_wrong: 0.05,
            ..ASSUMED
        };
        let power = |planned: Planned| simulated_power(&noisy, &planned, 1_000, 5).unwrap().power;
        let alone = power(PLANNED);
        let shared = power(Planned {
            shared: 200,
            raters: 3,
            ..PLANNED
        });
        let more = power(Planned {
            functions: 600,
            ..PLANNED
        });
        assert!(alone <= shared && shared <= more, "{alone} {shared} {more}");
    }

    #[test]
    fn shares_that_cannot_be_are_refused() {
        let wrong = Assumed {
            first_better: 0.8,
            second_better: 0.3,
            ..ASSUMED
        };
        assert!(simulated_power(&wrong, &PLANNED, 10, 5).is_err());
        assert!(
            simulated_power(
                &ASSUMED,
                &Planned {
                    shared: 201,
                    ..PLANNED
                },
                10,
                5
            )
            .is_err()
        );
    }
}
