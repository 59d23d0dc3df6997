//! The resources that the stages of a run share: a [`Workshop`] (recipe, terminal, threads, and the world outside of
//! the run folder), and the folder itself. The two make a [`Site`]. The work of a stage on records needs the workshop
//! only, so it is the same in a run folder and over tables of a Python program.
//!
//! That world (sources, compilers, models) is looked for once, when a stage first needs it. A stage that needs none of
//! it runs on a machine without it: `score` needs no compiler, and `list` resolves no source.

use std::borrow::Cow;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use barecode_check::{
    CACHE_FILE, CheckError, Compiler, Judge, Lowerer, PartPool, Python, has_landlock,
};
use barecode_corpus::{Dialects, StandardHeaders, needs_cpp};
use barecode_languages::{FileKind, of_path};
use barecode_records::{Digest, Language, Reason, Setting, Stage};
use barecode_settings::Lowerers;
use barecode_sources::{Source, SourceConfig, SourceError, mined_paths};
use rayon::ThreadPool;
use rayon::iter::{
    IndexedParallelIterator, IntoParallelIterator, IntoParallelRefIterator, ParallelIterator,
};

use crate::console::Console;
use crate::encoders::Encoders;
use crate::exit::{Exit, Failure};
use crate::known_maps::KnownMaps;
use crate::recipe::Recipe;
use crate::run_folder::RunFolder;

/// The requirements of a stage besides its input, in a run folder.
pub(crate) struct Site {
    /// Its requirements without the folder.
    pub(crate) shop: Workshop,
    /// The folder of the run.
    pub(crate) folder: RunFolder,
    /// The part of the run that is planned; all of it unless other machines do the rest.
    pub(crate) slice: Slice,
}

/// A part of a run: some of its sources, with what becomes of them up to the queries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Slice {
    /// The sources, by their indices in the recipe.
    pub(crate) sources: Range<usize>,
    /// The number of shards of `check` that belong to earlier sources.
    pub(crate) first_shard: usize,
    /// True if the programs are in it.
    pub(crate) programs: bool,
    /// True if all the rest is in it: the user's own queries, those that models write, the dataset.
    pub(crate) rest: bool,
}

/// The requirements of a stage besides its input.
pub(crate) struct Workshop {
    /// The recipe.
    pub(crate) recipe: Recipe,
    /// The terminal.
    pub(crate) console: Console,
    /// The threads that do the work.
    pub(crate) pool: ThreadPool,
    /// True if functions are units as they were found, without a compiler: for a look before the run.
    pub(crate) as_found: bool,
    /// The threads that do parts of one shard.
    pub(crate) part_pool: Arc<PartPool>,
    /// The models of the retrievers.
    pub(crate) encoders: Encoders,
    /// The names of sources that renaming needs.
    pub(crate) known_maps: KnownMaps,
    /// The folder of what is cached between runs.
    cache: Option<PathBuf>,
    /// Each source of the recipe, once a stage has needed it.
    sources: Vec<OnceLock<Resolved>>,
    /// The definitions of the standard headers, for sources without C++ and with it.
    headers: [OnceLock<Dialects>; 2],
    judge: OnceLock<Judge>,
    lowerers: OnceLock<Lowerers>,
    python: OnceLock<Python>,
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
        /// Its reason in the account.
        reason: Reason,
        /// A description of the problem.
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
    fn source(&self) -> Option<&Source> {
        match self {
            Resolved::Read { source, .. } => Some(source),
            Resolved::Absent { .. } => None,
        }
    }
}

impl Site {
    /// A workshop in a run folder.
    pub(crate) fn new(shop: Workshop, folder: RunFolder) -> Self {
        let slice = Slice {
            sources: 0..shop.recipe.sources.len(),
            first_shard: 0,
            programs: true,
            rest: true,
        };
        Site {
            shop,
            folder,
            slice,
        }
    }

    /// Forgets all sources but these, by their indices in the recipe.
    pub(crate) fn keep_sources(&mut self, places: Range<usize>) {
        let sources = self.shop.sources.iter_mut().enumerate();
        for (_, source) in sources.filter(|(place, _)| !places.contains(place)) {
            source.take();
        }
    }

