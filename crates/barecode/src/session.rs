//! The input of every command: the terminal, the data that a caller holds in memory, the options that all share, and
//! the run or benchmark to read.
//!
//! A [`Session`] knows no command and no command line, so commands, stages over tables and models that a program opens
//! all start from one.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use barecode_check::PartPool;
use barecode_formats::run::{Run, open_run, read_qrels};
use barecode_formats::trec::Qrels;
use barecode_formats::{Columns, Format, FormatError, Loaded, Strictness, load, load_columns};
use barecode_models::{Budget, Ledger, Opening, dataset_folder};
use barecode_records::Stage;
use clap::Args;
use rayon::ThreadPool;

use crate::console::{ColorChoice, Console};
use crate::encoders::Encoders;
use crate::exit::Failure;
use crate::journal;
use crate::models::{self, Means};
use crate::recipe::Recipe;
use crate::run_folder::RunFolder;
use crate::site::{Site, Workshop};

/// The advice about a run that lacks a stage.
pub(crate) const BUILD_FIRST: &str = "run `barecode build` on the recipe first";

/// The failure of a machine that has no more threads.
const NO_THREADS: &str = "cannot start the threads";

/// Options of every command.
#[derive(Debug, Default, Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the command line"
)]
#[command(next_help_heading = "Options of every command")]
pub(crate) struct Options {
    /// Number of worker threads [default: all cores]. Results do not depend on it.
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// The folder for results. By default the recipe's run folder, `runs/try-NAME` for `try`, and `eval/DATASET` for
    /// `eval`. For `study` and `review`, the file to write.
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// The folder of caches that all commands share: compiler verdicts, embeddings, mirrors of repositories, days of
    /// first commits [default: barecode in the user's cache folder].
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

/// How a dataset is read.
#[derive(Debug, Default, Args)]
pub(crate) struct DatasetArguments {
    /// The format of the dataset, if it cannot be recognized.
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<Format>,
    /// The columns of a table: query=docstring,document=function; also negative, query-id, document-id and grade.
    #[arg(long, value_name = "ROLE=COLUMN,…")]
    pub(crate) columns: Option<Columns>,
}

/// What models may take.
#[derive(Debug, Default, Args)]
pub(crate) struct Spending {
    /// Estimate texts, tokens and dollars of all models; call none.
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) means: Means,
}

/// The options of another program's call, as on the command line.
#[derive(Debug, Clone, Default)]
pub struct CallOptions {
    /// Number of worker threads; by default all cores. Results do not depend on it.
    pub threads: Option<u16>,
    /// The folder of caches; by default barecode's in the user's cache folder.
    pub cache: Option<PathBuf>,
    /// True if nothing is cached on the disk.
    pub no_cache: bool,
}

/// Judgments and runs in memory, each under the path that represents it in the arguments of `score` and `compare`.
#[derive(Debug, Default)]
pub struct Held {
    /// Judgments.
    pub qrels: BTreeMap<PathBuf, Qrels>,
    /// Runs.
    pub runs: BTreeMap<PathBuf, Arc<Run>>,
}

impl Held {
    /// Returns the judgments of a path, from its file if they are not held.
    pub(crate) fn qrels(&self, path: &Path) -> Result<Cow<'_, Qrels>, FormatError> {
        match self.qrels.get(path) {
            Some(held) => Ok(Cow::Borrowed(held)),
            None => read_qrels(path).map(Cow::Owned),
        }
    }

    /// Returns a run, from its file if it is not held.
    pub(crate) fn run(&self, path: &Path) -> Result<Arc<Run>, FormatError> {
        match self.runs.get(path) {
            Some(held) => Ok(Arc::clone(held)),
            None => open_run(path).map(Arc::new),
        }
    }
}

/// One call: the terminal, the data that it brings, and the options that every command accepts.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) console: Console,
    /// The data in memory and not in files.
    pub(crate) held: Held,
    pub(crate) options: Options,
}

impl Session {
    /// A session of another program.
    pub(crate) fn of_program(options: &CallOptions, console: Console) -> Self {
        Session {
            console,
            held: Held::default(),
            options: Options {
                threads: options.threads,
                cache: options.cache.clone(),
                no_cache: options.no_cache,
                json: true,
                ..Options::default()
            },
        }
    }

    /// Shows something in passing.
    pub(crate) fn note(&self, text: &str) {
        self.console.note(text);
    }

    /// The folder of a run of this recipe.
    pub(crate) fn out(&self, recipe: &Recipe) -> PathBuf {
        self.out_or(|| recipe.out.clone())
    }

    /// The folder or file that the command line names, or the usual one.
    pub(crate) fn out_or(&self, usual: impl FnOnce() -> PathBuf) -> PathBuf {
        self.options.out.clone().unwrap_or_else(usual)
    }

    /// Opens a run for reading: the folder itself, or the one of a recipe.
    pub(crate) fn run(
        &self,
        folder: Option<&Path>,
        recipe: Option<&Path>,
    ) -> anyhow::Result<RunFolder> {
        Ok(match (folder, recipe) {
            (Some(folder), _) => RunFolder::existing(folder)?,
            (None, Some(path)) => match run_around(path) {
                Some(folder) => folder,
                None if path.is_dir() => RunFolder::existing(path)?,
                None => RunFolder::existing(&self.out(&Recipe::read(path)?))?,
            },
            (None, None) => unreachable!("clap requires one of the two"),
        })
    }

