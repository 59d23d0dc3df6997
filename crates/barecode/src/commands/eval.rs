//! `eval`: models on any dataset that can be read.
//!
//! A dataset and models come in; a run folder comes out with the lists of each system and subset (a table, and the same
//! as a TREC run), the values of each query, a table with intervals, tied groups, ceiling and floor, and a ledger.
//! The work is that of the stages `retrieve` and `score` ([`crate::evaluation`]), so an interrupted call resumes when it is
//! made again, and a call that finds everything current does nothing. The way inside: `systems` (what is evaluated) →
//! the two stages → `table` (what is shown); of a recipe of test sets `suite`, with `report::suite`.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::Write as _;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use barecode_evaluate::{PoolConfig, ProbeConfig, RERANK_DEPTH, Reading, System, Task};
use barecode_formats::Taken;
use barecode_records::table::write_atomically;
use barecode_records::{Difference, QueryScore, Score, SettingDrop, Stage};
use barecode_scores::{Measure, Ties};
use clap::{Args, Parser as _};
use serde_json::json;

use super::call::{Call, DatasetArguments};
use super::chosen::chosen;
use crate::console::grouped;
use crate::encoders::{Encoders, Fetch};
use crate::engine;
use crate::evaluation::cut::{self, Cut};
use crate::evaluation::ledger::{Books, Fields, dollars};
use crate::evaluation::made::Made;
use crate::evaluation::{Evaluation, SubsetIn};
use crate::exit::{Exit, Failure};
use crate::look::Look;
use crate::models::Means;
use crate::recipe::{RetrieveConfig, ScoreConfig, is_suite};
use crate::report::estimates;
use crate::run_folder::RunFolder;
use systems::Systems;

mod explain;
mod suite;
mod systems;
mod table;

/// What `eval` takes.
#[derive(Debug, Args)]
pub(super) struct EvalArguments {
    /// The dataset: a file or a folder, such as the `05-dataset` of a run, or `hf:ORG/NAME` (`@REVISION`); or a recipe of
    /// test sets such as recipes/gencodesearchnet.toml.
    dataset: PathBuf,
    /// A model: `bm25`, `structural`, `jaccard`, `random`, `bm25:tokenizer=code,k1=1.2`, `local:FOLDER`, `hf:ORG/NAME`, `openai:MODEL`,
    /// `voyage:MODEL`, `openai+URL`, `process:COMMAND`, `vectors:PATH`, `run:PATH`, …, or a name from --models; may be given several
    /// times. NAME=MODEL gives it a name in tables.
    #[arg(long = "model", short = 'm', value_name = "MODEL", required_unless_present_any = ["ask", "labels"])]
    model: Vec<String>,
    /// A file with tables `[[model]]`.
    #[arg(long, value_name = "FILE")]
    models: Option<PathBuf>,
    /// Also evaluate the fusion of all models' lists: rrf, rrf:K, z-score, or convex, with weights in the order of
    /// the models (convex:0.3,0.7); with --described, embedding models take part with described documents; may be given several times.
    #[arg(long, value_name = "METHOD", value_parser = systems::fusion)]
    fuse: Vec<String>,
    /// Also evaluate the lists reranked by a model: `structural`, `local:FOLDER`, `hf:ORG/NAME`, `tei:URL`, `cohere:MODEL`, `voyage:MODEL`,
    /// `jina:MODEL`, or a chat model `openai:MODEL` or `openai+URL`; reranks the fused lists if
    /// there are any, else each model's.
    #[arg(long, value_name = "MODEL")]
    rerank: Vec<String>,
    /// How many documents of a list are reranked.
    #[arg(long, value_name = "N", default_value_t = RERANK_DEPTH, requires = "rerank")]
    rerank_depth: u32,
    /// Also evaluate each embedding model on documents in chunks of BYTES, which overlap by OVERLAP bytes or a fifth;
    /// the score of a document is that of its best chunk.
    #[arg(long, value_name = "BYTES[:OVERLAP]", value_parser = Reading::chunks)]
    chunk: Option<Reading>,
    /// Also evaluate each embedding model on documents with canonical names: `name_0`, `name_1`, ….
    #[arg(long)]
    canonical: bool,
    /// Also evaluate each embedding model with the mean vector of N random renamings of each document.
    #[arg(long, value_name = "N")]
    average: Option<NonZeroU32>,
    /// Also evaluate each embedding model on descriptions of the documents in plain words, without names: what goes in and out,
    /// what is called, which constructs there are (C, C++, x86-64 assembly, WebAssembly).
    #[arg(long)]
    described: bool,
    /// The documents that a query is ranked against: everyone, uniform:N (its answers and N others), or nearest:N
    /// (its answers and the N that the first model ranks highest), or gecs:N (as GenCodeSearchNet's script draws them)
    /// [default: everyone, or what the recipe says].
    #[arg(long, value_name = "POOL")]
    pool: Option<PoolConfig>,
    /// Draws of a pool that depends on a seed, seeded from --seed up; the value of a query is its mean over them
    /// [default: 1, or what the recipe says].
    #[arg(long, value_name = "N")]
    draws: Option<NonZeroU32>,
    /// A measure in the notation of `ir_measures` (default: nDCG@10, RR@10 and R@1).
    #[arg(long = "measure", value_name = "MEASURE")]
    measures: Vec<Measure>,
    /// Only this subset; may be given several times.
    #[arg(long, value_name = "NAME")]
    subset: Vec<String>,
    #[command(flatten)]
    how: DatasetArguments,
    /// How many documents are retrieved per query; a list is never cut between equal scores.
    #[arg(long, default_value = "1000", value_name = "N")]
    depth: NonZeroU32,
    /// How ties are resolved: expected, docno, input, pessimistic or optimistic [default: expected, or what the recipe
    /// says].
    #[arg(long, value_name = "RULE")]
    ties: Option<Ties>,
    /// Show how many texts, tokens and dollars it would take, without calling any model.
    #[arg(long)]
    dry_run: bool,
    /// Show what each term adds to the scores of this query, by its id: of the first documents of its list and of its
    /// answers; of `structural` only, and nothing is evaluated.
    #[arg(long, value_name = "QUERY", conflicts_with = "dry_run")]
    explain: Option<String>,
    #[command(flatten)]
    means: Means,
    #[command(flatten)]
    suite: suite::SuiteArguments,
    /// Permutations of the tests.
    #[arg(long, value_name = "N", default_value_t = 9_999)]
    resamples: u32,
    /// The seed of all draws.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
}

