//! `study`: raters write queries, compare texts without knowing whose they are, or review records; the answers are
//! evaluated. `review` is the spelling of the last kind.

use std::path::PathBuf;

use barecode_web::{Design, Item, Kind, NewStudy};
use clap::{Args, Subcommand};
use serde_json::json;

use crate::answer::Answer;
use crate::exit::read_text;
use crate::session::Session;

mod file;
mod items;
mod power;
mod statistics;

/// Have queries written by people, or compare two writers blindly.
///
/// Draws a study, serves its pages, collects the answers and tests them.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  barecode study new runs/demo --candidate gpt-4o --reference person --out study.sqlite\n  \
                  barecode study serve study.sqlite\n  barecode study statistics study.sqlite --margin 0.1"
)]
pub(super) struct Request {
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
    /// Make a review of records: the queries of a run, rows of a file, or the findings of an audit.
    #[command(
        after_help = "Examples:\n  barecode study review runs/demo --out review.sqlite\n  barecode study review findings.json --reviewer anna"
    )]
    Review(RecordsArguments),
    #[command(flatten)]
    OfFile(file::Verb),
    /// Test whether the candidate's texts are as good as the reference's.
    #[command(
        after_help = "A file of ratings:\n  item,rater,llm,human,better,group\n  f-17,anna,correct,wrong,,1\n  f-17,ben,correct,correct,llm,1\n  \
                      f-18,anna,correct,correct,equal,1\n\nExamples:\n  barecode study statistics study.sqlite --margin 0.1\n  \
                      barecode study statistics ratings.csv --rule paper --json"
    )]
    Statistics(statistics::StatisticsArguments),
    /// Simulate the number of functions and raters that a margin needs, before the study.
    #[command(
        after_help = "Example:\n  barecode study power --margin 0.1 --functions 50,125,250 --raters 1,3"
    )]
    Power(power::PowerArguments),
}

/// Keep, drop or edit records on a page.
///
/// Writes the decisions as a patch, which a recipe applies.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  barecode review new runs/demo --out review.sqlite\n  barecode review serve review.sqlite\n  \
                  barecode review export review.sqlite > reviews.csv"
)]
pub(super) struct ReviewArguments {
    #[command(subcommand)]
    verb: ReviewVerb,
}

#[derive(Debug, Subcommand)]
enum ReviewVerb {
    /// Make a review of records: the queries of a run, rows of a file, or the findings of an audit.
    #[command(
        after_help = "Examples:\n  barecode review new runs/demo --out review.sqlite\n  barecode review new findings.json --reviewer anna"
    )]
    New(RecordsArguments),
    #[command(flatten)]
    OfFile(file::Verb),
}

/// What `study new` takes.
#[derive(Debug, Args)]
struct NewArguments {
    /// A run folder or its recipe.
    #[arg(required_unless_present = "items", conflicts_with = "items")]
    run: Option<PathBuf>,
    /// A CSV file instead of a run: `item`, `group`, `code`, `context`, `language`, and two columns with texts; the
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
    draw: Draw,
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
    draw: Draw,
}

/// What `study review` and `review new` take.
#[derive(Debug, Args)]
struct RecordsArguments {
    /// A run folder, its recipe, a .csv or .jsonl with `id`, `text` and `code`, or the .json of `barecode audit --json`.
    records: PathBuf,
    /// A reviewer; several divide the records among themselves.
    #[arg(long, default_value = "reviewer", value_name = "NAME")]
    reviewer: Vec<String>,
    /// The question to reviewers.
    #[arg(long, value_name = "TEXT")]
    question: Option<String>,
}

/// Who takes part, and what they are asked.
#[derive(Debug, Args)]
struct Draw {
    /// Raters, called `rater-1` and so on.
    #[arg(long, default_value_t = 3, conflicts_with = "rater", value_parser = clap::value_parser!(u16).range(1..=1000), value_name = "N")]
    raters: u16,
    /// The name of a rater, given once for each.
    #[arg(long, value_name = "NAME")]
    rater: Vec<String>,
    /// The seed of all draws: functions, raters, order, sides.
    #[arg(long, default_value_t = 0, value_name = "SEED")]
    seed: u64,
    /// The question to raters.
    #[arg(long, value_name = "TEXT")]
    question: Option<String>,
    /// A text that raters see first: the purpose of the study, a contact, the use of the answers, how to withdraw.
    #[arg(long, value_name = "FILE.txt")]
    introduction: Option<PathBuf>,
}

