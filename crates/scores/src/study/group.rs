//! The results of one group of ratings.
//!
//! Enters: a verdict for each rater and item. Leaves: totals, tests, and the agreement of raters. The points that
//! raters gave to one item are averaged first, so items are drawn and tested.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::{
    Alpha, Equivalence, Level, NonInferiority, Preference, Rule, Totals, Verdict, equivalence,
    krippendorff_alpha, non_inferiority, points, queries_needed, totals,
};
use crate::draws::mean;
use crate::{Bootstrap, Method, StatisticsError};

/// One rater's verdict on one item; the candidate's text is the first.
#[derive(Debug, Clone, Copy)]
pub struct Rated<'a> {
    /// The item.
    pub item: &'a str,
    /// The rater.
    pub rater: &'a str,
    /// The rater's verdict.
    pub verdict: Verdict,
}

/// The options of the tests of ratings.
#[derive(Debug, Clone, Copy)]
pub struct Test {
    /// The rule of points.
    pub rule: Rule,
    /// The number of points per item by which the candidate may be worse.
    pub margin: f64,
    /// The one-sided level.
    pub level: f64,
    /// The draws of totals and of agreement.
    pub bootstrap: Bootstrap,
}

/// The results of one group of ratings.
#[derive(Debug, Serialize)]
pub struct GroupStudy {
    /// The name of the group; empty if it is the only one.
    pub group: String,
    /// Number of items.
    pub items: usize,
    /// Number of raters.
    pub raters: usize,
    /// Number of ratings.
    pub ratings: usize,
    /// Totals of both sides.
    pub totals: Totals,
    /// The test that the candidate is not worse.
    pub non_inferiority: NonInferiority,
    /// The test that both sides are equal but for the margin.
    pub equivalence: Equivalence,
    /// Items that a study needs to show it four times in five if both sides are equal; `None` beyond counting.
    pub items_needed: Option<usize>,
    /// The agreement on the candidate's points and on the reference's, by level.
    pub agreement: Vec<Agreement>,
    /// The agreement by question as it was asked, nominal.
    pub questions: Vec<Question>,
    /// Items on which raters disagree.
    pub disagreements: Vec<Disagreement>,
}

/// The agreement of raters on the points of both sides.
#[derive(Debug, Serialize)]
pub struct Agreement {
    /// The level of measurement of the points.
    pub level: Level,
    /// Of the candidate's points.
    pub candidate: Option<Alpha>,
    /// Of the reference's.
    pub reference: Option<Alpha>,
}

/// The agreement of raters on a question.
#[derive(Debug, Serialize)]
pub struct Question {
    /// The question.
    pub question: &'static str,
    /// Their agreement.
    pub alpha: Option<Alpha>,
}

