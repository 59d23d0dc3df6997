//! The statistics of a dataset.

use serde::{Deserialize, Serialize};

use crate::{Setting, Split};

/// Means over the pairs of a query and its answer, as CLARC's Tables 1, 7 and 10 have them
/// (`05-dataset/statistics.parquet`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Statistic {
    /// The part of the dataset.
    pub split: Split,
    /// The subset, without its draw: `group3-short-randomized`.
    pub subset: String,
    /// The functions.
    pub group: Option<String>,
    /// The setting of the code.
    pub setting: Option<Setting>,
    /// Number of draws that are averaged; 1 for settings that are not drawn.
    pub draws: u32,
    /// The pairs counted: `all`, or those of one `language=…`, `repository=…` or `year=…` of the first commit.
    pub slice: String,
    /// The tokenizer that counted the tokens: `c-tokens`, or the kind and digest of a `tokenizer.json`.
    pub tokenizer: String,
    /// Number of pairs: a query and its answer of the highest grade.
    pub pairs: u32,
    /// Tokens of the query.
    pub query_tokens: f64,
    /// Tokens of the code.
    pub code_tokens: f64,
    /// Lines of the code, blanks at its ends left out.
    pub lines: f64,
    /// Cyclomatic complexity of the code; `None` where it is lowered or its language has no grammar here.
    pub complexity: Option<f64>,
    /// Different keywords of its language in the code; `None` where it is lowered or nothing is known of the language.
    pub keywords: Option<f64>,
    /// Different instructions in lowered code.
    pub instructions: Option<f64>,
    /// Number of repositories that the answers are from.
    pub repositories: u32,
    /// The repository with the most answers.
    pub largest_repository: String,
    /// Its share of the pairs, in 0..=1.
    pub largest_share: f64,
    /// The number of repositories of equal size that would be as concentrated: one divided by the sum of the squared
    /// shares.
    pub effective_repositories: f64,
}

impl Statistic {
    /// The group; the name of the subset where it has none.
    pub fn group_name(&self) -> &str {
        self.group.as_deref().unwrap_or(&self.subset)
    }
}
