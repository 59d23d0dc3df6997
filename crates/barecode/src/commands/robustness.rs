//! `robustness`: what each setting of a run costs, query by query.

use std::path::PathBuf;

use barecode_scores::Bootstrap;
use clap::{ArgGroup, Args};
use serde_json::json;

use super::Call;
use crate::exit::Failure;
use crate::recipe::Recipe;
use crate::report::robustness::{Robustness, terminal, trajectories};
use crate::run_folder::RunFolder;

mod doses;
mod human;

/// What `robustness` takes.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("where").required(true).args(["recipe", "run"]))]
pub(super) struct RobustnessArguments {
    /// The recipe of the run.
    recipe: Option<PathBuf>,
    /// The run folder itself.
    #[arg(long, value_name = "DIR")]
    run: Option<PathBuf>,
    /// Ids of human-written queries, one per line: their scores are compared with those of all (CLARC, Table 9).
    #[arg(long, value_name = "FILE")]
    human: Option<PathBuf>,
    /// The measure [default: the first of the recipe].
    #[arg(long, value_name = "MEASURE")]
    measure: Option<String>,
}

/// Prints what settings cost.
pub(super) fn run(call: &Call, arguments: &RobustnessArguments) -> anyhow::Result<()> {
    let root = match (&arguments.run, &arguments.recipe) {
        (Some(run), _) => run.clone(),
        (None, Some(recipe)) => call.out(&Recipe::read(recipe)?),
        (None, None) => unreachable!("clap requires one of the two"),
    };
    let run = RunFolder::existing(&root)?;
    let layout = run.layout();
    if !layout.has_scores() {
        let message = format!("`{}` has no scores yet", root.display());
        return Err(Failure::invalid(message)
            .hint("run `barecode build` on the recipe first")
            .into());
    }
    let (drops, differences) = (layout.drops()?, layout.differences()?);
    let rows = layout.query_scores()?;
    let measures: Vec<&str> = {
        let mut found: Vec<&str> = Vec::new();
        for row in &rows {
            if !found.contains(&row.measure.as_str()) {
                found.push(&row.measure);
            }
        }
        found
    };
    let measure = match &arguments.measure {
        Some(wanted) if measures.contains(&wanted.as_str()) => wanted.as_str(),
        Some(wanted) => {
            let message = format!(
                "the run has no measure `{wanted}`, only {}",
                measures.join(", ")
            );
            return Err(Failure::invalid(message)
                .hint("add it to `measures` under `[scores]` in the recipe and build again")
                .into());
        }
        None => measures.first().copied().unwrap_or_default(),
    };
    let trajectories = trajectories(&rows);
    let bootstrap = bootstrap(&run);
    let subsets = match &arguments.human {
        Some(path) => human::subsets(&rows, measure, path, &bootstrap)?,
        None => Vec::new(),
    };
    let doses = doses::curves(&rows, measure, &bootstrap)?;
    if call.options.json {
        return Ok(call.console.json(&json!({
            "run": root,
            "drops": drops,
            "differences": differences,
            "trajectories": trajectories,
            "doses": doses,
            "human": subsets,
        }))?);
    }
    if drops.is_empty() {
        let message = format!(
            "`{}` has scores of one setting only: nothing can be compared",
            root.display()
        );
        return Err(Failure::invalid(message)
            .hint("the recipe's `settings` need `standard` and another one")
            .into());
    }
    let robustness = Robustness {
        drops: &drops,
        differences: &differences,
        trajectories: &trajectories,
    };
    let (width, color) = (call.console.width(), call.console.colors_data());
    let mut text = terminal(&robustness, measure, bootstrap.confidence, width, color);
    text.push_str(&doses::terminal(&doses, measure, width, color));
    text.push_str(&human::terminal(&subsets, measure, width, color));
    Ok(call.console.data(&text)?)
}

/// The draws of a run's intervals, as in its manifest.
fn bootstrap(run: &RunFolder) -> Bootstrap {
    let manifest = run.manifest();
    let of = |name: &str| Some(manifest.as_ref()?.recipe["scores"][name].clone());
    Bootstrap {
        resamples: of("resamples")
            .and_then(|value| u32::try_from(value.as_u64()?).ok())
            .unwrap_or(10_000),
        confidence: of("confidence")
            .and_then(|value| value.as_f64())
            .unwrap_or(0.95),
        seed: manifest.as_ref().map_or(0, |manifest| manifest.seed),
    }
}
