//! `study power`: the size that a study needs, by simulation.

use barecode_scores::study::{
    Assumed, MOST_FUNCTIONS, Planned, SimulatedPower, functions_needed, simulated_power,
};
use clap::Args;
use serde_json::json;

use super::statistics::RuleName;
use crate::answer::Answer;
use crate::console::counted;
use crate::exit::Failure;
use crate::report::grid;
use crate::session::Session;

/// What `study power` takes.
#[derive(Debug, Args)]
pub(super) struct PowerArguments {
    /// Points per item by which the candidate may be worse and still count as good enough.
    #[arg(long, default_value_t = 0.1, value_name = "POINTS")]
    margin: f64,
    /// The one-sided level of the test.
    #[arg(long, default_value_t = 0.05, value_name = "SHARE")]
    level: f64,
    /// Functions of a group to try.
    #[arg(long, value_delimiter = ',', default_values_t = [50, 125, 250, 500], value_name = "N,…")]
    functions: Vec<u32>,
    /// Raters to try.
    #[arg(long, value_delimiter = ',', default_values_t = [1, 3], value_name = "N,…")]
    raters: Vec<u32>,
    /// The share of functions that all raters see: the paper's 50 of 125.
    #[arg(long, default_value_t = 0.4, value_name = "SHARE")]
    shared: f64,
    /// The assumed share of wrong texts: the candidate's and the reference's.
    #[arg(long, num_args = 2, default_values_t = [0.02, 0.02], value_names = ["CANDIDATE", "REFERENCE"])]
    wrong: Vec<f64>,
    /// The share of pairs of correct texts in which the candidate's, and the reference's, is better.
    #[arg(long, num_args = 2, default_values_t = [0.2, 0.2], value_names = ["CANDIDATE", "REFERENCE"])]
    better: Vec<f64>,
    /// The probability of the true verdict of a rater, beyond chance.
    #[arg(long, default_value_t = 0.8, value_name = "SHARE")]
    reliability: f64,
    /// The score of a correct description beside a wrong one: +1 (draft) or +0.5 (paper).
    #[arg(long, value_enum, default_value_t = RuleName::Draft)]
    rule: RuleName,
    /// Simulated studies of each size.
    #[arg(long, default_value_t = 2_000, value_name = "N")]
    simulations: u32,
    /// The seed of all draws.
    #[arg(long, default_value_t = 0, value_name = "SEED")]
    seed: u64,
}

/// Estimates the share of studies of each size that show the expected result.
pub(super) fn run(session: &Session, arguments: &PowerArguments) -> anyhow::Result<Answer> {
    let ([first_wrong, second_wrong], [first_better, second_better]) =
        (&*arguments.wrong, &*arguments.better)
    else {
        unreachable!("clap takes two of each")
    };
    let assumed = Assumed {
        first_wrong: *first_wrong,
        second_wrong: *second_wrong,
        first_better: *first_better,
        second_better: *second_better,
        reliability: arguments.reliability,
    };
    if !(0.0..=1.0).contains(&arguments.shared) {
        return Err(Failure::invalid(format!(
            "--shared is {}, expected a number from 0 to 1",
            arguments.shared
        ))
        .into());
    }
    let simulated = |functions: u32, raters: u32| -> Result<(Planned, SimulatedPower), Failure> {
        // The number that corresponds to a share of them, rounded down.
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a share of a number of 32 bits"
        )]
        let shared = (f64::from(functions) * arguments.shared) as u32;
        let planned = Planned {
            functions,
            shared,
            raters,
            rule: arguments.rule.rule(),
            margin: arguments.margin,
            level: arguments.level,
        };
        let found = simulated_power(&assumed, &planned, arguments.simulations, arguments.seed)
            .map_err(|error| Failure::invalid(error.to_string()))?;
        Ok((planned, found))
    };
    let (mut rows, mut needed) = (Vec::new(), Vec::new());
    for &raters in &arguments.raters {
        for &functions in &arguments.functions {
            rows.push(simulated(functions, raters)?);
        }
        let found = |functions| simulated(functions, raters).map(|(_, found)| found);
        needed.push((raters, functions_needed(found)?));
    }
    let size =
        |(planned, found): &(Planned, SimulatedPower)| json!({"planned": planned, "found": found});
    let enough = |(raters, functions): &(u32, Option<u32>)| json!({"raters": raters, "functions": functions});
    let data = || {
        json!({
            "assumed": assumed,
            "simulations": arguments.simulations,
            "seed": arguments.seed,
            "sizes": rows.iter().map(size).collect::<Vec<_>>(),
            "needed": needed.iter().map(enough).collect::<Vec<_>>(),
        })
    };
    let cells = |(planned, found): &(Planned, SimulatedPower)| {
        vec![
            planned.functions.to_string(),
            planned.raters.to_string(),
            planned.shared.to_string(),
            (planned.shared + (planned.functions - planned.shared).div_ceil(planned.raters))
                .to_string(),
            format!(
                "{:.1} % ± {:.1}",
                found.power * 100.0,
                found.standard_error * 196.0
            ),
        ]
    };
    let heads = ["functions", "raters", "shared", "of each rater", "power"];
    session.answer(data, |screen| Ok(format!(
        "how often a study of a group shows that the candidate is not worse by {} points per item (level {}), of {} simulated \
         studies each (seed {}), if {} and {} of the texts are wrong, {} and {} of the correct ones better, and raters {} reliable\n{}\n{}",
        arguments.margin,
        arguments.level,
        arguments.simulations,
        arguments.seed,
        first_wrong,
        second_wrong,
        first_better,
        second_better,
        arguments.reliability,
        grid::table(0, &heads, rows.iter().map(cells), screen),
        needed.iter().map(said).collect::<Vec<_>>().join("; ")
    )))
}

fn said((raters, functions): &(u32, Option<u32>)) -> String {
    let raters = counted(u64::from(*raters), "raters");
    match functions {
        Some(functions) => format!(
            "with {raters}, about {functions} functions of a group show it in 80 % of cases"
        ),
        None => format!(
            "with {raters}, {MOST_FUNCTIONS} functions of a group do not show it in 80 % of cases"
        ),
    }
}
