//! `study statistics`: whether model-written queries are as good as human-written ones (CLARC, section 3.2).

use std::fmt::Display;
use std::path::{Path, PathBuf};

use barecode_queries::{Better, Rating, Ratings, Verdict as Word};
use barecode_records::guarded;
use barecode_scores::Bootstrap;
use barecode_scores::study::{GroupStudy, Preference, Rated, Rule, Test, Verdict, of_group};
use barecode_web::{Kind, Study, export_csv, status};
use clap::{Args, ValueEnum};
use serde_json::json;

use crate::answer::Answer;
use crate::exit::Failure;
use crate::report::study::{Sources, terminal};
use crate::session::Session;

/// What `study statistics` takes.
#[derive(Debug, Args)]
pub(super) struct StatisticsArguments {
    /// The file of a study, or a CSV file of ratings with the columns `item`, `rater`, two sources such as `llm` and
    /// `human`, `better`, and perhaps `group`.
    #[arg(value_name = "STUDY|RATINGS.csv")]
    ratings: PathBuf,
    /// The score of a correct description beside a wrong one: +1 (draft) or +0.5 (paper).
    #[arg(long, value_enum, default_value_t = RuleName::Draft)]
    rule: RuleName,
    /// Points per item by which the candidate may be worse and still count as good enough; decided before the study.
    #[arg(long, default_value_t = 0.1, value_name = "POINTS")]
    margin: f64,
    /// The one-sided level of the test.
    #[arg(long, default_value_t = 0.05, value_name = "SHARE")]
    level: f64,
    /// Resamples of the bootstrap.
    #[arg(long, default_value_t = 10_000, value_name = "N")]
    resamples: u32,
    /// The seed of all draws.
    #[arg(long, default_value_t = 0, value_name = "SEED")]
    seed: u64,
}

/// A rule of points by name.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum RuleName {
    /// CLARC's draft, section 3.4.
    Draft,
    /// CLARC, section 3.2, to the letter.
    Paper,
}

impl RuleName {
    pub(super) fn rule(self) -> Rule {
        match self {
            RuleName::Draft => Rule::Draft,
            RuleName::Paper => Rule::Paper,
        }
    }
}

/// Evaluates the ratings.
pub(super) fn run(session: &Session, arguments: &StatisticsArguments) -> anyhow::Result<Answer> {
    let path = &arguments.ratings;
    let text = csv_of(session, path)?;
    let ratings = Ratings::parse(&text).map_err(|error| {
        Failure::invalid(format!(
            "{}:{}: {}",
            path.display(),
            error.line,
            error.message
        ))
        .hint("`barecode study --help` shows the columns")
    })?;
    let test = Test {
        rule: arguments.rule.rule(),
        margin: arguments.margin,
        level: arguments.level,
        bootstrap: Bootstrap {
            resamples: arguments.resamples,
            confidence: 0.95,
            seed: arguments.seed,
        },
    };
    let study = |(group, rows): (&String, &Vec<Rating>)| {
        let rated: Vec<Rated<'_>> = rows.iter().map(rated).collect();
        of_group(group, &rated, &test).map_err(|error| {
            let path = path.display();
            Failure::invalid(format!("group `{group}` of `{path}`: {error}"))
        })
    };
    let studies: Vec<GroupStudy> = ratings.groups.iter().map(study).collect::<Result<_, _>>()?;
    let data = || {
        json!({
            "candidate": ratings.candidate,
            "reference": ratings.reference,
            "studies": studies,
        })
    };
    let sources = Sources {
        candidate: &ratings.candidate,
        reference: &ratings.reference,
    };
    session.answer(data, |screen| Ok(terminal(sources, &studies, screen)))
}

/// Returns the ratings as CSV: of a study in its own file, those that exist so far.
fn csv_of(session: &Session, path: &Path) -> anyhow::Result<String> {
    let unreadable = |error: &dyn Display| {
        let path = path.display();
        Failure::invalid(format!("cannot read the ratings `{path}`: {error}"))
    };
    let bytes = guarded::read(path).map_err(|error| unreadable(&error))?;
    if !bytes.starts_with(b"SQLite format 3") {
        let text = String::from_utf8(bytes);
        return Ok(text.map_err(|error| unreadable(&error))?);
    }
    let study = Study::open(path)?;
    if study.kind != Kind::Compare {
        let message = format!(
            "`{}` compares no texts, so it has no ratings",
            path.display()
        );
        return Err(Failure::invalid(message).into());
    }
    let status = status(&study)?;
    if status.unjudged > 0 {
        session.note(&format!(
            "note: {} answers are “I cannot judge this”, and are not part of the statistics",
            status.unjudged
        ));
    }
    let open: u32 = (status.raters)
        .iter()
        .map(|rater| rater.items - rater.answered)
        .sum();
    if open > 0 {
        session.note(&format!(
            "note: {open} ratings are still open and not part of the statistics"
        ));
    }
    Ok(export_csv(&study)?)
}

fn rated(row: &Rating) -> Rated<'_> {
    let verdict = match (row.candidate, row.reference) {
        (Word::Wrong, Word::Wrong) => Verdict::BothWrong,
        (Word::Correct, Word::Wrong) => Verdict::OnlyFirst,
        (Word::Wrong, Word::Correct) => Verdict::OnlySecond,
        (Word::Correct, Word::Correct) => Verdict::BothCorrect(match row.better {
            Better::Candidate => Preference::First,
            Better::Reference => Preference::Second,
            Better::Equal => Preference::Neither,
        }),
    };
    Rated {
        item: &row.item,
        rater: &row.rater,
        verdict,
    }
}
