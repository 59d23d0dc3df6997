//! `completions`: what a shell needs to complete our commands.

use clap::builder::PossibleValuesParser;
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

/// Values that are offered, by the name that help has for them; anything else may be typed.
const VALUES: [(&str, &str); 3] = [
    (
        "MEASURE",
        "nDCG@10 RR RR@10 AP R@1 R@5 R@10 R@20 P@1 P@10 Success@1 Success@5",
    ),
    (
        "MODEL",
        "bm25 structural jaccard random local: hf: openai: anthropic: voyage: cohere: jina: gemini: tei: openai+ process: \
         vectors: run:",
    ),
    (
        "SETTING|PIPELINE",
        "neutralized randomized canonical assembly-o0 assembly-o2 wasm llvm-ir",
    ),
];

/// The command, with files as completions of paths only, not of measures, names and numbers.
fn files_only_where_meant(command: Command) -> Command {
    let hinted = |arg: Arg| {
        let name = arg.get_value_names().and_then(|names| names.first());
        let known = name.and_then(|name| VALUES.iter().find(|(known, _)| name == known));
        match (known, arg.get_value_hint()) {
            (Some((_, values)), _) => {
                arg.value_parser(PossibleValuesParser::new(values.split_whitespace()))
            }
            (None, ValueHint::Unknown) if arg.get_action().takes_values() => {
                arg.value_hint(ValueHint::Other)
            }
            _ => arg,
        }
    };
    command
        .mut_args(hinted)
        .mut_subcommands(files_only_where_meant)
}
