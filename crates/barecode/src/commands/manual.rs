//! `manual`: the man pages of all commands, for packagers.

use std::fs;
use std::path::PathBuf;

use clap::{Args, Command};

use crate::answer::Answer;
use crate::exit::Failure;
use crate::session::Session;

/// Write the man pages of all commands into a folder.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  barecode manual ~/.local/share/man/man1")]
pub(super) struct Request {
    /// The folder to write, made if it is missing.
    folder: PathBuf,
}

/// Writes `barecode.1`, `barecode-audit.1`, … of `command`.
pub(super) fn run(
    session: &Session,
    arguments: &Request,
    command: Command,
) -> anyhow::Result<Answer> {
    let folder = &arguments.folder;
    fs::create_dir_all(folder)
        .and_then(|()| clap_mangen::generate_to(command, folder))
        .map_err(|error| Failure::cannot_write(folder, &error))?;
    session.note(&format!("wrote {}", folder.display()));
    Ok(Answer::text(""))
}
