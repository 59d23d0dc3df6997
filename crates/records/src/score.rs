//! What came out.

use serde::{Deserialize, Serialize};

use crate::{Id, Leak, Setting, View};

/// One measure of one query (`07-scores/queries.parquet`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct QueryScore {
    /// The retriever's name in the recipe.
    pub retriever: String,
    /// Which candidates.
    pub view: View,
    /// What was done to them.
    pub setting: Setting,
    /// Which draw.
    pub seed: Option<u32>,
    /// The query.
    pub query_id: Id,
    /// Its leak, by which scores are split.
    pub leak: Leak,
    /// The measure, as `ir_measures` writes it.
    pub measure: String,
    /// The value, in 0..=1.
    pub value: f64,
    /// The expected value for a perfect model, below 1 where documents have twins.
    pub ceiling: f64,
    /// The expected value for random order.
    pub floor: f64,
    /// The expected rank of the answer with the highest grade (one-based; among ties their middle); `null`
    /// where it was not retrieved.
    pub answer_rank: Option<f64>,
}

/// One number of the report (`07-scores/scores.parquet`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Score {
    /// The retriever's name in the recipe.
    pub retriever: String,
    /// Which candidates.
    pub view: View,
    /// What was done to them.
    pub setting: Setting,
    /// How many draws are averaged per query; 1 for settings that are not drawn.
    pub draws: u32,
    /// The queries counted: `all`, or those of one leak, `leak=none`.
    pub subset: String,
    /// The measure, as `ir_measures` writes it.
    pub measure: String,
    /// Number of queries.
    pub queries: u32,
    /// Number of documents that competed.
    pub documents: u32,
    /// The mean over queries.
    pub value: f64,
    /// Lower end of the bootstrap interval.
    pub low: f64,
    /// Upper end of the bootstrap interval.
    pub high: f64,
    /// Lower end of the interval with whole repositories drawn instead of queries; `null` where all answers are from
    /// one repository.
    pub repository_low: Option<f64>,
    /// Upper end of it.
    pub repository_high: Option<f64>,
    /// What a perfect model could expect.
    pub ceiling: f64,
    /// What random order would expect.
    pub floor: f64,
}
