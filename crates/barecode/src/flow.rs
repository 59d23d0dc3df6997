//! The eight arrows in their order.
//!
//! ```text
//! extract ─▶ check ─┬─▶ vary ──┬─▶ assemble ─▶ retrieve ─▶ score ─▶ report
//!                   └─▶ query ─┘
//! ```
//!
//! A plan needs the tickets of the stages before it, so the flow is walked from its start whatever the goal
//! is: stages before the goal are done by `build`, and only looked at by a single verb and by `list`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Context;
use barecode_check::{CheckError, Compiler, Judge, Lowerer};
use barecode_corpus::{Dialects, StandardHeaders};
use barecode_records::{Digest, Language, Manifest, Reason, Setting, Stage};
use barecode_settings::Lowerers;
use barecode_sources::{Source, SourceConfig, SourceError};
use rayon::ThreadPool;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use crate::console::Console;
use crate::encoders::{Encoders, Fetch};
use crate::engine::{self, Finished, Plan, Progressed, Share};
use crate::exit::Failure;
use crate::recipe::Recipe;
use crate::run_folder::RunFolder;
use crate::stages::{assemble, check, extract, query, report, retrieve, score, vary};

/// The version of the manifest's format.
const MANIFEST_FORMAT: u32 = 1;

/// What a stage needs besides its input.
pub(crate) struct Site {
    /// The recipe.
    pub(crate) recipe: Recipe,
    /// Where the run stands.
    pub(crate) folder: RunFolder,
    /// The terminal.
    pub(crate) console: Console,
    /// The threads that do the work.
    pub(crate) pool: ThreadPool,
    /// The sources, in the recipe's order.
    pub(crate) sources: Vec<Resolved>,
    /// What the standard headers define.
    pub(crate) headers: Dialects,
    /// The compiler, and what it said before.
    pub(crate) judge: Judge,
    pub(crate) lowerers: Lowerers,
    /// The models of the retrievers.
    pub(crate) encoders: Encoders,
}

/// A source of the recipe, as it was found.
pub(crate) enum Resolved {
    /// It was read.
    Read {
        /// The source.
        source: Box<Source>,
        /// The digest of all that was read.
        digest: String,
    },
    /// It could not be read, and the recipe can do without it.
    Absent {
        /// As the recipe names it.
        label: String,
        /// What it is for the account.
        reason: Reason,
        /// What was wrong.
        detail: String,
    },
}

impl Resolved {
    /// Finds a source; what is optional may be absent.
    fn of(config: &SourceConfig, base: &Path) -> Result<Resolved, SourceError> {
        match Source::resolve(config, base) {
            Ok(source) => Ok(Resolved::Read {
                digest: source.digest(),
                source: Box::new(source),
            }),
            Err(error) => match error.reason() {
                Some(reason) if config.optional => Ok(Resolved::Absent {
                    label: config.from.clone(),
                    reason,
                    detail: error.detail(),
                }),
                _ => Err(error),
            },
        }
    }

    /// The source, if it was read.
    pub(crate) fn source(&self) -> Option<&Source> {
        match self {
            Resolved::Read { source, .. } => Some(source),
            Resolved::Absent { .. } => None,
        }
    }

    /// The source for the manifest.
    fn describe(&self) -> serde_json::Value {
        match self {
            Resolved::Read { source, .. } => source.describe(),
            Resolved::Absent {
                label,
                reason,
                detail,
            } => serde_json::json!({
                "source": label,
                "set_aside": reason.code(),
                "detail": detail,
            }),
        }
    }
}

