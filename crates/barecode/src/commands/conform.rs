//! `conform`: how much of a published benchmark our settings rebuild, text by text.
//!
//! Enters: a folder with the files that CLARC released, an original beside its other settings. Leaves: for each other
//! file, the number of its texts that our profile makes from the originals, and the reasons for the differences.

mod lowered;
mod table;

use std::path::PathBuf;

use barecode_clarc::{Unreadable, conform, find};
use clap::Args;

use crate::answer::Answer;
use crate::exit::{Exit, Failure};
use crate::session::Session;

/// Compare the `clarc` settings with CLARC's released texts.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  barecode conform clarc\n  barecode conform clarc --list")]
pub(super) struct Request {
    /// The folder of the released files: `*_original*.json`, and beside it `*_usual_renamed*.json`,
    /// `*_hash_renamed*.json`, `*_asm_short*.json`, `*_asm_long*.json` or `*_wasm*.json`.
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
    /// Print each text that differs: its id, why, and the first words that differ.
    #[arg(long)]
    list: bool,
}

/// Compares.
pub(super) fn run(session: &Session, arguments: &Request) -> anyhow::Result<Answer> {
    let files = find(&arguments.folder).map_err(invalid)?;
    if files.is_empty() {
        let message = format!(
            "`{}` has no original with a renamed file beside it",
            arguments.folder.display()
        );
        return Err(Failure::invalid(message)
            .hint("expected CLARC's file names: `NAME_original.json` beside `NAME_usual_renamed.json`, `NAME_asm_short.json` and so on")
            .into());
    }
    let mut compared = Vec::new();
    for pair in files.iter().filter(|pair| pair.is_renamed()) {
        compared.push(conform(pair).map_err(invalid)?);
    }
    compared.extend(lowered::compare_all(&files, session.console)?);
    session.answer(
        || table::json(&arguments.folder, &compared, arguments.list),
        |screen| Ok(table::terminal(&compared, arguments.list, screen)?),
    )
}

/// A released file that cannot be read.
#[expect(clippy::needless_pass_by_value, reason = "as `map_err` hands it over")]
fn invalid(error: Unreadable) -> Failure {
    Failure::of(Exit::Invalid, &error, error.hint())
}
