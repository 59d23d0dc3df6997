//! The differences between two numbers of the same queries.

use serde::{Deserialize, Serialize};

use crate::{Language, Setting};

/// The drop of a retriever's score under a setting, query by query (`07-scores/drops.parquet`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SettingDrop {
    /// The retriever's name.
    pub retriever: String,
    /// The subset's name without the draw.
    pub subset: String,
    /// The subset's group, if it has one.
    pub group: Option<String>,
    /// The subset's setting.
    pub setting: Setting,
    /// The subset's language, if it has only one.
    pub language: Option<Language>,
    /// Number of draws that are averaged per query; 1 for settings that are not drawn.
    pub draws: u32,
    /// The measure, as `ir_measures` writes it.
    pub measure: String,
    /// Number of queries.
    pub queries: u32,
    /// True if they are too few for the numbers to be shown.
    pub too_few: bool,
    /// The mean over queries under the standard setting.
    pub standard: f64,
    /// The mean over the same queries under this setting.
    pub value: f64,
    /// `standard - value`.
    pub drop: f64,
    /// Lower end of the paired interval of the drop.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// `drop / standard`; `null` where the standard is 0.
    pub relative: Option<f64>,
    /// Lower end of its interval.
    pub relative_low: Option<f64>,
    /// Upper end.
    pub relative_high: Option<f64>,
    /// The true drop that queries like these find four times in five; `null` where all are equal.
    pub detectable: Option<f64>,
    /// The probability of a drop of this size, or of a rise, by chance: the paired randomization test, two-sided.
    pub p: f64,
    /// The mean over queries of the lowest value that any draw gives.
    pub worst_case: f64,
    /// The mean over queries of the worst draw.
    pub worst_draw: f64,
    /// The standard error of the mean over draws; `null` for settings that are not drawn.
    pub draw_error: Option<f64>,
}

/// The difference between two sets of queries over the same functions, for a retriever (`07-scores/sets.parquet`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SetDifference {
    /// The retriever's name.
    pub retriever: String,
    /// The functions: `group1`, `all`, `pooled`.
    pub functions: String,
    /// The setting, if there is one.
    pub setting: Option<Setting>,
    /// The measure, as `ir_measures` writes it.
    pub measure: String,
    /// Number of functions that both sets ask for.
    pub answers: u32,
    /// True if they are too few for the numbers to be shown.
    pub too_few: bool,
    /// The writer of the first set.
    pub first: String,
    /// The writer of the second set.
    pub second: String,
    /// The mean of the first set over these functions.
    pub first_value: f64,
    /// The mean of the second set.
    pub second_value: f64,
    /// The mean of `first - second`.
    pub difference: f64,
    /// Lower end of its paired interval.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// The true difference that functions like these find four times in five; `null` where all are equal.
    pub detectable: Option<f64>,
    /// The probability of a difference of this size, in either direction, by chance: the paired randomization test.
    pub p: f64,
}

/// The difference between two retrievers on the same queries (`07-scores/differences.parquet`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Difference {
    /// The subset's name without the draw.
    pub subset: String,
    /// The subset's group, if it has one.
    pub group: Option<String>,
    /// The subset's setting, if it has one.
    pub setting: Option<Setting>,
    /// The subset's language, if it has only one.
    pub language: Option<Language>,
    /// The measure, as `ir_measures` writes it.
    pub measure: String,
    /// Number of queries.
    pub queries: u32,
    /// True if they are too few for the numbers to be shown.
    pub too_few: bool,
    /// The retriever that comes first in the recipe.
    pub first: String,
    /// The other one.
    pub second: String,
    /// The mean over queries of `first - second`.
    pub difference: f64,
    /// Lower end of its paired interval.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// The true difference that queries like these find four times in five; `null` where all are equal.
    pub detectable: Option<f64>,
    /// The paired randomization test, two-sided.
    pub p: f64,
    /// The same after Holm's correction over all pairs of retrievers in this subset and measure.
    pub p_holm: f64,
}
