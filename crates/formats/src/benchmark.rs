//! A retrieval benchmark in memory, whatever files it came from.
//!
//! One [`Subset`] is the unit that one number is measured on: documents, queries and judgments. CLARC's settings, a
//! configuration of a hub dataset and a task of a suite are subsets. Ids are unique within the documents of a subset
//! and within its queries; the same id in two subsets is the same thing under another setting.

use std::collections::BTreeMap;

use barecode_records::Facets;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Columns beyond those that every format has, kept as they were read, by name.
pub type Extra = Map<String, Value>;

/// Some subsets under one name.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Benchmark {
    /// Its name: the folder's or the file's if no other is given.
    pub name: String,
    /// The facts about the benchmark as a whole.
    pub facts: Facts,
    /// The subsets, in the order in which they are declared, or else of their names.
    pub subsets: Vec<Subset>,
}

/// The facts that a dataset's card shows and that formats share.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Facts {
    /// The name for readers.
    pub title: Option<String>,
    /// Its kind.
    pub description: Option<String>,
    /// The license of the whole, as an SPDX expression or as in the card.
    pub license: Option<String>,
    /// Its home page.
    pub url: Option<String>,
    /// Its version.
    pub version: Option<String>,
    /// The authors.
    pub creators: Vec<String>,
    /// The day of publication: `2026-11-21`.
    pub published: Option<String>,
    /// The text by which to cite it.
    pub citation: Option<String>,
    /// The Markdown of the card below its title, without the parts that every writer rewrites: the description, the
    /// table of configurations and the citation.
    pub about: Option<String>,
    /// Whatever else the card's front matter has.
    pub extra: Extra,
}

/// Documents, queries and judgments that belong together.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Subset {
    /// Its name; `default` if the format has none.
    pub name: String,
    /// The split: `test` if the format has none.
    pub split: String,
    /// The task of a model.
    pub kind: Kind,
    /// The properties that its queries share, if the dataset lists its subsets as `barecode build` does. No other
    /// format can store them, and they are not part of what a format must not lose.
    #[serde(default)]
    pub facets: Facets,
    /// The candidates, in the order of the file.
    pub documents: Vec<Document>,
    /// The queries, in the order of the file.
    pub queries: Vec<Query>,
    /// The judgments, in the order of the file; a grade of 0 is a judgment too.
    pub judgments: Vec<Judgment>,
    /// The candidates of a query if not all documents are candidates (MTEB's `top_ranked`).
    pub candidates: BTreeMap<String, Vec<String>>,
}

/// The task of a model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Rank the documents for each query.
    #[default]
    Retrieval,
    /// Decide for each judged pair if it matches: grade 1 or 0.
    Matching,
}

/// A candidate.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Document {
    /// Its id.
    pub id: String,
    /// Its title; empty if it has none.
    pub title: String,
    /// The text that is searched.
    pub text: String,
    /// Further columns: `license`, `repository`, `language`, `path`, …
    pub extra: Extra,
}

/// A query.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Query {
    /// Its id.
    pub id: String,
    /// The text of the query.
    pub text: String,
    /// Further columns: `instruction`, …
    pub extra: Extra,
}

/// The grade of a document for a query.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Judgment {
    /// The query's id.
    pub query: String,
    /// The document's id.
    pub document: String,
    /// The grade: below 1 it is not an answer.
    pub grade: i32,
}

impl Query {
    /// A query without further columns.
    pub fn new(id: impl Into<String>, text: impl Into<String>) -> Self {
        Query {
            id: id.into(),
            text: text.into(),
            extra: Extra::new(),
        }
    }
}

impl Judgment {
    /// Creates a judgment of a document for a query, by their ids.
    pub fn new(query: impl Into<String>, document: impl Into<String>, grade: i32) -> Self {
        Judgment {
            query: query.into(),
            document: document.into(),
            grade,
        }
    }
}

impl Document {
    /// A document without a title and further columns.
    pub fn new(id: impl Into<String>, text: impl Into<String>) -> Self {
        Document {
            id: id.into(),
            text: text.into(),
            ..Document::default()
        }
    }

    /// The first of these columns that has a text in it, whatever their letters' case.
    pub fn column(&self, names: &[&str]) -> Option<&str> {
        column(&self.extra, names)
    }

    /// The license, if a column shows it.
    pub fn license(&self) -> Option<&str> {
        self.column(&["license", "licence", "license_spdx"])
    }

    /// The repository, project or page that it came from, if a column shows it.
    pub fn repository(&self) -> Option<&str> {
        self.column(&["repository", "repo", "source", "project", "url"])
    }

    /// The programming language, if a column shows it.
    pub fn language(&self) -> Option<&str> {
        self.column(&["language", "lang"])
    }
}

fn column<'a>(extra: &'a Extra, names: &[&str]) -> Option<&'a str> {
    names.iter().find_map(|wanted| {
        let mut found = extra
            .iter()
            .filter(|(name, _)| name.eq_ignore_ascii_case(wanted));
        found.find_map(|(_, value)| value.as_str().filter(|text| !text.is_empty()))
    })
}

impl Subset {
    /// Creates an empty subset.
    pub fn new(name: impl Into<String>, split: impl Into<String>) -> Self {
        Subset {
            name: name.into(),
            split: split.into(),
            ..Subset::default()
        }
    }
}