/// Evaluates and prints.
pub(super) fn run(call: &Call, arguments: &EvalArguments) -> anyhow::Result<Exit> {
    if is_suite(&arguments.dataset) {
        return suite::run(call, arguments);
    }
    arguments.suite.refuse_without_suite()?;
    let loaded = call.dataset(&arguments.dataset, &arguments.how)?;
    let columns = loaded.taken;
    let mut benchmark = loaded.benchmark;
    benchmark.subsets = chosen(benchmark.subsets, &arguments.subset)?;
    let systems = Systems::of(arguments)?;
    call.use_threads()?;
    let encoders = Encoders::new(Path::new("."), Some(call.opening(&arguments.means)?))?;
    let tasks = Task::all(&benchmark);
    let name = benchmark.name.clone();
    drop(benchmark);
    if tasks.iter().all(|task| task.queries.is_empty()) {
        let message = format!(
            "no query of `{}` has a judgment",
            arguments.dataset.display()
        );
        return Err(Failure::invalid(message)
            .hint("is the file with the judgments (qrels) there?")
            .into());
    }
    let measures = if arguments.measures.is_empty() {
        ["nDCG@10", "RR@10", "R@1"]
            .map(|name| name.parse().expect("these are measures"))
            .to_vec()
    } else {
        arguments.measures.clone()
    };
    let scoring = scoring(arguments, measures, arguments.ties.unwrap_or_default());
    let tasks: Vec<Arc<Task>> = tasks.into_iter().map(Arc::new).collect();
    if let Some(query) = &arguments.explain {
        explain::explain(call, &systems.all, &tasks, query)?;
        return Ok(Exit::Done);
    }
    let retrieve = RetrieveConfig {
        pool: arguments.pool.unwrap_or_default(),
        draws: arguments.draws.map_or(1, NonZeroU32::get),
    };
    let subsets = tasks.iter().map(|task| subset(task, retrieve)).collect();
    let work = Work {
        call,
        arguments,
        systems: &systems,
        encoders: &encoders,
        out: out(call, &name),
    };
    let folder = work.folder()?;
    let evaluation = work.evaluation(&folder, subsets);
    let Some(runs) = work.run(&folder, &evaluation, &scoring)? else {
        return Ok(Exit::Done);
    };
    let layout = folder.layout();
    let result = Evaluated {
        cuts: cut::cuts(&runs),
        tasks: &tasks,
        systems: systems.all.iter().map(System::name).collect(),
        scoring: &scoring,
        pool: retrieve.pool,
        rows: layout.query_scores()?,
        scores: layout.scores()?,
        drops: layout.drops()?,
        differences: layout.differences()?,
        columns,
    };
    print(
        arguments,
        call,
        &result,
        &evaluation.books.taken(),
        &work.out,
    )?;
    Ok(Exit::Done)
}

