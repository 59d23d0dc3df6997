//! Scores to something that a person reads: the table on the terminal, and the page.
//!
//! Both are views: they compute nothing. A number is never shown without its measure with the cutoff, the
//! number of queries, its interval and its ceiling.

pub(crate) mod table;
pub(crate) mod page;
pub(crate) mod statistics;
pub(crate) mod estimates;
pub(crate) mod diff;
pub(crate) mod audit;
pub(crate) mod robustness;
pub(crate) mod findings;
mod figure;

use std::collections::BTreeSet;

use barecode_records::Score;

/// The main measure: the first of the recipe, and so of the table.
fn main_measure(scores: &[Score]) -> Option<&str> {
    scores.first().map(|score| score.measure.as_str())
}

/// The retrievers in the order of the recipe.
fn retrievers(scores: &[Score]) -> Vec<&str> {
    let mut seen = BTreeSet::new();
    scores
        .iter()
        .map(|score| score.retriever.as_str())
        .filter(|name| seen.insert(*name))
        .collect()
}

/// `0.412`.
fn number(value: f64) -> String {
    format!("{value:.3}")
}

/// A ceiling or a floor; a dash where the measure has none.
fn bound(value: Option<f64>) -> String {
    value.map_or("–".to_owned(), number)
}

/// `0.412 [0.380, 0.441]`.
fn with_interval(score: &Score) -> String {
    format!(
        "{} [{}, {}]",
        number(score.value),
        number(score.low),
        number(score.high)
    )
}

/// `95 %`.
fn percent(share: f64) -> String {
    format!("{} %", (share * 1000.0).round() / 10.0)
}
