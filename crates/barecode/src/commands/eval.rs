//! `eval`: models on any dataset that can be read.
//!
//! A dataset and models come in; a run in TREC's form for each system and subset, the values of each query, a table with
//! intervals, tied groups, ceiling and floor, and a ledger go out. The way inside: `systems` (what is evaluated) and
//! `task` (on what, among the candidates of `pool`) → `lists` (what a model lists, its documents read as `reading` says),
//! fused and in the order of `rerank` → `table`. Vectors are kept between calls ([`barecode_models`] puts the cache around
//! each model), so a text that several settings share is embedded once, and a killed call goes on.

use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

use barecode_formats::trec::write_run;
use barecode_formats::{Format, Loaded, Strictness, load};
use barecode_models::{Chunking, Opening, open_reranker};
use barecode_retrieval::fuse;
use barecode_scores::{Measure, Ties};
use clap::Args;
use serde_json::{Value, json};

use super::Call;
use super::convert::chosen;
use crate::console::grouped;
use crate::exit::{Exit, Failure};
use crate::models::Means;
use crate::report::estimates;
use lists::{Asked, List, Lists, Model};
use pool::PoolArgument;
use reading::Reading;
use systems::{FusionArgument, System, Systems, What};
use table::{Answered, Judged};
use task::{Names, Task};

mod systems;
mod task;
mod pool;
mod reading;
mod lists;
mod rerank;
mod price;
mod table;

/// What `eval` takes.
#[derive(Debug, Args)]
pub(super) struct EvalArguments {
    /// The dataset: a file or a folder of a known format, such as the `05-dataset` of a run.
    dataset: PathBuf,
    /// A model: `bm25`, `bm25:tokenizer=code,k1=1.2`, `local:FOLDER`, `hf:ORG/NAME`, `openai:MODEL`, `voyage:MODEL`,
    /// `openai+URL`, `process:COMMAND`, `vectors:PATH`, `run:PATH`, …, or a name from --models; may be given several
    /// times.
    #[arg(long = "model", short = 'm', value_name = "MODEL", required = true)]
    model: Vec<String>,
    /// A file with tables `[[model]]`.
    #[arg(long, value_name = "FILE")]
    models: Option<PathBuf>,
    /// Also evaluate the fusion of all models' lists: rrf, rrf:K, z-score, or convex, with weights in the order of
    /// the models (convex:0.3,0.7); may be given several times.
    #[arg(long, value_name = "METHOD")]
    fuse: Vec<FusionArgument>,
    /// Also evaluate the lists reranked by a model: `local:FOLDER`, `hf:ORG/NAME`, `tei:URL`, `cohere:MODEL`, `voyage:MODEL`,
    /// `jina:MODEL`, or a chat model `openai:MODEL` or `openai+URL`; reranks the fused lists if
    /// there are any, else each model's.
    #[arg(long, value_name = "MODEL")]
    rerank: Vec<String>,
    /// How many documents of a list are reranked.
    #[arg(long, value_name = "N", default_value_t = 100, requires = "rerank")]
    rerank_depth: usize,
    /// Also evaluate each embedding model on documents in chunks of BYTES, which overlap by OVERLAP bytes or a fifth;
    /// the score of a document is that of its best chunk.
    #[arg(long, value_name = "BYTES[:OVERLAP]", value_parser = systems::chunking)]
    chunk: Option<Chunking>,
    /// Also evaluate each embedding model on documents with canonical names: `name_0`, `name_1`, ….
    #[arg(long)]
    canonical: bool,
    /// Also evaluate each embedding model with the mean vector of N random renamings of each document.
    #[arg(long, value_name = "N")]
    average: Option<NonZeroU32>,
    /// The documents that a query is ranked against: everyone, uniform:N (its answers and N others), or nearest:N
    /// (its answers and the N that the first model ranks highest).
    #[arg(long, value_name = "POOL", default_value_t)]
    pool: PoolArgument,
    /// Draws of a uniform pool, seeded from --seed up; the value of a query is its mean over them.
    #[arg(long, value_name = "N", default_value_t = NonZeroU32::MIN)]
    draws: NonZeroU32,
    /// A measure in the notation of `ir_measures` [default: nDCG@10, RR@10 and R@1].
    #[arg(long = "measure", value_name = "MEASURE")]
    measures: Vec<Measure>,
    /// Only this subset; may be given several times.
    #[arg(long, value_name = "NAME")]
    subset: Vec<String>,
    /// The format of the dataset, if it cannot be recognized.
    #[arg(long, value_name = "FORMAT")]
    format: Option<Format>,
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
    /// Resamples of the intervals and permutations of the tests.
    #[arg(long, value_name = "N", default_value_t = 9_999)]
    resamples: u32,
    /// The seed of all draws.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
}

