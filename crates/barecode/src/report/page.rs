//! The page: one self-contained HTML file.
//!
//! It needs no network and no script, prints well, and reads on a phone, on light and on dark. In come scores
//! and counts that were computed before; out comes a text that depends on them only: no clock, no path of a
//! machine. Every number stands with its measure, its queries, its interval and its ceiling, and the page ends
//! with the recipe that makes it again.

use std::collections::{BTreeMap, BTreeSet};

use barecode_audit::SettingAudit;
use barecode_evaluate::System;
use barecode_records::{
    Counts, Leak, Query, QueryScore, Reason, Score, Setting, Stage, Statistic, Toolchain,
};
use barecode_scores::intervals::FEWEST_QUERIES;
use maud::{Markup, html};

use super::{
    audit, bound, diff, distinct, figure, group_name, main_measure, markup, number, percent, power,
    retrievers, robustness, statistics, too_few,
};
use crate::console::grouped;
use crate::recipe::Recipe;

/// A headline is made of at least so many queries.
const TOLD_FROM: u32 = 20;

/// All that the page shows.
pub(crate) struct Facts<'a> {
    /// The recipe.
    pub(crate) recipe: &'a Recipe,
    /// What compiled the units.
    pub(crate) toolchain: Option<Toolchain>,
    /// The sources as they describe themselves.
    pub(crate) sources: Vec<serde_json::Value>,
    /// In, kept and set aside, by stage and kind of thing.
    pub(crate) counts: Vec<(Stage, BTreeMap<String, Counts>)>,
    /// The numbers of the dataset.
    pub(crate) statistics: &'a [Statistic],
    /// What the settings left.
    pub(crate) audits: &'a [SettingAudit],
    /// The scores.
    pub(crate) scores: &'a [Score],
    /// What settings cost.
    pub(crate) robustness: robustness::Robustness<'a>,
    /// Texts that models did not read to their end, a sentence for each model.
    pub(crate) cuts: Vec<String>,
    /// A few queries.
    pub(crate) samples: Vec<Sample>,
}

/// A query with the ranks of its answer.
pub(crate) struct Sample {
    /// The query.
    pub(crate) query: Query,
    /// The name of the function that answers it.
    pub(crate) name: String,
    /// One row for each retriever and configuration.
    pub(crate) ranks: Vec<QueryScore>,
    /// The function as written.
    pub(crate) text: String,
    /// The function under one draw of each other setting, by label.
    pub(crate) variants: Vec<(String, String)>,
}

/// The page as a text.
pub(crate) fn render(facts: &Facts<'_>) -> String {
    let sections = html! {
        (head(facts))
        (pictures(facts))
        (tables(facts))
        @if let Some(measure) = main_measure(facts.scores) {
            (robustness::section(&facts.robustness, facts.scores, measure, facts.recipe.scores.confidence))
        }
        (leaks(facts))
        (statistics::section(facts.statistics))
        (audit::section(facts.audits))
        (flow(facts))
        (samples(facts))
        (provenance(facts))
        (reproduce(facts))
    };
    markup::page(&facts.recipe.name, &sections)
}

fn head(facts: &Facts<'_>) -> Markup {
    let settings: Vec<String> = facts
        .recipe
        .settings
        .iter()
        .map(Setting::to_string)
        .collect();
    let kept = |stage: Stage, kind: &str| {
        let of_stage = facts.counts.iter().find(|(found, _)| *found == stage);
        of_stage
            .and_then(|(_, counts)| counts.get(kind))
            .map_or(0, |counts| counts.kept)
    };
    html! {
        header {
            h1 { (facts.recipe.name) ": code retrieval without names" }
            @if let Some(sentence) = headline(facts) { p.lead { strong { (sentence) } } }
            p {
                "Somebody describes what a function does; a retriever ranks functions by that description. "
                "The same functions are shown as written, and again with their names taken away ("
                (settings.join(", ")) "); every renamed function compiles to the same machine code as its original. "
                "What a retriever loses from one setting to the next is what it owed to names."
            }
            p {
                strong { (grouped(kept(Stage::Check, "functions"))) } " functions of "
                strong { (facts.sources.iter().filter(|source| source.get("set_aside").is_none()).count()) } " sources compile by themselves; "
                strong { (grouped(kept(Stage::Query, "units"))) } " of them have a description. "
                "Retrievers: " (facts.recipe.retrievers.iter().map(described).collect::<Vec<_>>().join(", ")) "."
            }
            nav aria-label="Sections" {
                ul {
                    li { a href="#picture" { "Picture" } }
                    li { a href="#scores" { "Scores" } }
                    li { a href="#robustness" { "What names were worth" } }
                    li { a href="#leaks" { "By leak" } }
                    li { a href="#dataset" { "The dataset" } }
                    li { a href="#settings" { "What the settings left" } }
                    li { a href="#flow" { "Kept and set aside" } }
                    li { a href="#queries" { "Ten queries" } }
                    li { a href="#sources" { "Sources" } }
                    li { a href="#again" { "Make it again" } }
                }
            }
        }
    }
}