    /// Refuses models that cannot write, or whose keys are missing; a run that has its queries calls no writer.
    pub(crate) fn look_for_writers(&self) -> anyhow::Result<()> {
        if !self.folder.tables(Stage::Query).is_empty() {
            return Ok(());
        }
        for (model, sampling) in self.shop.recipe.writing_models() {
            self.shop.encoders.open_writer(model, sampling)?;
        }
        Ok(())
    }
}

impl Workshop {
    /// Gets ready to work; does not look for anything yet.
    pub(crate) fn new(
        recipe: Recipe,
        console: Console,
        pool: ThreadPool,
        part_pool: PartPool,
        cache: Option<PathBuf>,
        encoders: Encoders,
    ) -> Self {
        Workshop {
            sources: recipe.sources.iter().map(|_| OnceLock::new()).collect(),
            recipe,
            console,
            pool,
            as_found: false,
            part_pool: Arc::new(part_pool),
            encoders,
            known_maps: KnownMaps::default(),
            cache,
            headers: Default::default(),
            judge: OnceLock::new(),
            lowerers: OnceLock::new(),
            python: OnceLock::new(),
        }
    }

    /// Has this number of functions drawn from each source. Sources that were read are not read again.
    pub(crate) fn set_limit(&mut self, limit: u32) {
        for source in &mut self.recipe.sources {
            source.limit = Some(limit);
        }
        self.limit_sources();
    }

    /// Puts another recipe in place of this one, for the same sources and compilers.
    pub(crate) fn restore(&mut self, recipe: Recipe) {
        self.recipe = recipe;
        self.lowerers = OnceLock::new();
        self.limit_sources();
    }

    fn limit_sources(&mut self) {
        for (config, found) in self.recipe.sources.iter().zip(&mut self.sources) {
            if let Some(Resolved::Read { source, .. }) = found.get_mut() {
                source.set_limit(config.limit);
            }
        }
    }

    /// Returns `true` if verdicts and embeddings are cached between runs.
    pub(crate) fn caches(&self) -> bool {
        self.cache.is_some()
    }

    /// Returns a source, by its index in the recipe. Others are not read.
    pub(crate) fn source(&self, number: usize) -> anyhow::Result<&Resolved> {
        once(&self.sources[number], || {
            Ok(Resolved::of(
                &self.recipe.sources[number],
                &self.recipe.base,
            )?)
        })
    }

    /// All sources, in the recipe's order.
    pub(crate) fn sources(&self) -> anyhow::Result<Vec<&Resolved>> {
        self.sources_in(0..self.sources.len())
    }

    /// Returns some sources, by their indices in the recipe. Several are resolved at a time; a clone is announced.
    pub(crate) fn sources_in(&self, places: Range<usize>) -> anyhow::Result<Vec<&Resolved>> {
        if self.sources[places.clone()]
            .iter()
            .any(|found| found.get().is_none())
        {
            let progress = self.console.reading(places.len() as u64);
            let one = |number: usize| {
                if let Some(address) =
                    Source::to_clone(&self.recipe.sources[number], &self.recipe.base)
                {
                    progress.tell(&format!("cloning {address}"));
                }
                let found = self.source(number);
                if let Ok(Resolved::Absent { label, detail, .. }) = &found {
                    progress.tell(&format!("without `{label}`: {detail}"));
                }
                progress.advance(1);
                found.map(drop)
            };
            let all: Vec<_> = self.pool.install(|| {
                places
                    .clone()
                    .into_par_iter()
                    .with_max_len(1)
                    .map(one)
                    .collect()
            });
            // The error that is reported is the first in the recipe's order, on any number of threads.
            all.into_iter().collect::<anyhow::Result<Vec<()>>>()?;
        }
        places.map(|number| self.source(number)).collect()
    }

    /// Refuses sources that do not exist; those that the recipe can do without may be absent.
    pub(crate) fn look_for_sources(&self) -> anyhow::Result<()> {
        let needed = self.recipe.sources.iter().filter(|one| !one.optional);
        for source in needed {
            Source::look_for(source, &self.recipe.base)?;
        }
        Ok(())
    }

    /// Refuses data sets that do not exist.
    pub(crate) fn look_for_programs(&self) -> anyhow::Result<()> {
        for source in &self.recipe.programs.sources {
            let path = source.path(&self.recipe.base);
            if !path.exists() {
                let message = format!("the programs of `{}` are not there", source.from);
                let hint =
                    "`from` of `[[programs]]` is a file or a folder, relative to the recipe's";
                return Err(Failure::invalid(message).hint(hint).into());
            }
        }
        Ok(())
    }