impl Site {
    /// Resolves the sources and looks for the compiler.
    pub(crate) fn prepare(
        recipe: Recipe,
        folder: RunFolder,
        console: Console,
        threads: Option<usize>,
        cache: Option<&Path>,
        encoders: Encoders,
    ) -> anyhow::Result<Self> {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads.unwrap_or(0))
            .build()
            .context("cannot start the threads")?;
        // The cheap question first: without a compiler the rest would be in vain.
        let compiler = Compiler::probe(&recipe.check)?;
        let cpp = probe_cpp(&recipe)?;
        let judge = Judge::new(compiler, cpp, cache)?;
        let lowerers = lowerers_of(&recipe)?;
        let (sources, c) = pool.install(|| {
            rayon::join(
                || resolve(&recipe, console),
                || headers_of(&judge, &recipe, Language::C),
            )
        });
        let sources = sources?;
        let cpp = pool.install(|| cpp_headers(&recipe, &sources, &judge));
        let headers = Dialects { c: c?, cpp: cpp? };
        Ok(Site {
            recipe,
            folder,
            console,
            pool,
            sources,
            headers,
            judge,
            lowerers,
            encoders,
        })
    }

    /// The sources for the manifest and the page.
    pub(crate) fn describe_sources(&self) -> Vec<serde_json::Value> {
        self.sources.iter().map(Resolved::describe).collect()
    }

    /// The seed of a purpose, derived from the run's.
    pub(crate) fn seed(&self, purpose: &str, of: &str) -> u64 {
        Digest::new("seed")
            .field(self.recipe.seed.to_le_bytes())
            .field(purpose)
            .field(of)
            .seed()
    }
}

/// Looks for the compilers of the recipe's lowered settings.
fn lowerers_of(recipe: &Recipe) -> Result<Lowerers, CheckError> {
    let mut lowerers = Lowerers::new();
    for (setting, _) in recipe.draws() {
        if let Setting::Lowered {
            form,
            optimization,
            profile,
        } = setting
        {
            let lowerer = Lowerer::probe(&recipe.check, form, optimization, profile)?;
            lowerers.insert(setting, lowerer);
        }
    }
    Ok(lowerers)
}