/// Evaluates and prints.
pub(super) fn run(call: &Call, arguments: &EvalArguments) -> anyhow::Result<Exit> {
    let Loaded {
        mut benchmark,
        notes,
        ..
    } = load(&arguments.dataset, arguments.format, Strictness::AsLoader)?;
    for note in notes {
        call.console.note(&format!("note: {note}"));
    }
    benchmark.subsets = chosen(benchmark.subsets, &arguments.subset)?;
    let systems = Systems::of(arguments)?;
    call.use_threads()?;
    let opening = call.opening(&arguments.means)?;
    let mut tasks = Task::all(&benchmark);
    if tasks.iter().all(|task| task.queries.is_empty()) {
        let message = format!(
            "no query of `{}` has a judgment",
            arguments.dataset.display()
        );
        return Err(Failure::invalid(message)
            .hint("is the file with the judgments (qrels) missing?")
            .into());
    }
    if arguments.dry_run {
        let depth = arguments.rerank_depth;
        let told = price::estimates(&systems, &opening, &tasks, depth, arguments.seed)?;
        estimates::tell(call.console, call.options.json, "model", &told)?;
        return Ok(Exit::Done);
    }
    let measures = if arguments.measures.is_empty() {
        ["nDCG@10", "RR@10", "R@1"]
            .map(|name| name.parse().expect("these are measures"))
            .to_vec()
    } else {
        arguments.measures.clone()
    };
    let judged = Judged {
        measures: &measures,
        ties: arguments.ties,
        resamples: arguments.resamples,
        seed: arguments.seed,
    };
    let out = call
        .options
        .out
        .clone()
        .unwrap_or_else(|| PathBuf::from("eval").join(&benchmark.name));
    let answered = answers(
        call, arguments, &systems, &opening, &mut tasks, &judged, &out,
    )?;
    let names: Vec<&str> = systems.all.iter().map(|it| it.name.as_str()).collect();
    let mut rows = Vec::new();
    for (place, task) in tasks.iter().enumerate() {
        rows.extend(judged.rows(task, &names, &answered.of_task(place))?);
    }
    table::write_values(
        &out.join("per-query.csv"),
        &tasks,
        &names,
        &measures,
        &answered.0,
    )?;
    let account = json!({
        "dataset": arguments.dataset,
        "ties": arguments.ties.name(),
        "depth": arguments.depth,
        "pool": arguments.pool.to_string(),
        "scores": rows,
        "ledger": ledger(&opening),
    });
    table::write_account(&out.join("scores.json"), &account)?;
    if call.options.json {
        call.console.json(&account)?;
        return Ok(Exit::Done);
    }
    let (width, color) = (call.console.width(), call.console.colors_data());
    let pool = arguments.pool.to_string();
    call.console
        .data(&table::shown(&rows, &measures, &pool, width, color))?;
    tell_costs(call, &opening);
    call.console.note(&format!("runs: {}", out.display()));
    Ok(Exit::Done)
}

/// The values of every system on every task, by system.
struct Answers(Vec<Vec<Answered>>);

impl Answers {
    fn of_task(&self, task: usize) -> Vec<&Answered> {
        self.0.iter().map(|of_system| &of_system[task]).collect()
    }
}

