//! `probe`: how alike models find clones, bugs and strangers (pydra, section 5).
//!
//! A dataset with a probe and models come in; a run folder comes out with the similarities of each model and what they
//! amount to. The work is that of the stages `retrieve` and `score` ([`crate::evaluation`]), so an interrupted call resumes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use barecode_dataset::SUBSETS_FILE;
use barecode_evaluate::{
    DEFAULT_DEPTH, FileNames, ProbeConfig, ProbeParts, Reading, System, SystemKind, Task,
};
use barecode_models::Source;
use barecode_records::table;
use barecode_records::{
    Digest, Document, ListedSubset, ProbePair, ProbeProgram, Stage, Subset, SubsetKind,
};
use barecode_scores::Ties;
use clap::Args;
use serde_json::json;

use super::call::Call;
use crate::encoders::{Encoders, Fetch};
use crate::engine;
use crate::evaluation::cut;
use crate::evaluation::ledger::Books;
use crate::evaluation::made::Made;
use crate::evaluation::{Evaluation, SubsetIn};
use crate::exit::{Exit, Failure};
use crate::layout;
use crate::look::Look;
use crate::models::{Means, specs};
use crate::recipe::{RecipeModel, RetrieveConfig, ScoreConfig};
use crate::report;
use crate::report::estimates;
use crate::run_folder::RunFolder;

/// What `probe` takes.
#[derive(Debug, Args)]
pub(super) struct ProbeArguments {
    /// The dataset: a run folder, or the `05-dataset` of one.
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
    /// Show how many texts, tokens and dollars it would take, without calling any model.
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    means: Means,
    /// The seed of the random programs.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
}

/// The intervals of `probe`.
const CONFIDENCE: f64 = 0.95;

/// Probes and prints.
pub(super) fn run(call: &Call, arguments: &ProbeArguments) -> anyhow::Result<Exit> {
    let root = dataset_of(&arguments.dataset);
    let tasks = probes(&root)?;
    call.use_threads()?;
    let encoders = Encoders::new(Path::new("."), Some(call.opening(&arguments.means)?))?;
    let (systems, models) = systems(arguments)?;
    let name = root.parent().and_then(Path::file_name).unwrap_or_default();
    let out = call.options.out.clone();
    let out = out.unwrap_or_else(|| Path::new("probe").join(name));
    let folder = if arguments.dry_run {
        RunFolder::look_at(&out)
    } else {
        for system in &systems {
            if let Some(model) = models.get(system.name()) {
                encoders.identity(system, model, Fetch::Allowed)?;
            }
        }
        RunFolder::work_in(&out)?
    };
    let evaluation = Arc::new(Evaluation {
        folder: &folder,
        console: call.console,
        encoders: &encoders,
        systems: &systems,
        models: &models,
        base: Path::new(""),
        probe: ProbeConfig {
            random: arguments.random as usize,
            nearest: arguments.nearest as usize,
            bins: arguments.bins as usize,
        },
        seed: arguments.seed,
        subsets: tasks.iter().map(subset).collect(),
        trec: false,
        drawn: Mutex::default(),
        made: Made::default(),
        books: Books::new(Stage::Retrieve, BTreeMap::new()),
    });
    if arguments.dry_run {
        let estimates = evaluation.estimates(None)?;
        estimates::print(call.console, call.options.json, "model", &estimates)?;
        return Ok(Exit::Done);
    }
    let scoring = ScoreConfig {
        measures: Vec::new(),
        resamples: 0,
        confidence: CONFIDENCE,
        ties: Ties::default(),
    };
    let pool = call.pool()?;
    let plan = evaluation.retrieve(Look::Fetch)?;
    let runs = engine::run(&folder, &plan, &pool, call.console)?;
    let plan = evaluation.score(&runs, &scoring, move |_| arguments.seed);
    let scored = engine::run(&folder, &plan, &pool, call.console)?;
    if !runs.worked && !scored.worked {
        call.console
            .note("nothing to do: every similarity is current");
    }
    let scores = folder.layout().probe_scores()?;
    let cuts = cut::cuts(&runs);
    if call.options.json {
        call.console.json(&json!({
            "dataset": arguments.dataset,
            "probe": scores,
            "cut": cuts,
            "run": folder.root(),
        }))?;
        return Ok(Exit::Done);
    }
    let screen = call.console.screen();
    if let Some(text) = report::probe::terminal(&scores, CONFIDENCE, screen) {
        call.console.data(text.trim_start())?;
    }
    for sentence in cut::sentences(&cuts) {
        call.console.data(&sentence)?;
    }
    let table = folder.stage(Stage::Score).join(layout::PROBE);
    call.console
        .data(&format!("all numbers: {}", table.display()))?;
    Ok(Exit::Done)
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
    let mut tasks = Vec::new();
    for subset in probes.map(Subset::from) {
        let name = &subset.name;
        let parts = ProbeParts {
            programs: table::read::<ProbeProgram>(&root.join(layout::programs_of(name)))?,
            pairs: table::read::<ProbePair>(&root.join(layout::probe_pairs_of(name)))?,
        };
        let documents: Vec<Document> = table::read(&root.join(layout::corpus_of(name)))?;
        tasks.push(Arc::new(Task::of_probe(subset, documents, parts)));
    }
    if tasks.is_empty() {
        let message = format!("`{}` has no probe", root.display());
        return Err(Failure::invalid(message).hint(hint).into());
    }
    Ok(tasks)
}

fn subset(task: &Arc<Task>) -> SubsetIn<'_> {
    let parts = task.probe.as_ref();
    let pairs = parts.map(|parts| format!("{:?} {:?}", parts.programs, parts.pairs));
    SubsetIn {
        file: task.file.clone(),
        task: task.file.clone(),
        texts: task.digest(),
        judgments: Digest::new("pairs").field(pairs.unwrap_or_default()).hex(),
        queries: parts.map_or(0, |parts| parts.programs.len() as u64),
        kind: SubsetKind::Probe,
        retrieve: RetrieveConfig::EVERYONE,
        trains: false,
        load: Box::new(move || Ok(Arc::clone(task))),
    }
}

/// The systems, and the models of those that have one, by the name of their systems.
fn systems(
    arguments: &ProbeArguments,
) -> anyhow::Result<(Vec<System>, BTreeMap<String, RecipeModel>)> {
    let mut names = FileNames::default();
    let (mut systems, mut models) = (Vec::new(), BTreeMap::new());
    for spec in specs(&arguments.model, arguments.models.as_deref())? {
        if let Source::Bm25(_) | Source::Vectors(_) | Source::Run(_) = spec.source {
            let message = format!(
                "`{}` does not embed texts, and a probe compares vectors",
                spec.name
            );
            let hint = "give a model such as `hf:sentence-transformers/all-MiniLM-L6-v2`";
            return Err(Failure::invalid(message).hint(hint).into());
        }
        let kind = SystemKind::of_model(&spec, Reading::Whole);
        let system = System::named(&spec.name, &names.of(&spec.name), kind, DEFAULT_DEPTH);
        let system = system.map_err(|error| Failure::invalid(error.to_string()))?;
        if systems
            .iter()
            .any(|other: &System| other.name() == system.name())
        {
            let message = format!("two models are called `{}`", system.name());
            return Err(Failure::invalid(message)
                .hint("give one a name: NAME=MODEL")
                .into());
        }
        if system.model().is_some() {
            let position = String::new();
            models.insert(system.name().to_owned(), RecipeModel { spec, position });
        }
        systems.push(system);
    }
    Ok((systems, models))
}
