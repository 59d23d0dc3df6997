//! `eval`: models on any dataset that can be read.
//!
//! A dataset and models come in; a run in TREC's form for each model and subset, the values of each query, a table with
//! intervals, tied groups, ceiling and floor, and a ledger go out. Vectors are kept between calls ([`models`] puts the
//! cache around each model), so a text that several settings share is embedded once, and a killed call goes on.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use barecode_formats::trec::write_run;
use barecode_formats::{Benchmark, Format, Loaded, Strictness, Subset, load};
use barecode_models::{Estimate, ModelSpec, Opening, Side, Source, estimate, read_models};
use barecode_scores::comparison::{Judge, Plan, compare_all};
use barecode_scores::{
    Bootstrap, Interval, Measure, Method, Ranked, Ties, Twins, ceiling, evaluate, floor,
};
use clap::Args;
use serde::Serialize;
use serde_json::{Value, json};

use super::Call;
use super::convert::chosen;
use crate::console::grouped;
use crate::exit::{Exit, Failure};
use crate::models::Means;
use crate::report::statistics;

mod models;

/// What `eval` takes.
#[derive(Debug, Args)]
pub(super) struct EvalArguments {
    /// The dataset: a file or a folder of a known format, such as the `05-dataset` of a run.
    dataset: PathBuf,
    /// A model: `bm25`, `local:FOLDER`, `hf:ORG/NAME`, `openai:MODEL`, `voyage:MODEL`, `openai+URL`, …, or a name from
    /// --models; may be given several times.
    #[arg(long = "model", short = 'm', value_name = "MODEL", required = true)]
    model: Vec<String>,
    /// A file with tables `[[model]]`.
    #[arg(long, value_name = "FILE")]
    models: Option<PathBuf>,
    /// A measure as `ir_measures` writes it, the first is the main one; nDCG@10, RR@10 and R@1 unless given.
    #[arg(long = "measure", value_name = "MEASURE")]
    measures: Vec<Measure>,
    /// Only this subset; may be given several times.
    #[arg(long, value_name = "NAME")]
    subset: Vec<String>,
    /// The format of the dataset, where its content does not tell it.
    #[arg(long, value_name = "FORMAT")]
    format: Option<Format>,
    /// Documents kept for a query; equal scores are never cut apart.
    #[arg(long, default_value_t = 1000, value_name = "N")]
    depth: usize,
    /// What equal scores mean: expected, docno, input, pessimistic or optimistic.
    #[arg(long, value_name = "RULE", default_value_t)]
    ties: Ties,
    /// Tell how many texts, tokens and dollars it would take, and do nothing.
    #[arg(long)]
    dry_run: bool,
    /// Stop before more dollars than this are spent; what was paid for is kept.
    #[arg(long, value_name = "DOLLARS")]
    budget: Option<f64>,
    /// Keep the answers of servers in this file, or take them from it where they are in it.
    #[arg(long, value_name = "FILE")]
    cassette: Option<PathBuf>,
    /// Take the answers from the cassette only; needs neither network nor key.
    #[arg(long, requires = "cassette")]
    replay: bool,
    /// Resamples of the intervals and permutations of the tests.
    #[arg(long, value_name = "N", default_value_t = 9_999)]
    resamples: u32,
    /// The seed of all draws.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
}

/// The grades of one query's judged documents.
type Grades<'a> = BTreeMap<&'a str, i32>;

/// A subset with what every model is asked on it.
struct Task<'a> {
    subset: &'a Subset,
    /// Title and text of each document.
    documents: Vec<String>,
    /// The queries that have a judgment.
    queries: Vec<(&'a str, &'a str)>,
    qrels: BTreeMap<&'a str, Grades<'a>>,
}

/// The values of one model on one subset: by measure, a value a query.
struct Answered {
    values: Vec<Vec<f64>>,
}

/// What came out for one subset and measure.
#[derive(Debug, Serialize)]
struct Row {
    subset: String,
    split: String,
    measure: String,
    queries: usize,
    documents: usize,
    models: Vec<Cell>,
    ceiling: Option<f64>,
    floor: Option<f64>,
}

