//! The command line: one file per verb, in the order of the flow, then those that only read.
//!
//! A file has a `Request`, which is the command's options and help, and `run(&Session, &Request) -> Result<Answer>`.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use barecode_records::Stage;
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::answer::Answer;
use crate::exit::Exit;
use crate::recipe::Recipe;
use crate::session::{Options, Session, Spending};
use crate::share::Share;

mod chosen;
mod build;
pub(crate) mod score;
mod list;
mod verify;
mod show;
mod stats;
mod audit;
mod eval;
mod pairs;
mod probe;
mod cache;
mod classify;
mod board;
mod compare;
mod robustness;
mod shift;
mod study;
mod conform;
mod convert;
mod release;
mod report;
mod doctor;
mod demo;
mod train;
mod trial;
mod completions;
mod version;
mod manual;

/// Does your code search still work when the names are bad?
///
/// barecode builds code-retrieval benchmarks, strips the code one layer at a time, and scores what is left. Results
/// go to stdout, everything else to stderr. Interrupted runs resume: run the same command again.
#[derive(Debug, Parser)]
#[command(name = "barecode", version, after_help = Exit::table(), max_term_width = 110, disable_help_subcommand = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    pub(crate) options: Options,
}

/// A recipe on the command line.
#[derive(Debug, Args)]
pub(crate) struct RecipeArgument {
    /// The recipe, a TOML file.
    recipe: PathBuf,
}

/// A recipe, and whether only a share of the stage is to be done.
#[derive(Debug, Args)]
pub(crate) struct ShareArguments {
    /// The recipe, a TOML file.
    recipe: PathBuf,
    /// Do the I-th of N shares of the stage. Each share is done by its own process, on any machine, in one run
    /// folder or in several that are merged afterwards.
    #[arg(long, value_name = "I/N")]
    shard: Option<Share>,
}

/// A recipe, what its models may take, and whether only a share of the stage is to be done.
#[derive(Debug, Args)]
pub(crate) struct CallingArguments {
    /// The recipe, a TOML file.
    recipe: PathBuf,
    /// Do the I-th of N shares of the stage. Each share is done by its own process, on any machine, in one run
    /// folder or in several that are merged afterwards.
    #[arg(long, value_name = "I/N", conflicts_with = "dry_run")]
    shard: Option<Share>,
    #[command(flatten)]
    spending: Spending,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run a recipe: mine, strip, query, retrieve and score.
    #[command(
        after_help = "Examples:\n  barecode build recipes/demo.toml --threads 2\n  barecode build recipes/embeddings.toml --budget 2"
    )]
    Build {
        #[command(flatten)]
        recipe: RecipeArgument,
        #[command(flatten)]
        spending: Spending,
    },
    /// Find functions in the sources, each with everything it needs (stage 1 of 8).
    #[command(
        after_help = "Examples:\n  barecode extract recipes/demo.toml\n  barecode extract recipes/demo.toml --shard 1/4"
    )]
    Extract(ShareArguments),
    /// Select the solutions of a problem (between stages 1 and 2, for programs).
    #[command(
        after_help = "Examples:\n  barecode choose recipes/python.toml\n  barecode choose recipes/python.toml --dry-run"
    )]
    Choose {
        #[command(flatten)]
        recipe: RecipeArgument,
        #[command(flatten)]
        spending: Spending,
    },
    /// Compile each function by itself (stage 2 of 8).
    #[command(
        after_help = "Examples:\n  barecode check recipes/demo.toml\n  barecode check recipes/demo.toml --shard 1/4"
    )]
    Check(ShareArguments),
    /// Rename or lower each function under every setting, and prove it (stage 3 of 8).
    #[command(
        after_help = "Examples:\n  barecode vary recipes/demo.toml\n  barecode vary recipes/demo.toml --shard 1/4"
    )]
    Vary(ShareArguments),
    /// Make queries from doc comments (stage 4 of 8).
    #[command(
        after_help = "Examples:\n  barecode query recipes/demo.toml\n  barecode query recipes/demo.toml --shard 1/4\n  \
                      barecode query recipes/written.toml --dry-run"
    )]
    Query(CallingArguments),
    /// Assemble units, variants and queries into a dataset (stage 5 of 8).
    #[command(after_help = "Example:\n  barecode assemble recipes/demo.toml")]
    Assemble(RecipeArgument),
    /// Run every retriever on every query (stage 6 of 8).
    #[command(
        after_help = "Examples:\n  barecode retrieve recipes/demo.toml\n  barecode retrieve recipes/demo.toml --shard 1/4\n  \
                      barecode retrieve recipes/embeddings.toml --dry-run"
    )]
    Retrieve(CallingArguments),
    Score(score::Request),
    Report(report::Request),
    List(list::Request),
    Verify(verify::Request),
    Show(show::Request),
    Stats(stats::Request),
    Audit(audit::Request),
    Eval(eval::Request),
    Probe(probe::Request),
    Train(train::Request),
    Classify(classify::Request),
    Cache(cache::Request),
    Compare(compare::Request),
    Board(board::Request),
    Robustness(robustness::Request),
    Shift(shift::Request),
    Study(study::Request),
    Review(study::ReviewArguments),
    Conform(conform::Request),
    Convert(convert::Request),
    Pairs(pairs::Request),
    Release(release::Request),
    #[command(name = "try")]
    Try(trial::Request),
    /// Check which tools are installed, and how to install the rest.
    #[command(after_help = "Example:\n  barecode doctor")]
    Doctor,
    /// Build a small benchmark from C code, without a download.
    ///
    /// In a checkout, the code is that of C libraries in Cargo packages; elsewhere, a small library that barecode
    /// carries.
    #[command(after_help = "Example:\n  barecode demo --out /tmp/demo")]
    Demo,
    Completions(completions::Request),
    #[command(hide = true)]
    Manual(manual::Request),
}

