//! What is done with the file of a study or of a review: serve, import, export, status.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use barecode_web::{Study, blank_csv, export_csv, export_json, listen};
use clap::{Args, Subcommand};
use serde_json::json;

use crate::answer::Answer;
use crate::exit::{Exit, Failure};
use crate::interrupt;
use crate::session::Session;

/// What is done with the file.
#[derive(Debug, Subcommand)]
pub(super) enum Verb {
    /// Show the pages of a study or review on this machine until Ctrl-C.
    #[command(
        after_help = "Examples:\n  barecode study serve study.sqlite --port 8000\n  barecode review serve review.sqlite"
    )]
    Serve(ServeArguments),
    /// Write a rater's items as one HTML file that needs no server.
    #[command(
        after_help = "Examples:\n  barecode study offline study.sqlite --rater anna --out anna.html\n  \
                      barecode review offline review.sqlite --rater anna"
    )]
    Offline(RaterArguments),
    /// Give a rater a new token; the old one no longer works.
    #[command(
        after_help = "Examples:\n  barecode study token study.sqlite --rater anna\n  barecode review token review.sqlite --rater anna"
    )]
    Token(RaterArguments),
    /// Show how far a study or review is.
    #[command(
        after_help = "Examples:\n  barecode study status study.sqlite\n  barecode review status review.sqlite"
    )]
    Status(FileArgument),
    /// Bring in answers of offline pages, filled-in tables or patches. What is imported twice counts once.
    #[command(
        after_help = "Examples:\n  barecode study import study.sqlite answers-anna.json ratings.csv\n  \
                      barecode review import review.sqlite patch.csv"
    )]
    Import(ImportArguments),
    /// Print the answers as CSV (ratings, queries, or the patch of a review: record, decision, text, reviewer, at, note),
    /// with --json their whole history.
    #[command(
        after_help = "Examples:\n  barecode study export study.sqlite > ratings.csv\n  \
                      barecode study export writing.sqlite --blank rater-1 > to-fill-in.csv\n  barecode review export review.sqlite > reviews.csv"
    )]
    Export(ExportArguments),
}

impl Verb {
    /// Does what was asked.
    pub(super) fn run(&self, session: &Session) -> anyhow::Result<Answer> {
        match self {
            Verb::Serve(request) => serve(session, request),
            Verb::Offline(request) => offline(session, request),
            Verb::Token(request) => token(request),
            Verb::Status(request) => status(session, request),
            Verb::Import(request) => import(session, request),
            Verb::Export(request) => export(session, request),
        }
    }
}

/// The file of a study.
#[derive(Debug, Args)]
pub(super) struct FileArgument {
    /// The file of the study or review.
    file: PathBuf,
}

/// What `serve` takes.
#[derive(Debug, Args)]
pub(super) struct ServeArguments {
    /// The file of the study or review.
    file: PathBuf,
    /// The port on 127.0.0.1; a free one if it is 0.
    #[arg(long, default_value_t = 0, value_name = "PORT")]
    port: u16,
}

/// A study and one of its raters.
#[derive(Debug, Args)]
pub(super) struct RaterArguments {
    /// The file of the study or review.
    file: PathBuf,
    /// The rater.
    #[arg(long, value_name = "NAME")]
    rater: String,
}

/// What `import` takes.
#[derive(Debug, Args)]
pub(super) struct ImportArguments {
    /// The file of the study or review.
    file: PathBuf,
    /// What offline pages saved (.json), or tables (.csv).
    #[arg(required = true)]
    answers: Vec<PathBuf>,
}

/// What `export` takes.
#[derive(Debug, Args)]
pub(super) struct ExportArguments {
    /// The file of the study or review.
    file: PathBuf,
    /// In place of answers, what this rater has not answered, as a table to fill in and import.
    #[arg(long, value_name = "RATER", conflicts_with = "json")]
    blank: Option<String>,
}

