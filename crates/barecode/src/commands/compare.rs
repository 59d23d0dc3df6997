//! `compare`: several systems on the same queries, in all pairs.
//!
//! One argument is a recipe, whose retrievers are compared on each subset; more are judgments and at least
//! two runs in files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use barecode_records::QueryScore;
use barecode_scores::comparison::{AllPairs, Judge, Plan, compare_all};
use barecode_scores::{Bootstrap, Interval, Method, Ties};
use clap::{Args, ValueEnum};
use serde::Serialize;
use serde_json::{Value, json};

use super::Call;
use super::score::files::{self, Question};
use crate::console::grouped;
use crate::exit::{Exit, Failure};
use crate::recipe::Recipe;
use crate::report::robustness::chance;
use crate::report::statistics;
use crate::run_folder::RunFolder;

/// What `compare` takes.
#[derive(Debug, Args)]
pub(super) struct CompareArguments {
    /// The recipe of a run, a TOML file; or the judgments: TREC qrels, BEIR's table, ranx JSON or Parquet.
    #[arg(value_name = "RECIPE|QRELS")]
    first: PathBuf,
    /// Two runs or more: TREC, ranx JSON or Parquet, BEIR's or MTEB's predictions.
    #[arg(value_name = "RUN")]
    runs: Vec<PathBuf>,
    /// A measure in the notation of `ir_measures`; may be given several times.
    #[arg(long = "measure", short = 'm', value_name = "MEASURE")]
    measures: Vec<String>,
    /// How ties are resolved: expected, docno, input, pessimistic or optimistic.
    #[arg(long, value_name = "RULE", default_value_t, requires = "runs")]
    ties: Ties,
    /// The correction for multiple comparisons that decides which systems differ.
    #[arg(long, value_enum, default_value_t = JudgeName::Holm)]
    judge: JudgeName,
    /// How intervals are computed from resamples.
    #[arg(long, value_enum, default_value_t = MethodName::Percentile)]
    method: MethodName,
    /// Confidence of the intervals; the level of the tests is 1 minus this.
    #[arg(long, default_value_t = 0.95, value_name = "SHARE")]
    confidence: f64,
    /// Resamples of the intervals and permutations of the tests.
    #[arg(long, value_name = "N", default_value_t = 9_999)]
    resamples: u32,
    /// The seed of all draws.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum JudgeName {
    /// Randomization tests under Holm's correction.
    Holm,
    /// The randomized Tukey test.
    Tukey,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum MethodName {
    /// The middle of the resamples.
    Percentile,
    /// Corrected for bias and skew.
    Bca,
}

/// Systems with a value a query each, in the same order of queries.
#[derive(Debug)]
struct Field {
    subset: Option<String>,
    measure: String,
    names: Vec<String>,
    values: Vec<Vec<f64>>,
}

/// A field that was compared.
#[derive(Debug, Serialize)]
struct Compared {
    #[serde(skip_serializing_if = "Option::is_none")]
    subset: Option<String>,
    measure: String,
    queries: usize,
    systems: Vec<System>,
    #[serde(flatten)]
    all: AllPairs,
}

#[derive(Debug, Serialize)]
struct System {
    name: String,
    #[serde(flatten)]
    score: Interval,
}

/// Compares and prints.
pub(super) fn run(call: &Call, arguments: &CompareArguments) -> anyhow::Result<()> {
    let fields = match &arguments.runs[..] {
        [] => of_run(call, arguments)?,
        [_] => {
            return Err(Failure {
                exit: Exit::Usage,
                message: "a single run cannot be compared".to_owned(),
                hint: Some("barecode compare QRELS RUN RUN …".to_owned()),
            }
            .into());
        }
        runs => of_files(call, arguments, runs)?,
    };
    let bootstrap = Bootstrap {
        resamples: arguments.resamples,
        confidence: arguments.confidence,
        seed: arguments.seed,
    };
    let method = match arguments.method {
        MethodName::Percentile => Method::Percentile,
        MethodName::Bca => Method::Bca,
    };
    let judge = match arguments.judge {
        JudgeName::Holm => Judge::Holm,
        JudgeName::Tukey => Judge::Tukey,
    };
    let plan = Plan {
        bootstrap,
        method,
        permutations: arguments.resamples,
    };
    let mut compared = Vec::new();
    for field in fields {
        let invalid = |error: barecode_scores::StatisticsError| {
            Failure::of(Exit::Invalid, &error, error.hint())
        };
        let all = compare_all(&field.values, judge, &plan).map_err(invalid)?;
        let mut systems = Vec::new();
        for (name, values) in field.names.into_iter().zip(&field.values) {
            let score = bootstrap.mean(values, method).map_err(invalid)?;
            systems.push(System { name, score });
        }
        compared.push(Compared {
            subset: field.subset,
            measure: field.measure,
            queries: field.values[0].len(),
            systems,
            all,
        });
    }
    if call.options.json {
        return Ok(call.console.json(&json!({
            "plan": plan,
            "comparisons": compared.iter().map(as_json).collect::<Vec<_>>(),
        }))?);
    }
    let (width, color) = (call.console.width(), call.console.colors_data());
    let told: Vec<String> = compared
        .iter()
        .map(|one| shown(one, arguments, width, color))
        .collect();
    Ok(call.console.data(&told.join("\n\n"))?)
}

/// Runs in files. Judged queries that a run lacks count as 0, so all runs have the same queries.
fn of_files(
    call: &Call,
    arguments: &CompareArguments,
    runs: &[PathBuf],
) -> anyhow::Result<Vec<Field>> {
    let mut scored = Vec::new();
    for run in runs {
        let question = Question {
            qrels: &arguments.first,
            measures: &arguments.measures,
            ties: arguments.ties,
            corpus: None,
        };
        scored.push(files::score(call, &question, run)?);
    }
    let names = names(runs);
    let measures = scored.first().map_or(0, |one| one.measures.len());
    let column = |one: &files::Scored, at: usize| {
        let by_query: BTreeMap<&str, f64> = one
            .queries
            .iter()
            .map(|(query, values)| (query.as_str(), values[at]))
            .collect();
        by_query.into_values().collect()
    };
    Ok((0..measures)
        .map(|at| Field {
            subset: None,
            measure: scored[0].measures[at].to_string(),
            names: names.clone(),
            values: scored.iter().map(|one| column(one, at)).collect(),
        })
        .collect())
}

/// What tells files apart: their names, or their whole paths where two have the same.
fn names(runs: &[PathBuf]) -> Vec<String> {
    let short = |path: &Path| {
        path.file_stem()
            .unwrap_or(path.as_os_str())
            .to_string_lossy()
            .into_owned()
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

/// The retrievers of a run, on each subset; draws of a setting are averaged per query.
fn of_run(call: &Call, arguments: &CompareArguments) -> anyhow::Result<Vec<Field>> {
    let root = call.out(&Recipe::read(&arguments.first)?);
    let run = RunFolder::existing(&root)?;
    if !run.layout().has_scores() {
        return Err(
            Failure::invalid(format!("`{}` has no scores yet", root.display()))
                .hint("run `barecode build` on the recipe first")
                .into(),
        );
    }
    let rows: Vec<QueryScore> = run.layout().query_scores()?;
    let mut known: Vec<&str> = Vec::new();
    let mut retrievers: Vec<&str> = Vec::new();
    for row in &rows {
        if !known.contains(&row.measure.as_str()) {
            known.push(&row.measure);
        }
        if !retrievers.contains(&row.retriever.as_str()) {
            retrievers.push(&row.retriever);
        }
    }
    let measures: Vec<&str> = if arguments.measures.is_empty() {
        known.iter().take(1).copied().collect()
    } else {
        arguments.measures.iter().map(String::as_str).collect()
    };
    if let Some(wanted) = measures.iter().find(|wanted| !known.contains(wanted)) {
        let message = format!(
            "the run has no measure `{wanted}`, only {}",
            known.join(", ")
        );
        return Err(Failure::invalid(message)
            .hint("add it to `measures` under `[scores]` in the recipe and build again")
            .into());
    }
    if retrievers.len() < 2 {
        return Err(Failure::invalid(
            "the run has only one retriever, so there is nothing to compare",
        )
        .hint("add another `[[retriever]]` to the recipe")
        .into());
    }
    let mut subsets: Vec<&str> = Vec::new();
    let mut cells: BTreeMap<(usize, usize, usize), Sums<'_>> = BTreeMap::new();
    for row in &rows {
        let place = |names: &[&str], name: &str| names.iter().position(|one| *one == name);
        let (Some(measure), Some(retriever)) = (
            place(&measures, &row.measure),
            place(&retrievers, &row.retriever),
        ) else {
            continue;
        };
        let subset = place(&subsets, &row.subset).unwrap_or_else(|| {
            subsets.push(&row.subset);
            subsets.len() - 1
        });
        let cell = cells.entry((subset, measure, retriever)).or_default();
        let (sum, draws) = cell.entry(row.query_id.as_str()).or_default();
        *sum += row.value;
        *draws += 1;
    }
    let mut fields: BTreeMap<(usize, usize), Field> = BTreeMap::new();
    for ((subset, measure, retriever), queries) in cells {
        let field = fields.entry((subset, measure)).or_insert_with(|| Field {
            subset: Some(subsets[subset].to_owned()),
            measure: measures[measure].to_owned(),
            names: Vec::new(),
            values: Vec::new(),
        });
        field.names.push(retrievers[retriever].to_owned());
        let mean = |(sum, draws): (f64, u32)| sum / f64::from(draws);
        field.values.push(queries.into_values().map(mean).collect());
    }
    Ok(fields.into_values().collect())
}

/// By query, the sum of the draws' values and their number.
type Sums<'a> = BTreeMap<&'a str, (f64, u32)>;

fn as_json(compared: &Compared) -> Value {
    let mut value = serde_json::to_value(compared).expect("numbers and names are JSON");
    let names: Vec<&str> = compared
        .systems
        .iter()
        .map(|system| system.name.as_str())
        .collect();
    if let Some(pairs) = value["pairs"].as_array_mut() {
        for (pair, of) in pairs.iter_mut().zip(&compared.all.pairs) {
            pair["first_name"] = names[of.first].into();
            pair["second_name"] = names[of.second].into();
        }
    }
    value
}

fn shown(compared: &Compared, arguments: &CompareArguments, width: u16, color: bool) -> String {
    let mut order: Vec<usize> = (0..compared.systems.len()).collect();
    let value = |at: usize| compared.systems[at].score.value;
    order.sort_by(|&a, &b| value(b).total_cmp(&value(a)));
    let interval = |interval: &Interval| {
        format!(
            "{:.4} [{:.4}, {:.4}]",
            interval.value, interval.low, interval.high
        )
    };
    let systems: Vec<(usize, Vec<String>)> = order
        .iter()
        .map(|&at| {
            let system = &compared.systems[at];
            let cells = vec![
                system.name.clone(),
                interval(&system.score),
                compared.all.groups.letters[at].clone(),
            ];
            (1, cells)
        })
        .collect();
    let place = |at: usize| order.iter().position(|&one| one == at);
    let mut pairs: Vec<_> = compared.all.pairs.iter().collect();
    pairs.sort_by_key(|pair| {
        (
            place(pair.first).min(place(pair.second)),
            place(pair.first).max(place(pair.second)),
        )
    });
    let pairs: Vec<(usize, Vec<String>)> = pairs
        .into_iter()
        .map(|pair| {
            let paired = &pair.paired;
            let cells = vec![
                compared.systems[pair.first].name.clone(),
                compared.systems[pair.second].name.clone(),
                interval(&paired.difference),
                format!("{} / {} / {}", paired.wins, paired.ties, paired.losses),
                chance(paired.permutation.p),
                chance(pair.holm),
                chance(pair.tukey),
            ];
            (2, cells)
        })
        .collect();
    let judge = match arguments.judge {
        JudgeName::Holm => "Holm",
        JudgeName::Tukey => "randomized Tukey",
    };
    let level = 1.0 - arguments.confidence;
    let whole = compared.subset.as_ref();
    let whole = whole.map_or(String::new(), |subset| format!("{subset}: "));
    let heads = [
        "first",
        "second",
        "difference",
        "better / equal / worse",
        "p",
        "p Holm",
        "p Tukey",
    ];
    format!(
        "{whole}{} over {} queries, with {:.0} % bootstrap intervals; systems that share a letter do not differ significantly ({judge}, α = {level:.2})\n{}\npaired differences; p of the randomization test, two-sided\n{}",
        compared.measure,
        grouped(compared.queries as u64),
        arguments.confidence * 100.0,
        statistics::table(
            &["system", &compared.measure, "group"],
            &systems,
            width,
            color
        ),
        statistics::table(&heads, &pairs, width, color)
    )
}
