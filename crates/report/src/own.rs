//! The outcome of the user's own queries, from their file to the dataset.

use std::collections::{BTreeMap, BTreeSet};

use barecode_recipe::Recipe;
use barecode_records::{Id, SetAside, Stage};
use barecode_runs::layout::Layout;
use serde::Serialize;

/// The number of the user's own queries in the dataset, and the reasons against the others.
#[derive(Debug, Serialize)]
pub struct OwnQueries {
    /// Queries of the files.
    given: usize,
    /// The number of those that are in the dataset.
    asked: usize,
    /// The others.
    set_aside: Vec<Missing>,
}

/// A query that is not in the dataset.
#[derive(Debug, Serialize)]
struct Missing {
    reason: &'static str,
    detail: String,
}

impl OwnQueries {
    /// Reads it from a run that is assembled; returns `None` if the recipe has no queries of the user's own.
    ///
    /// # Errors
    /// A table cannot be read.
    pub fn of(recipe: &Recipe, layout: Layout<'_>) -> anyhow::Result<Option<Self>> {
        let given = recipe.own_queries.len();
        if given == 0 {
            return Ok(None);
        }
        let queries = layout.queries()?;
        let stated: BTreeMap<&Id, &str> = queries
            .iter()
            .filter_map(|query| Some((&query.id, query.stated_at.as_deref()?)))
            .collect();
        let is_own = |row: &SetAside| {
            let unmatched = row.kind == "query" && row.id.is_none();
            unmatched.then(|| row.detail.clone())
        };
        let unmatched = layout.set_aside(Stage::Query)?;
        let mut set_aside: Vec<Missing> = unmatched
            .iter()
            .filter_map(|row| Some((row.reason, is_own(row)?)))
            .map(|(reason, detail)| Missing {
                reason: reason.code(),
                detail,
            })
            .collect();
        let mut seen = BTreeSet::new();
        for row in layout.set_aside(Stage::Assemble)? {
            let Some((id, stated_at)) = row.id.as_ref().and_then(|id| stated.get_key_value(id))
            else {
                continue;
            };
            if row.kind == "query" && seen.insert((*id).clone()) {
                set_aside.push(Missing {
                    reason: row.reason.code(),
                    detail: format!("{stated_at}: {}", row.detail),
                });
            }
        }
        Ok(Some(OwnQueries {
            given,
            asked: given.saturating_sub(set_aside.len()),
            set_aside,
        }))
    }

    /// The same in words, a line each.
    pub fn sentences(&self) -> Vec<String> {
        let head = format!(
            "{} of {} queries of your own are asked",
            self.asked, self.given
        );
        let missing = self.set_aside.iter();
        let missing = missing.map(|one| format!("  {} ({})", one.detail, one.reason));
        std::iter::once(head).chain(missing).collect()
    }
}