/// Serves until the program is ended. Every answer that was acknowledged is on the disk, so any end will do.
fn serve(session: &Session, arguments: &ServeArguments) -> anyhow::Result<Answer> {
    let study = Study::open(&arguments.file)?;
    let right = study.serving()?;
    let listener = listen(arguments.port)?;
    let address = listener.local_addr()?;
    session.note("raters sign in with their tokens; Ctrl-C ends the server, and answers are saved as they are given");
    session.console.data(&format!("http://{address}"))?;
    thread::spawn(stop_when_asked);
    barecode_web::serve(study, right, listener)?;
    Ok(Answer::nothing())
}

#[expect(
    clippy::exit,
    reason = "the server has no end of its own, and whatever it acknowledged is on the disk"
)]
fn stop_when_asked() {
    while !interrupt::asked() {
        thread::sleep(Duration::from_millis(50));
    }
    interrupt::stopped();
    std::process::exit(Exit::Done as i32);
}

/// Writes the offline page of a rater.
fn offline(session: &Session, arguments: &RaterArguments) -> anyhow::Result<Answer> {
    let study = Study::open(&arguments.file)?;
    let page = barecode_web::offline(&study, &arguments.rater)?;
    let path = session
        .options
        .out
        .clone()
        .unwrap_or_else(|| PathBuf::from(format!("{}.html", arguments.rater)));
    fs::write(&path, page).map_err(|error| Failure::cannot_write(&path, &error))?;
    Ok(Answer::text(path.display().to_string()))
}

/// A new token.
fn token(arguments: &RaterArguments) -> anyhow::Result<Answer> {
    let token = Study::open(&arguments.file)?.new_token(&arguments.rater)?;
    Ok(Answer::text(token))
}

/// How far a study is.
fn status(session: &Session, arguments: &FileArgument) -> anyhow::Result<Answer> {
    let status = barecode_web::status(&Study::open(&arguments.file)?)?;
    session.answer(
        || json!(status),
        |_| {
            let mut lines = vec![format!(
                "{} study {}: {} items, {} answers ({} of them imported), {} changed",
                status.kind,
                status.study,
                status.items,
                status.answers,
                status.imported,
                status.changed
            )];
            let raters = status.raters.iter();
            lines.extend(
                raters.map(|one| {
                    format!("{}\t{} of {} answered", one.rater, one.answered, one.items)
                }),
            );
            Ok(lines.join("\n"))
        },
    )
}

/// Imports answers, each file whole or not at all.
fn import(session: &Session, arguments: &ImportArguments) -> anyhow::Result<Answer> {
    let mut study = Study::open(&arguments.file)?;
    let mut done = Vec::new();
    for path in &arguments.answers {
        let text = read(path)?;
        let imported = barecode_web::import(&mut study, &text, &path.display().to_string())?;
        session.note(&format!(
            "{}: {} answers, {} new ({} of them replace an earlier answer), {} known already, {} rows without an answer",
            path.display(),
            imported.answers,
            imported.stored,
            imported.replaced,
            imported.known,
            imported.empty
        ));
        done.push(json!({"file": path, "imported": imported}));
    }
    session.answer(|| json!(done), |_| Ok(String::new()))
}

/// The answers.
fn export(session: &Session, arguments: &ExportArguments) -> anyhow::Result<Answer> {
    let study = Study::open(&arguments.file)?;
    let table = match &arguments.blank {
        _ if session.options.json => return Ok(Answer::data(export_json(&study)?)),
        Some(rater) => blank_csv(&study, rater)?,
        None => export_csv(&study)?,
    };
    Ok(Answer::text(table.trim_end_matches('\n')))
}

/// The text of an input file.
pub(super) fn read(path: &Path) -> Result<String, Failure> {
    fs::read_to_string(path)
        .map_err(|error| Failure::invalid(format!("cannot read `{}`: {error}", path.display())))
}
