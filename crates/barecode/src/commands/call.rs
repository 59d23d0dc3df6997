//! What every command is called with: the terminal, the options that all share, and the run or benchmark that is looked at.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use barecode_formats::{Columns, Format, Loaded, Strictness, load, load_columns};
use barecode_models::{Budget, Ledger, Opening, dataset_folder};
use barecode_records::QueryScore;
use clap::Args;
use rayon::ThreadPool;

use crate::console::{ColorChoice, Console};
use crate::encoders::Encoders;
use crate::exit::Failure;
use crate::journal;
use crate::library::{CallOptions, Held};
use crate::models::{self, Means};
use crate::recipe::Recipe;
use crate::report::distinct;
use crate::run_folder::RunFolder;
use crate::site::{Site, Workshop};

/// What to do about a run that is not far enough.
pub(super) const BUILD_FIRST: &str = "run `barecode build` on the recipe first";

/// Options of every command.
#[derive(Debug, Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the command line"
)]
pub(crate) struct Options {
    /// Number of worker threads [default: all cores]. Results do not depend on it.
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// The folder for results: a run folder in place of the recipe's, and for `eval` in place of `eval/DATASET`; of
    /// `study` and `review` the file that they write.
    #[arg(long, global = true, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
    /// The folder of caches that all commands share: compiler verdicts, embeddings, models, mirrors of repositories
    /// [default: barecode in the user's cache folder].
    #[arg(long, global = true, value_name = "DIR", conflicts_with = "no_cache")]
    cache: Option<PathBuf>,
    /// Use no caches: compute verdicts and embeddings again, and store none.
    #[arg(long, global = true)]
    no_cache: bool,
    /// Run programs under test even where the kernel cannot confine them: only for programs that you trust.
    #[arg(long, global = true)]
    unsafe_no_sandbox: bool,
    /// Print data as JSON.
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Print only errors to stderr.
    #[arg(long, global = true)]
    pub(crate) quiet: bool,
    /// When to use color; `NO_COLOR` is respected.
    #[arg(long, global = true, value_enum, default_value_t, value_name = "WHEN")]
    pub(crate) color: ColorChoice,
}

impl Options {
    /// Those of a call from another program.
    pub(crate) fn of_library(options: &CallOptions) -> Self {
        Options {
            threads: options.threads,
            out: None,
            cache: options.cache.clone(),
            no_cache: options.no_cache,
            unsafe_no_sandbox: false,
            json: true,
            quiet: false,
            color: ColorChoice::Never,
        }
    }

    /// So many threads as were asked for; one for each core unless any were.
    pub(crate) fn pool(&self) -> anyhow::Result<ThreadPool> {
        threads(self.threads)
    }
}

/// A pool of so many threads, or one for each core.
pub(crate) fn threads(number: Option<u16>) -> anyhow::Result<ThreadPool> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(number.map_or(0, usize::from));
    pool.build().context("cannot start the threads")
}

/// How a dataset is read.
#[derive(Debug, Default, Args)]
pub(super) struct DatasetArguments {
    /// The format of the dataset, if it cannot be recognized.
    #[arg(long, value_name = "FORMAT")]
    pub(super) format: Option<Format>,
    /// The columns of a table: query=docstring,document=function; also negative, query-id, document-id and grade.
    #[arg(long, value_name = "ROLE=COLUMN,…")]
    pub(super) columns: Option<Columns>,
}

/// What models may take.
#[derive(Debug, Default, Args)]
pub(crate) struct Spending {
    /// Show how many texts, tokens and dollars the models of the recipe would take, without calling them.
    #[arg(long)]
    pub(super) dry_run: bool,
    #[command(flatten)]
    pub(super) means: Means,
}

/// One call of the program: the terminal, what it brings, and the options that every command takes.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) console: Console,
    /// What is in memory and not in files.
    pub(crate) held: Held,
    pub(crate) options: Options,
}

impl Call {
    /// The folder of a run of this recipe.
    pub(super) fn out(&self, recipe: &Recipe) -> PathBuf {
        self.options
            .out
            .clone()
            .unwrap_or_else(|| recipe.out.clone())
    }

    /// Looks into a run: the folder itself, or the one of a recipe.
    pub(super) fn run(
        &self,
        folder: Option<&Path>,
        recipe: Option<&Path>,
    ) -> anyhow::Result<RunFolder> {
        Ok(match (folder, recipe) {
            (Some(folder), _) => RunFolder::existing(folder)?,
            (None, Some(recipe)) => RunFolder::existing(&self.out(&Recipe::read(recipe)?))?,
            (None, None) => unreachable!("clap requires one of the two"),
        })
    }

    /// Reads a benchmark, and prints what there is to note about it.
    pub(super) fn load(
        &self,
        path: &Path,
        format: Option<Format>,
        strictness: Strictness,
    ) -> anyhow::Result<Loaded> {
        let loaded = load(path, format, strictness)?;
        self.note(&loaded);
        Ok(loaded)
    }

    fn note(&self, loaded: &Loaded) {
        for note in &loaded.notes {
            self.console.note(&format!("note: {note}"));
        }
        for taken in &loaded.taken {
            self.console.note(&taken.to_string());
        }
    }

    /// Reads a dataset, from this machine or the hub, as its own loader would.
    pub(super) fn dataset(&self, path: &Path, how: &DatasetArguments) -> anyhow::Result<Loaded> {
        let read = self.dataset_in(path, how, Strictness::AsLoader);
        read.map(|(loaded, _)| loaded)
    }

