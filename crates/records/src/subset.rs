//! A subset: queries, the documents they are ranked against, and what all of them have in common.
//!
//! CLARC's subsets are a group under a setting, GenCodeSearchNet's a language or a domain, pydra's a transform. So a
//! subset has a name, which is also the name of its folder. Its [kind](SubsetKind) decides how answers are scored,
//! and by its [facets](Facets) results are grouped and compared. Rows of scores have a column for each facet; one
//! that a subset does not have is `null`.

use serde::{Deserialize, Serialize};

use crate::{Language, Query, Setting, Split};

words! {
    /// The task of a subset, which decides how answers are scored.
    #[derive(Default)]
    pub enum SubsetKind {
        /// Rank documents for each query.
        #[default]
        Retrieval = "retrieval",
        /// Decide for each pair of texts whether they belong together (GenCodeSearchNet).
        Matching = "matching",
        /// Compare the vectors of pairs of texts (pydra).
        Probe = "probe",
    }
}

/// The properties that all queries of a subset have in common.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Facets {
    /// The functions: `group1`, `group2`, `group3-short` or `group3-long` in a dataset as CLARC's. For a further set
    /// of queries over the same functions, the name of its writer follows: `group1-gpt-4o`.
    pub group: Option<String>,
    /// The setting of the code.
    pub setting: Option<Setting>,
    /// The draw of the setting.
    pub draw: Option<u32>,
    /// The language of the code, if there is only one.
    pub language: Option<Language>,
    /// The writer of the queries, where a dataset has several sets of them.
    pub writer: Option<String>,
}

impl Facets {
    /// The group of all functions.
    pub const ALL: &str = "all";
    /// The group of functions whose queries are their own code.
    pub const CODE: &str = "code";

    /// Returns `true` if the queries of its group can be pooled with those of others: not where a group has all
    /// functions already, and not where its queries are of another kind.
    pub fn is_pooled(&self) -> bool {
        let functions = self.functions();
        functions.is_some_and(|group| group != Facets::ALL && group != Facets::CODE)
    }

    /// The group without the writer: subsets that agree in it have the same functions.
    pub fn functions(&self) -> Option<&str> {
        let group = self.group.as_deref()?;
        let writer = self
            .writer
            .as_deref()
            .and_then(|writer| group.strip_suffix(writer)?.strip_suffix('-'));
        Some(writer.unwrap_or(group))
    }

    /// The name of a group of functions for a writer; without a writer, the queries are comments.
    pub fn group_of(functions: &str, writer: Option<&str>) -> String {
        match writer {
            Some(writer) if writer != Query::DOC_COMMENT => format!("{functions}-{writer}"),
            _ => functions.to_owned(),
        }
    }

    /// The facets without the draw: subsets that agree in these are averaged query by query.
    #[must_use]
    pub fn without_draw(&self) -> Facets {
        Facets {
            draw: None,
            ..self.clone()
        }
    }
}

/// The name, kind and facets of a subset.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Subset {
    /// `group3-short-randomized-2`: the name of its folder, unique in its dataset.
    pub name: String,
    /// Its task.
    pub kind: SubsetKind,
    /// The properties that its queries have in common.
    pub facets: Facets,
}

impl Subset {
    /// The name without the draw: `group3-short-randomized`. Averages over draws have this name.
    pub fn name_without_draw(&self) -> &str {
        let drawn = self.facets.draw.map(|draw| format!("-{draw}"));
        let undrawn = drawn.and_then(|suffix| self.name.strip_suffix(&suffix));
        undrawn.unwrap_or(&self.name)
    }
}

/// A subset as a dataset lists it (`05-dataset/subsets.parquet`). The order of the list is the order of reports.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListedSubset {
    /// The name, which is also the name of its folder.
    pub name: String,
    /// Its task.
    pub kind: SubsetKind,
    /// The functions.
    pub group: Option<String>,
    /// The setting of the code.
    pub setting: Option<Setting>,
    /// The draw of the setting.
    pub draw: Option<u32>,
    /// The language of the code, if there is only one.
    pub language: Option<Language>,
    /// The writer of the queries, where the dataset has several sets of them.
    pub writer: Option<String>,
    /// The splits that have queries.
    pub splits: Vec<Split>,
}

impl ListedSubset {
    /// A subset with the splits that have queries.
    pub fn new(subset: &Subset, splits: Vec<Split>) -> Self {
        let Facets {
            group,
            setting,
            draw,
            language,
            writer,
        } = subset.facets.clone();
        ListedSubset {
            name: subset.name.clone(),
            kind: subset.kind,
            group,
            setting,
            draw,
            language,
            writer,
            splits,
        }
    }
}

impl From<ListedSubset> for Subset {
    fn from(listed: ListedSubset) -> Self {
        Subset {
            name: listed.name,
            kind: listed.kind,
            facets: Facets {
                group: listed.group,
                setting: listed.setting,
                draw: listed.draw,
                language: listed.language,
                writer: listed.writer,
            },
        }
    }
}