    /// Refuses models whose folder or repository does not exist.
    pub(crate) fn look_for_models(&self) -> anyhow::Result<()> {
        Ok(self.encoders.look_for(self.recipe.models.values())?)
    }

    /// Refuses models that choose alternates and whose folder or repository does not exist.
    pub(crate) fn look_for_alternates(&self) -> anyhow::Result<()> {
        Ok(self
            .encoders
            .look_for(self.recipe.programs.alternates.models())?)
    }

    /// Returns true if a source has files that a compiler judges.
    pub(crate) fn compiles(&self) -> anyhow::Result<bool> {
        let sources = self.sources()?;
        let mut read = sources.into_iter().filter_map(Resolved::source);
        Ok(read.any(is_compiled))
    }

    /// Returns `true` if sources have files that a compiler judges, and others that are mined.
    fn has_others(&self) -> bool {
        let mined = self.sources().into_iter().flatten();
        let mined = mined.filter_map(Resolved::source).flat_map(mined_paths);
        let kinds: Vec<bool> = mined
            .filter_map(|(path, _)| of_path(path))
            .filter(|(entry, kind)| *kind == FileKind::Unit && entry.is_mined())
            .map(|(entry, _)| entry.is_compiled())
            .collect();
        kinds.contains(&true) && kinds.contains(&false)
    }

    /// Refuses compilers that are not installed, if a source needs them. Sources are read only where one is missing.
    pub(crate) fn look_for_compilers(&self) -> anyhow::Result<()> {
        let Err(error) = self.judge() else {
            return Ok(());
        };
        match self.compiles() {
            Ok(false) => Ok(()),
            _ if self.has_others() => {
                let hint = "install it, or leave C and C++ out: `languages` of the source names what is mined";
                Err(Failure::new(Exit::ToolMissing, error.to_string())
                    .hint(hint)
                    .into())
            }
            _ => Err(error),
        }
    }

    /// Refuses compilers of lowered settings that are not installed, if a source needs them.
    pub(crate) fn look_for_lowerers(&self) -> anyhow::Result<()> {
        let Err(error) = self.lowerers() else {
            return Ok(());
        };
        match self.compiles() {
            Ok(false) => Ok(()),
            _ => Err(error),
        }
    }

