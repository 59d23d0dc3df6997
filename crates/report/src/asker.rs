//! The set of queries to speak of: the user's own, else those that a model wrote, else comments; the first that has
//! enough.
//!
//! The table of `try`, its sentences and the first sentence of the page speak of the same queries, so all of them use
//! this module.

use std::collections::BTreeMap;

use barecode_evaluate::POOLED;
use barecode_recipe::Recipe;
use barecode_records::{Facets, Query, Score, SettingDrop};
use barecode_runs::console::grouped;

use super::FUNCTIONS;

/// The set of queries that is spoken of.
pub struct Asker {
    /// The writer, if a dataset has several.
    writer: Option<String>,
    /// The same in words: `queries of your own`.
    pub who: String,
}

/// Returns the number of queries that each writer has, those of code apart.
pub fn asked_by(queries: &[Query]) -> BTreeMap<String, u64> {
    let mut asked = BTreeMap::new();
    for query in queries {
        if query.writer != Query::CODE {
            *asked.entry(query.writer.clone()).or_default() += 1;
        }
    }
    asked
}

/// The number of queries of a set, in words: `1 comment`, `22 queries of your own`.
pub(crate) fn counted((writer, count): (&String, &u64)) -> String {
    with_count(&words(writer), *count)
}

/// A set in words, after its number of queries.
pub(crate) fn with_count(words: &str, count: u64) -> String {
    let words = if count == 1 {
        let words = words.replacen("queries", "query", 1);
        words.replacen("comments", "comment", 1)
    } else {
        words.to_owned()
    };
    format!("{} {words}", grouped(count))
}

/// A set of queries in words.
fn words(writer: &str) -> String {
    match writer {
        Query::PERSON => "queries of your own".to_owned(),
        Query::DOC_COMMENT => "comments".to_owned(),
        writer => format!("queries of {writer}"),
    }
}

impl Asker {
    /// Selects the first of the sets of queries, by their writers, that has enough for a score.
    pub fn of(scores: &[Score], asked: &BTreeMap<String, u64>, recipe: &Recipe) -> Self {
        let mut writers: Vec<&str> = asked.keys().map(String::as_str).collect();
        writers.sort_by_key(|writer| {
            let written = recipe.writers.iter();
            let written = written.map(|set| set.config.name.as_str());
            let is_written = written.into_iter().any(|name| name == *writer);
            (
                *writer == Query::DOC_COMMENT,
                is_written,
                *writer != Query::PERSON,
            )
        });
        let is_known = |writer: &&&str| {
            let groups = FUNCTIONS.map(|functions| Facets::group_of(functions, Some(writer)));
            let mut scores = scores.iter().filter(|score| score.slice == "all");
            let group = |score: &Score| score.group.clone().unwrap_or_default();
            scores.any(|score| !score.too_few && groups.contains(&group(score)))
        };
        // A group without a name behind it has the comments, or the only set of queries.
        let usual = if asked.contains_key(Query::DOC_COMMENT) {
            Query::DOC_COMMENT
        } else {
            writers.first().copied().unwrap_or(Query::DOC_COMMENT)
        };
        let writer = writers.iter().find(is_known).copied();
        Asker {
            who: words(writer.unwrap_or(usual)),
            writer: writer.map(str::to_owned),
        }
    }

    /// The group of these queries among some functions.
    pub fn group(&self, functions: &str) -> String {
        Facets::group_of(functions, self.writer.as_deref())
    }

    /// The row of a setting's cost for a retriever with most of these queries, and its functions.
    pub(crate) fn drop<'a>(
        &self,
        drops: impl Iterator<Item = &'a SettingDrop>,
    ) -> Option<(&'static str, &'a SettingDrop)> {
        let groups = FUNCTIONS.map(|functions| (functions, self.group(functions)));
        let of = |drop: &'a SettingDrop| {
            let group = drop.group.as_ref()?;
            let (functions, _) = groups.iter().find(|(_, own)| own == group)?;
            Some((*functions, drop))
        };
        drops
            .filter_map(of)
            .max_by_key(|(functions, drop)| (*functions == POOLED, drop.queries))
    }
}