/// The arguments of `eval` alone.
#[derive(Debug, clap::Parser)]
struct Alone {
    #[command(flatten)]
    arguments: EvalArguments,
}

/// Evaluates models on a dataset in a folder, as `eval` does, and prints nothing: means, and how models differ.
pub(super) fn scores(
    call: &Call,
    dataset: &Path,
    models: &[String],
    (measure, seed): (&str, u64),
    out: &Path,
) -> anyhow::Result<(Vec<Score>, Vec<Difference>)> {
    let mut command: Vec<OsString> = vec!["eval".into(), dataset.into()];
    for model in models {
        command.extend(["--model".into(), model.into()]);
    }
    let seed = seed.to_string();
    command.extend(["--measure", measure, "--seed", &seed].map(OsString::from));
    let arguments = Alone::try_parse_from(command)?.arguments;
    let loaded = call.dataset(&arguments.dataset, &arguments.how)?;
    let systems = Systems::of(&arguments)?;
    call.use_threads()?;
    let encoders = Encoders::new(Path::new("."), Some(call.opening(&arguments.means)?))?;
    let tasks = Task::all(&loaded.benchmark).into_iter().map(Arc::new);
    let tasks: Vec<Arc<Task>> = tasks.collect();
    let retrieve = RetrieveConfig {
        pool: PoolConfig::default(),
        draws: 1,
    };
    let subsets = tasks.iter().map(|task| subset(task, retrieve)).collect();
    let scoring = scoring(&arguments, arguments.measures.clone(), Ties::default());
    let work = Work {
        call,
        arguments: &arguments,
        systems: &systems,
        encoders: &encoders,
        out: out.to_owned(),
    };
    let folder = work.folder()?;
    let evaluation = work.evaluation(&folder, subsets);
    work.run(&folder, &evaluation, &scoring)?;
    let layout = folder.layout();
    Ok((layout.scores()?, layout.differences()?))
}

/// How lists are scored.
fn scoring(arguments: &EvalArguments, measures: Vec<Measure>, ties: Ties) -> ScoreConfig {
    ScoreConfig {
        measures,
        resamples: arguments.resamples,
        confidence: CONFIDENCE,
        ties,
    }
}

/// The folder of the results.
fn out(call: &Call, name: &str) -> PathBuf {
    let given = call.options.out.clone();
    given.unwrap_or_else(|| PathBuf::from("eval").join(name))
}

/// The two stages on some subsets.
struct Work<'a> {
    call: &'a Call,
    arguments: &'a EvalArguments,
    systems: &'a Systems,
    encoders: &'a Encoders,
    out: PathBuf,
}

impl<'a> Work<'a> {
    /// The folder, once every model is there; of a dry run nothing is made.
    fn folder(&self) -> anyhow::Result<RunFolder> {
        if self.arguments.dry_run {
            return Ok(RunFolder::look_at(&self.out));
        }
        self.systems.check(self.encoders)?;
        Ok(RunFolder::work_in(&self.out)?)
    }

