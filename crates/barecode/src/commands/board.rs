//! `board`: a table of results that others can check, as a folder of static files.
//!
//! Every argument is a run of a recipe, a folder of `eval`, a folder of judgments and result files, or a folder of
//! results of a board; a board that exists grows. [`results`](barecode_results) reads and checks, `report::board` shows.

use std::path::{Path, PathBuf};

use barecode_results::arrived::{self, Arrived};
use barecode_results::board::Board;
use barecode_results::stated::{BoardDataset, DATASET, RESULTS};
use barecode_scores::comparison::Plan;
use barecode_scores::{Bootstrap, Method, Ties};
use clap::Args;
use serde_json::json;

use super::report::{open_in_browser, write_pages};
use crate::answer::Answer;
use crate::exit::{Exit, Failure};
use crate::layout::PAGE;
use crate::report::board::files as board_files;
use crate::session::Session;

/// Publish results of several systems as a table with rank intervals.
///
/// Writes a folder of static files. Each result is checked: same dataset, same queries, possible values, and of runs
/// every list scored again. Refused results are listed with the reason, and the exit code is 3.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  barecode board runs/demo --out board --open\n  barecode board eval/scifact --out board\n  barecode board board/results runs/demo-minilm --out board\n  barecode board trec/ --measure RR@10 --out board\nA folder of result files has judgments (qrels.*) and a run for each system."
)]
pub(super) struct Request {
    /// Runs, folders of `eval`, folders of judgments and result files, folders of results.
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
        arrived.push(arrived::own(&own)?);
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
        arrived.push(arrived::read(folder, usual.as_deref(), arguments.ties)?);
    }
    let dataset = arrived.iter().find_map(|one| one.dataset.clone());
    let Some(dataset) = dataset else {
        let message = "no argument has a dataset";
        return Err(Failure::invalid(message)
            .hint("name a run, a folder of eval, a folder with judgments (qrels.*), or the results of a board")
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
