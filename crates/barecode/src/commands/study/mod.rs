//! `study`: people write queries, compare texts without knowing whose they are, and what their answers show.

use std::path::PathBuf;

use barecode_web::{Design, Kind, NewStudy};
use clap::{Args, Subcommand};
use serde_json::json;

use super::call::Call;

pub(super) mod file;
pub(super) mod items;
mod power;
mod statistics;

/// What `study` takes.
#[derive(Debug, Args)]
pub(super) struct StudyArguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Draw a comparison of two texts a function, and write its file.
    #[command(
        after_help = "Examples:\n  barecode study new runs/demo --candidate gpt-4o --reference person --out study.sqlite\n  \
                      barecode study new --items items.csv --per-group 20 --shared 5 --rater anna --rater ben"
    )]
    New(NewArguments),
    /// Draw functions to write queries for, and write their file.
    #[command(
        after_help = "Example:\n  barecode study queries runs/demo --per-group 125 --out writing.sqlite"
    )]
    Queries(QueriesArguments),
    /// Show the pages of a study on this machine until Ctrl-C.
    #[command(after_help = "Example:\n  barecode study serve study.sqlite --port 8000")]
    Serve(file::ServeArguments),
    /// Write a rater's items as one HTML file that needs no server.
    #[command(
        after_help = "Example:\n  barecode study offline study.sqlite --rater anna --out anna.html"
    )]
    Offline(file::RaterArguments),
    /// Give a rater a new token; the old one no longer works.
    #[command(after_help = "Example:\n  barecode study token study.sqlite --rater anna")]
    Token(file::RaterArguments),
    /// Show how far a study is.
    #[command(after_help = "Example:\n  barecode study status study.sqlite")]
    Status(file::FileArgument),
    /// Bring in answers of offline pages or filled-in tables. What is imported twice counts once.
    #[command(
        after_help = "Example:\n  barecode study import study.sqlite answers-anna.json ratings.csv"
    )]
    Import(file::ImportArguments),
    /// Print the answers as CSV (ratings, queries), with --json their whole history.
    #[command(
        after_help = "Examples:\n  barecode study export study.sqlite > ratings.csv\n  barecode study export writing.sqlite --blank rater-1 > to-fill-in.csv"
    )]
    Export(file::ExportArguments),
    /// Test whether the candidate's texts are as good as the reference's.
    #[command(
        after_help = "A file of ratings:\n  item,rater,llm,human,better,group\n  f-17,anna,correct,wrong,,1\n  f-17,ben,correct,correct,llm,1\n  \
                      f-18,anna,correct,correct,equal,1\n\nExamples:\n  barecode study statistics study.sqlite --margin 0.1\n  \
                      barecode study statistics ratings.csv --rule paper --json"
    )]
    Statistics(statistics::StatisticsArguments),
    /// Simulate how many functions and raters a margin needs, before the study starts.
    #[command(
        after_help = "Example:\n  barecode study power --margin 0.1 --functions 50,125,250 --raters 1,3"
    )]
    Power(power::PowerArguments),
}

/// What `study new` takes.
#[derive(Debug, Args)]
struct NewArguments {
    /// A run folder or its recipe.
    #[arg(required_unless_present = "items", conflicts_with = "items")]
    run: Option<PathBuf>,
    /// A CSV file in place of a run: `item`, `group`, `code`, `context`, `language`, and two columns with texts; the
    /// first of them is the candidate.
    #[arg(long, value_name = "ITEMS.csv")]
    items: Option<PathBuf>,
    /// The writer of the texts that are tested, as queries name it.
    #[arg(
        long,
        required_unless_present = "items",
        conflicts_with = "items",
        value_name = "WRITER"
    )]
    candidate: Option<String>,
    /// The writer of the texts that they are compared with.
    #[arg(
        long,
        required_unless_present = "items",
        conflicts_with = "items",
        value_name = "WRITER"
    )]
    reference: Option<String>,
    /// Functions of each group.
    #[arg(long, default_value_t = 125, value_name = "N")]
    per_group: usize,
    /// Those of them that all raters get; the others are divided among them.
    #[arg(long, default_value_t = 50, value_name = "N")]
    shared: usize,
    #[command(flatten)]
    raters: RaterNames,
    /// The seed of all draws: functions, raters, order, sides.
    #[arg(long, default_value_t = 0, value_name = "SEED")]
    seed: u64,
    /// What raters are asked.
    #[arg(long, value_name = "TEXT")]
    question: Option<String>,
}

