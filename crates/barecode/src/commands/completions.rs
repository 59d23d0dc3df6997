//! `completions`: what a shell needs to complete our commands.

use clap::{Arg, Args, Command, CommandFactory, ValueHint};
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
    let mut command = files_only_where_meant(Cli::command());
    clap_complete::generate(arguments.shell, &mut command, "barecode", &mut script);
    call.console.data(&String::from_utf8_lossy(&script))
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
