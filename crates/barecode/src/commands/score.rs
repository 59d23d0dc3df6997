//! Scores: the stage of a run, and of files that others made.
//!
//! If the only argument is a recipe, [`stages::score`](crate::stages::score) scores its run, and compares the settings
//! and the retrievers with each other. Two or more arguments are judgments, a run, and measures, which
//! `results` reads and scores. Then [`lines`] shows the scores as `ir_measures` does, or [`mteb`] writes them as a result of MTEB.

use std::path::PathBuf;

use barecode_records::Stage;
use barecode_results::files::{self, Question};
use barecode_scores::Ties;
use clap::Args;

use crate::answer::Answer;
use crate::commands::build;
use crate::recipe::Recipe;
use crate::session::{Session, Spending};

mod lines;
mod mteb;

/// Score result files against judgments, or a run (stage 7 of 8).
#[derive(Debug, Args)]
#[command(
    override_usage = "barecode score [OPTIONS] <RECIPE>\n       barecode score [OPTIONS] <QRELS> <RUN> [MEASURES]...",
    after_help = "Examples:\n  barecode score recipes/demo.toml --json | jq '.scores[0]'\n  barecode score qrels.txt run.txt 'nDCG@10 RR(rel=2)@10' AP\n  barecode score qrels.tsv run.json.gz R@5 -q --ties docno"
)]
pub(crate) struct Request {
    /// The recipe of a run, a TOML file; or the judgments: TREC qrels, BEIR's table, ranx JSON or Parquet.
    #[arg(value_name = "RECIPE|QRELS")]
    first: PathBuf,
    /// The run: TREC, ranx JSON or Parquet, BEIR's or MTEB's predictions.
    run: Option<PathBuf>,
    /// Measures in the notation of `ir_measures`, in one argument or in several (default: nDCG@10).
    #[arg(requires = "run")]
    measures: Vec<String>,
    /// Also print the values of each query.
    #[arg(short = 'q', long, alias = "by_query", requires = "run")]
    by_query: bool,
    /// With --by-query, omit the means.
    #[arg(short = 'n', long, alias = "no_summary", requires = "by_query")]
    no_summary: bool,
    /// Decimal places; -1 for all.
    #[arg(short = 'p', long, value_name = "N", default_value_t = 4, allow_negative_numbers = true,
          value_parser = clap::value_parser!(i8).range(-1..=17))]
    places: i8,
    /// The rule for ties: expected, docno, input, pessimistic or optimistic.
    #[arg(long, value_name = "RULE", default_value_t, requires = "run")]
    ties: Ties,
    /// All documents, a JSONL file with `_id` or `id`, `title` and `text`: adds ceilings and floors, and makes a
    /// retrieved document that is not among them an error.
    #[arg(long, value_name = "FILE", requires = "run")]
    corpus: Option<PathBuf>,
    /// Score a run of which no document is judged for any query, which is refused otherwise.
    #[arg(long, requires = "run")]
    allow_unjudged: bool,
    /// Write the means as a result of MTEB too: `results/MODEL/REVISION/TASK.json`, named by its task.
    #[arg(long, value_name = "FILE", requires = "run")]
    mteb: Option<PathBuf>,
}

/// Scores a run's stage or files.
pub(crate) fn run(session: &Session, arguments: &Request) -> anyhow::Result<Answer> {
    match &arguments.run {
        None => {
            let (recipe, stage) = (Recipe::read(&arguments.first)?, Some(Stage::Score));
            build::run(session, recipe, stage, None, &Spending::default())
        }
        Some(run) => {
            session.use_threads()?;
            let qrels = session.held.qrels(&arguments.first)?;
            let question = Question {
                qrels: &qrels,
                path: &arguments.first,
                measures: &arguments.measures,
                ties: arguments.ties,
                corpus: arguments.corpus.as_deref(),
                allow_unjudged: arguments.allow_unjudged,
            };
            let scored = files::score(&question, run, &*session.held.run(run)?)?;
            scored.notes.iter().for_each(|note| session.note(note));
            if let Some(path) = &arguments.mteb {
                mteb::write(path, &scored)?;
            }
            lines::answer(session, arguments, &scored)
        }
    }
}
