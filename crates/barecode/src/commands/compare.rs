//! `compare`: several systems on the same queries, in all pairs.
//!
//! Recipes are runs, whose retrievers are compared on each subset; other arguments are judgments and at least two runs
//! in files. The tables and the pages are `report::contrast`'s.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use barecode_formats::run::Run;
use barecode_results::files::{self, Question, read_corpus};
use barecode_scores::comparison::{Judge, Plan};
use barecode_scores::intervals::FEWEST_QUERIES;
use barecode_scores::{Bootstrap, Method, Ties};
use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};
use serde_json::json;

use super::report::{open_in_browser, write_pages};
use crate::answer::{Answer, joined};
use crate::console::{Screen, word};
use crate::exit::{Exit, Failure};
use crate::layout::PAGE;
use crate::report::browse::{Browsed, visible};
use crate::report::contrast::{Compared, Contrast, Field, Lists, runs};
use crate::run_folder::RunFolder;
use crate::session::Session;

/// The usual confidence and resamples.
const CONFIDENCE: f64 = 0.95;
const RESAMPLES: u32 = 9_999;

/// Test whether systems differ on the same queries.
///
/// Prints paired differences with intervals, and tests corrected for the number of comparisons.
#[derive(Debug, Args)]
#[command(
    override_usage = "barecode compare [OPTIONS] <RECIPE> [RECIPE]...\n       barecode compare [OPTIONS] <QRELS> <RUN> <RUN>...",
    after_help = "Examples:\n  barecode compare qrels.trec bm25.trec dense.trec --measure nDCG@10 --measure RR@10\n  barecode compare recipes/demo.toml --judge tukey --json\n  barecode compare recipes/demo.toml --page compared --open"
)]
pub(super) struct Request {
    /// The recipe of a run, a TOML file; or the judgments: TREC qrels, BEIR's table, ranx JSON or Parquet.
    #[arg(value_name = "RECIPE|QRELS")]
    first: PathBuf,
    /// Two runs or more: TREC, ranx JSON or Parquet, BEIR's or MTEB's predictions; or further recipes, for comparison
    /// with the first on the queries that all have.
    #[arg(value_name = "RUN|RECIPE")]
    runs: Vec<PathBuf>,
    /// A measure in the notation of `ir_measures`; may be given several times.
    #[arg(long = "measure", short = 'm', value_name = "MEASURE")]
    measures: Vec<String>,
    /// The rule for ties: expected, docno, input, pessimistic or optimistic.
    #[arg(long, value_name = "RULE", default_value_t, requires = "runs")]
    ties: Ties,
    /// Compare runs without any judged document, which are refused by default.
    #[arg(long, requires = "runs")]
    allow_unjudged: bool,
    /// The correction for multiple comparisons that decides which systems differ.
    #[arg(long, value_enum, default_value_t = JudgeName::Holm)]
    judge: JudgeName,
    /// The method for intervals.
    #[arg(long, value_enum, default_value_t = MethodName::Student)]
    method: MethodName,
    /// Confidence of the intervals; the level of the tests is 1 minus this.
    #[arg(long, default_value_t = CONFIDENCE, value_name = "SHARE")]
    confidence: f64,
    /// Permutations of the tests, and resamples of the intervals that need some.
    #[arg(long, value_name = "N", default_value_t = RESAMPLES)]
    resamples: u32,
    /// The seed of all draws.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// A system to compare, by its name in the table; may be given several times [default: all].
    #[arg(long = "system", value_name = "NAME")]
    systems: Vec<String>,
    #[command(flatten)]
    pages: PageOptions,
}

