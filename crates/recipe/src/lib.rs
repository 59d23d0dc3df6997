//! A recipe: one TOML file that describes the inputs of a benchmark and the steps that make it.
//!
//! ```toml
//! name = "demo"                # letters, digits, `.`, `_`, `-`
//! seed = 0                     # every other seed is derived from it; 0 unless given
//! out = "runs/demo"            # the run folder; `runs/<name>` unless given
//! models = "models.toml"       # a file of tables `[[model]]`, which may stand here too
//! budget = 2.0                 # dollars that one call may spend on models
//!
//! [[source]]                   # at least one
//! from = "cargo:zstd-sys"      # or `path:lib`, or `git:https://…`, or `archive:lib.tar.gz`
//! include = ["zstd/lib/**"]
//!
//! [[manifest]]                 # a file that lists many sources
//! file = "repositories.json"
//! where = { role = "dev" }
//!
//! [[programs]]                 # Python programs with tests, beside or instead of sources
//! from = "HumanEval.jsonl.gz"
//!
//! [[pipeline]]                 # what is made of them; the paper's two unless given
//! name = "renamed"
//! kind = "clone"               # or "bug"
//! steps = [{ transform = "ChangeNames", strategy = "funky" }]
//!
//! [alternates]                 # which solutions of a problem stay beside the first
//! by = ["hf:sentence-transformers/all-MiniLM-L6-v2"]   # `"shingles"` unless given
//!
//! [extract]                    # bounds of files and closures
//! [check]                      # the compiler and its limits
//! [settings]
//! names = ["standard", "neutralized", "randomized"]   # these three unless given
//! randomized-seeds = 3         # draws of the settings that are drawn; 2 unless given, 10 under the profile `clarc`
//! scope = "spelled"            # of languages that are not compiled: one map for a source; or "bound", as C and C++ are
//! [queries]                    # bounds of the cleaned comments; `comments = false` leaves comments out
//! files = ["questions.csv"]    # one's own: a text and the function that answers it
//! reviews = ["reviews.csv"]    # what reviewers decided about queries
//! classify = "openai:gpt-3.5-turbo"   # which puts comments in the paper's four classes
//! write = ["openai:gpt-4o"]    # models that write a query for each function; tables `[[queries.write]]` say more
//! [dataset]                    # who takes part, and on which side
//! near-duplicates = 0.7        # of functions this alike, one takes part; false keeps all
//! train = 0.0                  # the share of functions whose repositories are for training
//! views = ["all"]              # which functions compete: CLARC's four groups unless given
//! code-queries = ["neutralized"]   # settings in which functions ask for themselves as they were written
//!
//! [[retriever]]                # at least one for `retrieve`
//! name = "bm25"
//! kind = "bm25"
//!
//! [[retriever]]                # a model: a short form, or a name of a `[[model]]`
//! kind = "dense"
//! model = "hf:sentence-transformers/all-MiniLM-L6-v2"
//!
//! [[retriever]]                # the lists of others as one; or `kind = "reranked"` with `of` and `model`
//! kind = "fused"
//! of = ["bm25", "all-MiniLM-L6-v2"]
//!
//! [retrieve]
//! pool = "everyone"            # or "uniform:99", "nearest:99": the documents that compete for a query
//! draws = 1                    # of a uniform pool
//!
//! [scores]
//! measures = ["nDCG@10", "RR@10"]   # the first is the main one; seven unless given, see `MEASURES`
//! resamples = 10000            # of the bootstrap
//! confidence = 0.95            # of the intervals
//! ties = "expected"            # or "docno", as `trec_eval` breaks them
//! ```
//!
//! Paths are relative to the recipe's folder. Everything is checked here, on entry: the result is a [`Recipe`] that
//! no stage needs to check again. An error names file, line and column, shows the line, and offers the nearest known
//! word.

mod source_list;
mod alternates;
mod classify;
mod recipe_text;
mod dataset;
pub mod members;
mod models;
mod programs;
mod queries;
mod resolved;
mod retrieve;
mod scores;
mod suite;
pub mod trial;
mod writers;

