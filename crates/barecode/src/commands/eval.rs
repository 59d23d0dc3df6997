//! `eval`: models on any dataset that can be read.
//!
//! A dataset and models come in; a run folder comes out with the lists of each system and subset (a table, and the same
//! as a TREC run), the values of each query, a table with intervals, tied groups, ceiling and floor, and a ledger.
//! The work is that of the stages `retrieve` and `score` ([`crate::evaluation`]), so an interrupted call resumes when it is
//! made again, and a call that finds everything current does nothing. The way inside: `systems` (what is evaluated) →
//! the two stages → `table` (what is shown).

use std::collections::BTreeMap;
use std::io::Write as _;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use barecode_evaluate::{PoolConfig, ProbeConfig, RERANK_DEPTH, Reading, System, Task};
use barecode_formats::Taken;
use barecode_records::table::write_atomically;
use barecode_records::{Difference, QueryScore, Score, SettingDrop, Stage, SubsetKind};
use barecode_scores::{Measure, Ties};
use clap::Args;
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
use crate::recipe::{RetrieveConfig, ScoreConfig};
use crate::report::estimates;
use crate::run_folder::RunFolder;
use systems::Systems;

mod systems;
mod table;

/// What `eval` takes.
#[derive(Debug, Args)]
pub(super) struct EvalArguments {
    /// The dataset: a file or a folder, such as the `05-dataset` of a run, or `hf:ORG/NAME` (`@REVISION`).
    dataset: PathBuf,
    /// A model: `bm25`, `jaccard`, `random`, `bm25:tokenizer=code,k1=1.2`, `local:FOLDER`, `hf:ORG/NAME`, `openai:MODEL`,
    /// `voyage:MODEL`, `openai+URL`, `process:COMMAND`, `vectors:PATH`, `run:PATH`, …, or a name from --models; may be given several
    /// times. NAME=MODEL gives it a name in tables.
    #[arg(long = "model", short = 'm', value_name = "MODEL", required = true)]
    model: Vec<String>,
    /// A file with tables `[[model]]`.
    #[arg(long, value_name = "FILE")]
    models: Option<PathBuf>,
    /// Also evaluate the fusion of all models' lists: rrf, rrf:K, z-score, or convex, with weights in the order of
    /// the models (convex:0.3,0.7); may be given several times.
    #[arg(long, value_name = "METHOD", value_parser = systems::fusion)]
    fuse: Vec<String>,
    /// Also evaluate the lists reranked by a model: `local:FOLDER`, `hf:ORG/NAME`, `tei:URL`, `cohere:MODEL`, `voyage:MODEL`,
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
    /// The documents that a query is ranked against: everyone, uniform:N (its answers and N others), or nearest:N
    /// (its answers and the N that the first model ranks highest).
    #[arg(long, value_name = "POOL", default_value_t)]
    pool: PoolConfig,
    /// Draws of a uniform pool, seeded from --seed up; the value of a query is its mean over them.
    #[arg(long, value_name = "N", default_value_t = NonZeroU32::MIN)]
    draws: NonZeroU32,
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
    /// How ties are resolved: expected, docno, input, pessimistic or optimistic.
    #[arg(long, value_name = "RULE", default_value_t)]
    ties: Ties,
    /// Show how many texts, tokens and dollars it would take, without calling any model.
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    means: Means,
    /// Permutations of the tests.
    #[arg(long, value_name = "N", default_value_t = 9_999)]
    resamples: u32,
    /// The seed of all draws.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
}

/// Evaluates and prints.
pub(super) fn run(call: &Call, arguments: &EvalArguments) -> anyhow::Result<Exit> {
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
    let scoring = ScoreConfig {
        measures,
        resamples: arguments.resamples,
        confidence: CONFIDENCE,
        ties: arguments.ties,
    };
    let out = call
        .options
        .out
        .clone()
        .unwrap_or_else(|| PathBuf::from("eval").join(name));
    let tasks: Vec<Arc<Task>> = tasks.into_iter().map(Arc::new).collect();
    let folder = if arguments.dry_run {
        RunFolder::look_at(&out)
    } else {
        systems.check(&encoders)?;
        RunFolder::work_in(&out)?
    };
    let evaluation = Arc::new(Evaluation {
        folder: &folder,
        console: call.console,
        encoders: &encoders,
        systems: &systems.all,
        models: &systems.models,
        base: Path::new(""),
        probe: ProbeConfig::default(),
        retrieve: RetrieveConfig {
            pool: arguments.pool,
            draws: arguments.draws.get(),
        },
        seed: arguments.seed,
        subsets: tasks.iter().map(subset).collect(),
        trec: true,
        drawn: Mutex::default(),
        made: Made::default(),
        books: Books::default(),
    });
    if arguments.dry_run {
        let estimates = evaluation.estimates(None)?;
        estimates::print(call.console, call.options.json, "model", &estimates)?;
        return Ok(Exit::Done);
    }
    let pool = call.pool()?;
    let plan = evaluation.retrieve(Look::Fetch)?;
    let runs = engine::run(&folder, &plan, &pool, call.console)?;
    let plan = evaluation.score(&runs, &scoring, move |_| arguments.seed);
    let scored = engine::run(&folder, &plan, &pool, call.console)?;
    if !runs.worked && !scored.worked {
        call.console.note("nothing to do: every list is current");
    }
    let layout = folder.layout();
    let cuts = cut::cuts(&runs);
    let result = Evaluated {
        cuts,
        tasks: &tasks,
        systems: systems.all.iter().map(System::name).collect(),
        scoring: &scoring,
        rows: layout.query_scores()?,
        scores: layout.scores()?,
        drops: layout.drops()?,
        differences: layout.differences()?,
        columns,
    };
    print(arguments, call, &result, &evaluation.books.taken(), &out)?;
    Ok(Exit::Done)
}

/// The intervals of `eval`.
const CONFIDENCE: f64 = 0.95;

fn subset(task: &Arc<Task>) -> SubsetIn<'_> {
    SubsetIn {
        file: task.file.clone(),
        task: task.file.clone(),
        texts: task.digest(),
        judgments: task.judgments_digest(),
        queries: task.queries.len() as u64,
        kind: SubsetKind::Retrieval,
        load: Box::new(move || Ok(Arc::clone(task))),
    }
}

/// What came out, and what it is of.
struct Evaluated<'a> {
    tasks: &'a [Arc<Task>],
    cuts: Vec<Cut>,
    systems: Vec<&'a str>,
    scoring: &'a ScoreConfig,
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
        "ties": arguments.ties.name(),
        "depth": arguments.depth,
        "pool": arguments.pool.to_string(),
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
    let pool = arguments.pool.to_string();
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
