//! Queries on the page, with the ranks of their answers and the answers under the settings.

use std::collections::{BTreeMap, BTreeSet};

use barecode_records::{Query, QueryScore, Setting, Unit, Variant};
use maud::{Markup, html};

use super::{diff, distinct, group_name, markup};

/// Number of queries that the page shows.
const SAMPLES: usize = 10;

/// The number of queries that are open.
const SHOWN: usize = 3;

/// A query with the ranks of its answer.
pub struct Sample {
    /// The query.
    pub query: Query,
    /// The name of the function that answers it.
    pub name: String,
    /// One row for each retriever and configuration.
    pub ranks: Vec<QueryScore>,
    /// The function as written.
    pub text: String,
    /// The function under one draw of each other setting, by label.
    pub variants: Vec<(String, String)>,
}

/// Returns ten queries drawn with the run's seed, which `seed` turns into that of an id: chosen ones would favor the
/// authors.
pub fn drawn(
    seed: impl Fn(&str) -> u64,
    query_scores: &[QueryScore],
    (queries, units, variants): (&[Query], &[Unit], &[Variant]),
) -> Vec<Sample> {
    let measure = query_scores.first().map(|row| row.measure.clone());
    let mut ranks: BTreeMap<&str, Vec<&QueryScore>> = BTreeMap::new();
    for row in query_scores
        .iter()
        .filter(|row| Some(&row.measure) == measure.as_ref())
    {
        ranks.entry(row.query_id.as_str()).or_default().push(row);
    }
    let mut drawn: Vec<&str> = ranks.keys().copied().collect();
    drawn.sort_by_cached_key(|id| seed(id));
    let sample = |id: &&str| {
        let query = queries.iter().find(|query| query.id.as_str() == *id)?;
        let unit = units.iter().find(|unit| unit.id == query.target_id)?;
        let ranks = ranks[id].iter().map(|row| (*row).clone()).collect();
        // One draw of each setting is enough to show.
        let mut texts: BTreeMap<Setting, &Variant> = BTreeMap::new();
        for variant in variants.iter().filter(|variant| variant.unit_id == unit.id) {
            if variant.setting != Setting::Standard {
                texts.entry(variant.setting).or_insert(variant);
            }
        }
        let texts = texts.into_values();
        Some(Sample {
            query: query.clone(),
            name: unit.name.clone(),
            ranks,
            text: unit.text.clone(),
            variants: texts
                .map(|variant| (variant.setting.label(variant.draw), variant.text.clone()))
                .collect(),
        })
    };
    drawn.iter().take(SAMPLES).filter_map(sample).collect()
}

/// The queries one after the other: the first three open, the others folded.
pub(super) fn section(samples: &[Sample], queries: &str) -> Markup {
    let (first, others) = samples.split_at(samples.len().min(SHOWN));
    html! {
        h2 #queries { "Ten queries" }
        p.note {
            "Drawn with the run's seed, not chosen. In each cell the rank of the answer, among equal scores its expected rank; "
            "a dash where it was not retrieved; several ranks where the setting was drawn several times. "
            a href=(queries) { "All queries" } ", with the documents above each answer."
        }
        @for sample in first { (article(sample)) }
        @if !others.is_empty() {
            details {
                summary { (others.len()) " more" }
                @for sample in others { (article(sample)) }
            }
        }
    }
}

fn article(sample: &Sample) -> Markup {
    html! {
            article.query {
                blockquote { (sample.query.text) }
                p.note {
                    "Answer: " code { (sample.name) } ", " (sample.query.origin.source) " " code { (sample.query.origin.place()) }
                    "; leak: " (sample.query.leak.name())
                    @if !sample.query.leaked.is_empty() { " (" (sample.query.leaked.join(", ")) ")" }
                    "; " code { (sample.query.id) }
                }
                (ranks(sample))
                @for (label, text) in &sample.variants {
                    details {
                        summary { "The answer as written and " (label) }
                        (diff::page(["standard", label], &diff::sides(&sample.text, text)))
                    }
                }
            }
    }
}

fn ranks(sample: &Sample) -> Markup {
    let rank = |row: &&QueryScore| {
        let rank = row.answer_rank.map(|rank| (rank * 10.0).round() / 10.0);
        rank.map_or("–".to_owned(), |rank| rank.to_string())
    };
    let ranks = sample.ranks.iter().filter(|row| row.setting.is_some());
    let groups = distinct(ranks.clone().map(group_of));
    let names = distinct(sample.ranks.iter().map(|row| row.retriever.as_str()));
    let settings: BTreeSet<Setting> = ranks.clone().filter_map(|row| row.setting).collect();
    let of = |group: &str, name: &str, setting: Setting| {
        let of = ranks
            .clone()
            .filter(|row| group_of(row) == group && row.retriever == name);
        let of = of.filter(|row| row.setting == Some(setting));
        of.map(|row| rank(&row))
            .collect::<Vec<String>>()
            .join(" · ")
    };
    markup::scroll(
        "Ranks of the answer",
        html! {
                table {
                    thead {
                        tr {
                            th scope="col" { "Group" }
                            th scope="col" { "Retriever" }
                            @for setting in &settings { th.num scope="col" { (setting) } }
                        }
                    }
                    tbody {
                        @for group in &groups {
                            @for name in &names {
                                @if ranks.clone().any(|row| group_of(row) == *group && row.retriever == *name) {
                                    tr {
                                        td { (group_name(Some(group))) }
                                        th scope="row" { (name) }
                                        @for setting in &settings { td.num { (of(group, name, *setting)) } }
                                    }
                                }
                            }
                        }
                    }
                }
        },
    )
}

fn group_of(row: &QueryScore) -> &str {
    row.group.as_deref().unwrap_or_default()
}