/// The pages of a comparison.
#[derive(Debug, Args)]
struct PageOptions {
    /// Also write pages to this folder: each pair of systems, and every query with its ranks.
    #[arg(long, value_name = "DIR")]
    page: Option<PathBuf>,
    /// Open the first page in the browser.
    #[arg(long, requires = "page")]
    open: bool,
    /// Replace the pages in an existing folder of --page.
    #[arg(long, requires = "page")]
    force: bool,
    /// Leave the code out of the pages. Queries, names, paths and ranks stay.
    #[arg(long, requires = "page")]
    without_code: bool,
    /// The queries of result files, for the pages: a JSONL file with `_id` or `id`, and `text`.
    #[arg(long, value_name = "FILE", requires = "page", requires = "runs")]
    queries: Option<PathBuf>,
    /// The documents of result files, for the pages: a JSONL file with `_id` or `id`, `title` and `text`.
    #[arg(long, value_name = "FILE", requires = "page", requires = "runs")]
    corpus: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum JudgeName {
    /// Randomization tests under Holm's correction.
    Holm,
    /// The randomized Tukey test.
    Tukey,
    /// Tukey's HSD after an analysis of variance with queries as blocks.
    Blocked,
    /// Tukey's HSD for independent groups, as scipy and ranx compute it; misses most differences.
    Hsd,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum MethodName {
    /// Student's t, with a third of an observation added at the least and at the greatest possible value: reliable for
    /// few queries too.
    Student,
    /// The middle of resampled means.
    Percentile,
    /// The same, corrected for bias and skew.
    Bca,
}

/// Compares.
pub(super) fn run(session: &Session, arguments: &Request) -> anyhow::Result<Answer> {
    let given = Given::of(session, arguments)?;
    let fields = match &given {
        Given::Runs(runs) => {
            let (fields, notes) = runs::fields(runs, &arguments.systems)?;
            let noted = runs.iter().flat_map(|run| &run.notes).chain(&notes);
            noted.for_each(|note| session.note(note));
            fields
        }
        Given::Files(files) => of_files(session, arguments, files)?,
    };
    let plan = arguments.plan();
    let judge = arguments.judge();
    let compared = fields.into_iter().map(|field| {
        let invalid = |error: barecode_scores::StatisticsError| {
            Failure::of(Exit::Invalid, &error, error.hint())
        };
        Compared::of(field, judge, &plan).map_err(invalid)
    });
    let compared: Vec<Compared> = compared.collect::<Result<_, _>>()?;
    let data = json!({ "plan": plan, "comparisons": compared.iter().map(Compared::to_json).collect::<Vec<_>>() });
    let tables = |screen: Screen| {
        let few = compared.iter().all(Compared::too_few).then(|| {
            format!("too few queries: {FEWEST_QUERIES} are the least for which a mean is shown")
        });
        let tables = compared
            .iter()
            .map(|one| one.table(arguments.confidence, screen));
        let tables: Vec<String> = tables.collect();
        joined(few.into_iter().chain([tables.join("\n\n")]))
    };
    let answer = session.answer(|| data, |screen| Ok(tables(screen)))?;
    let Some(folder) = &arguments.pages.page else {
        return Ok(answer);
    };
    let (mut browsed, notes) = match given {
        Given::Runs(runs) => runs::browsed(runs, &arguments.systems)?,
        Given::Files(files) => (lists_of(session, arguments, files)?, Vec::new()),
    };
    if arguments.pages.without_code {
        browsed.forget_code();
    }
    let contrast = Contrast {
        title: format!("{}: comparison", browsed.name),
        command: arguments.command(),
        notes,
        plan,
        compared,
        browsed,
    };
    write_pages(folder, arguments.pages.force, contrast.files())?;
    let page = folder.join(PAGE);
    if arguments.pages.open {
        open_in_browser(&page)?;
    }
    Ok(answer.noting([format!("pages: {}", page.display())]))
}

/// The two kinds of things that are compared.
enum Given<'a> {
    /// Runs of recipes.
    Runs(Vec<runs::Scored>),
    /// Result files, after their judgments.
    Files(&'a [PathBuf]),
}

impl<'a> Given<'a> {
    fn of(session: &Session, arguments: &'a Request) -> anyhow::Result<Self> {
        let is_recipe =
            |path: &Path| path.is_dir() || path.extension().is_some_and(|ending| ending == "toml");
        let first = arguments.first.as_path();
        // A single argument is a run, whatever its name.
        let paths: Vec<&Path> = match arguments.runs.as_slice() {
            [] => vec![first],
            [_] if !is_recipe(first) => {
                let failure = Failure::new(Exit::Usage, "a single run cannot be compared");
                return Err(failure.hint("barecode compare QRELS RUN RUN …").into());
            }
            runs if !is_recipe(first) => return Ok(Given::Files(runs)),
            runs => [first]
                .into_iter()
                .chain(runs.iter().map(PathBuf::as_path))
                .collect(),
        };
        if let Some(other) = paths[1..].iter().find(|path| !is_recipe(path)) {
            let message = format!("`{}` is not a recipe or a run folder", other.display());
            return Err(Failure::new(Exit::Usage, message)
                .hint("barecode compare RECIPE RECIPE, or barecode compare QRELS RUN RUN …")
                .into());
        }
        let folders = paths.into_iter().map(|path| session.run(None, Some(path)));
        let folders: Vec<RunFolder> = folders.collect::<Result<_, _>>()?;
        Ok(Given::Runs(runs::read(folders, &arguments.measures)?))
    }
}

impl Request {
    fn plan(&self) -> Plan {
        let method = match self.method {
            MethodName::Student => Method::Student,
            MethodName::Percentile => Method::Percentile,
            MethodName::Bca => Method::Bca,
        };
        Plan {
            bootstrap: Bootstrap {
                resamples: self.resamples,
                confidence: self.confidence,
                seed: self.seed,
            },
            method,
            permutations: self.resamples,
        }
    }

    fn judge(&self) -> Judge {
        match self.judge {
            JudgeName::Holm => Judge::Holm,
            JudgeName::Tukey => Judge::Tukey,
            JudgeName::Blocked => Judge::Blocked,
            JudgeName::Hsd => Judge::Hsd,
        }
    }

    /// The command that makes the pages again; of paths, the last part.
    fn command(&self) -> String {
        let last = |path: &Path| {
            let name = path.file_name().unwrap_or(path.as_os_str());
            word(&name.to_string_lossy())
        };
        let mut words = vec!["barecode compare".to_owned(), last(&self.first)];
        words.extend(self.runs.iter().map(|path| last(path)));
        words.extend(
            self.measures
                .iter()
                .map(|name| format!("--measure {}", word(name))),
        );
        words.extend(
            self.systems
                .iter()
                .map(|name| format!("--system {}", word(name))),
        );
        let named = |value: Option<PossibleValue>| {
            value.map_or(String::new(), |value| value.get_name().to_owned())
        };
        let options = [
            ("ties", self.ties.to_string(), Ties::default().to_string()),
            (
                "judge",
                named(self.judge.to_possible_value()),
                "holm".to_owned(),
            ),
            (
                "method",
                named(self.method.to_possible_value()),
                "student".to_owned(),
            ),
            (
                "confidence",
                self.confidence.to_string(),
                CONFIDENCE.to_string(),
            ),
            (
                "resamples",
                self.resamples.to_string(),
                RESAMPLES.to_string(),
            ),
            ("seed", self.seed.to_string(), "0".to_owned()),
        ];
        for (name, value, usual) in options {
            if value != usual {
                words.push(format!("--{name} {value}"));
            }
        }
        if self.allow_unjudged {
            words.push("--allow-unjudged".to_owned());
        }
        for (name, file) in [
            ("queries", &self.pages.queries),
            ("corpus", &self.pages.corpus),
        ] {
            words.extend(file.iter().map(|file| format!("--{name} {}", last(file))));
        }
        if self.pages.without_code {
            words.push("--without-code".to_owned());
        }
        if self.pages.page.is_some() {
            words.push("--page pages".to_owned());
        }
        words.join(" ")
    }
}

/// The lists of result files.
fn lists_of(session: &Session, arguments: &Request, files: &[PathBuf]) -> anyhow::Result<Browsed> {
    let texts = |path: &Option<PathBuf>| path.as_deref().map(read_corpus).transpose();
    let (queries, corpus) = (
        texts(&arguments.pages.queries)?,
        texts(&arguments.pages.corpus)?,
    );
    let runs = files.iter().map(|path| session.held.run(path));
    let runs: Vec<Arc<Run>> = runs.collect::<Result<_, _>>()?;
    let lists = Lists {
        qrels: &*session.held.qrels(&arguments.first)?,
        ties: arguments.ties,
        queries: queries.as_ref(),
        corpus: corpus.as_ref(),
    };
    Ok(lists.browsed(&names(files), &runs, &arguments.systems)?)
}

/// Runs in files. Judged queries that a run lacks count as 0, so all runs have the same queries.
fn of_files(
    session: &Session,
    arguments: &Request,
    files: &[PathBuf],
) -> anyhow::Result<Vec<Field>> {
    let mut scored = Vec::new();
    let qrels = session.held.qrels(&arguments.first)?;
    for run in files {
        let question = Question {
            qrels: &qrels,
            path: &arguments.first,
            measures: &arguments.measures,
            ties: arguments.ties,
            corpus: None,
            allow_unjudged: arguments.allow_unjudged,
        };
        let one = files::score(&question, run, &*session.held.run(run)?)?;
        one.notes.iter().for_each(|note| session.note(note));
        scored.push(one);
    }
    let names = names(files);
    let columns: Vec<BTreeMap<&str, &[f64]>> = scored
        .iter()
        .map(|one| {
            let queries = one.queries.iter();
            queries
                .map(|(query, values)| (query.as_str(), values.as_slice()))
                .collect()
        })
        .collect();
    let queries: Vec<String> = columns[0].keys().map(|&query| query.to_owned()).collect();
    let field = |at: usize, measure: String| Field {
        measure,
        names: names.clone(),
        queries: queries.clone(),
        values: columns
            .iter()
            .map(|column| column.values().map(|values| values[at]).collect())
            .collect(),
        ..Field::default()
    };
    let measures = scored[0].measures.iter().map(ToString::to_string);
    let fields = measures.enumerate().map(|(at, measure)| field(at, measure));
    fields
        .map(|field| Ok(field.chosen(&arguments.systems)?))
        .collect()
}

/// Returns labels that distinguish files: their names, or their whole paths where two have the same name.
fn names(runs: &[PathBuf]) -> Vec<String> {
    let short = |path: &Path| {
        let stem = path.file_stem().unwrap_or(path.as_os_str());
        visible(&stem.to_string_lossy(), 200)
    };
    let mut names: Vec<String> = runs.iter().map(|path| short(path)).collect();
    let mut sorted = names.clone();
    sorted.sort_unstable();
    sorted.dedup();
    if sorted.len() < names.len() {
        names = runs.iter().map(|path| path.display().to_string()).collect();
    }
    names
}
