//! Scores to something that a person reads: the table on the terminal, and the page.
//!
//! Both are views: they compute nothing. A number is never shown without its measure with the cutoff, the
//! number of queries, its interval and its ceiling.

pub mod draws;
pub mod cut;
pub mod ahead;
pub mod browse;
pub mod contrast;
pub mod board;
pub mod lacking;
pub mod own;
pub mod unread;
pub mod leader;
pub mod asker;
pub mod verdict;
pub mod grid;
pub mod table;
pub mod facts;
pub mod page;
pub mod samples;
mod scored;
pub mod statistics;
pub mod suite;
mod genbench;
pub mod estimates;
pub mod diff;
pub mod audit;
pub mod robustness;
pub mod sets;
pub mod study;
pub mod lengths;
pub mod probe;
pub mod training;
pub mod programs;
pub mod findings;
mod markup;
mod figure;
pub mod figures;

use std::collections::BTreeSet;

use barecode_evaluate::POOLED;
use barecode_records::{Difference, Facets, Score, Setting, SettingDrop};
use barecode_scores::Interval;
use barecode_scores::intervals::FEWEST_QUERIES;

use barecode_runs::console::grouped;

/// The main measure: the first of the recipe, and so of the table.
fn main_measure(scores: &[Score]) -> Option<&str> {
    scores.first().map(|score| score.measure.as_str())
}

/// The retrievers in the order of the recipe.
fn retrievers(scores: &[Score]) -> Vec<&str> {
    distinct(scores.iter().map(|score| score.retriever.as_str()))
}

/// Each once, in the order in which they first occur.
pub fn distinct<T: Ord + Copy>(items: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut seen = BTreeSet::new();
    let items = items.into_iter();
    items.filter(|item| seen.insert(*item)).collect()
}

/// The groups of functions that a further set of queries may be about.
const FUNCTIONS: [&str; 6] = [
    "group1",
    "group2",
    "group3-short",
    "group3-long",
    Facets::ALL,
    POOLED,
];

/// `Group 3 Short`, of `group3-short`.
fn group_name(group: Option<&str>) -> String {
    if group == Some(POOLED) {
        return "All groups together".to_owned();
    }
    // A further set of queries has the name of its writer behind the group.
    let by = FUNCTIONS.iter().find_map(|functions| {
        let writer = group?.strip_prefix(functions)?.strip_prefix('-')?;
        let is_name = FUNCTIONS.contains(&group.unwrap_or_default());
        (!is_name).then_some((functions, writer))
    });
    if let Some((functions, writer)) = by {
        return format!("{}, asked by {writer}", group_name(Some(functions)));
    }
    let group = match group {
        Some("code") => "code asks for code",
        Some("all") => "all functions",
        group => group.unwrap_or("all"),
    };
    let words = group.split('-').map(|word| {
        let word = word.replace("group", "group ");
        let mut letters = word.chars();
        let first = letters.next().into_iter().flat_map(char::to_uppercase);
        first.chain(letters).collect::<String>()
    });
    words.collect::<Vec<String>>().join(" ")
}

/// The share of names that a setting changes, and the same setting that changes all.
pub fn dose_of(setting: Setting) -> Option<(u8, Setting)> {
    let Setting::Renamed {
        scheme,
        mut dose,
        literals,
        profile,
    } = setting
    else {
        return None;
    };
    let percent = dose.percent;
    dose.percent = 100;
    let whole = Setting::Renamed {
        scheme,
        dose,
        literals,
        profile,
    };
    Some((percent, whole))
}

/// The setting of a subset, if it has one.
fn setting_of(setting: Option<Setting>) -> String {
    setting.as_ref().map(Setting::to_string).unwrap_or_default()
}

/// `randomized ×3`, of a setting that was drawn several times.
fn with_draws(setting: Option<Setting>, draws: u32) -> String {
    let setting = setting_of(setting);
    if draws > 1 {
        format!("{setting} ×{draws}")
    } else {
        setting
    }
}

/// `0.412`.
fn number(value: f64) -> String {
    format!("{value:.3}")
}

/// A ceiling or a floor; a dash if the measure has none.
fn bound(value: Option<f64>) -> String {
    value.map_or("–".to_owned(), number)
}

/// The text in place of a number over too few queries: `too few (3)`.
pub fn too_few(queries: u64) -> String {
    format!("too few ({queries})")
}

/// A value with its interval, or that it is over too few queries.
pub fn of_queries(of: &Interval, queries: usize, digits: usize) -> String {
    if queries < FEWEST_QUERIES {
        return too_few(queries as u64);
    }
    interval(of, digits)
}

/// The smallest effect that the run can detect, if any: from differences between retrievers, or else from drops.
pub fn power(
    scores: &[Score],
    drops: &[SettingDrop],
    differences: &[Difference],
) -> Option<String> {
    let measure = main_measure(scores)?;
    if scores.iter().all(|score| score.too_few) {
        return Some(format!(
            "too few queries: no group has {FEWEST_QUERIES}, so no score is shown; more functions with comments would help"
        ));
    }
    // Of all groups together if there are several.
    let pooled = scores
        .iter()
        .any(|score| score.group.as_deref() == Some(POOLED));
    let counts = |group: &Option<String>| !pooled || group.as_deref() == Some(POOLED);
    let between = differences
        .iter()
        .filter(|one| one.measure == measure && !one.too_few && counts(&one.group));
    let between = between.filter_map(|one| Some((one.detectable?, one.queries)));
    let dropped = drops
        .iter()
        .filter(|one| one.measure == measure && !one.too_few && counts(&one.group));
    let dropped = dropped.filter_map(|one| Some((one.detectable?, one.queries)));
    let told = |what: &str, mut of: Vec<(f64, u32)>| {
        of.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (size, queries) = *of.get(of.len() / 2)?;
        let queries = grouped(queries.into());
        Some(format!("{what} of about {size:.2} ({queries} queries)"))
    };
    let parts = [
        told("differences between retrievers", between.collect()),
        told("drops", dropped.collect()),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| {
        format!(
            "{measure}: this run can detect {}; it would miss smaller ones more than one time in five",
            parts.join(" and ")
        )
    })
}

/// `0.412 [0.380, 0.441]`, or the text for too few queries.
fn with_interval(score: &Score) -> String {
    if score.too_few {
        return too_few(score.queries.into());
    }
    let &Score {
        value, low, high, ..
    } = score;
    interval(&Interval { value, low, high }, 3)
}

/// A value of three digits, without a minus if they are all zero.
pub fn unsigned_zero(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0 + 0.0
}

/// A value and its interval, with this many digits behind the points.
pub fn interval(interval: &Interval, digits: usize) -> String {
    let Interval { value, low, high } = interval;
    format!("{value:.digits$} [{low:.digits$}, {high:.digits$}]")
}

/// `95 %`.
fn percent(share: f64) -> String {
    format!("{} %", (share * 1000.0).round() / 10.0)
}