/// The commands by purpose, those that most users need first.
const SHELVES: [(&str, &str); 5] = [
    ("Start", "try build demo doctor"),
    ("Look", "show list stats robustness report"),
    ("Score", "eval compare board score audit probe"),
    ("Data", "convert release pairs train"),
    ("People", "study review"),
];

/// The stages of `build`, and commands that few users need: `help --all` lists them too.
const MORE: [(&str, &str); 2] = [
    (
        "Stages",
        "extract choose check vary query assemble retrieve",
    ),
    ("More", "classify verify shift conform cache completions"),
];

impl Cli {
    /// Reads a command line, whose first word is the program's name; `help VERB` is `VERB --help`. Help of the program
    /// is short unless `--all` is given.
    pub(crate) fn read(words: impl IntoIterator<Item = OsString>) -> Result<Self, clap::Error> {
        let mut words: Vec<OsString> = words.into_iter().collect();
        if words.get(1).is_some_and(|word| word == "help") {
            words.remove(1);
            words.push("--help".into());
        }
        let is_asked = |word: &OsString| word == "--help" || word == "-h";
        let is_all = words.len() == 3 && words[1..].iter().any(|word| word == "--all");
        if is_all && words.iter().any(is_asked) {
            words.retain(|word| word != "--all");
        }
        let mut command = Cli::command();
        let is_version = |word: &OsString| word == "--version" || word == "-V";
        let is_verbose = |word: &OsString| word == "--verbose" || word == "-v";
        if words.len() == 3 && words.iter().any(is_version) && words.iter().any(is_verbose) {
            words.retain(|word| !is_verbose(word));
            command = command.version(version::TEXT.as_str());
        }
        let mut shelves = String::new();
        let more = MORE.into_iter().filter(|_| is_all);
        for (heading, verbs) in SHELVES.into_iter().chain(more) {
            let _ = writeln!(shelves, "{heading}:");
            for verb in verbs.split(' ') {
                let of_verb = command.find_subcommand(verb);
                let about = of_verb.and_then(clap::Command::get_about);
                let about = about.map(ToString::to_string).unwrap_or_default();
                let _ = writeln!(shelves, "  {verb:<12} {about}");
            }
            shelves.push('\n');
        }
        let template = if is_all {
            format!(
                "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{shelves}{{all-args}}{{after-help}}"
            )
        } else {
            let [(_, stages), (_, more)] =
                MORE.map(|(name, verbs)| (name, verbs.replace(' ', ", ")));
            format!(
                "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{shelves}Stages of `build`: {stages}, score, report\n\
                 More: {more}\n\n`barecode help COMMAND` shows a command with examples; `barecode help --all` lists all commands,\n\
                 the options that they share, and exit codes.\n"
            )
        };
        // The list of clap has no headings.
        let command = command
            .mut_subcommands(|verb| verb.hide(true))
            .mut_args(|option| {
                let is_everywhere = option.is_global_set();
                option.hide_short_help(is_everywhere)
            })
            .override_usage("barecode [OPTIONS] <COMMAND>");
        let about = command.get_about().filter(|_| !is_all).cloned();
        let command = match about {
            Some(about) => command.long_about(about),
            None => command,
        };
        let command = command.help_template(template);
        Cli::from_arg_matches(&command.try_get_matches_from(words)?)
    }

