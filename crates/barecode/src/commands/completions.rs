//! `completions`: what a shell needs to complete our commands.

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use super::Cli;
use super::call::Call;

/// What `completions` takes.
#[derive(Debug, Args)]
pub(super) struct CompletionsArguments {
    /// The shell.
    shell: Shell,
}

/// Prints the script.
pub(super) fn run(call: &Call, arguments: &CompletionsArguments) -> anyhow::Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(
        arguments.shell,
        &mut Cli::command(),
        "barecode",
        &mut script,
    );
    call.console.data(&String::from_utf8_lossy(&script))
}
