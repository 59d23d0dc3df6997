//! `study statistics`: whether model-written queries are as good as human-written ones (CLARC, section 3.2).

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use barecode_queries::{Better, Rating, Ratings, Verdict as Word};
use barecode_scores::study::{
    Alpha, Equivalence, Level, NonInferiority, Preference, Rule, Totals, Verdict, equivalence,
    krippendorff_alpha, non_inferiority, points, queries_needed, totals,
};
use barecode_scores::{Bootstrap, Method};
use clap::{Args, ValueEnum};
use serde::Serialize;
use serde_json::json;

use barecode_web::{Kind, Study as StudyFile, export_csv, status};

use crate::answer::Answer;
use crate::console::Screen;
use crate::exit::Failure;
use crate::report::robustness::chance;
use crate::report::{grid, interval};
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
    /// How many points per item the candidate may be worse and still count as good enough; decided before the
    /// study.
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

/// What one group of ratings shows.
#[derive(Debug, Serialize)]
struct Study {
    group: String,
    items: usize,
    raters: usize,
    ratings: usize,
    totals: Totals,
    non_inferiority: NonInferiority,
    equivalence: Equivalence,
    /// Items that a study needs to show it four times in five if both sides are equal; `None` beyond counting.
    items_needed: Option<usize>,
    /// Of the candidate's points and of the reference's, by level.
    agreement: Vec<Agreement>,
    /// By question as it was asked, nominal.
    questions: Vec<Question>,
    /// Items of which raters do not say the same.
    disagreements: Vec<Disagreement>,
}

/// How far raters agree on a question.
#[derive(Debug, Serialize)]
struct Question {
    question: String,
    alpha: Option<Alpha>,
}

/// An item of which raters do not say the same.
#[derive(Debug, Serialize)]
struct Disagreement {
    item: String,
    /// What each says: `wrong`, `correct` and so on, of candidate and reference, and which is better.
    raters: BTreeMap<String, [&'static str; 3]>,
}

#[derive(Debug, Serialize)]
struct Agreement {
    level: Level,
    candidate: Option<Alpha>,
    reference: Option<Alpha>,
}

/// What the ratings show.
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
    let studies: Vec<Study> = ratings
        .groups
        .iter()
        .map(|(group, rows)| {
            let named = || format!("group `{group}` of `{}`", path.display());
            of_group(group, rows, arguments).with_context(named)
        })
        .collect::<Result<_, _>>()
        .map_err(|error| Failure::invalid(format!("{error:#}")))?;
    let data = || {
        json!({
            "candidate": ratings.candidate,
            "reference": ratings.reference,
            "studies": studies,
        })
    };
    session.answer(data, |screen| {
        Ok(shown(&ratings, &studies, arguments, screen))
    })
}