/// Asks every system, writes its runs, and keeps lists as long as another system is made of them.
fn answers(
    call: &Call,
    arguments: &EvalArguments,
    systems: &Systems,
    opening: &Opening,
    tasks: &mut [Task<'_>],
    judged: &Judged<'_>,
    out: &Path,
) -> anyhow::Result<Answers> {
    let depth = usize::try_from(arguments.depth.get())?;
    let asked = Asked {
        depth,
        seed: arguments.seed,
        console: call.console,
    };
    // Everything is opened before anything is asked: what is missing is told before money is spent.
    let models = systems.models.iter().map(|spec| Model::open(spec, opening));
    let models = models.collect::<anyhow::Result<Vec<Model>>>()?;
    let rerankers = systems.rerankers.iter();
    let rerankers = rerankers.map(|spec| open_reranker(spec, opening));
    let rerankers = rerankers.collect::<Result<Vec<_>, _>>()?;
    for task in &mut *tasks {
        let seeds = (0..arguments.draws.get()).map(|draw| arguments.seed + u64::from(draw));
        let nearest = |task: &Task<'_>, depth: usize| {
            let lists = models[0].lists(task, Reading::Whole, Asked { depth, ..asked })?;
            Ok(lists.into_iter().next().unwrap_or_default())
        };
        if let Some(draws) = arguments.pool.draw(task, seeds, nearest)? {
            task.draws = draws;
        }
    }
    let uses = systems.last_uses();
    let mut folders = Names::default();
    let mut kept: Vec<Option<Vec<Lists>>> = Vec::new();
    let mut answered = Vec::new();
    for (place, System { name, what }) in systems.all.iter().enumerate() {
        let folder = out.join(folders.of(name));
        let (mut values, mut lists) = (Vec::new(), Vec::new());
        for (at, task) in tasks.iter().enumerate() {
            let of = |system: usize| {
                let lists = kept[system].as_ref();
                &lists.expect("lists are kept until their last use")[at]
            };
            let of_task = match what {
                What::Model { model, reading } => models[*model].lists(task, *reading, asked)?,
                What::Fused { of: parts, how } => {
                    let parts: Vec<&Lists> = parts.iter().map(|&part| of(part)).collect();
                    fused(how, &parts, depth)
                }
                What::Reranked { first, reranker } => rerank::reranked(
                    &*rerankers[*reranker],
                    &systems.rerankers[*reranker],
                    opening,
                    task,
                    of(*first),
                    arguments.rerank_depth,
                    call.console,
                )?,
            };
            write_lists(&folder, task, &of_task)?;
            values.push(judged.values(task, &of_task));
            lists.push(of_task);
        }
        answered.push(values);
        kept.push((uses[place] > place).then_some(lists));
        for (used, lists) in kept.iter_mut().enumerate() {
            if uses[used] == place {
                *lists = None;
            }
        }
    }
    Ok(Answers(answered))
}

/// One list of several, for each draw and query.
fn fused(how: &FusionArgument, parts: &[&Lists], depth: usize) -> Lists {
    let weight = |part: usize| match how.weights.get(part) {
        Some(&weight) => weight,
        None => 1.0 / parts.len() as f64,
    };
    let of_query = |draw: usize, query: usize| {
        let lists = parts.iter().enumerate();
        let lists: Vec<(&[(usize, f64)], f64)> = lists
            .map(|(part, lists)| (lists[draw][query].as_slice(), weight(part)))
            .collect();
        let mut list = fuse(how.method, &lists);
        if let Some(last) = list.get(depth - 1).map(|last| last.1) {
            list.retain(|(_, score)| *score >= last);
        }
        list
    };
    let draws = parts[0].iter().enumerate();
    draws
        .map(|(draw, queries)| {
            (0..queries.len())
                .map(|query| of_query(draw, query))
                .collect()
        })
        .collect()
}

/// The lists as TREC runs: `SUBSET.SPLIT.trec`, or `SUBSET.SPLIT.draw-1.trec` of several draws.
fn write_lists(folder: &Path, task: &Task<'_>, lists: &Lists) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder).map_err(|error| Failure::cannot_write(folder, &error))?;
    let tag = folder.file_name().unwrap_or_default().to_string_lossy();
    let id = |document: usize| task.subset.documents[document].id.clone();
    for (draw, lists) in lists.iter().enumerate() {
        let named = task.queries.iter().zip(lists);
        let named: Vec<(&str, Vec<(String, f64)>)> = named
            .map(|((query, _), list): (_, &List)| {
                let list = list.iter().map(|&(document, score)| (id(document), score));
                (*query, list.collect())
            })
            .collect();
        let queries: Vec<(&str, &[(String, f64)])> = named
            .iter()
            .map(|(query, list)| (*query, list.as_slice()))
            .collect();
        let file = if task.draws.len() > 1 {
            format!("{}.draw-{}.trec", task.file, draw + 1)
        } else {
            format!("{}.trec", task.file)
        };
        write_run(&folder.join(file), queries, &tag)?;
    }
    Ok(())
}

fn ledger(opening: &Opening) -> Value {
    serde_json::to_value(opening.ledger.usage()).expect("counts are JSON")
}

/// A line for each model that was asked something.
fn tell_costs(call: &Call, opening: &Opening) {
    for (name, usage) in opening.ledger.usage() {
        if usage.texts > 0 || usage.requests > 0 {
            call.console.note(&format!(
                "{name}: {} texts, {} tokens, {} dollars, {} requests, {} retries, {} texts truncated, {} from the cache",
                grouped(usage.texts),
                grouped(usage.tokens),
                usage.dollars(),
                grouped(usage.requests),
                grouped(usage.retries),
                grouped(usage.truncations),
                grouped(usage.cache_hits)
            ));
        }
    }
}
