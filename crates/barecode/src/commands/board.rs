//! `board`: a table of results that others can check, as a folder of static files.
//!
//! Every argument is a run of a recipe, a folder of judgments and result files, or a folder of results of a board; a
//! board that exists grows. [`results`](barecode_results) reads and checks, `report::board` shows.

use std::path::{Path, PathBuf};

use barecode_formats::read_mteb_result;
use barecode_records::guarded;
use barecode_results::board::{Board, Refused};
use barecode_results::files::{self, Question};
use barecode_results::run::Run;
use barecode_results::stated::{BoardDataset, BoardQuery, BoardSubset, Evidence, SystemResult};
use barecode_scores::comparison::Plan;
use barecode_scores::{Bootstrap, Measure, MeasureError, Method, Ties};
use clap::Args;
use serde_json::json;

use super::report::{open_in_browser, word, write_pages};
use crate::answer::Answer;
use crate::exit::{Exit, Failure, classify};
use crate::layout::PAGE;
use crate::report::board::{DATASET, MEANS, Mean, RESULTS, files as board_files};
use crate::run_folder::RunFolder;
use crate::session::Session;

/// Publish results of several systems as a table with rank intervals.
///
/// Writes a folder of static files. Each result is checked: same dataset, same queries, possible values, and of runs
/// every list scored again. Refused results are listed with the reason, and the exit code is 3.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  barecode board runs/demo --out board --open\n  barecode board board/results runs/demo-minilm --out board\n  barecode board trec/ --measure RR@10 --out board\nA folder of result files has judgments (qrels.*) and a run for each system."
)]
pub(super) struct Request {
    /// Runs, folders of judgments and result files, folders of results.
    #[arg(value_name = "FOLDER", required = true)]
    folders: Vec<PathBuf>,
    /// The measure of the board; by default that of the first dataset, and nDCG@10 for result files.
    #[arg(long, short = 'm', value_name = "MEASURE")]
    measure: Option<String>,
    /// The rule for ties in result files: expected, docno, input, pessimistic or optimistic.
    #[arg(long, value_name = "RULE", default_value_t)]
    ties: Ties,
    /// Take a new result in place of one with the same name.
    #[arg(long)]
    replace: bool,
    /// Open the board in the browser.
    #[arg(long)]
    open: bool,
    /// Confidence of the intervals; the level of the tests is 1 minus this.
    #[arg(long, default_value_t = 0.95, value_name = "SHARE")]
    confidence: f64,
    /// Permutations of the tests.
    #[arg(long, value_name = "N", default_value_t = 9_999)]
    resamples: u32,
    /// The seed of all draws.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
}

/// What was read of one argument.
#[derive(Default)]
struct Arrived {
    dataset: Option<BoardDataset>,
    results: Vec<(SystemResult, String)>,
    refused: Vec<Refused>,
    means: Vec<Mean>,
}

/// Reads, checks and writes.
pub(super) fn run(session: &Session, arguments: &Request) -> anyhow::Result<Answer> {
    session.use_threads()?;
    let out = session.out_or(|| "board".into());
    let own = out.join(RESULTS);
    let is_board = own.join(DATASET).is_file();
    if out.exists() && !is_board {
        let message = format!("`{}` exists and is not a board", out.display());
        return Err(Failure::invalid(message)
            .hint("name another folder with --out")
            .into());
    }
    // A board that exists grows: its own results come first, and its dataset stays.
    let mut arrived = Vec::new();
    let mut usual = arguments.measure.clone();
    if is_board {
        arrived.push(of_files(&own, true)?);
    }
    let is_own = |folder: &Path| {
        let path = |path: &Path| path.canonicalize().ok();
        is_board && path(folder).is_some_and(|folder| Some(folder) == path(&own))
    };
    for folder in arguments.folders.iter().filter(|folder| !is_own(folder)) {
        let known: Option<&BoardDataset> = arrived
            .iter()
            .find_map(|one: &Arrived| one.dataset.as_ref());
        usual = usual.or_else(|| known.map(|dataset| dataset.measure.clone()));
        arrived.push(read(session, arguments, folder, usual.as_deref())?);
    }
    let dataset = arrived.iter().find_map(|one| one.dataset.clone());
    let Some(dataset) = dataset else {
        let message = "no argument has a dataset";
        return Err(Failure::invalid(message)
            .hint("name a run, a folder with judgments (qrels.*), or the results of a board")
            .into());
    };
    let mut board = Board::new(dataset);
    let mut means = Vec::new();
    for one in arrived {
        board.refused.extend(one.refused);
        for mean in one.means {
            if !means.contains(&mean) {
                means.push(mean);
            }
        }
        for (result, file) in one.results {
            board.add(result, &file, arguments.replace);
        }
    }
    if board.results.is_empty() {
        let failure = Failure::invalid("no result is left for the board");
        let reasons = board
            .refused
            .iter()
            .map(|one| format!("{}: {}", one.system, one.reason));
        return Err(failure.hint(reasons.collect::<Vec<_>>().join("; ")).into());
    }
    let plan = Plan {
        bootstrap: Bootstrap {
            resamples: arguments.resamples,
            confidence: arguments.confidence,
            seed: arguments.seed,
        },
        method: Method::Student,
        permutations: arguments.resamples,
    };
    let invalid =
        |error: barecode_scores::StatisticsError| Failure::of(Exit::Invalid, &error, error.hint());
    let files = board_files(&board, &means, &plan).map_err(invalid)?;
    write_pages(&out, is_board, files)?;
    let page = out.join(PAGE);
    if arguments.open {
        open_in_browser(&page)?;
    }
    let end = if board.refused.is_empty() {
        Exit::Done
    } else {
        Exit::Below
    };
    let refused = board
        .refused
        .iter()
        .map(|one| format!("refused: {} ({}): {}", one.system, one.file, one.reason));
    let refused: Vec<String> = refused.collect();
    let systems: Vec<&str> = board
        .results
        .iter()
        .map(|one| one.system.as_str())
        .collect();
    let data = || {
        json!({
            "board": page, "dataset": board.dataset.digest, "systems": systems,
            "refused": board.refused,
        })
    };
    let answer = session.answer(data, |_| Ok(page.display().to_string()))?;
    Ok(answer.noting(refused).ending(Ok(end)))
}