use models::Known;
use recipe_text::{MAX_SEEDS, RecipeText, check_name, nearest, nearest_in};

pub use alternates::Alternates;
pub use classify::{ANSWER_TOKENS, Classifier};
pub use models::RecipeModel;
pub use programs::Programs;
pub use retrieve::RetrieveConfig;
pub use scores::ScoreConfig;
pub use suite::{
    CardAxes, MOTIVATIONS, SHIFT_LOCI, SHIFT_SOURCES, SHIFT_TYPES, Suite, SuiteMember, is_suite,
};
pub use writers::QueryWriter;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Component, Path, PathBuf};

use barecode_check::{CheckConfig, PythonConfig};
use barecode_corpus::ExtractConfig;
use barecode_dataset::DatasetConfig;
use barecode_evaluate::{Choice, ProbeConfig, System};
use barecode_models::Sampling;
use barecode_programs::{PipelineConfig, ProgramConfig, ProgramSource};
use barecode_queries::{OwnQuery, QueryConfig, Review};
use barecode_records::{Profile, Scope, Setting, guarded};
use barecode_sources::{Source, SourceConfig};
use serde::Deserialize;
use serde::de::IgnoredAny;
use toml::Spanned;

use crate::source_list::ManifestConfig;
use barecode_runs::exit::Failure;
use barecode_runs::run_folder::RunFolder;

/// A recipe that has been checked.
#[derive(Debug, Clone)]
pub struct Recipe {
    /// The run's name.
    pub name: String,
    /// The seed that every other seed is derived from.
    pub seed: u64,
    /// The run folder.
    pub out: PathBuf,
    /// The folder that paths are relative to.
    pub base: PathBuf,
    /// The sources that are mined.
    pub sources: Vec<SourceConfig>,
    /// Programs with tests.
    pub programs: Programs,
    /// Bounds of extraction.
    pub extract: ExtractConfig,
    /// The judge.
    pub check: CheckConfig,
    /// The settings, in the order from most to least information in names.
    pub settings: Vec<Setting>,
    /// The number of draws of a setting that is drawn.
    pub randomized_seeds: u32,
    /// Which identifiers of languages that are not compiled a renaming changes.
    pub scope: Scope,
    /// The sources of queries.
    pub queries: QueryConfig,
    /// The queries of the files that it names.
    pub own_queries: Vec<OwnQuery>,
    /// The decisions of reviewers about queries.
    pub reviews: Vec<Review>,
    /// The models that write more of them.
    pub writers: Vec<QueryWriter>,
    /// The model that rewrites queries of human authors in one style.
    pub aligner: Option<QueryWriter>,
    /// The model that puts comments in classes.
    pub classifier: Option<Classifier>,
    /// The functions that take part, and their side.
    pub dataset: DatasetConfig,
    /// The systems that are evaluated.
    pub retrievers: Vec<System>,
    /// The models of those that compare vectors, by the name of the retriever.
    pub models: BTreeMap<String, RecipeModel>,
    /// The tables of models that were used.
    tables: Vec<Choice>,
    /// Dollars that one call may spend.
    pub budget: Option<f64>,
    /// Which documents compete.
    pub retrieve: RetrieveConfig,
    /// The options of scoring.
    pub scores: ScoreConfig,
}

