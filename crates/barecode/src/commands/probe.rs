//! `probe`: how alike models find clones, bugs and strangers (pydra, section 5).
//!
//! A dataset with a probe and models come in; a run folder comes out with the similarities of each model and what they
//! amount to. The work is that of the stages `retrieve` and `score` ([`crate::evaluation`]), so an interrupted call resumes.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use barecode_dataset::SUBSETS_FILE;
use barecode_evaluate::{DEFAULT_DEPTH, ProbeConfig, Prober, Reading, Task};
use barecode_records::{ListedSubset, Stage, SubsetKind, table};
use barecode_scores::Ties;
use clap::Args;
use serde_json::json;

use super::eval::systems::Systems;
use super::eval::work::{CONFIDENCE, Done, Work};
use crate::answer::{Answer, joined};
use crate::evaluation::{SubsetIn, read};
use crate::exit::Failure;
use crate::layout;
use crate::models::{Means, choices};
use crate::recipe::{RetrieveConfig, ScoreConfig};
use crate::report;
use crate::report::cut;
use crate::session::Session;

/// Test whether models distinguish clones of programs from bugs.
///
/// Measures similarity, classification and ranking.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  barecode probe runs/programs --model hf:sentence-transformers/all-MiniLM-L6-v2\n  \
                  barecode probe runs/programs/05-dataset --model voyage:voyage-code-3 --dry-run"
)]
pub(super) struct Request {
    /// A recipe, a run folder, or the `05-dataset` of one.
    dataset: PathBuf,
    /// A model that embeds: `local:FOLDER`, `hf:ORG/NAME`, `openai:MODEL`, `openai+URL`, `process:COMMAND`, …, or a name
    /// from --models; or `jaccard`, the tokens that two programs share; may be given several times. NAME=MODEL gives it a
    /// name in tables.
    #[arg(long = "model", short = 'm', value_name = "MODEL", required = true)]
    model: Vec<String>,
    /// A file with tables `[[model]]`.
    #[arg(long, value_name = "FILE")]
    models: Option<PathBuf>,
    /// Random programs that each program is compared with.
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    random: u32,
    /// The nearest programs among which a clone is ranked.
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    nearest: u32,
    /// Bins of lengths.
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..))]
    bins: u32,
    /// Estimate texts, tokens and dollars; call no model.
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    means: Means,
    /// The seed of the random programs.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
}

/// Probes.
pub(super) fn run(session: &Session, arguments: &Request) -> anyhow::Result<Answer> {
    let systems = systems(arguments)?;
    let root = dataset_of(&arguments.dataset);
    let tasks = probes(&root)?;
    session.use_threads()?;
    let name = root.parent().and_then(Path::file_name).unwrap_or_default();
    let work = Work {
        session,
        systems: &systems,
        means: &arguments.means,
        probe: ProbeConfig {
            random: arguments.random as usize,
            nearest: arguments.nearest as usize,
            bins: arguments.bins as usize,
        },
        scoring: &ScoreConfig {
            measures: Vec::new(),
            resamples: 0,
            confidence: CONFIDENCE,
            ties: Ties::default(),
        },
        seed: arguments.seed,
        out: &session.out_or(|| Path::new("probe").join(name)),
        noun: "similarity",
        dry_run: arguments.dry_run,
    };
    let subsets = tasks
        .iter()
        .map(|task| SubsetIn::of_task(task, RetrieveConfig::EVERYONE));
    let Done { folder, cuts, .. } = match work.on(subsets.collect())? {
        Ok(done) => done,
        Err(estimates) => return Ok(estimates),
    };
    let scores = folder.layout().probe_scores()?;
    let data = || {
        json!({
            "dataset": arguments.dataset,
            "probe": scores,
            "cut": cuts,
            "run": folder.root(),
        })
    };
    session.answer(data, |screen| {
        let table = report::probe::terminal(&scores, CONFIDENCE, screen);
        let mut texts: Vec<String> = table.iter().map(|it| it.trim_start().to_owned()).collect();
        texts.extend(cut::sentences(&cuts));
        let file = folder.stage(Stage::Score).join(layout::PROBE);
        texts.push(format!("all numbers: {}", file.display()));
        Ok(joined(texts))
    })
}

/// The dataset of a run folder, or the folder itself.
fn dataset_of(path: &Path) -> PathBuf {
    let inside = path.join(Stage::Assemble.folder());
    if inside.join(SUBSETS_FILE).is_file() {
        inside
    } else {
        path.to_owned()
    }
}

/// The probes of a dataset.
fn probes(root: &Path) -> anyhow::Result<Vec<Arc<Task>>> {
    let list = root.join(SUBSETS_FILE);
    let hint = "a recipe with `[[programs]]` makes one: build it first, then give its run folder";
    if !list.is_file() {
        let message = format!("`{}` is not a dataset of barecode", root.display());
        return Err(Failure::invalid(message).hint(hint).into());
    }
    let listed: Vec<ListedSubset> = table::read(&list)?;
    let probes = listed
        .into_iter()
        .filter(|subset| subset.kind == SubsetKind::Probe);
    let tasks = probes.map(|subset| read(root, &subset.into()).map(Arc::new));
    let tasks: Vec<Arc<Task>> = tasks.collect::<anyhow::Result<_>>()?;
    if tasks.is_empty() {
        let message = format!("`{}` has no probe", root.display());
        return Err(Failure::invalid(message).hint(hint).into());
    }
    Ok(tasks)
}

/// The systems, which all embed or compare texts.
fn systems(arguments: &Request) -> anyhow::Result<Systems> {
    let mut systems = Systems::default();
    for choice in choices(&arguments.model, arguments.models.as_deref())? {
        let name = choice.name();
        if Prober::of(&choice.system(Reading::Whole)).is_none() {
            let message = format!("`{name}` does not embed texts, and a probe compares vectors");
            let hint = "give a model such as `hf:sentence-transformers/all-MiniLM-L6-v2`";
            return Err(Failure::invalid(message).hint(hint).into());
        }
        if systems.all.iter().any(|other| other.name() == name) {
            let message = format!("two models are called `{name}`");
            return Err(Failure::invalid(message)
                .hint("give one a name: NAME=MODEL")
                .into());
        }
        systems.add_choice(&choice, Reading::Whole, DEFAULT_DEPTH)?;
    }
    Ok(systems)
}
