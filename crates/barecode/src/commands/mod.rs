//! The command line: one file per verb, in the order of the flow, then those that look.

use std::path::{Path, PathBuf};

use barecode_records::Stage;
use clap::{Args, Parser, Subcommand};

use crate::console::Console;
use crate::exit::Exit;
use crate::library::Held;
use crate::recipe::Recipe;
use crate::share::Share;
use call::{Call, Options, Spending};

pub(crate) mod call;
mod chosen;
mod build;
pub(crate) mod score;
mod list;
mod show;
mod stats;
mod audit;
mod eval;
mod pairs;
mod probe;
mod cache;
mod classify;
mod compare;
mod robustness;
mod shift;
mod study;
mod review;
mod conform;
mod convert;
mod release;
mod doctor;
mod demo;
mod train;
mod trial;
mod completions;
mod manual;

/// Code retrieval benchmarks from real repositories, stripped bare one layer at a time.
///
/// A recipe says what to mine and how to measure; the run folder holds the result of every stage. Data go to
/// stdout, everything else to stderr. Interrupted runs resume: run the same command again.
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

/// A recipe, and what its models may take.
#[derive(Debug, Args)]
pub(crate) struct BuildArguments {
    /// The recipe, a TOML file.
    recipe: PathBuf,
    #[command(flatten)]
    spending: Spending,
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
    /// Run all eight stages of a recipe, then print the score table.
    #[command(
        after_help = "Examples:\n  barecode build recipes/demo.toml --threads 2\n  barecode build recipes/embeddings.toml --budget 2"
    )]
    Build(BuildArguments),
    /// Find functions in the sources, each with everything it needs (stage 1 of 8).
    #[command(
        after_help = "Examples:\n  barecode extract recipes/demo.toml\n  barecode extract recipes/demo.toml --shard 1/4"
    )]
    Extract(CallingArguments),
    /// Compile each function by itself (stage 2 of 8).
    #[command(
        after_help = "Examples:\n  barecode check recipes/demo.toml\n  barecode check recipes/demo.toml --shard 1/4"
    )]
    Check(ShareArguments),
    /// Rename or lower each function under every setting, and prove that nothing else changed (stage 3 of 8).
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
    /// Score a recipe's run (stage 7 of 8), or a run file against judgments.
    #[command(
        override_usage = "barecode score [OPTIONS] <RECIPE>\n       barecode score [OPTIONS] <QRELS> <RUN> [MEASURES]...",
        after_help = "Examples:\n  barecode score recipes/demo.toml --json | jq '.scores[0]'\n  barecode score qrels.txt run.txt 'nDCG@10 RR(rel=2)@10' AP\n  barecode score qrels.tsv run.json.gz R@5 -q --ties docno"
    )]
    Score(score::ScoreArguments),
    /// Write the report page (stage 8 of 8), and print its path.
    #[command(after_help = "Example:\n  xdg-open \"$(barecode report recipes/demo.toml)\"")]
    Report(RecipeArgument),
    /// Show what `build` would do without doing it.
    #[command(
        after_help = "Examples:\n  barecode list recipes/demo.toml\n  barecode list recipes/demo.toml --full"
    )]
    List(list::ListArguments),
    /// Show one record with its lineage: function, unit, variants, queries, ranks.
    #[command(
        override_usage = "barecode show [OPTIONS] <ID> <RECIPE>\n       barecode show [OPTIONS] <ID> --run <DIR>",
        after_help = "Examples:\n  barecode show q-0123456789abcdef recipes/demo.toml\n  barecode show u-0123456789abcdef --run runs/demo --json\n  barecode show u-0123456789abcdef recipes/demo.toml --diff neutralized"
    )]
    Show(show::ShowArguments),
    /// Print statistics of the dataset: pairs, tokens, lines, complexity, keywords or instructions, repositories.
    #[command(
        override_usage = "barecode stats [OPTIONS] <RECIPE|DATASET>\n       barecode stats [OPTIONS] --run <DIR>",
        after_help = "Examples:\n  barecode stats recipes/demo.toml --by repository\n  barecode stats --run runs/demo --tokenizer tokenizer.json\n  barecode stats clarc/group1.json --json\n  barecode stats recipes/gencodesearchnet.toml --data gecs --tokenizer tokenizer.json"
    )]
    Stats(stats::StatsArguments),
    /// Audit any dataset for twins, leaks, residue and label leakage; or audit a run.
    #[command(
        override_usage = "barecode audit [OPTIONS] <DATASET|RECIPE>\n       barecode audit [OPTIONS] --run <DIR>\n       barecode audit --explain <CODE>",
        after_help = "Examples:\n  barecode audit clarc/ --html audit.html\n  barecode audit test.jsonl --fail-on warning --ignore BA6\n  barecode audit --explain BA001\n  barecode audit --run runs/demo --json"
    )]
    Audit(audit::AuditArguments),
    /// Evaluate models on any dataset that can be read: BM25, local models, servers.
    #[command(
        after_help = "Examples:\n  barecode eval runs/demo/05-dataset --model bm25 --model local:all-MiniLM-L6-v2\n  barecode eval beir/scifact --model voyage:voyage-code-3 --dry-run\n  \
                      barecode eval set --model openai+http://localhost:8000/v1 --cassette answers.jsonl --json\n  \
                      barecode eval recipes/gencodesearchnet.toml --data gecs --model bm25 --ask openai:gpt-4o-mini --dry-run"
    )]
    Eval(eval::EvalArguments),
    /// Probe models with clones and bugs of programs: similarity, classification, ranking.
    #[command(
        after_help = "Examples:\n  barecode probe runs/programs --model hf:sentence-transformers/all-MiniLM-L6-v2\n  \
                      barecode probe runs/programs/05-dataset --model voyage:voyage-code-3 --dry-run"
    )]
    Probe(probe::ProbeArguments),
    /// Fine-tune an encoder on pairs of queries and code, and write it as a folder.
    ///
    /// An interrupted training resumes: run the same command again, and the result is the same to the last bit.
    #[command(
        after_help = "Examples:\n  barecode train mined --model hf:sentence-transformers/all-MiniLM-L6-v2 --out tuned\n  \
                      barecode train pairs.jsonl -m local:MiniLM --out tuned --dev-share 0.1 --patience 2 --exclude clarc\n  \
                      barecode train mined -m local:MiniLM --out tuned --dose standard=1,randomized=2 --lora 8 --json\n  \
                      barecode train mined -m local:MiniLM --out table6 --matrix clarc --measure RR@10"
    )]
    Train(train::TrainArguments),
    /// Have a model put the queries of any dataset in classes, and print rows for a review.
    #[command(
        after_help = "Examples:\n  barecode classify statcodesearch_10k_gpt_filtered.csv --model openai:gpt-3.5-turbo --dry-run\n  \
                      barecode classify pairs.csv --model openai:gpt-3.5-turbo > classified.csv\n  barecode review new classified.csv"
    )]
    Classify(classify::ClassifyArguments),
    /// Show the cache by model, and prune it.
    #[command(
        after_help = "Examples:\n  barecode cache\n  barecode cache --prune 5GB\n  barecode cache --forget openai:text-embedding-3-small --older-than 90"
    )]
    Cache(cache::CacheArguments),
    /// Compare systems on the same queries: paired differences and corrected tests.
    #[command(
        override_usage = "barecode compare [OPTIONS] <RECIPE>\n       barecode compare [OPTIONS] <QRELS> <RUN> <RUN>...",
        after_help = "Examples:\n  barecode compare qrels.trec bm25.trec dense.trec --measure nDCG@10 --measure RR@10\n  barecode compare recipes/demo.toml --judge tukey --json"
    )]
    Compare(compare::CompareArguments),
    /// Show what each setting of a run costs, query by query.
    #[command(
        override_usage = "barecode robustness [OPTIONS] <RECIPE>\n       barecode robustness [OPTIONS] --run <DIR>",
        after_help = "Examples:\n  barecode robustness recipes/demo.toml\n  barecode robustness --run runs/demo --measure R@1 --json"
    )]
    Robustness(robustness::RobustnessArguments),
    /// Measure how far embeddings move between settings, and what the shift correlates with.
    #[command(
        after_help = "Examples:\n  barecode shift clarc --model hf:sentence-transformers/all-MiniLM-L6-v2\n  \
                      barecode shift runs/demo/05-dataset --model voyage:voyage-code-3 --distance euclid\n  \
                      barecode shift clarc -m local:MiniLM --subset group1_usual_renamed --json | jq '.settings[0].correlations'"
    )]
    Shift(shift::ShiftArguments),
    /// Have queries written, and compared without anybody knowing whose they are: draw, serve, collect, test.
    #[command(
        after_help = "Examples:\n  barecode study new runs/demo --candidate gpt-4o --reference person --out study.sqlite\n  \
                      barecode study serve study.sqlite\n  barecode study statistics study.sqlite --margin 0.1"
    )]
    Study(study::StudyArguments),
    /// Keep, drop or edit records by hand, and write the decisions as a patch.
    #[command(
        after_help = "Examples:\n  barecode review new runs/demo --out review.sqlite\n  barecode review serve review.sqlite\n  \
                      barecode review export review.sqlite > reviews.csv"
    )]
    Review(review::ReviewArguments),
    /// Compare barecode's settings with the texts that CLARC released, row by row.
    #[command(after_help = "Examples:\n  barecode conform clarc\n  barecode conform clarc --list")]
    Conform(conform::ConformArguments),
    /// Convert a benchmark from one format to another.
    #[command(
        after_help = "Examples:\n  barecode convert clarc/cleaned out --to beir\n  barecode convert beir/cosqa out --to mteb --lossy"
    )]
    Convert(convert::ConvertArguments),
    /// Write pairs to train on, without what evaluation sets have too.
    #[command(
        override_usage = "barecode pairs [OPTIONS] --to <DIR> <RECIPE>\n       barecode pairs [OPTIONS] --to <DIR> --run <RUN>",
        after_help = "Examples:\n  barecode pairs mined.toml --to pairs --exclude clarc --negatives 5\n  \
                      barecode pairs --run runs/mined --to pairs --views --exclude hf:ORG/NAME --exclude-repository fmtlib/fmt\n  \
                      barecode pairs mined.toml --to pairs --objects lib/build"
    )]
    Pairs(pairs::PairsArguments),
    /// Write a benchmark in every format that a publication needs, and read each of them back.
    #[command(
        after_help = "Example:\n  barecode release runs/demo/05-dataset publication --facts release.toml --split-licenses"
    )]
    Release(release::ReleaseArguments),
    /// Find out which model to use on your own code, and whether it still works when names do not help.
    ///
    /// Needs no recipe: comments ask for functions as written, with neutral and with random names, and functions
    /// without their names ask for themselves. Says what to expect before it compiles anything, and leaves the recipe.
    #[command(
        name = "try",
        after_help = "Examples:\n  barecode try .\n  barecode try https://github.com/madler/zlib --model hf:sentence-transformers/all-MiniLM-L6-v2\n  \
                      barecode try src --model voyage:voyage-code-3 --model openai:text-embedding-3-small --dry-run"
    )]
    Try(trial::TryArguments),
    /// Check which tools are installed, what they enable, and how to install the rest.
    #[command(after_help = "Example:\n  barecode doctor")]
    Doctor,
    /// Build a benchmark from the C libraries inside this project's own Cargo packages.
    #[command(after_help = "Example:\n  barecode demo --out /tmp/demo")]
    Demo,
    /// Print completions for a shell.
    #[command(
        after_help = "Example:\n  barecode completions bash > ~/.local/share/bash-completion/completions/barecode"
    )]
    Completions(completions::CompletionsArguments),
    /// Write the man pages of all commands into a folder.
    #[command(
        hide = true,
        after_help = "Example:\n  barecode manual ~/.local/share/man/man1"
    )]
    Manual(manual::ManualArguments),
}

