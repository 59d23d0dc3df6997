//! An argument of a board → a dataset, results, means, and what was refused.

use std::path::{Path, PathBuf};

use barecode_formats::run::{open_run, read_qrels};
use barecode_formats::{MtebResult, read_mteb_result};
use barecode_records::guarded;
use barecode_runs::console::word;
use barecode_runs::exit::{Exit, Failure, classify};
use barecode_runs::run_folder::RunFolder;
use barecode_scores::{Measure, MeasureError, Ties};
use serde_json::json;

use crate::board::Refused;
use crate::evaluated;
use crate::files::{self, Question};
use crate::run::Run;
use crate::stated::{
    BoardDataset, BoardQuery, BoardSubset, DATASET, Evidence, MEANS, Mean, SystemResult,
};

/// What was read of one argument.
#[derive(Debug, Default)]
pub struct Arrived {
    /// What was asked.
    pub dataset: Option<BoardDataset>,
    /// The results, each with the file or folder that it is from.
    pub results: Vec<(SystemResult, String)>,
    /// What is not a result, with the reason.
    pub refused: Vec<Refused>,
    /// Means without values of queries.
    pub means: Vec<Mean>,
}

/// Reads a run, a folder of `eval`, a folder of judgments and result files, or a folder of results. `usual` is the measure, if one is
/// known, and `ties` the treatment of equal scores in result files.
///
/// # Errors
/// The folder cannot be read, or has no scores of the measure.
pub fn read(path: &Path, usual: Option<&str>, ties: Ties) -> anyhow::Result<Arrived> {
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
    if evaluated::is_evaluated(path) {
        return evaluated::read(path, usual);
    }
    let inside = files_in(path, false)?;
    let is_qrels = |file: &&PathBuf| {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("qrels")
    };
    let judgments: Vec<&PathBuf> = inside.iter().filter(is_qrels).collect();
    match judgments.as_slice() {
        [] => of_files(path, false),
        [judgments] => of_lists((judgments, &inside), usual, ties),
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

/// Reads the results of a board itself.
///
/// # Errors
/// The dataset of the board cannot be read.
pub fn own(path: &Path) -> anyhow::Result<Arrived> {
    of_files(path, true)
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
fn means(file: &Path, result: &MtebResult) -> Vec<Mean> {
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
    (judgments, files): (&Path, &[PathBuf]),
    usual: Option<&str>,
    ties: Ties,
) -> anyhow::Result<Arrived> {
    let qrels = read_qrels(judgments)?;
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
    dataset.ties = ties;
    let texts = queries.iter();
    let texts = texts.map(|query| (query.clone(), BoardQuery::default()));
    dataset.queries = texts.collect();
    dataset.subsets.push(BoardSubset {
        name: "all".to_owned(),
        queries,
        ..BoardSubset::default()
    });
    let spelled = match ties {
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
            ties,
            corpus: None,
            allow_unjudged: false,
        };
        let read = open_run(file).map_err(anyhow::Error::from);
        let scored = read.and_then(|run| {
            let scored = files::score(&question, file, &run)?;
            let ranks = files::ranks(&qrels, &run, ties)?;
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
        let command = format!("barecode score {judgments} {run} '{measure}'{spelled}");
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
pub(crate) fn last(file: &Path) -> String {
    let name = file.file_name().unwrap_or(file.as_os_str());
    name.to_string_lossy().into_owned()
}