    /// What is evaluated.
    fn evaluation<'e>(
        &self,
        folder: &'e RunFolder,
        subsets: Vec<SubsetIn<'e>>,
    ) -> Arc<Evaluation<'e>>
    where
        'a: 'e,
    {
        Arc::new(Evaluation {
            folder,
            console: self.call.console,
            encoders: self.encoders,
            systems: &self.systems.all,
            models: &self.systems.models,
            base: Path::new(""),
            probe: ProbeConfig::default(),
            seed: self.arguments.seed,
            subsets,
            trec: true,
            drawn: Mutex::default(),
            made: Made::default(),
            books: Books::new(Stage::Retrieve, BTreeMap::new()),
        })
    }

    /// Retrieves and scores; of a dry run, prints what it would take and ends with nothing.
    fn run<'e>(
        &self,
        folder: &RunFolder,
        evaluation: &Arc<Evaluation<'e>>,
        scoring: &'e ScoreConfig,
    ) -> anyhow::Result<Option<engine::Finished>> {
        let call = self.call;
        if self.arguments.dry_run {
            let estimates = evaluation.estimates(None)?;
            estimates::print(call.console, call.options.json, "model", &estimates)?;
            return Ok(None);
        }
        let pool = call.pool()?;
        let plan = evaluation.retrieve(Look::Fetch)?;
        let runs = engine::run(folder, &plan, &pool, call.console)?;
        let seed = self.arguments.seed;
        let plan = evaluation.score(&runs, scoring, move |_| seed);
        let scored = engine::run(folder, &plan, &pool, call.console)?;
        if !runs.worked && !scored.worked {
            call.console.note("nothing to do: every list is current");
        }
        Ok(Some(runs))
    }
}

/// The intervals of `eval`.
const CONFIDENCE: f64 = 0.95;

fn subset(task: &Arc<Task>, retrieve: RetrieveConfig) -> SubsetIn<'_> {
    SubsetIn {
        file: task.file.clone(),
        task: task.file.clone(),
        texts: task.digest(),
        judgments: task.judgments_digest(),
        queries: task.queries.len() as u64,
        kind: task.subset.kind,
        retrieve,
        trains: false,
        load: Box::new(move || Ok(Arc::clone(task))),
    }
}

/// What came out, and what it is of.
struct Evaluated<'a> {
    tasks: &'a [Arc<Task>],
    cuts: Vec<Cut>,
    systems: Vec<&'a str>,
    scoring: &'a ScoreConfig,
    pool: PoolConfig,
    rows: Vec<QueryScore>,
    scores: Vec<Score>,
    drops: Vec<SettingDrop>,
    differences: Vec<Difference>,
    columns: Vec<Taken>,
}

/// Writes and prints what came out.
fn print(
    arguments: &EvalArguments,
    call: &Call,
    result: &Evaluated<'_>,
    taken: &BTreeMap<String, Fields>,
    out: &Path,
) -> anyhow::Result<()> {
    let rows = table::rows(result);
    let verdict = table::verdict(result);
    table::write_values(&out.join("per-query.csv"), result)?;
    let mut account = json!({
        "dataset": arguments.dataset,
        "columns": result.columns,
        "ties": result.scoring.ties.name(),
        "depth": arguments.depth,
        "pool": result.pool.to_string(),
        "cut": result.cuts,
        "scores": rows,
        "verdict": verdict,
    });
    let text = serde_json::to_string_pretty(&account)?;
    write_atomically(&out.join("scores.json"), |file| writeln!(file, "{text}"))?;
    if call.options.json {
        account["ledger"] = serde_json::to_value(taken)?;
        return call.console.json(&account);
    }
    let pool = result.pool.to_string();
    let measures = &result.scoring.measures;
    let text = table::terminal(&rows, measures, &pool, call.console.screen());
    call.console.data(&text)?;
    for sentence in verdict.into_iter().chain(cut::sentences(&result.cuts)) {
        call.console.data(&sentence)?;
    }
    print_costs(call, taken);
    let runs = out.join(Stage::Retrieve.folder());
    call.console.note(&format!("runs: {}", runs.display()));
    Ok(())
}

/// A line for each model that was asked something.
fn print_costs(call: &Call, taken: &BTreeMap<String, Fields>) {
    for (name, usage) in taken {
        let count = |field: &str| usage.get(field).copied().unwrap_or(0);
        if count("texts") > 0 || count("requests") > 0 {
            call.console.note(&format!(
                "{name}: {} texts, {} tokens, {} dollars, {} requests, {} retries, {} texts cut, {} from the cache",
                grouped(count("texts")),
                grouped(count("tokens")),
                dollars(usage),
                grouped(count("requests")),
                grouped(count("retries")),
                grouped(count("truncations")),
                grouped(count("cache-hits"))
            ));
        }
    }
}