    /// Runs the command.
    pub(crate) fn run(self, session: &Session) -> anyhow::Result<Answer> {
        let stage = |stage, recipe: &Path, shard, spending: &Spending| {
            build::run(session, Recipe::read(recipe)?, stage, shard, spending)
        };
        let free = Spending::default();
        let share =
            |of, request: ShareArguments| stage(Some(of), &request.recipe, request.shard, &free);
        let spend = |of, request: CallingArguments| {
            stage(Some(of), &request.recipe, request.shard, &request.spending)
        };
        let whole = |of, request: RecipeArgument| stage(Some(of), &request.recipe, None, &free);
        match self.command {
            Command::Build { recipe, spending } => stage(None, &recipe.recipe, None, &spending),
            Command::Extract(request) => share(Stage::Extract, request),
            Command::Choose { recipe, spending } => {
                stage(Some(Stage::Choose), &recipe.recipe, None, &spending)
            }
            Command::Check(request) => share(Stage::Check, request),
            Command::Vary(request) => share(Stage::Vary, request),
            Command::Assemble(request) => whole(Stage::Assemble, request),
            Command::Query(request) => spend(Stage::Query, request),
            Command::Retrieve(request) => spend(Stage::Retrieve, request),
            Command::Score(request) => score::run(session, &request),
            Command::Report(request) => report::run(session, &request),
            Command::List(request) => list::run(session, &request),
            Command::Verify(request) => verify::run(session, &request),
            Command::Show(request) => show::run(session, &request),
            Command::Stats(request) => stats::run(session, &request),
            Command::Audit(request) => audit::run(session, &request),
            Command::Eval(request) => eval::run(session, &request),
            Command::Probe(request) => probe::run(session, &request),
            Command::Train(request) => train::run(session, &request),
            Command::Classify(request) => classify::run(session, &request),
            Command::Cache(request) => cache::run(session, &request),
            Command::Compare(request) => compare::run(session, &request),
            Command::Board(request) => board::run(session, &request),
            Command::Robustness(request) => robustness::run(session, &request),
            Command::Shift(request) => shift::run(session, &request),
            Command::Study(request) => study::run(session, &request),
            Command::Review(request) => study::run_review(session, &request),
            Command::Conform(request) => conform::run(session, &request),
            Command::Convert(request) => convert::run(session, &request),
            Command::Pairs(request) => pairs::run(session, &request),
            Command::Release(request) => release::run(session, &request),
            Command::Doctor => doctor::run(session),
            Command::Demo => demo::run(session),
            Command::Try(request) => trial::run(session, &request),
            Command::Completions(request) => Ok(completions::run(&request, Cli::command())),
            Command::Manual(request) => manual::run(session, &request, Cli::command()),
        }
    }
}

#[cfg(test)]
mod example;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::console::Console;
    use crate::session::Held;

    #[derive(Parser)]
    struct Alone {
        #[command(flatten)]
        request: example::Request,
        #[command(flatten)]
        options: Options,
    }

    #[test]
    fn the_example_of_a_command_answers_people_and_machines() {
        let document = include_str!("../../../../CONTRIBUTING.md");
        assert!(document.contains(include_str!("example.rs")));
        let recipe = concat!(env!("CARGO_MANIFEST_DIR"), "/../../recipes/demo.toml");
        for (option, shown) in [("--quiet", "sources"), ("--json", "\"sources\"")] {
            let alone = Alone::parse_from(["sources", recipe, option]);
            let session = Session {
                console: Console::new(alone.options.color, true, false),
                held: Held::default(),
                options: alone.options,
            };
            let answer = example::run(&session, &alone.request).expect("a recipe of the project");
            assert!(format!("{answer:?}").contains(shown), "{answer:?}");
        }
    }
}
