//! The outcome of the user's own queries: from their file to the dataset, and on the page.

use std::collections::{BTreeMap, BTreeSet};

use barecode_recipe::Recipe;
use barecode_records::{Facets, Id, Query, QueryScore, SetAside, Setting, Stage};
use barecode_runs::layout::Layout;
use maud::{Markup, html};
use serde::Serialize;

use super::browse::{LIST, one_line};
use super::{distinct, markup};

/// The queries of the user's own that a page shows.
const SHOWN: usize = 50;

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

/// The ranks of the answers to the user's own queries as a part of the page: as written and without names, by
/// retriever. Empty if no such query was asked. `linked` if queries have pages of their own.
pub(super) fn section(
    queries: &[Query],
    scores: &[QueryScore],
    bare: Option<Setting>,
    linked: bool,
) -> Markup {
    let own = queries.iter().filter(|query| query.writer == Query::PERSON);
    let own: BTreeMap<&Id, &Query> = own.map(|query| (&query.id, query)).collect();
    let main = scores.first().map(|row| row.measure.as_str());
    // Of drawn settings the first draw; a query of several groups is shown in the first.
    let rows: Vec<&QueryScore> = scores
        .iter()
        .filter(|row| own.contains_key(&row.query_id) && Some(row.measure.as_str()) == main)
        .filter(|row| row.draw.is_none_or(|draw| draw == 1))
        .filter(|row| row.group.as_deref() != Some(Facets::CODE))
        .collect();
    let systems = distinct(rows.iter().map(|row| row.retriever.as_str()));
    let asked = distinct(rows.iter().map(|row| &row.query_id));
    let rank = |id: &Id, system: &str, setting: Setting| {
        let mut rows = rows.iter();
        let row = rows.find(|row| {
            row.query_id == *id && row.retriever == system && row.setting == Some(setting)
        })?;
        let rank = row.answer_rank.map(|rank| (rank * 10.0).round() / 10.0);
        Some(rank.map_or("–".to_owned(), |rank| rank.to_string()))
    };
    let cell = |id: &Id, system: &str| {
        let settings = [Some(Setting::Standard), bare].into_iter().flatten();
        let ranks = settings.filter_map(|setting| rank(id, system, setting));
        ranks.collect::<Vec<String>>().join(" → ")
    };
    html! {
        @if !asked.is_empty() {
            h2 #own { "Your questions" }
            p.note {
                "The rank of the answer, as written"
                @if let Some(bare) = bare { " → under " (bare) }
                "; – is an answer that was not retrieved."
                @if asked.len() > SHOWN { " The first " (SHOWN) " of " (asked.len()) "." }
            }
            (markup::scroll("Your questions", html! {
                table {
                    (markup::heads(&["Question"], &systems))
                    tbody {
                        @for id in asked.into_iter().take(SHOWN) {
                            tr {
                                th scope="row" {
                                    @let text = one_line(&own[id].text);
                                    @if linked { a href={ (LIST) "#words=" (id) } { (text) } } @else { (text) }
                                }
                                @for system in &systems { td.num { (cell(id, system)) } }
                            }
                        }
                    }
                }
            }))
        }
    }
}