/// What the first retriever loses without names, where most queries are; nothing where these are few.
fn headline(facts: &Facts<'_>) -> Option<String> {
    let measure = main_measure(facts.scores)?;
    let first = facts.recipe.retrievers.first()?.name();
    let bare = facts.recipe.settings.iter();
    let bare = bare
        .copied()
        .find(|setting| matches!(setting, Setting::Renamed { .. }))?;
    let drops = facts.robustness.drops.iter();
    let drop = drops
        .filter(|drop| drop.retriever == first && drop.setting == bare)
        .filter(|drop| drop.measure == measure && drop.queries >= TOLD_FROM)
        .max_by_key(|drop| drop.queries)?;
    let percent = |share: f64| (share * 100.0).round() + 0.0;
    let (low, high) = drop.relative_low.zip(drop.relative_high)?;
    Some(format!(
        "Without names ({bare}), {first} loses {} % [{}, {}] of its {measure}: {} queries, {}.",
        percent(drop.relative?),
        percent(low),
        percent(high),
        grouped(drop.queries.into()),
        group_name(drop.group.as_deref())
    ))
}

/// A retriever's name, and the model where it has one.
fn described(retriever: &System) -> String {
    match retriever.model() {
        Some(model) => format!("{} ({model})", retriever.name()),
        None => retriever.name().to_owned(),
    }
}

fn pictures(facts: &Facts<'_>) -> Markup {
    let names = retrievers(facts.scores);
    let Some(measure) = main_measure(facts.scores) else {
        return html! {
            h2 #picture { "Nothing to score" }
            p { "No subset has queries: no function that was kept carries a comment that could be one." }
        };
    };
    let confidence = percent(facts.recipe.scores.confidence);
    html! {
        h2 #picture { (measure) " by setting" }
        @if let Some(power) = power(facts.scores, facts.robustness.drops, facts.robustness.differences) { p { (power) "." } }
        p.note {
            "Means over queries with " (confidence) " intervals. Documents with the same text cannot be told apart, so "
            "even a perfect model stays below the ceiling; the floor is random order of all documents. A retriever by words does not list documents that share none with the query, so it can stand below the floor. Draws of one setting are averaged per query."
        }
        ul.legend {
            @for (which, name) in names.iter().enumerate() { li { (figure::mark(which)) (name) } }
            li { (dash("ceiling")) "ceiling" }
            li { (dash("floor")) "floor" }
        }
        div.charts {
            @for group in groups(facts.scores) {
                @let scores: Vec<&Score> = select(facts.scores, group, "all").filter(|score| score.measure == measure).collect();
                figure {
                    figcaption {
                        (group_name(Some(group))) " "
                        @if let Some(first) = scores.first() {
                            small { (grouped(first.queries.into())) " queries, " (grouped(first.documents.into())) " documents" }
                        }
                    }
                    (figure::chart(group, measure, &scores, &names))
                }
            }
        }
    }
}

fn dash(kind: &str) -> Markup {
    html! { svg.dash viewBox="0 0 26 8" aria-hidden="true" { line class={ "bound " (kind) } x1="0" x2="26" y1="4" y2="4" {} } }
}

