//! `completions`: what a shell needs to complete our commands.

use clap::{Arg, Args, Command, ValueHint};
use clap_complete::Shell;

use crate::answer::Answer;

/// Print completions for a shell.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  barecode completions bash > ~/.local/share/bash-completion/completions/barecode"
)]
pub(super) struct Request {
    /// The shell.
    shell: Shell,
}

/// The script for `command`.
pub(super) fn run(arguments: &Request, command: Command) -> Answer {
    let mut script = Vec::new();
    let mut command = files_only_where_meant(command);
    clap_complete::generate(arguments.shell, &mut command, "barecode", &mut script);
    Answer::text(String::from_utf8_lossy(&script))
}

/// The command, with files as completions of paths only, not of measures, names and numbers.
fn files_only_where_meant(command: Command) -> Command {
    let hinted = |arg: Arg| match arg.get_value_hint() {
        ValueHint::Unknown if arg.get_action().takes_values() => arg.value_hint(ValueHint::Other),
        _ => arg,
    };
    command
        .mut_args(hinted)
        .mut_subcommands(files_only_where_meant)
}