/// The ratings as CSV: of a study that stands in its own file, those that there are.
fn csv_of(session: &Session, path: &Path) -> anyhow::Result<String> {
    let unreadable = |error| {
        Failure::invalid(format!(
            "cannot read the ratings `{}`: {error}",
            path.display()
        ))
    };
    let bytes = fs::read(path).map_err(unreadable)?;
    if !bytes.starts_with(b"SQLite format 3") {
        let text = String::from_utf8(bytes).map_err(|error| {
            Failure::invalid(format!(
                "cannot read the ratings `{}`: {error}",
                path.display()
            ))
        })?;
        return Ok(text);
    }
    let study = StudyFile::open(path)?;
    if study.kind != Kind::Compare {
        let message = format!(
            "`{}` compares no texts, so it has no ratings",
            path.display()
        );
        return Err(Failure::invalid(message).into());
    }
    let raters = status(&study)?.raters;
    let open: u32 = raters
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

fn of_group(
    group: &str,
    rows: &[Rating],
    arguments: &StatisticsArguments,
) -> anyhow::Result<Study> {
    let rule = arguments.rule.rule();
    let bootstrap = Bootstrap {
        resamples: arguments.resamples,
        confidence: 0.95,
        seed: arguments.seed,
    };
    let mut raters: Vec<&str> = rows.iter().map(|row| row.rater.as_str()).collect();
    raters.sort_unstable();
    raters.dedup();
    // By item, the points that each rater gave to candidate and reference.
    let mut given: BTreeMap<&str, Vec<Option<[f64; 2]>>> = BTreeMap::new();
    for row in rows {
        let of_item = given
            .entry(&row.item)
            .or_insert_with(|| vec![None; raters.len()]);
        let rater = raters
            .binary_search(&row.rater.as_str())
            .expect("every rater is listed");
        of_item[rater] = Some(points(verdict(row), rule));
    }
    let side = |which: usize| -> Vec<f64> {
        given
            .values()
            .map(|of_item| {
                let values: Vec<f64> = of_item.iter().flatten().map(|pair| pair[which]).collect();
                values.iter().sum::<f64>() / values.len() as f64
            })
            .collect()
    };
    let alpha = |which: usize, level: Level| {
        let units: Vec<Vec<Option<f64>>> = given
            .values()
            .map(|of_item| {
                of_item
                    .iter()
                    .map(|pair| pair.map(|pair| pair[which]))
                    .collect()
            })
            .collect();
        krippendorff_alpha(&units, level, &bootstrap, Method::Percentile)
    };
    let (candidate, reference) = (side(0), side(1));
    let mut agreement = Vec::new();
    for level in [Level::Nominal, Level::Ordinal, Level::Interval] {
        agreement.push(Agreement {
            level,
            candidate: alpha(0, level)?,
            reference: alpha(1, level)?,
        });
    }
    let lost: Vec<f64> = candidate
        .iter()
        .zip(&reference)
        .map(|(a, b)| a - b)
        .collect();
    let center = lost.iter().sum::<f64>() / lost.len() as f64;
    let squares: f64 = lost.iter().map(|value| (value - center).powi(2)).sum();
    let deviation = (squares / (lost.len().saturating_sub(1).max(1)) as f64).sqrt();
    let asked = |question: &str, of: fn(&Rating) -> Option<f64>| -> anyhow::Result<Question> {
        let mut units: BTreeMap<&str, Vec<Option<f64>>> = BTreeMap::new();
        for row in rows {
            let of_item = units
                .entry(&row.item)
                .or_insert_with(|| vec![None; raters.len()]);
            let rater = raters
                .binary_search(&row.rater.as_str())
                .expect("every rater is listed");
            of_item[rater] = of(row);
        }
        let units: Vec<_> = units.into_values().collect();
        let alpha = krippendorff_alpha(&units, Level::Nominal, &bootstrap, Method::Percentile)?;
        Ok(Question {
            question: question.to_owned(),
            alpha,
        })
    };
    let questions = vec![
        asked("candidate correct", |row| {
            Some(f64::from(u8::from(row.candidate == Word::Correct)))
        })?,
        asked("reference correct", |row| {
            Some(f64::from(u8::from(row.reference == Word::Correct)))
        })?,
        asked("which is better", |row| match verdict(row) {
            Verdict::BothCorrect(preference) => Some(f64::from(preference as u8)),
            _ => None,
        })?,
    ];
    Ok(Study {
        questions,
        disagreements: disagreements(rows),
        group: group.to_owned(),
        items: candidate.len(),
        raters: raters.len(),
        ratings: rows.len(),
        totals: totals(&candidate, &reference, &bootstrap)?,
        non_inferiority: non_inferiority(
            &candidate,
            &reference,
            arguments.margin,
            arguments.level,
        )?,
        equivalence: equivalence(&candidate, &reference, arguments.margin, arguments.level)?,
        items_needed: queries_needed(deviation, arguments.margin, 0.8, arguments.level).ok(),
        agreement,
    })
}

/// The items that are in dispute, by id.
fn disagreements(rows: &[Rating]) -> Vec<Disagreement> {
    let mut given: BTreeMap<&str, BTreeMap<String, [&'static str; 3]>> = BTreeMap::new();
    for row in rows {
        let better = match verdict(row) {
            Verdict::BothCorrect(_) => row.better.name("candidate", "reference"),
            _ => "",
        };
        let said = [row.candidate.name(), row.reference.name(), better];
        given
            .entry(&row.item)
            .or_default()
            .insert(row.rater.clone(), said);
    }
    let disputed = given.into_iter().filter(|(_, raters)| {
        let mut said = raters.values();
        let first = said.next();
        said.any(|other| Some(other) != first)
    });
    disputed
        .map(|(item, raters)| Disagreement {
            item: item.to_owned(),
            raters,
        })
        .collect()
}

fn verdict(row: &Rating) -> Verdict {
    match (row.candidate, row.reference) {
        (Word::Wrong, Word::Wrong) => Verdict::BothWrong,
        (Word::Correct, Word::Wrong) => Verdict::OnlyFirst,
        (Word::Wrong, Word::Correct) => Verdict::OnlySecond,
        (Word::Correct, Word::Correct) => Verdict::BothCorrect(match row.better {
            Better::Candidate => Preference::First,
            Better::Reference => Preference::Second,
            Better::Equal => Preference::Neither,
        }),
    }
}

const HEADS: [&str; 7] = [
    "group",
    "items",
    "candidate",
    "reference",
    "p (CLARC)",
    "worse by the margin?",
    "alpha",
];

fn shown(
    ratings: &Ratings,
    studies: &[Study],
    arguments: &StatisticsArguments,
    screen: Screen,
) -> String {
    let mut text = format!(
        "candidate: {}; reference: {}; totals of points with 95 % bootstrap intervals; p (CLARC): the share of resamples in which \
         the candidate's total is at least the reference's, which does not prove that it is as good; alpha: Krippendorff's, nominal, \
         mean of both sides\n{}",
        ratings.candidate,
        ratings.reference,
        grid::table(1, &HEADS, studies.iter().map(cells), screen)
    );
    text.extend(
        studies
            .iter()
            .map(|study| sentence(ratings, study, arguments)),
    );
    text
}

/// What a table has no room for.
fn sentence(ratings: &Ratings, study: &Study, arguments: &StatisticsArguments) -> String {
    let test = &study.non_inferiority;
    let group = if study.group.is_empty() {
        String::new()
    } else {
        format!("{}: ", study.group)
    };
    let verdict = if test.shown {
        "shown not to be worse"
    } else {
        "not shown not to be worse"
    };
    let needed = study.items_needed.map_or_else(
        || "more items than can be counted".to_owned(),
        |items| format!("{items} items"),
    );
    format!(
        "\n{group}{} is {verdict} than {} by {} points per item: difference {:.3}, at least {:.3} (one-sided, level {}), p {}; \
         a study of this size shows it in {:.0} % of cases if both are equal, {needed} would in 80 %, and it can show a margin of {:.3}",
        ratings.candidate,
        ratings.reference,
        arguments.margin,
        test.difference,
        test.low,
        test.level,
        chance(test.p),
        test.power * 100.0,
        test.smallest_margin,
    ) + &equal(study)
        + &agreement(study)
}

/// How far raters agree, question by question, and of which items they do not.
fn agreement(study: &Study) -> String {
    const SHOWN: usize = 10;
    let alphas: Vec<String> = study
        .questions
        .iter()
        .map(|question| {
            let alpha = question
                .alpha
                .as_ref()
                .map(|alpha| interval(&alpha.alpha.interval, 3));
            format!(
                "{} {}",
                question.question,
                alpha.unwrap_or_else(|| "–".to_owned())
            )
        })
        .collect();
    let items: Vec<&str> = study
        .disagreements
        .iter()
        .map(|one| &*one.item)
        .take(SHOWN)
        .collect();
    let more = match study.disagreements.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(" and {more} more (all with --json)"),
    };
    let listed = if items.is_empty() {
        String::new()
    } else {
        format!(": {}{more}", items.join(", "))
    };
    format!(
        "; alpha by question: {}; raters disagree on {} items{listed}",
        alphas.join(", "),
        study.disagreements.len()
    )
}

/// Whether both sides are shown to be equal but for the margin (two one-sided tests).
fn equal(study: &Study) -> String {
    let test = &study.equivalence;
    let verdict = if test.shown { "shown" } else { "not shown" };
    format!(
        "; {verdict} to be equal but for {} points (two one-sided tests): difference {:.3} [{:.3}, {:.3}], a {:.0} % interval, p {}",
        test.margin,
        test.difference,
        test.low,
        test.high,
        (1.0 - 2.0 * test.level) * 100.0,
        chance(test.p),
    )
}

fn cells(study: &Study) -> Vec<String> {
    let test = &study.non_inferiority;
    let nominal = study.agreement.first().map(|both| {
        let values = [&both.candidate, &both.reference];
        let values: Vec<f64> = values
            .into_iter()
            .flatten()
            .map(|alpha| alpha.alpha.interval.value)
            .collect();
        if values.is_empty() {
            "–".to_owned()
        } else {
            format!("{:.3}", values.iter().sum::<f64>() / values.len() as f64)
        }
    });
    vec![
        study.group.clone(),
        study.items.to_string(),
        interval(&study.totals.first, 1),
        interval(&study.totals.second, 1),
        study
            .totals
            .share_at_least
            .map_or_else(|| "–".to_owned(), |share| format!("{:.2} %", share * 100.0)),
        if test.shown {
            "no, shown".to_owned()
        } else {
            format!("not shown (power {:.0} %)", test.power * 100.0)
        },
        nominal.unwrap_or_default(),
    ]
}
