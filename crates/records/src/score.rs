//! The scores.

use serde::{Deserialize, Serialize};

use crate::{Id, Language, Leak, Setting};

/// One measure of one query (`07-scores/queries.parquet`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct QueryScore {
    /// The retriever's name.
    pub retriever: String,
    /// The subset's name without the draw.
    pub subset: String,
    /// The subset's group, if it has one.
    pub group: Option<String>,
    /// The subset's setting, if it has one.
    pub setting: Option<Setting>,
    /// The draw of the setting, if it is drawn.
    pub draw: Option<u32>,
    /// The subset's language, if it has only one.
    pub language: Option<Language>,
    /// The draw of the candidates, if they were drawn more than once.
    pub pool_draw: Option<u32>,
    /// The query.
    pub query_id: Id,
    /// Its leak, by which scores are split; `null` if leaks were not looked for.
    pub leak: Option<Leak>,
    /// The measure, as `ir_measures` writes it.
    pub measure: String,
    /// The value, in 0..=1.
    pub value: f64,
    /// The expected value for a perfect model, below 1 where documents have twins; `null` for measures without one.
    pub ceiling: Option<f64>,
    /// The expected value for random order; `null` for measures without one.
    pub floor: Option<f64>,
    /// The expected rank of the answer with the highest grade (one-based; among ties their middle); `null`
    /// where it was not retrieved.
    pub answer_rank: Option<f64>,
}

/// One number of the report (`07-scores/scores.parquet`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Score {
    /// The retriever's name.
    pub retriever: String,
    /// The subset's name without the draw.
    pub subset: String,
    /// The subset's group, if it has one.
    pub group: Option<String>,
    /// The subset's setting, if it has one.
    pub setting: Option<Setting>,
    /// The subset's language, if it has only one.
    pub language: Option<Language>,
    /// Number of draws that are averaged per query; 1 if nothing is drawn.
    pub draws: u32,
    /// The queries counted: `all`, or those of one leak, `leak=none`.
    pub slice: String,
    /// The measure, as `ir_measures` writes it.
    pub measure: String,
    /// Number of queries.
    pub queries: u32,
    /// True if they are too few for the mean to be shown.
    pub too_few: bool,
    /// Number of documents that competed; of a row over all groups, their sum.
    pub documents: u32,
    /// The mean over queries.
    pub value: f64,
    /// Lower end of its interval.
    pub low: f64,
    /// Upper end of its interval.
    pub high: f64,
    /// Lower end of the interval with whole repositories drawn instead of queries; `null` if all answers are from
    /// one repository, or the repository of one is unknown.
    pub repository_low: Option<f64>,
    /// Upper end of it.
    pub repository_high: Option<f64>,
    /// Number of repositories of the answers; `null` if one is unknown.
    pub repositories: Option<u32>,
    /// The standard error of the mean over draws; `null` if nothing is drawn more than once.
    pub draw_error: Option<f64>,
    /// The expected value of a perfect model; `null` for measures without a ceiling.
    pub ceiling: Option<f64>,
    /// The expected value of random order; `null` for measures without a floor.
    pub floor: Option<f64>,
}