#[derive(Debug, Serialize)]
struct Cell {
    model: String,
    #[serde(flatten)]
    score: Interval,
    /// Models that share a letter are not told apart.
    group: String,
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
    let specs = specs(arguments)?;
    let means = Means {
        dollars: arguments.budget,
        cassette: arguments.cassette.clone(),
        is_replay: arguments.replay,
    };
    let opening = call.opening(&means)?;
    let tasks: Vec<Task<'_>> = benchmark.subsets.iter().map(task).collect();
    if arguments.dry_run {
        return dry_run(call, &specs, &opening, &tasks);
    }
    let measures = if arguments.measures.is_empty() {
        ["nDCG@10", "RR@10", "R@1"]
            .map(|name| name.parse().expect("these are measures"))
            .to_vec()
    } else {
        arguments.measures.clone()
    };
    let out = call
        .options
        .out
        .clone()
        .unwrap_or_else(|| PathBuf::from("eval").join(&benchmark.name));
    let mut answered: Vec<Vec<Answered>> = Vec::new();
    for spec in &specs {
        let model = models::open(spec, &opening)?;
        let mut of_model = Vec::new();
        for task in &tasks {
            let lists = model.lists(task, arguments.depth, call.console)?;
            write_lists(&out, spec, task, &lists)?;
            of_model.push(values(task, &lists, &measures, arguments.ties));
        }
        answered.push(of_model);
    }
    let rows = rows(&benchmark, &tasks, &specs, &measures, &answered, arguments)?;
    let account = json!({
        "dataset": arguments.dataset,
        "ties": arguments.ties.name(),
        "depth": arguments.depth,
        "scores": rows,
        "ledger": ledger(&opening),
    });
    models::write_account(&out.join("scores.json"), &account)?;
    if call.options.json {
        call.console.json(&account)?;
        return Ok(Exit::Done);
    }
    let (width, color) = (call.console.width(), call.console.colors_data());
    call.console
        .data(&shown(&rows, &measures, &specs, width, color))?;
    for (name, usage) in opening.ledger.usage() {
        if usage.requests > 0 {
            call.console.note(&format!(
                "{name}: {} tokens, {} dollars, {} requests, {} retries, {} texts cut, {} not asked again",
                grouped(usage.tokens),
                usage.dollars(),
                grouped(usage.requests),
                grouped(usage.retries),
                grouped(usage.truncations),
                grouped(usage.cache_hits)
            ));
        }
    }
    call.console.note(&format!("runs: {}", out.display()));
    Ok(Exit::Done)
}

/// The models that were asked for, each under a name of its own.
fn specs(arguments: &EvalArguments) -> anyhow::Result<Vec<ModelSpec>> {
    let known = match &arguments.models {
        Some(path) => read_models(path)?,
        None => Vec::new(),
    };
    let mut specs: Vec<ModelSpec> = Vec::new();
    for name in &arguments.model {
        let spec = match known.iter().find(|spec| spec.name == *name) {
            Some(spec) => spec.clone(),
            None => name.parse()?,
        };
        if specs.iter().any(|other| other.name == spec.name) {
            let message = format!("two models are called `{}`", spec.name);
            return Err(Failure::invalid(message)
                .hint("give them names in a file of --models")
                .into());
        }
        specs.push(spec);
    }
    Ok(specs)
}

fn task(subset: &Subset) -> Task<'_> {
    let mut qrels: BTreeMap<&str, BTreeMap<&str, i32>> = BTreeMap::new();
    for judgment in &subset.judgments {
        let of_query = qrels.entry(&judgment.query).or_default();
        of_query.insert(&judgment.document, judgment.grade);
    }
    let documents = subset.documents.iter().map(|document| {
        format!("{} {}", document.title, document.text)
            .trim()
            .to_owned()
    });
    Task {
        subset,
        documents: documents.collect(),
        queries: subset
            .queries
            .iter()
            .filter(|query| qrels.contains_key(query.id.as_str()))
            .map(|query| (query.id.as_str(), query.text.as_str()))
            .collect(),
        qrels,
    }
}

