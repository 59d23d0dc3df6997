//! `manual`: the man pages of all commands, for those who make packages.

use std::fs;
use std::path::PathBuf;

use clap::{Args, CommandFactory};

use super::Cli;
use super::call::Call;
use crate::exit::Failure;

/// What `manual` takes.
#[derive(Debug, Args)]
pub(super) struct ManualArguments {
    /// The folder to write, made if it is missing.
    folder: PathBuf,
}

/// Writes `barecode.1`, `barecode-audit.1`, ….
pub(super) fn run(call: &Call, arguments: &ManualArguments) -> anyhow::Result<()> {
    let folder = &arguments.folder;
    fs::create_dir_all(folder)
        .and_then(|()| clap_mangen::generate_to(Cli::command(), folder))
        .map_err(|error| Failure::cannot_write(folder, &error))?;
    call.console.note(&format!("wrote {}", folder.display()));
    Ok(())
}
