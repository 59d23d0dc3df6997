//! `compare`: several systems on the same queries, in all pairs.
//!
//! One argument is a recipe, whose retrievers are compared on each subset; more are judgments and at least
//! two runs in files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use barecode_scores::comparison::{AllPairs, Judge, Plan, compare_all};
use barecode_scores::intervals::FEWEST_QUERIES;
use barecode_scores::{Bootstrap, Interval, Method, Ties};
use clap::{Args, ValueEnum};
use serde::Serialize;
use serde_json::{Value, json};

use super::score::files::{self, Question};
use crate::answer::{Answer, joined};
use crate::console::{Screen, grouped};
use crate::exit::{Exit, Failure};
use crate::report::draws::MeanByQuery;
use crate::report::robustness::chance;
use crate::report::{distinct, grid, of_queries};
use crate::session::{Session, query_scores};

/// Test whether systems differ on the same queries.
///
/// Prints paired differences with intervals, and tests corrected for the number of comparisons.
#[derive(Debug, Args)]
#[command(
    override_usage = "barecode compare [OPTIONS] <RECIPE>\n       barecode compare [OPTIONS] <QRELS> <RUN> <RUN>...",
    after_help = "Examples:\n  barecode compare qrels.trec bm25.trec dense.trec --measure nDCG@10 --measure RR@10\n  barecode compare recipes/demo.toml --judge tukey --json"
)]
pub(super) struct Request {
    /// The recipe of a run, a TOML file; or the judgments: TREC qrels, BEIR's table, ranx JSON or Parquet.
    #[arg(value_name = "RECIPE|QRELS")]
    first: PathBuf,
    /// Two runs or more: TREC, ranx JSON or Parquet, BEIR's or MTEB's predictions.
    #[arg(value_name = "RUN")]
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
    #[arg(long, default_value_t = 0.95, value_name = "SHARE")]
    confidence: f64,
    /// Permutations of the tests, and resamples of the intervals that need some.
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
    too_few: bool,
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

/// Compares.
pub(super) fn run(session: &Session, arguments: &Request) -> anyhow::Result<Answer> {
    let fields = match &arguments.runs[..] {
        [] => of_run(session, arguments)?,
        [_] => {
            let message = "a single run cannot be compared";
            return Err(Failure::new(Exit::Usage, message)
                .hint("barecode compare QRELS RUN RUN …")
                .into());
        }
        runs => of_files(session, arguments, runs)?,
    };
    let bootstrap = Bootstrap {
        resamples: arguments.resamples,
        confidence: arguments.confidence,
        seed: arguments.seed,
    };
    let method = match arguments.method {
        MethodName::Student => Method::Student,
        MethodName::Percentile => Method::Percentile,
        MethodName::Bca => Method::Bca,
    };
    let judge = match arguments.judge {
        JudgeName::Holm => Judge::Holm,
        JudgeName::Tukey => Judge::Tukey,
        JudgeName::Blocked => Judge::Blocked,
        JudgeName::Hsd => Judge::Hsd,
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
            too_few: field.values[0].len() < FEWEST_QUERIES,
            systems,
            all,
        });
    }
    session.answer(
        || json!({ "plan": plan, "comparisons": compared.iter().map(as_json).collect::<Vec<_>>() }),
        |screen| {
            let few = compared.iter().all(|one| one.too_few).then(|| {
                format!("too few queries: {FEWEST_QUERIES} are the least for which a mean is shown")
            });
            let tables = compared.iter().map(|one| shown(one, arguments, screen));
            let tables: Vec<String> = tables.collect();
            Ok(joined(few.into_iter().chain([tables.join("\n\n")])))
        },
    )
}