    /// Reads a dataset, from this machine or the hub, and says which folder or file of this machine it was read from.
    pub(super) fn dataset_in(
        &self,
        path: &Path,
        how: &DatasetArguments,
        strictness: Strictness,
    ) -> anyhow::Result<(Loaded, PathBuf)> {
        let address = path.to_str().and_then(|path| path.strip_prefix("hf:"));
        let Some(address) = address.filter(|_| !path.exists()) else {
            let loaded = load_columns(path, how.format, strictness, how.columns.as_ref())?;
            self.note(&loaded);
            return Ok((loaded, path.to_owned()));
        };
        let (repository, revision) = address.split_once('@').unwrap_or((address, "main"));
        let opening = self.opening(&Means::default())?;
        let folder = dataset_folder(&opening, repository, revision)?;
        self.console
            .note(&format!("{repository} is in {}", folder.display()));
        let mut loaded = load_columns(&folder, how.format, strictness, how.columns.as_ref())?;
        let name = repository.rsplit('/').next().unwrap_or(repository);
        name.clone_into(&mut loaded.benchmark.name);
        self.note(&loaded);
        Ok((loaded, folder))
    }

    /// Where the cache folder is or would be, unless caching is off.
    pub(super) fn cache_path(&self) -> Option<PathBuf> {
        match &self.options.cache {
            _ if self.options.no_cache => None,
            Some(folder) => Some(folder.clone()),
            None => default_cache(),
        }
    }

    /// The cache folder, unless caching is off.
    fn cache_folder(&self) -> anyhow::Result<Option<PathBuf>> {
        let folder = self.cache_path();
        if let Some(folder) = &folder {
            fs::create_dir_all(folder).map_err(|error| Failure::cannot_write(folder, &error))?;
        }
        Ok(folder)
    }

    /// Threads for the stages.
    pub(crate) fn pool(&self) -> anyhow::Result<ThreadPool> {
        self.options.pool()
    }

    /// Sets the number of worker threads. Called before anything is done in parallel.
    pub(super) fn use_threads(&self) -> anyhow::Result<()> {
        // Who calls from another program brings the threads.
        let is_brought = rayon::current_thread_index().is_some();
        if let Some(threads) = self.options.threads.filter(|_| !is_brought) {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.into());
            pool.build_global()?;
        }
        Ok(())
    }

    /// What is needed to open models.
    pub(crate) fn opening(&self, means: &Means) -> anyhow::Result<Opening> {
        models::opening(self.console, self.cache_folder()?.as_deref(), means)
    }

    /// Gets ready to work on a recipe in a folder.
    pub(super) fn site(
        &self,
        recipe: Recipe,
        folder: RunFolder,
        spending: &Spending,
    ) -> anyhow::Result<Site> {
        let names = recipe.writing_models();
        let names = names.map(|(model, _)| model.spec.name.clone()).collect();
        let listener = journal::listener(&folder, names);
        let on_change = move |ledger: Ledger| ledger.on_change(listener);
        let shop = self.workshop(recipe, &spending.means, on_change)?;
        Ok(Site::new(shop, folder))
    }

    /// What the stages need besides records and a folder; `journal` makes writers' answers heard.
    pub(crate) fn workshop(
        &self,
        mut recipe: Recipe,
        means: &Means,
        journal: impl FnOnce(Ledger) -> Ledger,
    ) -> anyhow::Result<Workshop> {
        recipe.programs.python.unsafe_no_sandbox = self.options.unsafe_no_sandbox;
        let mut means = means.clone();
        means.budget = means.budget.or(recipe.budget);
        let mut opening = None;
        if recipe.calls_models() {
            let opening = opening.insert(self.opening(&means)?);
            if recipe.writes() {
                let budget = Budget {
                    dollars: means.budget,
                    tokens: None,
                };
                opening.ledger = Arc::new(journal(Ledger::new(budget)));
            }
        }
        let encoders = Encoders::new(&recipe.base, opening)?;
        let (console, pool, cache) = (self.console, self.pool()?, self.cache_path());
        Ok(Workshop::new(recipe, console, pool, cache, encoders))
    }
}

/// The scores of a run's queries, and which of `measures` are shown: the main one if none is named.
///
/// # Errors
/// If the run has no scores, or not these.
pub(super) fn query_scores(
    run: &RunFolder,
    measures: &[String],
) -> anyhow::Result<(Vec<QueryScore>, Vec<String>)> {
    if !run.layout().has_scores() {
        let message = format!("`{}` has no scores yet", run.root().display());
        return Err(Failure::invalid(message).hint(BUILD_FIRST).into());
    }
    let rows = run.layout().query_scores()?;
    let known = distinct(rows.iter().map(|row| row.measure.as_str()));
    if let Some(measure) = measures.iter().find(|name| !known.contains(&name.as_str())) {
        let message = format!(
            "the run has no measure `{measure}`, only {}",
            known.join(", ")
        );
        return Err(Failure::invalid(message)
            .hint("add it to `measures` under `[scores]` in the recipe and build again")
            .into());
    }
    let measures = if measures.is_empty() {
        known.into_iter().take(1).collect()
    } else {
        distinct(measures.iter().map(String::as_str))
    };
    let measures = measures.into_iter().map(str::to_owned).collect();
    Ok((rows, measures))
}

/// The run that a command shows.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub(super) struct RunArguments {
    /// The recipe of the run.
    recipe: Option<PathBuf>,
    /// The run folder itself.
    #[arg(long, value_name = "DIR")]
    run: Option<PathBuf>,
}

impl RunArguments {
    /// Looks into the run.
    pub(super) fn folder(&self, call: &Call) -> anyhow::Result<RunFolder> {
        call.run(self.run.as_deref(), self.recipe.as_deref())
    }
}

/// The folder of what is cached between calls unless another is given, shared by all runs of a user.
fn default_cache() -> Option<PathBuf> {
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