impl Recipe {
    /// Reads a recipe file.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        let text = guarded::text(path).map_err(|error| {
            let failure = Failure::invalid(format!(
                "cannot read the recipe `{}`: {error}",
                path.display()
            ));
            if RunFolder::existing(path).is_ok() {
                failure.hint("this is the folder of a run: name the recipe that it was built from")
            } else if path.is_dir() {
                failure.hint("name the TOML file, not its folder")
            } else {
                failure.hint("`barecode try PATH` needs no recipe, and leaves one to start from")
            }
        })?;
        if is_suite(path) {
            let message = format!(
                "`{}` lists existing test sets (`[[benchmark]]`) and cannot be built",
                path.display()
            );
            return Err(Failure::invalid(message)
                .hint("run `barecode eval` on it; `stats` and `audit` read it too"));
        }
        let base = path
            .parent()
            .filter(|parent| !parent.as_os_str().is_empty())
            .unwrap_or(Path::new("."));
        Self::parse(&text, &path.display().to_string(), base)
    }

    /// Reads a recipe from text; `file` is its name in errors.
    pub fn parse(text: &str, file: &str, base: &Path) -> Result<Self, Failure> {
        let recipe = RecipeText { text, file };
        let wire = Self::wire(&recipe)?;
        if wire.sources.is_empty() && wire.manifests.is_empty() && wire.programs.is_empty() {
            let message = "no `[[source]]` and no `[[programs]]`";
            return Err(recipe
                .error(None, message, None)
                .hint("add a table such as `[[source]]` with `from = \"path:lib\"`"));
        }
        if wire.programs.is_empty() {
            let alternates = wire.alternates.as_ref().map(Spanned::span);
            programs::refuse_idle(!wire.pipelines.is_empty(), alternates, &recipe)?;
        }
        check(wire, &recipe, base)
    }

    /// Reads a recipe, or a part of one without a name and without sources: the part that some stages need for
    /// existing records.
    pub fn parse_part(text: &str, file: &str, base: &Path) -> Result<Self, Failure> {
        let recipe = RecipeText { text, file };
        check(Self::wire(&recipe)?, &recipe, base)
    }

    fn wire(recipe: &RecipeText<'_>) -> Result<Wire, Failure> {
        toml::from_str(recipe.text).map_err(|error| {
            let message = error.message().lines().next().unwrap_or_default();
            recipe.error(error.span(), message, nearest_in(message))
        })
    }

    /// The settings with their draws: `(Standard, None)`, `(Randomized, Some(1))`, ….
    pub fn draws(&self) -> Vec<(Setting, Option<u32>)> {
        let mut draws = Vec::new();
        for &setting in &self.settings {
            if setting.is_seeded() {
                draws.extend((1..=self.randomized_seeds).map(|seed| (setting, Some(seed))));
            } else {
                draws.push((setting, None));
            }
        }
        draws
    }

    /// The content of the user's own queries, for a key.
    pub fn own_fields(&self) -> impl Iterator<Item = &String> {
        let own = self.own_queries.iter();
        own.flat_map(|own| [&own.text, &own.answer, &own.writer, &own.stated_at])
    }

    /// Returns `true` if models write queries, or put them in classes.
    pub fn writes(&self) -> bool {
        self.writing_models().next().is_some()
    }

    /// The models that write, with their sampling.
    pub fn writing_models(&self) -> impl Iterator<Item = (&RecipeModel, Sampling)> {
        let sets = self.writers.iter().chain(&self.aligner);
        let writing = sets.flat_map(|set| {
            let sampling = set.config.sampling();
            set.models.iter().map(move |model| (model, sampling))
        });
        let classifying = self.classifier.iter();
        writing.chain(classifying.map(|classifier| (&classifier.model, classifier.sampling)))
    }

    /// Returns `true` if anything in it may call a model.
    pub fn calls_models(&self) -> bool {
        let chooses = self.programs.alternates.models().next().is_some();
        self.writes() || chooses || !self.models.is_empty()
    }
}

/// The recipe as in the file, before its values are looked at.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Wire {
    name: Spanned<String>,
    #[serde(default)]
    seed: u64,
    out: Option<Spanned<String>>,
    models: Option<Spanned<String>>,
    budget: Option<Spanned<f64>>,
    #[serde(default, rename = "source")]
    sources: Vec<Spanned<SourceConfig>>,
    #[serde(default, rename = "manifest")]
    manifests: Vec<Spanned<ManifestConfig>>,
    #[serde(default)]
    programs: Vec<Spanned<ProgramSource>>,
    #[serde(default)]
    filters: ProgramConfig,
    #[serde(default)]
    python: PythonConfig,
    #[serde(default, rename = "pipeline")]
    pipelines: Vec<Spanned<PipelineConfig>>,
    probe: Option<Spanned<ProbeConfig>>,
    alternates: Option<Spanned<alternates::Wire>>,
    #[serde(default)]
    extract: ExtractConfig,
    #[serde(default)]
    check: CheckConfig,
    #[serde(default)]
    settings: WireSettings,
    #[serde(default)]
    queries: queries::Wire,
    #[serde(default)]
    dataset: dataset::Wire,
    #[serde(default, rename = "retriever")]
    retrievers: Vec<Spanned<System>>,
    /// Read by [`models`], which reports the position of a fault in a table.
    #[serde(rename = "model")]
    _tables: Option<IgnoredAny>,
    #[serde(default)]
    retrieve: retrieve::Wire,
    #[serde(default)]
    scores: scores::Wire,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct WireSettings {
    names: Option<Spanned<Vec<Spanned<String>>>>,
    scope: Option<Scope>,
    randomized_seeds: Option<Spanned<u32>>,
}