    /// Reads a benchmark, and prints notes about it.
    pub(crate) fn load(
        &self,
        path: &Path,
        format: Option<Format>,
        strictness: Strictness,
    ) -> anyhow::Result<Loaded> {
        let loaded = load(&dataset_of(path)?, format, strictness)?;
        self.tell(&loaded);
        Ok(loaded)
    }

    fn tell(&self, loaded: &Loaded) {
        for note in &loaded.notes {
            self.console.note(&format!("note: {note}"));
        }
        for taken in &loaded.taken {
            self.console.note(&taken.to_string());
        }
    }

    /// Reads a dataset, from this machine or the hub, as its own loader would.
    pub(crate) fn dataset(&self, path: &Path, how: &DatasetArguments) -> anyhow::Result<Loaded> {
        let read = self.dataset_in(path, how, Strictness::AsLoader);
        read.map(|(loaded, _)| loaded)
    }

    /// Reads a dataset, from this machine or the hub, and returns it with the folder or file of this machine that it
    /// was read from.
    pub(crate) fn dataset_in(
        &self,
        path: &Path,
        how: &DatasetArguments,
        strictness: Strictness,
    ) -> anyhow::Result<(Loaded, PathBuf)> {
        let address = path.to_str().and_then(|path| path.strip_prefix("hf:"));
        let Some(address) = address.filter(|_| !path.exists()) else {
            let path = dataset_of(path)?;
            let loaded = load_columns(&path, how.format, strictness, how.columns.as_ref())?;
            self.tell(&loaded);
            return Ok((loaded, path));
        };
        let (repository, revision) = address.split_once('@').unwrap_or((address, "main"));
        let opening = self.opening(&Means::default())?;
        let folder = dataset_folder(&opening, repository, revision)?;
        self.console
            .note(&format!("{repository} is in {}", folder.display()));
        let mut loaded = load_columns(&folder, how.format, strictness, how.columns.as_ref())?;
        let name = repository.rsplit('/').next().unwrap_or(repository);
        name.clone_into(&mut loaded.benchmark.name);
        self.tell(&loaded);
        Ok((loaded, folder))
    }

    /// Returns the path of the cache folder, even if it does not exist yet, unless caching is off.
    pub(crate) fn cache_path(&self) -> Option<PathBuf> {
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

    /// Returns a pool with the requested number of threads, or one for each core.
    pub(crate) fn pool(&self) -> anyhow::Result<ThreadPool> {
        let threads = self.options.threads.map_or(0, usize::from);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build().context(NO_THREADS)
    }

    /// Sets the number of worker threads. Called before anything is done in parallel.
    pub(crate) fn use_threads(&self) -> anyhow::Result<()> {
        // A caller from another program brings the threads.
        let is_brought = rayon::current_thread_index().is_some();
        if let Some(threads) = self.options.threads.filter(|_| !is_brought) {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.into());
            pool.build_global()?;
        }
        Ok(())
    }

    /// Returns the means to open models.
    pub(crate) fn opening(&self, means: &Means) -> anyhow::Result<Opening> {
        models::opening(self.console, self.cache_folder()?.as_deref(), means)
    }

    /// Gets ready to work on a recipe in a folder.
    pub(crate) fn site(
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

    /// Returns the requirements of the stages besides records and a folder; `journal` makes writers' answers heard.
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
        let part_pool = PartPool::new(pool.current_num_threads()).context(NO_THREADS)?;
        Ok(Workshop::new(
            recipe, console, pool, part_pool, cache, encoders,
        ))
    }
}

/// The run whose folder a path is, or whose dataset.
fn run_around(path: &Path) -> Option<RunFolder> {
    let is_dataset = path
        .file_name()
        .is_some_and(|name| name == Stage::Assemble.folder());
    let around = path.parent().filter(|_| is_dataset);
    let mut folders = [Some(path), around].into_iter().flatten();
    folders.find_map(|folder| RunFolder::existing(folder).ok())
}

/// Returns the folder of the dataset that a path names: that of a run by its folder, or by the recipe that was built,
/// or one at the path itself.
fn dataset_of(path: &Path) -> anyhow::Result<PathBuf> {
    let is_recipe = path.is_file() && path.extension().is_some_and(|ending| ending == "toml");
    let run = match RunFolder::existing(path) {
        Ok(run) => run,
        Err(_) if is_recipe => RunFolder::existing(&Recipe::read(path)?.out)?,
        Err(_) => return Ok(path.to_owned()),
    };
    if !run.layout().has_dataset() {
        let message = format!("`{}` has no dataset yet", run.root().display());
        return Err(Failure::invalid(message).hint(BUILD_FIRST).into());
    }
    Ok(run.stage(Stage::Assemble))
}

/// The run that a command shows.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub(crate) struct RunArguments {
    /// The recipe of the run, or its folder.
    recipe: Option<PathBuf>,
    /// The run folder itself.
    #[arg(long, value_name = "DIR")]
    run: Option<PathBuf>,
}

impl RunArguments {
    /// Opens the run for reading.
    pub(crate) fn folder(&self, session: &Session) -> anyhow::Result<RunFolder> {
        session.run(self.run.as_deref(), self.recipe.as_deref())
    }
}

/// The folder of caches between calls unless another is chosen, shared by all runs of a user.
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