    /// The macros of the standard headers for one source, independent of the other sources. Empty if the source needs no
    /// compiler; with the headers of C++ if it has files in C++.
    pub(crate) fn dialects(&self, source: &Source) -> anyhow::Result<Cow<'_, Dialects>> {
        if !is_compiled(source) {
            return Ok(Cow::Owned(Dialects {
                c: StandardHeaders::new(Language::C, "", []),
                cpp: None,
            }));
        }
        let needs_cpp = needs_cpp(source);
        let found = once(&self.headers[usize::from(needs_cpp)], || {
            // The cheap question first: without a compiler the rest would be in vain.
            let judge = self.judge()?;
            if needs_cpp {
                self.needs_compiler_of_cpp(source, judge)?;
            }
            let of = |language| headers_of(judge, &self.recipe, language);
            self.pool.install(|| {
                let (c, cpp) = rayon::join(
                    || of(Language::C),
                    || needs_cpp.then(|| of(Language::CPP)).transpose(),
                );
                Ok(Dialects { c: c?, cpp: cpp? })
            })
        });
        found.map(Cow::Borrowed)
    }

    /// Refuses a source in C++ where its compiler is missing.
    fn needs_compiler_of_cpp(&self, source: &Source, judge: &Judge) -> Result<(), Failure> {
        if judge.cpp().is_some() {
            return Ok(());
        }
        let message = format!(
            "`{}` has files in C++, and `{}` is not here",
            source.label(),
            self.recipe.check.cpp_compiler
        );
        let hint =
            "install it (`apt-get install --yes g++`), or leave these files out with `exclude`";
        Err(Failure::new(Exit::ToolMissing, message).hint(hint))
    }

    /// Returns the compilers, with their earlier verdicts.
    pub(crate) fn judge(&self) -> anyhow::Result<&Judge> {
        let judge = once(&self.judge, || {
            let compiler = Compiler::probe(&self.recipe.check)?;
            if !has_landlock() {
                self.console.note(
                    "note: this kernel has no landlock: compilers read what you can read, as `unconfined = true` allows",
                );
            }
            let cpp = probe_cpp(&self.recipe)?;
            let judge = Judge::new(compiler, cpp, self.verdicts()?.as_deref())?;
            Ok(judge.with_part_pool(Arc::clone(&self.part_pool)))
        })?;
        self.tell_damage();
        Ok(judge)
    }

    /// Returns the file of verdicts, in a folder that exists.
    fn verdicts(&self) -> Result<Option<PathBuf>, Failure> {
        let Some(folder) = &self.cache else {
            return Ok(None);
        };
        std::fs::create_dir_all(folder).map_err(|error| Failure::cannot_write(folder, &error))?;
        Ok(Some(folder.join(CACHE_FILE)))
    }

    /// Returns the interpreter of programs under test, with the sandbox that separates them from the rest of the
    /// machine.
    pub(crate) fn python(&self) -> anyhow::Result<&Python> {
        once(&self.python, || {
            let config = &self.recipe.programs.python;
            let python = Python::open(config, self.verdicts()?.as_deref())?;
            let (version, level) = (python.version(), python.level());
            self.console
                .note(&format!("programs run in Python {version}: {level}"));
            Ok(python)
        })
    }

    /// Returns the name of the sandbox of the compilers; `None` where no compiler was looked for.
    pub(crate) fn confinement(&self) -> Option<&'static str> {
        let asked = self.judge.get().is_some() || self.lowerers.get().is_some();
        asked.then_some(if has_landlock() { "landlock" } else { "none" })
    }

    /// Notes damage of the verdict cache, once.
    pub(crate) fn tell_damage(&self) {
        // The cache reports its damage once, which is left to work that is not in passing.
        if self.console.is_in_passing() {
            return;
        }
        if let Some(damage) = self.judge.get().and_then(Judge::cache_damage) {
            self.console.note(&format!("note: {damage}"));
        }
    }

    /// The compilers of the recipe's lowered settings.
    pub(crate) fn lowerers(&self) -> anyhow::Result<&Lowerers> {
        once(&self.lowerers, || Ok(lowerers_of(&self.recipe)?))
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

/// Returns `true` if a source has files in languages that are compiled.
pub(crate) fn is_compiled(source: &Source) -> bool {
    let mut paths = mined_paths(source);
    paths.any(|(path, _)| {
        let known = of_path(path).filter(|(_, kind)| *kind != FileKind::Included);
        known.is_some_and(|(entry, _)| entry.is_compiled())
    })
}

/// Returns the content of the cell, made where it is empty. An error leaves it empty.
fn once<T>(cell: &OnceLock<T>, make: impl FnOnce() -> anyhow::Result<T>) -> anyhow::Result<&T> {
    if let Some(found) = cell.get() {
        return Ok(found);
    }
    let made = make()?;
    Ok(cell.get_or_init(|| made))
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
/// A missing one is not an error yet: the first function of C++ will need it.
fn probe_cpp(recipe: &Recipe) -> Result<Option<Compiler>, CheckError> {
    match Compiler::probe_for(&recipe.check, Language::CPP) {
        Ok(compiler) => Ok(Some(compiler)),
        Err(CheckError::CompilerMissing { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The headers that are read at once.
const TOGETHER: usize = 32;

/// Returns the findings of a language's compiler about the headers that a unit may include.
fn headers_of(
    judge: &Judge,
    recipe: &Recipe,
    language: Language,
) -> anyhow::Result<StandardHeaders> {
    let predefined = judge.compiler_of(language)?.predefined_macros();
    let names = recipe.extract.standard_headers.names(language);
    // The lines of all headers together take a hundred megabytes.
    let mut failed = Ok(());
    let per_header = names.chunks(TOGETHER).map_while(|names| {
        let macros = |name: &&str| Ok((name.to_string(), judge.header_macros(language, name)?));
        let read: Result<Vec<_>, CheckError> = names.par_iter().map(macros).collect();
        read.map_err(|error| failed = Err(error)).ok()
    });
    let headers = StandardHeaders::new(language, predefined, per_header.flatten());
    failed?;
    Ok(headers)
}