/// An item on which raters disagree.
#[derive(Debug, Serialize)]
pub struct Disagreement {
    /// The item.
    pub item: String,
    /// The verdict of each rater: `wrong` or `correct` of candidate and reference, and the better one.
    pub raters: BTreeMap<String, [&'static str; 3]>,
}

/// The answer of a verdict to a question.
type Answer = fn(Verdict) -> Option<f64>;

/// The questions that raters answer.
const QUESTIONS: [(&str, Answer); 3] = [
    ("candidate correct", |verdict| {
        Some(f64::from(u8::from(verdict.words()[0] == CORRECT)))
    }),
    ("reference correct", |verdict| {
        Some(f64::from(u8::from(verdict.words()[1] == CORRECT)))
    }),
    ("which is better", |verdict| match verdict {
        Verdict::BothCorrect(preference) => Some(f64::from(preference as u8)),
        _ => None,
    }),
];

const CORRECT: &str = "correct";
const WRONG: &str = "wrong";

impl Verdict {
    /// The verdict in words: of candidate and reference, and the better one.
    fn words(self) -> [&'static str; 3] {
        match self {
            Verdict::BothWrong => [WRONG, WRONG, ""],
            Verdict::OnlyFirst => [CORRECT, WRONG, ""],
            Verdict::OnlySecond => [WRONG, CORRECT, ""],
            Verdict::BothCorrect(Preference::First) => [CORRECT, CORRECT, "candidate"],
            Verdict::BothCorrect(Preference::Second) => [CORRECT, CORRECT, "reference"],
            Verdict::BothCorrect(Preference::Neither) => [CORRECT, CORRECT, "equal"],
        }
    }
}

/// Tests whether the candidate's texts are as good as the reference's.
///
/// ```
/// use barecode_scores::Bootstrap;
/// use barecode_scores::study::{Preference, Rated, Rule, Test, Verdict, of_group};
/// let said = [Verdict::OnlyFirst, Verdict::BothCorrect(Preference::Neither)];
/// let rated = |(item, verdict)| Rated { item, rater: "anna", verdict };
/// let ratings: Vec<Rated<'_>> = ["f1", "f2"].into_iter().zip(said).map(rated).collect();
/// let bootstrap = Bootstrap { resamples: 100, confidence: 0.95, seed: 0 };
/// let test = Test { rule: Rule::Draft, margin: 0.1, level: 0.05, bootstrap };
/// let found = of_group("", &ratings, &test)?;
/// assert_eq!((found.totals.first.value, found.totals.second.value), (1.5, -0.5));
/// # Ok::<(), barecode_scores::StatisticsError>(())
/// ```
///
/// # Errors
/// If a number of the test is out of its range, or there are fewer than two items.
pub fn of_group(
    group: &str,
    ratings: &[Rated<'_>],
    test: &Test,
) -> Result<GroupStudy, StatisticsError> {
    let raters: BTreeSet<&str> = ratings.iter().map(|one| one.rater).collect();
    let alpha = |units: &[Vec<Option<f64>>], level| {
        krippendorff_alpha(units, level, &test.bootstrap, Method::Percentile)
    };
    let points_of =
        |side: usize| by_item(ratings, &raters, |said| Some(points(said, test.rule)[side]));
    let given = [points_of(0), points_of(1)];
    let of_item = |values: &Vec<Option<f64>>| {
        let values: Vec<f64> = values.iter().flatten().copied().collect();
        mean(&values)
    };
    let [candidate, reference] = given
        .each_ref()
        .map(|side| side.iter().map(of_item).collect::<Vec<f64>>());
    let mut agreement = Vec::new();
    for level in [Level::Nominal, Level::Ordinal, Level::Interval] {
        agreement.push(Agreement {
            level,
            candidate: alpha(&given[0], level)?,
            reference: alpha(&given[1], level)?,
        });
    }
    let mut questions = Vec::new();
    for (question, answer) in QUESTIONS {
        let alpha = alpha(&by_item(ratings, &raters, answer), Level::Nominal)?;
        questions.push(Question { question, alpha });
    }
    let lost: Vec<f64> = candidate
        .iter()
        .zip(&reference)
        .map(|(a, b)| a - b)
        .collect();
    let center = lost.iter().sum::<f64>() / lost.len() as f64;
    let squares: f64 = lost.iter().map(|value| (value - center).powi(2)).sum();
    let deviation = (squares / (lost.len().saturating_sub(1).max(1)) as f64).sqrt();
    let Test { margin, level, .. } = *test;
    Ok(GroupStudy {
        group: group.to_owned(),
        items: candidate.len(),
        raters: raters.len(),
        ratings: ratings.len(),
        totals: totals(&candidate, &reference, &test.bootstrap)?,
        non_inferiority: non_inferiority(&candidate, &reference, margin, level)?,
        equivalence: equivalence(&candidate, &reference, margin, level)?,
        items_needed: queries_needed(deviation, margin, 0.8, level).ok(),
        agreement,
        questions,
        disagreements: disagreements(ratings),
    })
}

/// The value of each rater's verdict, by item.
fn by_item(
    ratings: &[Rated<'_>],
    raters: &BTreeSet<&str>,
    value: impl Fn(Verdict) -> Option<f64>,
) -> Vec<Vec<Option<f64>>> {
    let mut said: BTreeMap<&str, BTreeMap<&str, f64>> = BTreeMap::new();
    for one in ratings {
        let of_item = said.entry(one.item).or_default();
        of_item.extend(value(one.verdict).map(|value| (one.rater, value)));
    }
    let units = said.into_values();
    let row =
        |of_item: BTreeMap<_, f64>| raters.iter().map(|it| of_item.get(it).copied()).collect();
    units.map(row).collect()
}

/// The items that are in dispute, by id.
fn disagreements(ratings: &[Rated<'_>]) -> Vec<Disagreement> {
    let mut said: BTreeMap<&str, BTreeMap<String, [&'static str; 3]>> = BTreeMap::new();
    for one in ratings {
        let of_item = said.entry(one.item).or_default();
        of_item.insert(one.rater.to_owned(), one.verdict.words());
    }
    let disputed = said.into_iter().filter(|(_, raters)| {
        let first = raters.values().next();
        raters.values().any(|other| Some(other) != first)
    });
    let disagreement = |(item, raters): (&str, _)| Disagreement {
        item: item.to_owned(),
        raters,
    };
    disputed.map(disagreement).collect()
}