fn check(mut wire: Wire, recipe: &RecipeText<'_>, base: &Path) -> Result<Recipe, Failure> {
    let name = check_name(wire.name.clone(), recipe)?;
    let out = match &wire.out {
        Some(out) => check_out(out, recipe)?,
        None => Path::new("runs").join(&name),
    };
    let mut programs = programs::check(&mut wire, recipe, base)?;
    let mut sources = check_sources(wire.sources, wire.manifests, recipe, base)?;
    for source in &mut sources {
        wire.extract.prepare(source);
    }
    SourceConfig::name_all(&mut sources, base);
    let mut seen = BTreeSet::new();
    for retriever in &wire.retrievers {
        // Names that differ only in case are the same file on some systems.
        let retriever_name = retriever.get_ref().name();
        if !seen.insert(retriever_name.to_lowercase()) {
            let message = format!("two retrievers are named `{retriever_name}`");
            return Err(recipe
                .refuse(retriever.span(), &message)
                .hint("give each a name of its own"));
        }
    }
    let scope = wire.settings.scope.unwrap_or(Scope::Spelled);
    let settings = check_settings(wire.settings.names, scope, recipe)?;
    let randomized_seeds = match wire.settings.randomized_seeds {
        Some(seeds) if *seeds.get_ref() == 0 => {
            return Err(recipe
                .refuse(
                    seeds.span(),
                    "`randomized-seeds` is 0: nothing would be drawn",
                )
                .hint("leave `randomized` out of `names`, or draw at least once"));
        }
        seeds => recipe.fitting(
            seeds,
            |seeds| *seeds <= MAX_SEEDS,
            |seeds| format!("`randomized-seeds` = {seeds} is more than {MAX_SEEDS}"),
            None,
        )?,
    };
    // Each draw of each function is compiled, and a mean of two is like one of ten, with a little less precision.
    let is_clarc = |setting: &Setting| setting.profile() == Profile::Clarc;
    let usual_seeds = if settings.iter().any(is_clarc) {
        CLARC_SEEDS
    } else {
        USUAL_SEEDS
    };
    let dataset = dataset::check(wire.dataset, &settings, &sources, recipe)?;
    let mut known = Known::read(wire.models.as_ref(), recipe, base)?;
    programs.alternates = alternates::check(wire.alternates, &mut known, recipe)?;
    let asking = queries::check(wire.queries, &mut known, recipe, base)?;
    let (retrievers, models) = models::check(wire.retrievers, &mut known, recipe)?;
    let budget = recipe.fitting(
        wire.budget,
        |dollars| dollars.is_finite() && *dollars >= 0.0,
        |dollars| format!("`budget` = {dollars} is not a sum of dollars"),
        None,
    )?;
    Ok(Recipe {
        name,
        seed: wire.seed,
        out: if base == Path::new(".") {
            out
        } else {
            base.join(out)
        },
        base: base.to_owned(),
        sources,
        programs,
        extract: wire.extract,
        check: wire.check,
        settings,
        randomized_seeds: randomized_seeds.unwrap_or(usual_seeds),
        scope,
        queries: asking.config,
        own_queries: asking.own,
        reviews: asking.reviews,
        writers: asking.writers,
        aligner: asking.aligner,
        classifier: asking.classifier,
        dataset,
        retrievers,
        models,
        tables: known.used,
        budget,
        retrieve: retrieve::check(wire.retrieve, RetrieveConfig::EVERYONE, recipe)?,
        scores: scores::check(wire.scores, recipe)?,
    })
}

