//! `review`: a person keeps, drops or edits records, and the patch that comes of it.

use std::path::PathBuf;

use barecode_web::{Design, Kind, NewStudy};
use clap::{Args, Subcommand};

use super::call::Call;
use super::study::{create, file, items};

/// What `review` takes.
#[derive(Debug, Args)]
pub(super) struct ReviewArguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Make a review of records: the queries of a run, rows of a file, or what an audit found.
    #[command(
        after_help = "Examples:\n  barecode review new runs/demo --out review.sqlite\n  barecode review new findings.json --reviewer anna"
    )]
    New(NewArguments),
    /// Show the pages of a review on this machine until Ctrl-C.
    #[command(after_help = "Example:\n  barecode review serve review.sqlite")]
    Serve(file::ServeArguments),
    /// Write a reviewer's records as one HTML file that needs no server.
    #[command(after_help = "Example:\n  barecode review offline review.sqlite --rater anna")]
    Offline(file::RaterArguments),
    /// Give a reviewer a new token; the old one no longer works.
    #[command(after_help = "Example:\n  barecode review token review.sqlite --rater anna")]
    Token(file::RaterArguments),
    /// Show how far a review is.
    #[command(after_help = "Example:\n  barecode review status review.sqlite")]
    Status(file::FileArgument),
    /// Bring in answers of offline pages or patches. What is imported twice counts once.
    #[command(after_help = "Example:\n  barecode review import review.sqlite patch.csv")]
    Import(file::ImportArguments),
    /// Print the patch: record, decision, text, reviewer, at, note; with --json the whole history.
    #[command(after_help = "Example:\n  barecode review export review.sqlite > reviews.csv")]
    Export(file::ExportArguments),
}

/// What `review new` takes.
#[derive(Debug, Args)]
struct NewArguments {
    /// A run folder, its recipe, a .csv or .jsonl with `id`, `text` and `code`, or the .json of `barecode audit --json`.
    records: PathBuf,
    /// A reviewer; several divide the records among themselves.
    #[arg(long, default_value = "reviewer", value_name = "NAME")]
    reviewer: Vec<String>,
    /// What reviewers are asked.
    #[arg(long, value_name = "TEXT")]
    question: Option<String>,
}

/// Does what was asked.
pub(super) fn run(call: &Call, arguments: &ReviewArguments) -> anyhow::Result<()> {
    match &arguments.verb {
        Verb::New(arguments) => new(call, arguments),
        Verb::Serve(arguments) => file::serve(call, arguments),
        Verb::Offline(arguments) => file::offline(call, arguments),
        Verb::Token(arguments) => file::token(call, arguments),
        Verb::Status(arguments) => file::status(call, arguments),
        Verb::Import(arguments) => file::import(call, arguments),
        Verb::Export(arguments) => file::export(call, arguments),
    }
}

fn new(call: &Call, arguments: &NewArguments) -> anyhow::Result<()> {
    let raters = arguments.reviewer.clone();
    let study = NewStudy {
        kind: Kind::Review,
        items: items::records(&arguments.records)?,
        sources: Default::default(),
        question: arguments
            .question
            .clone()
            .unwrap_or_else(|| Kind::Review.question().to_owned()),
        design: Design {
            per_group: None,
            shared: 0,
            raters: raters.len(),
            seed: 0,
        },
        raters,
    };
    create(call, &study, "review.sqlite")
}