/// Runs in files. Judged queries that a run lacks count as 0, so all runs have the same queries.
fn of_files(
    session: &Session,
    arguments: &Request,
    runs: &[PathBuf],
) -> anyhow::Result<Vec<Field>> {
    let mut scored = Vec::new();
    for run in runs {
        let question = Question {
            qrels: &arguments.first,
            measures: &arguments.measures,
            ties: arguments.ties,
            corpus: None,
            allow_unjudged: arguments.allow_unjudged,
        };
        scored.push(files::score(session, &question, run)?);
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

/// Returns labels that distinguish files: their names, or their whole paths where two have the same name.
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
fn of_run(session: &Session, arguments: &Request) -> anyhow::Result<Vec<Field>> {
    let run = session.run(None, Some(&arguments.first))?;
    let (rows, measures) = query_scores(&run, &arguments.measures)?;
    let retrievers = distinct(rows.iter().map(|row| row.retriever.as_str()));
    if retrievers.len() < 2 {
        return Err(
            Failure::invalid("the run has only one retriever; a comparison needs two")
                .hint("add another `[[retriever]]` to the recipe")
                .into(),
        );
    }
    let of_measures = rows.iter().filter(|row| measures.contains(&row.measure));
    let mut fields = Vec::new();
    for subset in distinct(of_measures.map(|row| row.subset.as_str())) {
        for measure in &measures {
            let rows = rows.iter();
            let rows = rows.filter(|row| row.subset == subset && row.measure == *measure);
            let mut columns: BTreeMap<usize, MeanByQuery<'_>> = BTreeMap::new();
            for row in rows {
                let retriever = retrievers.iter().position(|name| *name == row.retriever);
                let column = columns.entry(retriever.unwrap_or_default());
                column.or_default().add(row);
            }
            // Systems that cannot read the documents of a subset have no rows for it.
            if columns.len() < 2 {
                continue;
            }
            fields.push(Field {
                subset: Some(subset.to_owned()),
                measure: measure.clone(),
                names: columns
                    .keys()
                    .map(|at| retrievers[*at].to_owned())
                    .collect(),
                values: columns.values().map(MeanByQuery::means).collect(),
            });
        }
    }
    Ok(fields)
}

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

fn shown(compared: &Compared, arguments: &Request, screen: Screen) -> String {
    let mut order: Vec<usize> = (0..compared.systems.len()).collect();
    let value = |at: usize| compared.systems[at].score.value;
    order.sort_by(|&a, &b| value(b).total_cmp(&value(a)));
    let shown = |of| of_queries(of, compared.queries, 4);
    let systems = order.iter().map(|&at| {
        let system = &compared.systems[at];
        vec![
            system.name.clone(),
            shown(&system.score),
            if compared.too_few {
                "–".to_owned()
            } else {
                compared.all.groups.letters[at].clone()
            },
        ]
    });
    let rank = |at: usize| order.iter().position(|&one| one == at);
    let mut pairs: Vec<_> = compared.all.pairs.iter().collect();
    pairs.sort_by_key(|pair| {
        let ranks = (rank(pair.first), rank(pair.second));
        (ranks.0.min(ranks.1), ranks.0.max(ranks.1))
    });
    let mut heads = vec![
        "first",
        "second",
        "difference",
        "better / equal / worse",
        "p",
        "p Holm",
        "p Tukey",
    ];
    if matches!(arguments.judge, JudgeName::Blocked | JudgeName::Hsd) {
        heads.push("p HSD");
    }
    let pairs = pairs.into_iter().map(|pair| {
        let paired = &pair.paired;
        let mut cells = vec![
            compared.systems[pair.first].name.clone(),
            compared.systems[pair.second].name.clone(),
            shown(&paired.difference),
            format!("{} / {} / {}", paired.wins, paired.ties, paired.losses),
        ];
        if compared.too_few {
            cells.extend(heads[4..].iter().map(|_| "–".to_owned()));
            return cells;
        }
        cells.extend([paired.permutation.p, pair.holm, pair.tukey].map(chance));
        let parametric = match arguments.judge {
            JudgeName::Holm | JudgeName::Tukey => None,
            JudgeName::Blocked => Some(pair.blocked),
            JudgeName::Hsd => Some(pair.hsd),
        };
        cells.extend(parametric.map(|p| p.map_or_else(|| "–".to_owned(), chance)));
        cells
    });
    let judge = match arguments.judge {
        JudgeName::Holm => "Holm",
        JudgeName::Tukey => "randomized Tukey",
        JudgeName::Blocked => "Tukey's HSD, queries as blocks",
        JudgeName::Hsd => "Tukey's HSD, independent groups",
    };
    let level = 1.0 - arguments.confidence;
    let mut sizes: Vec<f64> = (compared.all.pairs.iter())
        .filter_map(|pair| pair.paired.detectable)
        .collect();
    sizes.sort_by(f64::total_cmp);
    let told = sizes.get(sizes.len() / 2).filter(|_| !compared.too_few);
    let told = told.map_or(String::new(), |size| {
        format!("; the test detects differences of about {size:.2} and misses smaller ones more than one time in five")
    });
    let subset = compared.subset.as_ref();
    let subset = subset.map_or(String::new(), |subset| format!("{subset}: "));
    format!(
        "{subset}{} over {} queries, with {:.0} % intervals; systems that share a letter do not differ significantly ({judge}, α = {level:.2})\n{}\npaired differences; p of the randomization test, two-sided{told}\n{}",
        compared.measure,
        grouped(compared.queries as u64),
        arguments.confidence * 100.0,
        grid::table(1, &["system", &compared.measure, "group"], systems, screen),
        grid::table(2, &heads, pairs, screen)
    )
}