impl Draw {
    /// Returns a study of items: a fixed number of each group, and a fixed number of these for all raters.
    fn study(
        &self,
        kind: Kind,
        items: Vec<Item>,
        per_group: Option<usize>,
        shared: usize,
    ) -> anyhow::Result<NewStudy> {
        let mut raters = self.rater.clone();
        if raters.is_empty() {
            raters.extend((1..=self.raters).map(|number| format!("rater-{number}")));
        }
        let question = self.question.as_deref().unwrap_or(kind.question());
        let introduction = self.introduction.as_deref().map(read_text);
        Ok(NewStudy {
            kind,
            introduction: introduction.transpose()?.unwrap_or_default(),
            items,
            sources: Default::default(),
            question: question.to_owned(),
            design: Design {
                per_group,
                shared,
                raters: raters.len(),
                seed: self.seed,
            },
            raters,
        })
    }
}

/// Runs the command.
pub(super) fn run(session: &Session, arguments: &Request) -> anyhow::Result<Answer> {
    match &arguments.verb {
        Verb::New(arguments) => new(session, arguments),
        Verb::Queries(arguments) => queries(session, arguments),
        Verb::Review(arguments) => review(session, arguments),
        Verb::OfFile(verb) => verb.run(session),
        Verb::Statistics(arguments) => statistics::run(session, arguments),
        Verb::Power(arguments) => power::run(session, arguments),
    }
}

/// Runs a command on a review, which is a study of records.
pub(super) fn run_review(session: &Session, arguments: &ReviewArguments) -> anyhow::Result<Answer> {
    match &arguments.verb {
        ReviewVerb::New(arguments) => review(session, arguments),
        ReviewVerb::OfFile(verb) => verb.run(session),
    }
}

fn new(session: &Session, arguments: &NewArguments) -> anyhow::Result<Answer> {
    let (sources, items) = match (&arguments.items, &arguments.run) {
        (Some(file), _) => items::of_csv(file)?,
        (None, Some(run)) => {
            let sources = [&arguments.candidate, &arguments.reference]
                .map(|name| name.clone().unwrap_or_default());
            let items = items::pairs(session, run, &sources)?;
            (sources, items)
        }
        (None, None) => unreachable!("clap requires one of the two"),
    };
    let (per_group, shared) = (Some(arguments.per_group), arguments.shared);
    let study = (arguments.draw).study(Kind::Compare, items, per_group, shared)?;
    create(session, &NewStudy { sources, ..study }, "study.sqlite")
}

fn queries(session: &Session, arguments: &QueriesArguments) -> anyhow::Result<Answer> {
    let items = items::units(&arguments.run)?;
    let (per_group, shared) = (Some(arguments.per_group), arguments.shared);
    let study = (arguments.draw).study(Kind::Write, items, per_group, shared)?;
    create(session, &study, "writing.sqlite")
}

fn review(session: &Session, arguments: &RecordsArguments) -> anyhow::Result<Answer> {
    let items = items::records(&arguments.records)?;
    let draw = Draw {
        raters: 0,
        rater: arguments.reviewer.clone(),
        seed: 0,
        question: arguments.question.clone(),
        introduction: None,
    };
    create(
        session,
        &draw.study(Kind::Review, items, None, 0)?,
        "review.sqlite",
    )
}

/// Writes the file of a study; returns an answer with the tokens, which are not stored elsewhere.
fn create(session: &Session, study: &NewStudy, default: &str) -> anyhow::Result<Answer> {
    let path = session.out_or(|| default.into());
    let tokens = study.create(&path)?;
    session.note(&format!(
        "`{}` is written; give each rater their token: it is shown this once. Next: `barecode {} serve {}`",
        path.display(),
        if study.kind == Kind::Review { "review" } else { "study" },
        path.display()
    ));
    let rater = |(rater, token): &(String, String)| json!({"rater": rater, "token": token});
    session.answer(
        || json!({"file": path, "raters": tokens.iter().map(rater).collect::<Vec<_>>()}),
        |_| {
            let lines = tokens
                .iter()
                .map(|(rater, token)| format!("{rater}\t{token}"));
            Ok(lines.collect::<Vec<_>>().join("\n"))
        },
    )
}