/// What it would take, for each model.
fn dry_run(
    call: &Call,
    specs: &[ModelSpec],
    opening: &Opening,
    tasks: &[Task<'_>],
) -> anyhow::Result<Exit> {
    let mut told: Vec<(String, Estimate)> = Vec::new();
    for spec in specs.iter().filter(|spec| spec.source != Source::Bm25) {
        let documents = tasks
            .iter()
            .flat_map(|task| task.documents.iter().map(String::as_str));
        let documents: Vec<&str> = documents.collect();
        let queries = tasks
            .iter()
            .flat_map(|task| task.queries.iter().map(|(_, text)| *text));
        let queries: Vec<&str> = queries.collect();
        let mut sum = estimate(spec, opening, Side::Document, &documents)?;
        let more = estimate(spec, opening, Side::Query, &queries)?;
        sum.texts += more.texts;
        sum.new_texts += more.new_texts;
        sum.tokens += more.tokens;
        sum.dollars = sum.dollars.zip(more.dollars).map(|(a, b)| a + b);
        told.push((spec.name.clone(), sum));
    }
    if call.options.json {
        let rows: Vec<Value> = told
            .iter()
            .map(|(name, sum)| {
                json!({
                    "model": name,
                    "texts": sum.texts,
                    "new_texts": sum.new_texts,
                    "tokens": sum.tokens,
                    "tokens_are_exact": sum.tokens_are_exact,
                    "dollars": sum.dollars,
                })
            })
            .collect();
        call.console.json(&json!(rows))?;
        return Ok(Exit::Done);
    }
    let rows: Vec<(usize, Vec<String>)> = told
        .iter()
        .map(|(name, sum)| {
            let cells = vec![
                name.clone(),
                grouped(sum.texts as u64),
                grouped(sum.new_texts as u64),
                if sum.tokens_are_exact {
                    grouped(sum.tokens)
                } else {
                    format!("about {}", grouped(sum.tokens))
                },
                sum.dollars
                    .map_or_else(|| "unknown".to_owned(), |dollars| format!("{dollars:.4}")),
            ];
            (1, cells)
        })
        .collect();
    let heads = ["model", "texts", "new texts", "tokens", "dollars"];
    let (width, color) = (call.console.width(), call.console.colors_data());
    call.console
        .data(&statistics::table(&heads, &rows, width, color))?;
    Ok(Exit::Done)
}

/// The lists as a TREC run: `OUT/MODEL/SUBSET.SPLIT.trec`.
fn write_lists(
    out: &Path,
    spec: &ModelSpec,
    task: &Task<'_>,
    lists: &[Vec<(usize, f64)>],
) -> anyhow::Result<()> {
    let folder = out.join(models::file_name(&spec.name));
    std::fs::create_dir_all(&folder).map_err(|error| Failure::cannot_write(&folder, &error))?;
    let id = |document: usize| task.subset.documents[document].id.clone();
    let named: Vec<(&str, Vec<(String, f64)>)> = task
        .queries
        .iter()
        .zip(lists)
        .map(|((query, _), list)| {
            let list = list.iter().map(|&(document, score)| (id(document), score));
            (*query, list.collect())
        })
        .collect();
    let file = models::file_name(&format!("{}.{}", task.subset.name, task.subset.split));
    let queries: Vec<(&str, &[(String, f64)])> = named
        .iter()
        .map(|(query, list)| (*query, list.as_slice()))
        .collect();
    write_run(
        &folder.join(format!("{file}.trec")),
        queries,
        &models::file_name(&spec.name),
    )?;
    Ok(())
}

fn values(
    task: &Task<'_>,
    lists: &[Vec<(usize, f64)>],
    measures: &[Measure],
    ties: Ties,
) -> Answered {
    let mut values = vec![Vec::new(); measures.len()];
    for ((query, _), list) in task.queries.iter().zip(lists) {
        let ranked: Vec<Ranked<'_>> = list
            .iter()
            .map(|&(document, score)| Ranked {
                doc: &task.subset.documents[document].id,
                score,
            })
            .collect();
        let of_query = evaluate(measures, &ranked, &task.qrels[query], ties);
        for (column, value) in values.iter_mut().zip(of_query) {
            column.push(value);
        }
    }
    Answered { values }
}

/// A row for each subset and measure.
fn rows(
    benchmark: &Benchmark,
    tasks: &[Task<'_>],
    specs: &[ModelSpec],
    measures: &[Measure],
    answered: &[Vec<Answered>],
    arguments: &EvalArguments,
) -> anyhow::Result<Vec<Row>> {
    let bootstrap = Bootstrap {
        resamples: arguments.resamples,
        confidence: 0.95,
        seed: arguments.seed,
    };
    let plan = Plan {
        bootstrap,
        method: Method::Percentile,
        permutations: arguments.resamples,
    };
    let mut rows = Vec::new();
    for (at, task) in tasks.iter().enumerate() {
        if task.queries.is_empty() {
            continue;
        }
        let texts = benchmark.subsets[at].documents.iter().zip(&task.documents);
        let twins = Twins::among(texts.map(|(document, text)| (&*document.id, text.as_str())));
        let bound = |of: &dyn Fn(&Grades<'_>) -> Vec<Option<f64>>, measure: usize| {
            let values = task
                .queries
                .iter()
                .map(|(query, _)| of(&task.qrels[query])[measure]);
            let values: Option<Vec<f64>> = values.collect();
            values.map(|values| values.iter().sum::<f64>() / values.len() as f64)
        };
        for (which, measure) in measures.iter().enumerate() {
            let columns: Vec<Vec<f64>> = answered
                .iter()
                .map(|of_model| of_model[at].values[which].clone())
                .collect();
            let letters = if columns.len() > 1 {
                compare_all(&columns, Judge::Holm, &plan)?.groups.letters
            } else {
                vec![String::new()]
            };
            let mut cells = Vec::new();
            for ((spec, column), group) in specs.iter().zip(&columns).zip(letters) {
                cells.push(Cell {
                    model: spec.name.clone(),
                    score: bootstrap.mean(column, Method::Percentile)?,
                    group,
                });
            }
            rows.push(Row {
                subset: task.subset.name.clone(),
                split: task.subset.split.clone(),
                measure: measure.to_string(),
                queries: task.queries.len(),
                documents: task.documents.len(),
                models: cells,
                ceiling: bound(&|qrels| ceiling(measures, &twins, qrels), which),
                floor: bound(&|qrels| floor(measures, task.documents.len(), qrels), which),
            });
        }
    }
    Ok(rows)
}

fn ledger(opening: &Opening) -> Value {
    serde_json::to_value(opening.ledger.usage()).expect("counts are JSON")
}

/// The main measure of every model, a row for each subset.
fn shown(
    rows: &[Row],
    measures: &[Measure],
    specs: &[ModelSpec],
    width: u16,
    color: bool,
) -> String {
    let main = measures
        .first()
        .map(ToString::to_string)
        .unwrap_or_default();
    let mut heads = vec!["subset", "queries", "documents"];
    heads.extend(specs.iter().map(|spec| spec.name.as_str()));
    heads.extend(["ceiling", "floor"]);
    let number = |value: Option<f64>| value.map_or("–".to_owned(), |value| format!("{value:.4}"));
    let cells: Vec<(usize, Vec<String>)> = rows
        .iter()
        .filter(|row| row.measure == main)
        .map(|row| {
            let mut cells = vec![
                row.subset.clone(),
                grouped(row.queries as u64),
                grouped(row.documents as u64),
            ];
            cells.extend(row.models.iter().map(|cell| {
                let score = &cell.score;
                format!(
                    "{:.4} [{:.4}, {:.4}] {}",
                    score.value, score.low, score.high, cell.group
                )
                .trim_end()
                .to_owned()
            }));
            cells.extend([number(row.ceiling), number(row.floor)]);
            (1, cells)
        })
        .collect();
    format!(
        "{main}, mean over queries [95 % bootstrap interval]; models that share a letter are not told apart (Holm, level 0.05); \
         ceiling: a perfect model that cannot tell twins apart; floor: random order\n{}",
        statistics::table(&heads, &cells, width, color)
    )
}
