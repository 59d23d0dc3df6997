//! `robustness`: what each setting of a run costs, query by query.

use std::path::PathBuf;

use barecode_scores::Bootstrap;
use barecode_scores::intervals::FEWEST_QUERIES;
use clap::Args;
use serde_json::json;

use crate::answer::Answer;
use crate::exit::Failure;
use crate::report::contrast::runs::query_scores;
use crate::report::robustness::{Robustness, terminal, trajectories};
use crate::run_folder::RunFolder;
use crate::session::{RunArguments, Session};

mod doses;
mod human;

/// Show the loss of score in each setting of a run, query by query.
#[derive(Debug, Args)]
#[command(
    override_usage = "barecode robustness [OPTIONS] <RECIPE>\n       barecode robustness [OPTIONS] --run <DIR>",
    after_help = "Examples:\n  barecode robustness recipes/demo.toml\n  barecode robustness --run runs/demo --measure R@1 --json"
)]
pub(super) struct Request {
    #[command(flatten)]
    run: RunArguments,
    /// Ids of human-written queries, one per line: their scores are compared with those of all (CLARC, Table 9).
    #[arg(long, value_name = "FILE")]
    human: Option<PathBuf>,
    /// The measure [default: the first of the recipe].
    #[arg(long, value_name = "MEASURE")]
    measure: Option<String>,
}

/// Reports the cost of settings.
pub(super) fn run(session: &Session, arguments: &Request) -> anyhow::Result<Answer> {
    let run = arguments.run.folder(session)?;
    let (rows, measures) = query_scores(&run, arguments.measure.as_slice())?;
    let measure = measures.first().map(String::as_str).unwrap_or_default();
    let layout = run.layout();
    let (drops, differences) = (layout.drops()?, layout.differences()?);
    let trajectories = trajectories(&rows);
    let bootstrap = bootstrap(&run);
    let subsets = match &arguments.human {
        Some(path) => human::subsets(&rows, measure, path, &bootstrap)?,
        None => Vec::new(),
    };
    let doses = doses::curves(&rows, measure, &bootstrap)?;
    let data = || {
        json!({
            "run": run.root(),
            "drops": drops,
            "differences": differences,
            "trajectories": trajectories,
            "doses": doses,
            "human": subsets,
        })
    };
    session.answer(data, |screen| {
        if drops.is_empty() {
            let message = format!(
                "`{}` has scores of one setting only: nothing can be compared",
                run.root().display()
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
        let mut text = if drops.iter().all(|drop| drop.too_few) {
            format!("too few queries: no group has {FEWEST_QUERIES}, so no drop is shown\n")
        } else {
            String::new()
        };
        text.push_str(&terminal(
            &robustness,
            measure,
            bootstrap.confidence,
            screen,
        ));
        text.push_str(&doses::terminal(&doses, measure, screen));
        text.push_str(&human::terminal(&subsets, measure, screen));
        Ok(text)
    })
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