impl Cli {
    /// Does what was asked.
    pub(crate) fn run(self, console: Console, held: Held) -> anyhow::Result<Exit> {
        let call = Call {
            console,
            held,
            options: self.options,
        };
        let stage = |stage, recipe: &Path, shard, spending: &Spending| {
            build::one_stage(&call, recipe, stage, shard, spending)
        };
        let free = Spending::default();
        let share = |of, share: ShareArguments| stage(of, &share.recipe, share.shard, &free);
        let spend =
            |of, calls: CallingArguments| stage(of, &calls.recipe, calls.shard, &calls.spending);
        match self.command {
            Command::Build(arguments) => {
                let recipe = Recipe::read(&arguments.recipe)?;
                build::run(&call, recipe, &arguments.spending)?;
            }
            Command::Extract(arguments) => spend(Stage::Extract, arguments)?,
            Command::Check(arguments) => share(Stage::Check, arguments)?,
            Command::Vary(arguments) => share(Stage::Vary, arguments)?,
            Command::Assemble(argument) => stage(Stage::Assemble, &argument.recipe, None, &free)?,
            Command::Query(arguments) => spend(Stage::Query, arguments)?,
            Command::Retrieve(arguments) => spend(Stage::Retrieve, arguments)?,
            Command::Score(arguments) => score::run(&call, &arguments)?,
            Command::Report(argument) => stage(Stage::Report, &argument.recipe, None, &free)?,
            Command::List(arguments) => list::run(&call, &arguments)?,
            Command::Show(arguments) => show::run(&call, &arguments)?,
            Command::Stats(arguments) => stats::run(&call, &arguments)?,
            Command::Audit(arguments) => return audit::run(&call, &arguments),
            Command::Eval(arguments) => return eval::run(&call, &arguments),
            Command::Probe(arguments) => return probe::run(&call, &arguments),
            Command::Train(arguments) => train::run(&call, &arguments)?,
            Command::Classify(arguments) => classify::run(&call, &arguments)?,
            Command::Cache(arguments) => cache::run(&call, &arguments)?,
            Command::Compare(arguments) => compare::run(&call, &arguments)?,
            Command::Robustness(arguments) => robustness::run(&call, &arguments)?,
            Command::Shift(arguments) => shift::run(&call, &arguments)?,
            Command::Study(arguments) => study::run(&call, &arguments)?,
            Command::Review(arguments) => review::run(&call, &arguments)?,
            Command::Conform(arguments) => conform::run(&call, &arguments)?,
            Command::Convert(arguments) => convert::run(&call, &arguments)?,
            Command::Pairs(arguments) => pairs::run(&call, &arguments)?,
            Command::Release(arguments) => release::run(&call, &arguments)?,
            Command::Doctor => return doctor::run(&call),
            Command::Demo => demo::run(&call)?,
            Command::Try(arguments) => trial::run(&call, &arguments)?,
            Command::Completions(arguments) => completions::run(&call, &arguments)?,
            Command::Manual(arguments) => manual::run(&call, &arguments)?,
        }
        Ok(Exit::Done)
    }
}