/// What `study queries` takes.
#[derive(Debug, Args)]
struct QueriesArguments {
    /// A run folder or its recipe.
    run: PathBuf,
    /// Functions of each group.
    #[arg(long, default_value_t = 125, value_name = "N")]
    per_group: usize,
    /// Those of them that all writers get.
    #[arg(long, default_value_t = 0, value_name = "N")]
    shared: usize,
    #[command(flatten)]
    raters: RaterNames,
    /// The seed of all draws.
    #[arg(long, default_value_t = 0, value_name = "SEED")]
    seed: u64,
    /// What writers are asked.
    #[arg(long, value_name = "TEXT")]
    question: Option<String>,
}

/// Who takes part.
#[derive(Debug, Args)]
pub(super) struct RaterNames {
    /// Raters, called `rater-1` and so on.
    #[arg(long, default_value_t = 3, conflicts_with = "rater", value_parser = clap::value_parser!(u16).range(1..=1000), value_name = "N")]
    raters: u16,
    /// The name of a rater, given once for each.
    #[arg(long, value_name = "NAME")]
    rater: Vec<String>,
}

impl RaterNames {
    fn names(&self) -> Vec<String> {
        if self.rater.is_empty() {
            (1..=self.raters)
                .map(|number| format!("rater-{number}"))
                .collect()
        } else {
            self.rater.clone()
        }
    }
}

/// Does what was asked.
pub(super) fn run(call: &Call, arguments: &StudyArguments) -> anyhow::Result<()> {
    match &arguments.verb {
        Verb::New(arguments) => new(call, arguments),
        Verb::Queries(arguments) => queries(call, arguments),
        Verb::Serve(arguments) => file::serve(call, arguments),
        Verb::Offline(arguments) => file::offline(call, arguments),
        Verb::Token(arguments) => file::token(call, arguments),
        Verb::Status(arguments) => file::status(call, arguments),
        Verb::Import(arguments) => file::import(call, arguments),
        Verb::Export(arguments) => file::export(call, arguments),
        Verb::Statistics(arguments) => statistics::run(call, arguments),
        Verb::Power(arguments) => power::run(call, arguments),
    }
}

fn new(call: &Call, arguments: &NewArguments) -> anyhow::Result<()> {
    let (sources, items) = match (&arguments.items, &arguments.run) {
        (Some(file), _) => items::of_csv(file)?,
        (None, Some(run)) => {
            let sources = [&arguments.candidate, &arguments.reference]
                .map(|name| name.clone().unwrap_or_default());
            let items = items::pairs(call, run, &sources)?;
            (sources, items)
        }
        (None, None) => unreachable!("clap requires one of the two"),
    };
    let size = (arguments.per_group, arguments.shared);
    let study = assembled(
        Kind::Compare,
        items,
        size,
        &arguments.raters,
        arguments.seed,
        arguments.question.as_deref(),
    );
    create(call, &NewStudy { sources, ..study }, "study.sqlite")
}

fn queries(call: &Call, arguments: &QueriesArguments) -> anyhow::Result<()> {
    let items = items::units(&arguments.run)?;
    let size = (arguments.per_group, arguments.shared);
    let study = assembled(
        Kind::Write,
        items,
        size,
        &arguments.raters,
        arguments.seed,
        arguments.question.as_deref(),
    );
    create(call, &study, "writing.sqlite")
}

fn assembled(
    kind: Kind,
    items: Vec<barecode_web::Item>,
    (per_group, shared): (usize, usize),
    raters: &RaterNames,
    seed: u64,
    question: Option<&str>,
) -> NewStudy {
    let raters = raters.names();
    NewStudy {
        kind,
        items,
        sources: Default::default(),
        question: question.unwrap_or(kind.question()).to_owned(),
        design: Design {
            per_group: Some(per_group),
            shared,
            raters: raters.len(),
            seed,
        },
        raters,
    }
}

/// Writes the file of a study, and prints the tokens, which are nowhere else.
pub(super) fn create(call: &Call, study: &NewStudy, default: &str) -> anyhow::Result<()> {
    let path = call
        .options
        .out
        .clone()
        .unwrap_or_else(|| PathBuf::from(default));
    let tokens = study.create(&path)?;
    call.console.note(&format!(
        "`{}` is written; give each rater their token: it is shown this once. Next: `barecode {} serve {}`",
        path.display(),
        if study.kind == Kind::Review { "review" } else { "study" },
        path.display()
    ));
    if call.options.json {
        let tokens: Vec<_> = tokens
            .iter()
            .map(|(rater, token)| json!({"rater": rater, "token": token}))
            .collect();
        return call.console.json(&json!({"file": path, "raters": tokens}));
    }
    let lines: Vec<String> = tokens
        .iter()
        .map(|(rater, token)| format!("{rater}\t{token}"))
        .collect();
    call.console.data(&lines.join("\n"))
}