/// Looks for the compiler of C++.
///
/// Where it is missing nothing is wrong yet: the first function of C++ will ask for it.
fn probe_cpp(recipe: &Recipe) -> Result<Option<Compiler>, CheckError> {
    match Compiler::probe_for(&recipe.check, Language::Cpp) {
        Ok(compiler) => Ok(Some(compiler)),
        Err(CheckError::CompilerMissing { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The folder that verdicts are kept in unless told otherwise, shared by all runs of a user.
pub(crate) fn default_cache() -> Option<PathBuf> {
    let set = |name| {
        std::env::var_os(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    // The base directory specification has relative paths ignored.
    let base = set("XDG_CACHE_HOME").filter(|path| path.is_absolute());
    base.or_else(|| Some(set("HOME")?.join(".cache")))
        .map(|base| base.join("barecode"))
}

/// Finds all sources, several at a time, and tells of those that take long.
fn resolve(recipe: &Recipe, console: Console) -> Result<Vec<Resolved>, SourceError> {
    let progress = console.reading(recipe.sources.len() as u64);
    let one = |config: &SourceConfig| {
        if let Some(address) = Source::to_clone(config, &recipe.base) {
            progress.tell(&format!("cloning {address}"));
        }
        let found = Resolved::of(config, &recipe.base);
        if let Ok(Resolved::Absent { label, detail, .. }) = &found {
            progress.tell(&format!("without `{label}`: {detail}"));
        }
        progress.advance(1);
        found
    };
    let found: Vec<_> = recipe.sources.par_iter().map(one).collect();
    // Of several errors the first in the recipe's order is told, on any number of threads.
    found.into_iter().collect()
}

/// What the standard headers of C++ define, where a source has files in C++.
fn cpp_headers(
    recipe: &Recipe,
    sources: &[Resolved],
    judge: &Judge,
) -> anyhow::Result<Option<StandardHeaders>> {
    let mut read = sources.iter().filter_map(Resolved::source);
    let Some(source) = read.find(|source| barecode_corpus::needs_cpp(source)) else {
        return Ok(None);
    };
    if judge.cpp().is_none() {
        let message = format!(
            "`{}` has files in C++, and `{}` is not here",
            source.label(),
            recipe.check.cpp_compiler
        );
        let hint =
            "install it (`apt-get install --yes g++`), or leave these files out with `exclude`";
        return Err(Failure::missing_tool(message).hint(hint).into());
    }
    headers_of(judge, recipe, Language::Cpp).map(Some)
}

/// What the compiler of a language says about the headers that a unit may include.
fn headers_of(
    judge: &Judge,
    recipe: &Recipe,
    language: Language,
) -> anyhow::Result<StandardHeaders> {
    let predefined = judge.compiler_of(language)?.predefined_macros()?;
    let names = recipe.extract.standard_headers.names(language);
    let per_header = names
        .par_iter()
        .map(|name| Ok((name.to_string(), judge.header_macros(language, name)?)))
        .collect::<Result<Vec<_>, CheckError>>()?;
    Ok(StandardHeaders::new(language, &predefined, per_header))
}

/// How far the flow is walked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Goal {
    /// All stages are done.
    Everything,
    /// One stage is done, those before it must be current.
    Only(Stage),
    /// A share of one stage is done, those before it must be current.
    Share(Stage, Share),
    /// Nothing is done.
    Look,
}

impl Goal {
    /// Whether the flow passes through a stage on its way to the goal.
    fn passes(self, stage: Stage) -> bool {
        match self {
            Goal::Everything | Goal::Look => true,
            // Queries are made from units: variants do not matter to them.
            Goal::Only(Stage::Query) | Goal::Share(Stage::Query, _) => {
                stage != Stage::Vary && stage <= Stage::Query
            }
            Goal::Only(goal) | Goal::Share(goal, _) => stage <= goal,
        }
    }

    /// Whether models may be fetched: only where they will be asked.
    fn fetches(self) -> Fetch {
        match self {
            Goal::Everything | Goal::Only(Stage::Retrieve) | Goal::Share(Stage::Retrieve, _) => {
                Fetch::Allowed
            }
            Goal::Only(_) | Goal::Share(..) | Goal::Look => Fetch::Never,
        }
    }
}

/// How far a walk came.
#[derive(Debug, Default)]
pub(crate) struct Walked {
    /// What was found of each stage that could be planned.
    pub(crate) progressed: BTreeMap<Stage, Progressed>,
    /// The stages that are done.
    pub(crate) finished: BTreeMap<Stage, Finished>,
}

impl Walked {
    /// Whether anything was done.
    pub(crate) fn worked(&self) -> bool {
        self.finished.values().any(|finished| finished.worked)
    }
}

/// Walks the flow towards the goal.
pub(crate) fn walk(site: &Site, goal: Goal) -> anyhow::Result<Walked> {
    let mut walk = Walk {
        site,
        goal,
        walked: Walked::default(),
    };
    walk.through()?;
    Ok(walk.walked)
}

struct Walk<'a> {
    site: &'a Site,
    goal: Goal,
    walked: Walked,
}

impl Walk<'_> {
    /// `None` where the walk ended before the report: at its goal, or at a stage that cannot be planned yet.
    fn through(&mut self) -> anyhow::Result<Option<()>> {
        let site = self.site;
        let Some(functions) = self.take(Stage::Extract, || Ok(extract::plan(site)))? else {
            return Ok(None);
        };
        let Some(units) = self.take(Stage::Check, || check::plan(site, &functions))? else {
            return Ok(None);
        };
        let variants = self.take(Stage::Vary, || Ok(vary::plan(site, &units)))?;
        let queries = self.take(Stage::Query, || Ok(query::plan(site, &functions, &units)))?;
        let (Some(variants), Some(queries)) = (variants, queries) else {
            return Ok(None);
        };
        let dataset = self.take(Stage::Assemble, || {
            Ok(assemble::plan(site, &units, &variants, &queries)?)
        })?;
        let Some(dataset) = dataset else {
            return Ok(None);
        };
        let fetch = self.goal.fetches();
        let runs = self.take(Stage::Retrieve, || retrieve::plan(site, &dataset, fetch))?;
        let Some(runs) = runs else {
            return Ok(None);
        };
        let Some(scores) = self.take(Stage::Score, || Ok(score::plan(site, &dataset, &runs)))?
        else {
            return Ok(None);
        };
        let before = [functions, units, variants, queries, dataset, runs, scores];
        Ok(self
            .take(Stage::Report, || report::plan(site, &before))?
            .map(|_| ()))
    }

    /// Takes one stage: does it, or looks whether it is done.
    fn take<'p>(
        &mut self,
        stage: Stage,
        plan: impl FnOnce() -> anyhow::Result<Plan<'p>>,
    ) -> anyhow::Result<Option<Finished>> {
        if !self.goal.passes(stage) {
            return Ok(None);
        }
        let plan = plan()?;
        let (progressed, current) = engine::look(&self.site.folder, &plan);
        self.walked.progressed.insert(stage, progressed);
        let Site {
            folder,
            pool,
            console,
            ..
        } = self.site;
        let finished = match self.goal {
            Goal::Look => current,
            Goal::Only(goal) | Goal::Share(goal, _) if goal != stage => match current {
                Some(finished) => {
                    // Shares leave the manifest to the first who finds all of them done.
                    if matches!(self.goal, Goal::Only(_)) && !recorded(self.site, &finished) {
                        folder.sweep(stage, &finished.files())?;
                        record(self.site, &finished)?;
                    }
                    Some(finished)
                }
                None => return Err(not_current(stage, progressed).into()),
            },
            Goal::Share(_, share) => {
                // Other shares are at work on other files of the folder, and none knows when it is the last.
                let plan = plan.only(share);
                Some(engine::run(folder, &plan, pool, *console)?)
            }
            Goal::Only(_) | Goal::Everything => {
                let finished = engine::run(folder, &plan, pool, *console)?;
                folder.sweep(stage, &finished.files())?;
                record(self.site, &finished)?;
                Some(finished)
            }
        };
        if let Some(finished) = &finished {
            self.walked.finished.insert(stage, finished.clone());
        }
        Ok(finished)
    }
}

fn not_current(stage: Stage, progressed: Progressed) -> Failure {
    let Progressed { current, to_do } = progressed;
    let message = format!(
        "the stage `{stage}` is not current: {to_do} of {} shards are to do",
        current + to_do
    );
    Failure::invalid(message).hint(format!(
        "run `barecode {stage}` on the recipe first, or `barecode build` for all"
    ))
}

/// Whether the manifest knows of a finished stage.
fn recorded(site: &Site, finished: &Finished) -> bool {
    let manifest = site.folder.manifest();
    manifest.is_some_and(|manifest| {
        manifest
            .stages
            .get(finished.stage.verb())
            .is_some_and(|account| account.key == finished.key())
    })
}

/// Writes a finished stage into the manifest; a stage that was current already changes nothing.
fn record(site: &Site, finished: &Finished) -> anyhow::Result<()> {
    let account = finished.account(&site.folder)?;
    let before = site.folder.manifest();
    let mut manifest = Manifest {
        format: MANIFEST_FORMAT,
        barecode: env!("CARGO_PKG_VERSION").to_owned(),
        recipe: site.recipe.resolved(),
        seed: site.recipe.seed,
        toolchain: Some(site.judge.compiler().toolchain().clone()),
        sources: site.describe_sources(),
        stages: before
            .as_ref()
            .map(|manifest| manifest.stages.clone())
            .unwrap_or_default(),
        times: before
            .as_ref()
            .map(|manifest| manifest.times.clone())
            .unwrap_or_default(),
    };
    let verb = finished.stage.verb().to_owned();
    if finished.worked || !manifest.stages.contains_key(&verb) {
        manifest.times.insert(verb.clone(), now());
    }
    manifest.stages.insert(verb, account);
    if before.as_ref() == Some(&manifest) {
        return Ok(());
    }
    site.folder.write_manifest(&manifest)
}

#[expect(
    clippy::disallowed_methods,
    reason = "the manifest is the one place that tells the time"
)]
fn now() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |elapsed| elapsed.as_secs())
}
