//! Operations on the file of a study or of a review: serve, import, export, status.

use std::fs;
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use barecode_web::{Study, StudyError, blank_csv, export_csv, export_json, listen};
use clap::{Args, Subcommand};
use serde_json::json;

use crate::answer::Answer;
use crate::console::Console;
use crate::exit::{Exit, Failure, read_text};
use crate::interrupt;
use crate::session::Session;

/// What is done with the file.
#[derive(Debug, Subcommand)]
pub(super) enum Verb {
    /// Show the pages of a study or review on this machine until Ctrl-C.
    #[command(
        after_help = "Examples:\n  barecode study serve study.sqlite --port 8000\n  barecode review serve review.sqlite"
    )]
    Serve {
        #[command(flatten)]
        study: FileArgument,
        /// The port on 127.0.0.1; a free one if it is 0.
        #[arg(long, default_value_t = 0, value_name = "PORT")]
        port: u16,
    },
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
    /// Show the progress of a study or review.
    #[command(
        after_help = "Examples:\n  barecode study status study.sqlite\n  barecode review status review.sqlite"
    )]
    Status(FileArgument),
    /// Bring in answers of offline pages, filled-in tables or patches. Repeated imports count once.
    #[command(
        after_help = "Examples:\n  barecode study import study.sqlite answers-anna.json ratings.csv\n  \
                      barecode review import review.sqlite patch.csv"
    )]
    Import {
        #[command(flatten)]
        study: FileArgument,
        /// Files that offline pages saved (.json), or tables (.csv).
        #[arg(required = true)]
        answers: Vec<PathBuf>,
    },
    /// Print the answers as CSV (ratings, queries, or the patch of a review: record, decision, text, reviewer, at, note),
    /// with --json their whole history.
    #[command(
        after_help = "Examples:\n  barecode study export study.sqlite > ratings.csv\n  \
                      barecode study export writing.sqlite --blank rater-1 > to-fill-in.csv\n  barecode review export review.sqlite > reviews.csv"
    )]
    Export {
        #[command(flatten)]
        study: FileArgument,
        /// Instead of answers, print the open items of this rater, as a table to fill in and import.
        #[arg(long, value_name = "RATER", conflicts_with = "json")]
        blank: Option<String>,
    },
}

impl Verb {
    /// Runs the verb.
    pub(super) fn run(&self, session: &Session) -> anyhow::Result<Answer> {
        match self {
            Verb::Serve { study, port } => serve(session, study.open()?, *port),
            Verb::Offline(RaterArguments { study, rater }) => {
                offline(session, &study.open()?, rater)
            }
            Verb::Token(RaterArguments { study, rater }) => {
                Ok(Answer::text(study.open()?.new_token(rater)?))
            }
            Verb::Status(study) => status(session, &study.open()?),
            Verb::Import { study, answers } => import(session, study.open()?, answers),
            Verb::Export { study, blank } => export(session, &study.open()?, blank.as_deref()),
        }
    }
}

/// The file of a study.
#[derive(Debug, Args)]
pub(super) struct FileArgument {
    /// The file of the study or review.
    file: PathBuf,
}

impl FileArgument {
    fn open(&self) -> Result<Study, StudyError> {
        Study::open(&self.file)
    }
}

/// A study and one of its raters.
#[derive(Debug, Args)]
pub(super) struct RaterArguments {
    #[command(flatten)]
    study: FileArgument,
    /// The rater.
    #[arg(long, value_name = "NAME")]
    rater: String,
}

/// Serves until the program is ended. Every answer that was acknowledged is on the disk, so any end is safe.
fn serve(session: &Session, study: Study, port: u16) -> anyhow::Result<Answer> {
    let right = study.serving()?;
    let listener = listen(port)?;
    let address = listener.local_addr()?;
    session.note("raters sign in with their tokens; Ctrl-C ends the server, and answers are saved as they are given");
    session.console.data(&format!("http://{address}"))?;
    let console = session.console;
    thread::spawn(move || stop_when_asked(console));
    barecode_web::serve(study, right, listener)?;
    Ok(Answer::text(""))
}

#[expect(
    clippy::exit,
    reason = "the server has no end of its own, and whatever it acknowledged is on the disk"
)]
fn stop_when_asked(console: Console) {
    while !console.is_stopped() {
        thread::sleep(Duration::from_millis(50));
    }
    interrupt::stopped();
    std::process::exit(Exit::Done as i32);
}

/// Writes the offline page of a rater.
fn offline(session: &Session, study: &Study, rater: &str) -> anyhow::Result<Answer> {
    let page = barecode_web::offline(study, rater)?;
    let path = session.out_or(|| format!("{rater}.html").into());
    fs::write(&path, page).map_err(|error| Failure::cannot_write(&path, &error))?;
    Ok(Answer::text(path.display().to_string()))
}

/// Reports the progress of a study.
fn status(session: &Session, study: &Study) -> anyhow::Result<Answer> {
    let status = barecode_web::status(study)?;
    session.answer(
        || json!(status),
        |_| {
            let mut lines = vec![format!(
                "{} study {}: {} items, {} answers ({} of them imported), {} changed, {} that cannot judge",
                status.kind,
                status.study,
                status.items,
                status.answers,
                status.imported,
                status.changed,
                status.unjudged
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
fn import(session: &Session, mut study: Study, answers: &[PathBuf]) -> anyhow::Result<Answer> {
    let mut done = Vec::new();
    for path in answers {
        let text = read_text(path)?;
        let imported = barecode_web::import(&mut study, &text, &path.display().to_string())?;
        session.note(&format!(
            "{}: {} answers, {} new ({} of them replace an earlier answer, {} were given before the one that counts), {} known \
             already, {} rows without an answer",
            path.display(),
            imported.answers,
            imported.stored,
            imported.replaced,
            imported.older,
            imported.known,
            imported.empty
        ));
        done.push(json!({"file": path, "imported": imported}));
    }
    session.answer(|| json!(done), |_| Ok(String::new()))
}

/// The answers.
fn export(session: &Session, study: &Study, blank: Option<&str>) -> anyhow::Result<Answer> {
    let table = match blank {
        _ if session.options.json => return Ok(Answer::data(export_json(study)?)),
        Some(rater) => blank_csv(study, rater)?,
        None => export_csv(study)?,
    };
    Ok(Answer::text(table.trim_end_matches('\n')))
}
