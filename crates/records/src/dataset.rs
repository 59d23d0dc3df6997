//! What a retriever is given, and what it is judged by.
//!
//! A configuration is one [`View`] of one group under one setting: its documents, its queries and its
//! judgments, in the layout that MTEB's retrieval loader reads (`id`, `title`, `text`; `query-id`,
//! `corpus-id`, `score`), and the same as flat pairs.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::c::Group;
use crate::{Id, Language, Leak, Origin, Setting};

/// How a group's functions become candidates (CLARC appendix D.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum View {
    /// Group 1: each function is a candidate.
    Group1,
    /// Group 2: each function is a candidate.
    Group2,
    /// Group 3 Short: functions and their helpers are candidates of their own, graded 2 and 1.
    Group3Short,
    /// Group 3 Long: helpers and function together are one candidate.
    Group3Long,
}

impl View {
    /// All views, in order.
    pub const ALL: [View; 4] = [
        View::Group1,
        View::Group2,
        View::Group3Short,
        View::Group3Long,
    ];

    /// `group3-short`, as files and columns have it.
    pub fn name(self) -> &'static str {
        match self {
            View::Group1 => "group1",
            View::Group2 => "group2",
            View::Group3Short => "group3-short",
            View::Group3Long => "group3-long",
        }
    }

    /// The group that the view shows.
    pub fn group(self) -> Group {
        match self {
            View::Group1 => Group::Group1,
            View::Group2 => Group::Group2,
            View::Group3Short | View::Group3Long => Group::Group3,
        }
    }
}

impl fmt::Display for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The name of a configuration: `group3-short-randomized-2`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ConfigName {
    /// Which candidates.
    pub view: View,
    /// What was done to them.
    pub setting: Setting,
    /// Which draw.
    pub seed: Option<u32>,
}

impl Document {
    /// What is never divided between splits: see [`Origin::whole`].
    pub fn whole(&self) -> String {
        Origin::whole_of(self.repository.as_deref(), &self.source)
    }
}

impl fmt::Display for ConfigName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.view, self.setting.label(self.seed))
    }
}

impl FromStr for ConfigName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let named = View::ALL.into_iter().find_map(|view| {
            let label = text.strip_prefix(view.name())?.strip_prefix('-')?;
            let drawn = label.rsplit_once('-').and_then(|(setting, seed)| {
                let setting: Setting = setting.parse().ok()?;
                let seed: u32 = seed.parse().ok()?;
                setting.is_seeded().then_some((setting, Some(seed)))
            });
            let (setting, seed) = match drawn {
                Some(drawn) => drawn,
                None => (label.parse().ok()?, None),
            };
            Some(ConfigName {
                view,
                setting,
                seed,
            })
        });
        // One configuration has one name: what is spelled otherwise is none.
        named
            .filter(|name| name.to_string() == text)
            .ok_or_else(|| format!("`{text}` is no configuration"))
    }
}

/// A candidate (`05-dataset/<config>/corpus.parquet`).
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
    /// Source, as the recipe names it.
    pub source: String,
    /// The public repository, where the source tells it.
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

/// A query (`05-dataset/<config>/queries.parquet`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueryText {
    /// The query's id, the same in every setting.
    pub id: Id,
    /// What is asked.
    pub text: String,
    /// The strongest name that the query shares with its answer's code as written.
    pub leak: Leak,
    /// Those names.
    pub leaked: Vec<String>,
}

/// One judgment (`05-dataset/<config>/qrels.parquet`).
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

/// A query with one of its answers, as CLARC publishes its data (`05-dataset/<config>/pairs.parquet`, and
/// `train.parquet` for the train split).
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
}
