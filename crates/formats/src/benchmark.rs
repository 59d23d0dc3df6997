//! A retrieval benchmark as it lies in memory, whatever files it came from.
//!
//! One [`Subset`] is what one number is measured on: documents, queries and judgments. CLARC's settings, a
//! configuration of a hub dataset and a task of a suite are subsets. Ids are unique within the documents of a
//! subset and within its queries; the same id in two subsets is the same thing under another setting.

use std::collections::BTreeMap;

use barecode_records::Facets;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Columns beyond those that every format has, kept as they were read, by name.
pub type Extra = Map<String, Value>;

/// Some subsets under one name.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Benchmark {
    /// Its name: the folder's or the file's where nothing else shows.
    pub name: String,
    /// What is told about it as a whole.
    pub facts: Facts,
    /// The subsets, in the order in which they are declared, or else of their names.
    pub subsets: Vec<Subset>,
}

/// What a dataset's card shows, as far as formats share it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Facts {
    /// What people call it.
    pub title: Option<String>,
    /// Its kind.
    pub description: Option<String>,
    /// The license of the whole, as an SPDX expression or as in the card.
    pub license: Option<String>,
    /// Its home page.
    pub url: Option<String>,
    /// Its version.
    pub version: Option<String>,
    /// Who made it.
    pub creators: Vec<String>,
    /// The day of publication: `2026-11-21`.
    pub published: Option<String>,
    /// How to cite it.
    pub citation: Option<String>,
    /// The Markdown of the card below its title, without what every writer writes anew: the description, the table of
    /// configurations and the citation.
    pub about: Option<String>,
    /// Whatever else the card's front matter has.
    pub extra: Extra,
}

/// Documents, queries and judgments that belong together.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Subset {
    /// Its name; `default` where the format has none.
    pub name: String,
    /// The split: `test` where the format has none.
    pub split: String,
    /// What is asked of a model.
    pub kind: Kind,
    /// What its queries have in common, if the dataset lists its subsets as `barecode build` does. No other
    /// format has a place for them, and they are not part of what a format must not lose.
    #[serde(default)]
    pub facets: Facets,
    /// The candidates, in the order of the file.
    pub documents: Vec<Document>,
    /// The queries, in the order of the file.
    pub queries: Vec<Query>,
    /// The judgments, in the order of the file; a grade of 0 is a judgment too.
    pub judgments: Vec<Judgment>,
    /// The candidates of a query where not all documents are (MTEB's `top_ranked`).
    pub candidates: BTreeMap<String, Vec<String>>,
}

/// What is asked of a model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Rank the documents for each query.
    #[default]
    Retrieval,
    /// Say of each judged pair whether it matches: grade 1 or 0.
    Matching,
}

/// A candidate.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Document {
    /// Its id.
    pub id: String,
    /// Its title; empty if it has none.
    pub title: String,
    /// What is searched.
    pub text: String,
    /// Further columns: `license`, `repository`, `language`, `path`, …
    pub extra: Extra,
}

/// A query.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Query {
    /// Its id.
    pub id: String,
    /// What is asked.
    pub text: String,
    /// Further columns: `instruction`, …
    pub extra: Extra,
}

/// How well a document answers a query.
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
    /// How well a document answers a query, by their ids.
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

    /// The license, where a column shows it.
    pub fn license(&self) -> Option<&str> {
        self.column(&["license", "licence", "license_spdx"])
    }

    /// The repository, project or page that it came from, where a column shows it.
    pub fn repository(&self) -> Option<&str> {
        self.column(&["repository", "repo", "source", "project", "url"])
    }

    /// The programming language, where a column shows it.
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
    /// A subset with nothing in it yet.
    pub fn new(name: impl Into<String>, split: impl Into<String>) -> Self {
        Subset {
            name: name.into(),
            split: split.into(),
            ..Subset::default()
        }
    }
}