/// Reads one argument; `usual` is the measure, if one is known.
fn read(
    session: &Session,
    arguments: &Request,
    path: &Path,
    usual: Option<&str>,
) -> anyhow::Result<Arrived> {
    if let Ok(folder) = RunFolder::existing(path) {
        let run = Run::open(&folder, usual)?;
        let dataset = run.dataset()?;
        let (results, refused) = run.results(&dataset)?;
        let shown = path.display().to_string();
        return Ok(Arrived {
            results: results
                .into_iter()
                .map(|one| (one, shown.clone()))
                .collect(),
            dataset: Some(dataset),
            refused,
            means: Vec::new(),
        });
    }
    let inside = files_in(path, false)?;
    let is_qrels = |file: &&PathBuf| {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("qrels")
    };
    let judgments: Vec<&PathBuf> = inside.iter().filter(is_qrels).collect();
    match judgments.as_slice() {
        [] => of_files(path, false),
        [judgments] => of_lists(session, arguments, (judgments, &inside), usual),
        [first, second, ..] => {
            let message = format!(
                "`{}` has two files of judgments, `{}` and `{}`",
                path.display(),
                last(first),
                last(second)
            );
            Err(Failure::invalid(message)
                .hint("one folder is one dataset")
                .into())
        }
    }
}

/// The files of a folder, and with `below` of its folders, or the file itself, in the order of their names. Links to
/// files are followed, links to folders are not.
fn files_in(path: &Path, below: bool) -> anyhow::Result<Vec<PathBuf>> {
    let cannot = |error: std::io::Error| {
        Failure::invalid(format!("cannot read `{}`: {error}", path.display()))
    };
    if path.is_file() {
        return Ok(vec![path.to_owned()]);
    }
    let mut files = Vec::new();
    let mut folders = vec![path.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).map_err(cannot)? {
            let entry = entry.map_err(cannot)?;
            let is_folder = entry.file_type().map_err(cannot)?.is_dir();
            if is_folder && below {
                folders.push(entry.path());
            } else if !is_folder && entry.path().is_file() {
                files.push(entry.path());
            }
        }
    }
    files.sort_unstable();
    Ok(files)
}

/// Results and means in JSON files, and the dataset beside them. Evidence that a file states counts only if the file is
/// the board's own, and only the board's own dataset must be readable.
fn of_files(path: &Path, own: bool) -> anyhow::Result<Arrived> {
    let mut arrived = Arrived::default();
    for file in files_in(path, true)? {
        let (name, shown) = (last(&file), file.display().to_string());
        let is_beside = file.parent() == Some(path);
        let mut refuse = |reason: String| {
            arrived.refused.push(Refused {
                system: name.clone(),
                file: shown.clone(),
                reason,
            });
        };
        if name == DATASET && is_beside {
            match BoardDataset::read(&file) {
                Ok(dataset) => arrived.dataset = Some(dataset),
                Err(failure) if own => return Err(failure.into()),
                Err(failure) => refuse(failure.message),
            }
            continue;
        }
        let text = match guarded::text(&file) {
            Ok(text) => text,
            Err(error) => {
                refuse(format!("it cannot be read: {error}"));
                continue;
            }
        };
        if name == MEANS && is_beside {
            match serde_json::from_str::<Vec<Mean>>(&text) {
                Ok(means) => arrived.means.extend(means),
                Err(error) => refuse(format!("it is not a list of means: {error}")),
            }
            continue;
        }
        if SystemResult::looks_like(&text) {
            match SystemResult::read(&file) {
                Ok(mut result) => {
                    if !own {
                        result.evidence = Evidence::Stated;
                    }
                    arrived.results.push((result, shown));
                }
                Err(failure) => refuse(failure.message),
            }
            continue;
        }
        match read_mteb_result(&file) {
            Ok(result) => arrived.means.extend(means(&file, &result)),
            Err(_) => refuse("it is neither a result of a board nor one of MTEB".to_owned()),
        }
    }
    Ok(arrived)
}

