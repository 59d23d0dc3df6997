//! What is done with the file of a study or of a review: serve, import, export, status.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use barecode_web::{Study, blank_csv, export_csv, export_json, listen};
use clap::Args;
use serde_json::json;

use super::super::call::Call;
use crate::exit::{Exit, Failure};
use crate::interrupt;

/// The file of a study.
#[derive(Debug, Args)]
pub(crate) struct FileArgument {
    /// The file of the study or review.
    file: PathBuf,
}

/// What `serve` takes.
#[derive(Debug, Args)]
pub(crate) struct ServeArguments {
    /// The file of the study or review.
    file: PathBuf,
    /// The port on 127.0.0.1; a free one if it is 0.
    #[arg(long, default_value_t = 0, value_name = "PORT")]
    port: u16,
}

/// A study and one of its raters.
#[derive(Debug, Args)]
pub(crate) struct RaterArguments {
    /// The file of the study or review.
    file: PathBuf,
    /// The rater.
    #[arg(long, value_name = "NAME")]
    rater: String,
}

/// What `import` takes.
#[derive(Debug, Args)]
pub(crate) struct ImportArguments {
    /// The file of the study or review.
    file: PathBuf,
    /// What offline pages saved (.json), or tables (.csv).
    #[arg(required = true)]
    answers: Vec<PathBuf>,
}

/// What `export` takes.
#[derive(Debug, Args)]
pub(crate) struct ExportArguments {
    /// The file of the study or review.
    file: PathBuf,
    /// In place of answers, what this rater has not answered, as a table to fill in and import.
    #[arg(long, value_name = "RATER", conflicts_with = "json")]
    blank: Option<String>,
}

/// Serves until the program is ended. Every answer that was acknowledged is on the disk, so any end will do.
pub(crate) fn serve(call: &Call, arguments: &ServeArguments) -> anyhow::Result<()> {
    let study = Study::open(&arguments.file)?;
    let right = study.serving()?;
    let listener = listen(arguments.port)?;
    let address = listener.local_addr()?;
    call.console.note("raters sign in with their tokens; Ctrl-C ends the server, and answers are saved as they are given");
    call.console.data(&format!("http://{address}"))?;
    thread::spawn(stop_when_asked);
    Ok(barecode_web::serve(study, right, listener)?)
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
pub(crate) fn offline(call: &Call, arguments: &RaterArguments) -> anyhow::Result<()> {
    let study = Study::open(&arguments.file)?;
    let page = barecode_web::offline(&study, &arguments.rater)?;
    let path = call
        .options
        .out
        .clone()
        .unwrap_or_else(|| PathBuf::from(format!("{}.html", arguments.rater)));
    fs::write(&path, page).map_err(|error| Failure::cannot_write(&path, &error))?;
    call.console.data(&path.display().to_string())
}

/// Prints a new token.
pub(crate) fn token(call: &Call, arguments: &RaterArguments) -> anyhow::Result<()> {
    let token = Study::open(&arguments.file)?.new_token(&arguments.rater)?;
    call.console.data(&token)
}

/// Prints how far a study is.
pub(crate) fn status(call: &Call, arguments: &FileArgument) -> anyhow::Result<()> {
    let status = barecode_web::status(&Study::open(&arguments.file)?)?;
    if call.options.json {
        return call.console.json(&serde_json::to_value(&status)?);
    }
    let mut lines = vec![format!(
        "{} study {}: {} items, {} answers ({} of them imported), {} changed",
        status.kind, status.study, status.items, status.answers, status.imported, status.changed
    )];
    lines.extend(
        status
            .raters
            .iter()
            .map(|one| format!("{}\t{} of {} answered", one.rater, one.answered, one.items)),
    );
    call.console.data(&lines.join("\n"))
}

/// Imports answers, each file whole or not at all.
pub(crate) fn import(call: &Call, arguments: &ImportArguments) -> anyhow::Result<()> {
    let mut study = Study::open(&arguments.file)?;
    let mut done = Vec::new();
    for path in &arguments.answers {
        let text = read(path)?;
        let imported = barecode_web::import(&mut study, &text, &path.display().to_string())?;
        call.console.note(&format!(
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
    if call.options.json {
        call.console.json(&json!(done))
    } else {
        Ok(())
    }
}

/// Prints the answers.
pub(crate) fn export(call: &Call, arguments: &ExportArguments) -> anyhow::Result<()> {
    let study = Study::open(&arguments.file)?;
    if call.options.json {
        return call.console.json(&export_json(&study)?);
    }
    let table = match &arguments.blank {
        Some(rater) => blank_csv(&study, rater)?,
        None => export_csv(&study)?,
    };
    call.console.data(table.trim_end_matches('\n'))
}

/// The text of an input file.
pub(crate) fn read(path: &Path) -> Result<String, Failure> {
    fs::read_to_string(path)
        .map_err(|error| Failure::invalid(format!("cannot read `{}`: {error}", path.display())))
}
