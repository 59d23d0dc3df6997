//! What a retriever answered.

use serde::{Deserialize, Serialize};

use crate::Id;

/// One document in the ranked list of one query (`06-runs/<retriever>/<subset>.parquet`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Hit {
    /// The query.
    pub query_id: Id,
    /// The document.
    pub doc_id: Id,
    /// One-based rank; among equal scores the order is by document id, and means nothing.
    pub rank: u32,
    /// The retriever's score; higher is better.
    pub score: f64,
}

/// One candidate of one query, where a pool was drawn (`06-runs/candidates/<subset>.parquet`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// Which draw, from 1.
    pub pool_draw: u32,
    /// The query.
    pub query_id: Id,
    /// The document.
    pub doc_id: Id,
}