/// The main scores of a result of MTEB, `MODEL/REVISION/TASK.json`.
fn means(file: &Path, result: &barecode_formats::MtebResult) -> Vec<Mean> {
    let model = file
        .parent()
        .and_then(Path::parent)
        .and_then(Path::file_name);
    let model = model.map_or(String::new(), |name| name.to_string_lossy().into_owned());
    let mut means = Vec::new();
    for (split, entries) in &result.scores {
        for entry in entries {
            means.push(Mean {
                model: model.clone(),
                task: format!("{}, {split}, {}", result.task_name, entry.hf_subset),
                score: entry.main_score,
                revision: result.dataset_revision.clone(),
            });
        }
    }
    means
}

/// Runs in files with their judgments: a system each.
fn of_lists(
    session: &Session,
    arguments: &Request,
    (judgments, files): (&Path, &[PathBuf]),
    usual: Option<&str>,
) -> anyhow::Result<Arrived> {
    let qrels = session.held.qrels(judgments)?;
    let usage = |error: MeasureError| Failure::new(Exit::Usage, error.to_string());
    let measure: Measure = usual.unwrap_or("nDCG@10").parse().map_err(usage)?;
    let measures = [measure.to_string()];
    let mut hasher = blake3::Hasher::new();
    let mut queries = Vec::new();
    for (query, judged) in qrels.iter().filter(|(_, judged)| !judged.is_empty()) {
        for (document, grade) in judged {
            hasher.update(json!([query, document, grade]).to_string().as_bytes());
        }
        queries.push(query.clone());
    }
    let folder = judgments.canonicalize().ok();
    let folder = folder.as_deref().and_then(Path::parent).map(last);
    let mut dataset = BoardDataset::new(
        folder.unwrap_or_default(),
        hasher.finalize().to_hex().to_string(),
        measure.to_string(),
    );
    dataset.ties = arguments.ties;
    let texts = queries.iter();
    let texts = texts.map(|query| (query.clone(), BoardQuery::default()));
    dataset.queries = texts.collect();
    dataset.subsets.push(BoardSubset {
        name: "all".to_owned(),
        queries,
        ..BoardSubset::default()
    });
    let ties = match arguments.ties {
        Ties::Expected => String::new(),
        ties => format!(" --ties {ties}"),
    };
    let mut arrived = Arrived::default();
    for file in files.iter().filter(|file| file.as_path() != judgments) {
        let system = stem(file);
        let question = Question {
            qrels: &qrels,
            path: judgments,
            measures: &measures,
            ties: arguments.ties,
            corpus: None,
            allow_unjudged: false,
        };
        let read = session.held.run(file).map_err(anyhow::Error::from);
        let scored = read.and_then(|run| {
            let scored = files::score(&question, file, &run)?;
            let ranks = files::ranks(&qrels, &run, arguments.ties)?;
            Ok((scored, ranks))
        });
        let (scored, ranks) = match scored {
            Ok(scored) => scored,
            Err(error) => {
                let failure = classify(&error);
                arrived.refused.push(Refused {
                    system,
                    file: file.display().to_string(),
                    reason: failure.message,
                });
                continue;
            }
        };
        let [judgments, run] = [judgments, file].map(|path| word(&last(path)));
        let command = format!("barecode score {judgments} {run} '{measure}'{ties}");
        let mut result = SystemResult::new(&system, &dataset, command);
        // A query that a run lacks has no value here, so the run is refused by its name.
        let values = scored.queries.iter().take(scored.in_run);
        let values = values.map(|(query, values)| {
            (
                query.clone(),
                (values[0], ranks.get(query).copied().flatten()),
            )
        });
        result.subsets.insert("all".to_owned(), values.collect());
        arrived.results.push((result, file.display().to_string()));
    }
    arrived.dataset = Some(dataset);
    Ok(arrived)
}

/// The name of a file without its ending: that of a system.
fn stem(file: &Path) -> String {
    let stem = file.file_stem().unwrap_or(file.as_os_str());
    stem.to_string_lossy().into_owned()
}

/// The last part of a path, for commands that are published.
fn last(file: &Path) -> String {
    let name = file.file_name().unwrap_or(file.as_os_str());
    name.to_string_lossy().into_owned()
}