/// The sources of the recipe and of its manifests, each once.
fn check_sources(
    stated: Vec<Spanned<SourceConfig>>,
    manifests: Vec<Spanned<ManifestConfig>>,
    recipe: &RecipeText<'_>,
    base: &Path,
) -> Result<Vec<SourceConfig>, Failure> {
    let mut sources: Vec<SourceConfig> = Vec::new();
    let mut seen: BTreeMap<String, (String, String)> = BTreeMap::new();
    let mut add = |source: SourceConfig, span: Range<usize>, said: String| {
        let identity = Source::identity(&source.from, base);
        if let Some((other, other_said)) = seen.get(&identity) {
            let message = if *other == source.from {
                format!("the source `{other}` occurs twice: in {other_said} and in {said}")
            } else {
                format!(
                    "`{}` of {said} is the same source as `{other}` of {other_said}",
                    source.from
                )
            };
            return Err(recipe
                .refuse(span, &message)
                .hint("join the two: `include` takes a list"));
        }
        seen.insert(identity, (source.from.clone(), said));
        sources.push(source);
        Ok(())
    };
    for source in stated {
        let span = source.span();
        let said = format!("line {}", recipe.line(&span));
        add(source.into_inner(), span, said)?;
    }
    for manifest in manifests {
        let span = manifest.span();
        let read = |message: String| recipe.refuse(span.clone(), &message);
        for (number, source) in manifest.get_ref().read(base).map_err(read)? {
            let said = format!("entry {number} of `{}`", manifest.get_ref().file);
            add(source, span.clone(), said)?;
        }
    }
    Ok(sources)
}

/// A recipe may come from a stranger, so it writes below its own folder only; `--out` goes anywhere.
fn check_out(out: &Spanned<String>, recipe: &RecipeText<'_>) -> Result<PathBuf, Failure> {
    let path = Path::new(out.get_ref());
    let inside = path
        .components()
        .all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    let somewhere = path
        .components()
        .any(|part| matches!(part, Component::Normal(_)));
    if inside && somewhere {
        return Ok(path.to_owned());
    }
    Err(recipe
        .refuse(
            out.span(),
            &format!(
                "`out` = `{}` is not a folder below the recipe's",
                out.get_ref()
            ),
        )
        .hint("use a relative path without `..`, or name another folder with --out"))
}

fn check_settings(
    names: Option<Spanned<Vec<Spanned<String>>>>,
    scope: Scope,
    recipe: &RecipeText<'_>,
) -> Result<Vec<Setting>, Failure> {
    let Some(names) = names else {
        return Ok(Setting::DEFAULT.to_vec());
    };
    if names.get_ref().is_empty() {
        return Err(recipe.refuse(names.span(), "`names` is empty: no setting to measure"));
    }
    let mut settings = BTreeSet::new();
    for name in names.get_ref() {
        let setting = name.get_ref().parse::<Setting>().map_err(|message| {
            let kinds: Vec<String> = Setting::kinds().iter().map(Setting::to_string).collect();
            let known = nearest(name.get_ref(), kinds.iter().map(String::as_str));
            recipe.error(Some(name.span()), &message, known)
        })?;
        if setting.takes_foreign() && scope == Scope::Bound {
            let message = format!(
                "`{setting}` changes names of other packages, which needs a renaming by spelling"
            );
            let hint = "leave `scope = \"bound\"` out, or the setting";
            return Err(recipe.refuse(name.span(), &message).hint(hint));
        }
        if !settings.insert(setting) {
            return Err(recipe.refuse(
                name.span(),
                &format!("the setting `{setting}` occurs twice"),
            ));
        }
    }
    Ok(settings.into_iter().collect())
}

/// Draws of the settings that are drawn, unless the recipe sets another number.
const USUAL_SEEDS: u32 = 2;

/// The same with settings of CLARC's profile.
const CLARC_SEEDS: u32 = 10;

#[cfg(test)]
#[expect(clippy::needless_raw_string_hashes, reason = "expect-test writes them")]
mod tests;
