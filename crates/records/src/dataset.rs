//! The documents, queries and judgments that a retriever is given and judged by.
//!
//! A subset has documents, queries and judgments, in the layout that MTEB's retrieval loader reads (`id`, `title`, `text`; `query-id`,
//! `corpus-id`, `score`), and the same as flat pairs.

use serde::{Deserialize, Serialize};

use crate::{Id, Language, Leak, Origin};

impl Document {
    /// The whole that is never divided between splits: see [`Origin::whole`].
    pub fn whole(&self) -> String {
        Origin::whole_of(self.repository.as_deref(), &self.source)
    }
}

/// A candidate (`05-dataset/<subset>/corpus.parquet`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Document {
    /// The unit's id, the same in every setting.
    pub id: Id,
    /// Always empty: a title would be a name.
    pub title: String,
    /// The code.
    pub text: String,
    /// Its language.
    pub language: Language,
    /// Source, as [`Origin`] has it.
    pub source: String,
    /// The public repository, where the source shows it.
    pub repository: Option<String>,
    /// Package version.
    pub version: Option<String>,
    /// Commit.
    pub commit: Option<String>,
    /// The day of the first commit that had the file, where its history is at hand.
    pub first_commit: Option<String>,
    /// License as an SPDX expression.
    pub license: Option<String>,
    /// File in the source.
    pub path: String,
    /// First line.
    pub start_line: u32,
    /// Last line.
    pub end_line: u32,
}

/// A query (`05-dataset/<subset>/queries.parquet`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueryText {
    /// The query's id, the same in every setting.
    pub id: Id,
    /// The text of the query.
    pub text: String,
    /// The strongest name that the query shares with its answer's code as written.
    pub leak: Leak,
    /// Those names.
    pub leaked: Vec<String>,
}

/// One judgment (`05-dataset/<subset>/qrels.parquet`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Judgment {
    /// The query.
    #[serde(rename = "query-id")]
    pub query_id: Id,
    /// The document.
    #[serde(rename = "corpus-id")]
    pub corpus_id: Id,
    /// The grade: 1, or in Group 3 Short 2 for the function and 1 for its helpers.
    pub score: i32,
}

/// A query with one of its answers (`05-dataset/<subset>/pairs.parquet`, and `train.parquet` for the train split): the
/// columns of the data that CLARC publishes, and what else must be known of code whose corpus is not published.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pair {
    /// The query's id.
    pub query_id: Id,
    /// The query.
    pub query_text: String,
    /// The document's id.
    pub code_id: Id,
    /// The code.
    pub code_text: String,
    /// The grade.
    pub relevance: i32,
    /// The language of the code.
    pub language: Language,
    /// The public repository of the code, where the source shows it.
    pub repository: Option<String>,
    /// The license of the code, as an SPDX expression.
    pub license: Option<String>,
}