fn tables(facts: &Facts<'_>) -> Markup {
    let measures = distinct(facts.scores.iter().map(|score| score.measure.as_str()));
    let confidence = percent(facts.recipe.scores.confidence);
    html! {
        h2 #scores { "Scores" }
        p.note {
            "In each cell: the mean over queries, its " (confidence) " interval, the same with whole repositories drawn "
            "instead of queries where there are several (⌂; of two or three it says next to nothing), and the ceiling (↑). "
            "Below " (FEWEST_QUERIES) " queries a cell says too few, and how many there are. "
            @match facts.recipe.scores.ties {
                barecode_scores::Ties::Expected => "Equal scores count as their average over all orders.",
                barecode_scores::Ties::Docno => "Among equal scores the greater document id stands first, as in trec_eval.",
                barecode_scores::Ties::Input => "Equal scores stay in the order of the run.",
                barecode_scores::Ties::Pessimistic => "Equal scores stand in the worst order.",
                barecode_scores::Ties::Optimistic => "Equal scores stand in the best order.",
            }
        }
        @for sentence in &facts.cuts { p.note { (sentence) "." } }
        @for group in groups(facts.scores) {
            @let scores: Vec<&Score> = select(facts.scores, group, "all").collect();
            @if let Some(first) = scores.first() {
                div.scroll tabindex="0" role="region" aria-label={ "Scores of " (group_name(Some(group))) } {
                    table {
                        caption {
                            (group_name(Some(group))) " "
                            small { (grouped(first.queries.into())) " queries, " (grouped(first.documents.into())) " documents" }
                        }
                        (markup::heads(&["Retriever", "Setting"], &measures))
                        tbody {
                            @for name in retrievers(facts.scores) {
                                @for (place, setting) in settings(&scores).into_iter().enumerate() {
                                    @let row: Vec<&Score> = scores.iter().copied()
                                        .filter(|score| score.retriever == name && score.setting == Some(setting)).collect();
                                    tr.group[place == 0] {
                                        th scope="row" { (name) }
                                        td { (setting_name(&row, setting)) }
                                        @for measure in &measures { (cell(row.iter().find(|score| score.measure == *measure).copied())) }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn leaks(facts: &Facts<'_>) -> Markup {
    let Some(measure) = main_measure(facts.scores) else {
        return html! {};
    };
    let columns: Vec<(&str, Setting)> = retrievers(facts.scores)
        .into_iter()
        .flat_map(|name| {
            facts
                .recipe
                .settings
                .iter()
                .map(move |setting| (name, *setting))
        })
        .collect();
    html! {
        h2 #leaks { (measure) " by leak" }
        p.note {
            "A description may name what it describes. Queries are split by the strongest name that they share with their answer as written: "
            "the function's own (function), one that nobody writes by chance (identifier), one that is also a word (word), or none. "
            "A part of a name (compress in ZSTD_compress) is no leak by this rule, yet a retriever that splits identifiers finds it: "
            "what is lost without names under “none” was mostly found by such parts."
            " Below " (FEWEST_QUERIES) " queries a cell says too few."
        }
        @for group in groups(facts.scores) {
            div.scroll tabindex="0" role="region" aria-label={ (measure) " by leak in " (group_name(Some(group))) } {
                table {
                    caption { (group_name(Some(group))) " " small { (measure) ", mean, interval, ceiling (↑)" } }
                    thead {
                        tr {
                            th scope="col" { "Leak" }
                            th.num scope="col" { "Queries" }
                            @for (name, setting) in &columns { th.num scope="col" { (name) br; (setting) } }
                        }
                    }
                    tbody {
                        @for leak in Leak::ALL {
                            @let slice = format!("leak={}", leak.name());
                            @let scores: Vec<&Score> = select(facts.scores, group, &slice).filter(|score| score.measure == measure).collect();
                            @if let Some(first) = scores.first() {
                                tr {
                                    th scope="row" { (leak.name()) }
                                    td.num { (grouped(first.queries.into())) }
                                    @for (name, setting) in &columns {
                                        (cell(scores.iter().find(|score| score.retriever == *name && score.setting == Some(*setting)).copied()))
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn flow(facts: &Facts<'_>) -> Markup {
    html! {
        h2 #flow { "Kept and set aside" }
        p.note { "At every stage, what came in was kept or set aside, and each thing set aside has a reason. Nothing else is lost." }
        ol.flow {
            @for (stage, counts) in &facts.counts {
                @for (kind, counts) in counts {
                    li { (flow_step(*stage, kind, counts)) }
                }
            }
        }
    }
}

fn flow_step(stage: Stage, kind: &str, counts: &Counts) -> Markup {
    let aside: u64 = counts.set_aside.values().sum();
    let share = if counts.entered == 0 {
        0.0
    } else {
        counts.kept as f64 / counts.entered as f64 * 100.0
    };
    let mut reasons: Vec<(&String, u64)> = counts
        .set_aside
        .iter()
        .map(|(reason, count)| (reason, *count))
        .collect();
    reasons.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    html! {
        div.head {
            span { strong { (stage) } ", " (kind) }
            span {
                (grouped(counts.entered)) " in = " strong { (grouped(counts.kept)) " kept" } " + " (grouped(aside)) " set aside"
            }
        }
        svg.bar viewBox="0 0 100 3" preserveAspectRatio="none" role="img" {
            title { (grouped(counts.kept)) " of " (grouped(counts.entered)) " " (kind) " kept" }
            rect.aside width="100" height="3" {}
            rect.kept width=(format!("{share:.2}")) height="3" {}
        }
        @if !reasons.is_empty() {
            details open[reasons.len() <= 3] {
                summary { "Reasons" }
                table {
                    thead { tr { th scope="col" { "Reason" } th.num scope="col" { "Set aside" } th scope="col" { "Meaning" } } }
                    tbody {
                        @for (reason, count) in reasons {
                            tr { th.mono scope="row" { (reason) } td.num { (grouped(count)) } td { (explanation(reason)) } }
                        }
                    }
                }
            }
        }
    }
}

fn explanation(code: &str) -> &'static str {
    Reason::ALL
        .iter()
        .find(|reason| reason.code() == code)
        .map_or("", |reason| reason.explanation())
}

fn samples(facts: &Facts<'_>) -> Markup {
    html! {
        h2 #queries { "Ten queries" }
        p.note {
            "Drawn with the run's seed, not chosen. In each cell the rank of the answer, among equal scores its expected rank; "
            "a dash where it was not retrieved; several ranks where the setting was drawn several times."
        }
        @for sample in &facts.samples {
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
                        (diff::page("standard", &sample.text, label, text))
                    }
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
    html! {
        div.scroll {
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
        }
    }
}

fn group_of(row: &QueryScore) -> &str {
    row.group.as_deref().unwrap_or_default()
}

fn provenance(facts: &Facts<'_>) -> Markup {
    // The sources describe themselves; what is not a plain value is too much for a table.
    let plain = |value: &serde_json::Value| match value {
        serde_json::Value::String(text) => Some(text.clone()),
        serde_json::Value::Number(number) => Some(number.to_string()),
        serde_json::Value::Bool(_)
        | serde_json::Value::Null
        | serde_json::Value::Array(_)
        | serde_json::Value::Object(_) => None,
    };
    let mut columns: Vec<&String> = Vec::new();
    for source in &facts.sources {
        for (key, value) in source.as_object().into_iter().flatten() {
            if plain(value).is_some() && key != "digest" && !columns.contains(&key) {
                columns.push(key);
            }
        }
    }
    html! {
        h2 #sources { "Sources" }
        p.note { "All code and all comments are their authors', under the licenses stated here as the sources state them." }
        div.scroll tabindex="0" role="region" aria-label="Sources" {
            table {
                thead { tr { @for column in &columns { th scope="col" { (column) } } } }
                tbody {
                    @for source in &facts.sources {
                        tr { @for column in &columns { td { (source.get(*column).and_then(plain).unwrap_or_default()) } } }
                    }
                }
            }
        }
        @if let Some(toolchain) = &facts.toolchain {
            p { "Compiled by " (toolchain.version) " for " (toolchain.target) " with " code { (toolchain.flags.join(" ")) } "." }
        }
    }
}

fn reproduce(facts: &Facts<'_>) -> Markup {
    html! {
        h2 #again { "Make it again" }
        p {
            "With barecode " (env!("CARGO_PKG_VERSION")) ", save this as " code { "recipe.toml" } ", every default spelled out, and run "
            code { "barecode build recipe.toml" } ". The same sources, compiler and seed give the same bytes, on any number of threads; "
            code { "manifest.json" } " has the digests of all files."
        }
        pre { code { (facts.recipe.to_toml()) } }
    }
}

fn cell(score: Option<&Score>) -> Markup {
    html! {
        td.num {
            @if let Some(score) = score {
                @if score.too_few {
                    (too_few(score.queries.into()))
                } @else {
                    (number(score.value))
                    small {
                        "[" (number(score.low)) ", " (number(score.high)) "]" br;
                        @if let (Some(low), Some(high)) = (score.repository_low, score.repository_high) {
                            "⌂ [" (number(low)) ", " (number(high)) "]"
                            @if let Some(few) = score.repositories.filter(|count| *count <= 3) { " of only " (few) }
                            br;
                        }
                        "↑ " (bound(score.ceiling))
                    }
                }
            }
        }
    }
}

fn select<'a>(scores: &'a [Score], group: &str, slice: &str) -> impl Iterator<Item = &'a Score> {
    scores.iter().filter(move |score| {
        score.group.as_deref().unwrap_or_default() == group && score.slice == slice
    })
}

fn groups(scores: &[Score]) -> Vec<&str> {
    let groups = scores.iter().map(|score| score.group.as_deref());
    distinct(groups.map(Option::unwrap_or_default))
}

fn settings(scores: &[&Score]) -> Vec<Setting> {
    let settings: BTreeSet<Setting> = scores.iter().filter_map(|score| score.setting).collect();
    settings.into_iter().collect()
}

fn setting_name(row: &[&Score], setting: Setting) -> String {
    match row.first() {
        Some(score) if score.draws > 1 => format!("{setting}, mean of {} draws", score.draws),
        _ => setting.to_string(),
    }
}
