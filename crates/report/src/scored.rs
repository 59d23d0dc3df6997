//! Scores on the page: one picture, one table of the main measure, and every other number folded below them.

use std::collections::BTreeSet;

use barecode_audit::{Left, LeftOf, SettingAudit};
use barecode_evaluate::POOLED;
use barecode_records::{Leak, Score, Setting, SettingDrop};
use barecode_scores::intervals::FEWEST_QUERIES;
use maud::{Markup, html};

use super::facts::Facts;
use super::{
    bound, distinct, figure, figures, group_name, main_measure, markup, number, percent, power,
    retrievers, robustness, statistics, too_few, with_draws,
};
use barecode_runs::console::grouped;

/// The scores of one group under all settings, by one measure.
pub(super) struct Of<'a> {
    pub(super) group: &'a str,
    pub(super) scores: Vec<&'a Score>,
}

impl<'a> Of<'a> {
    /// The groups that have a score to show, all of them together first.
    pub(super) fn groups(scores: &'a [Score], measure: &str) -> Vec<Of<'a>> {
        let of = |group: &'a str| Of {
            group,
            scores: select(scores, group, "all")
                .filter(|score| score.measure == measure)
                .collect(),
        };
        let shown = |of: &Of<'_>| of.scores.iter().any(|score| !score.too_few);
        let mut groups: Vec<Of<'a>> = groups(scores).into_iter().map(of).filter(shown).collect();
        groups.sort_by_key(|of| of.group != POOLED);
        groups
    }

    /// Its settings, in order.
    pub(super) fn settings(&self) -> Vec<Setting> {
        settings(&self.scores)
    }

    /// The score of a retriever in a setting.
    pub(super) fn get(&self, retriever: &str, setting: Setting) -> Option<&'a Score> {
        let mut scores = self.scores.iter().copied();
        scores.find(|score| score.retriever == retriever && score.setting == Some(setting))
    }

    /// `Group 3 Long` with its queries and documents.
    fn caption(&self) -> Markup {
        caption(self.group, self.scores.first().copied())
    }

    fn picture(&self, measure: &str, names: &[&str]) -> Markup {
        html! {
            figure {
                figcaption { (self.caption()) }
                (figure::chart(self.group, measure, &self.scores, names))
            }
        }
    }
}

/// The picture and the table of the main measure.
pub(super) fn section(facts: &Facts<'_>) -> Markup {
    let names = retrievers(facts.scores);
    let Some(measure) = main_measure(facts.scores) else {
        return html! {
            h2 #picture { "Nothing to score" }
            p { "No subset has queries: no function that was kept carries a comment that could be one." }
        };
    };
    let confidence = percent(facts.recipe.scores.confidence);
    let shown = Of::groups(facts.scores, measure);
    let few: Vec<String> = groups(facts.scores)
        .into_iter()
        .filter(|group| shown.iter().all(|of| of.group != *group))
        .map(|group| {
            let queries = select(facts.scores, group, "all")
                .next()
                .map_or(0, |score| score.queries);
            format!("{} ({})", group_name(Some(group)), grouped(queries.into()))
        })
        .collect();
    html! {
        h2 #picture { (measure) " by setting" }
        @if let Some(first) = shown.first() {
            ul.legend {
                @for (which, name) in names.iter().enumerate() { li { (figure::mark(which)) (name) } }
                li { (dash("ceiling")) "ceiling" }
                li { (dash("floor")) "floor" }
            }
            div.lead-chart { (first.picture(measure, &names)) }
        }
        p.note {
            "Means over queries with " (confidence) " intervals. The ceiling is the best possible score, "
            "given identical texts; the floor is the expected score of a random order of all documents. A retriever by words does "
            "not list documents that share no word with the query, so it can fall below the floor. Draws of one setting are averaged per query."
        }
        @if let Some(power) = power(facts.scores, facts.robustness.drops, facts.robustness.differences) { p { (power) "." } }
        @for sentence in &facts.cuts { p { strong { "Beware: " } (sentence) "." } }
        @if let Some(warning) = statistics::warnings(facts.statistics) {
            p { strong { "Beware: " } (markup::prose(&warning)) "." }
        }
        @if !few.is_empty() {
            p { "Fewer than " (FEWEST_QUERIES) " queries are too few for a score: " (few.join(", ")) "." }
        }
        @if shown.len() > 1 {
            details {
                summary { "The same for each group" }
                div.charts { @for of in &shown[1..] { (of.picture(measure, &names)) } }
            }
        }
        h2 #scores { "Scores" }
        p.note {
            (measure) ", its " (confidence) " interval, and what is lost of the standard score (relative, same queries)."
        }
        @if let Some(first) = shown.first() {
            (pivot(first, &names, facts.robustness.drops, measure))
            @if facts.queries.is_none() { (figures::links(first.group)) }
        }
        (names_left(facts.audits))
        @if shown.len() > 1 {
            details {
                summary { "The same for each group" }
                @for of in &shown[1..] {
                    (pivot(of, &names, facts.robustness.drops, measure))
                    @if facts.queries.is_none() { (figures::links(of.group)) }
                }
            }
        }
        details { summary { "All measures" } (measures(facts)) }
    }
}

/// A row for each retriever, a column for each setting; the ceiling and the floor below.
fn pivot(of: &Of<'_>, names: &[&str], drops: &[SettingDrop], measure: &str) -> Markup {
    let settings = of.settings();
    let bounds = |kind: fn(&Score) -> Option<f64>| {
        let first = settings
            .iter()
            .map(|setting| names.iter().find_map(|name| of.get(name, *setting)));
        first
            .map(|score| bound(score.and_then(kind)))
            .collect::<Vec<String>>()
    };
    let lost = |name: &str, setting: Setting| {
        let of_cell = |drop: &&SettingDrop| {
            drop.retriever == name
                && drop.setting == setting
                && drop.measure == measure
                && drop.group.as_deref().unwrap_or_default() == of.group
                && !drop.too_few
        };
        drops.iter().find(of_cell).map(robustness::relative)
    };
    let heads: Vec<String> = settings
        .iter()
        .map(|setting| {
            let draws = names
                .iter()
                .find_map(|name| of.get(name, *setting))
                .map_or(1, |score| score.draws);
            with_draws(Some(*setting), draws)
        })
        .collect();
    let heads: Vec<&str> = heads.iter().map(String::as_str).collect();
    markup::scroll(
        &format!("{measure} of {}", group_name(Some(of.group))),
        html! {
            table {
                caption { (of.caption()) }
                (markup::heads(&["Retriever"], &heads))
                tbody {
                    @for name in names {
                        tr {
                            th scope="row" { (name) }
                            @for setting in &settings {
                                td.num {
                                    @match of.get(name, *setting) {
                                        Some(score) if score.too_few => (too_few(score.queries.into())),
                                        Some(score) => {
                                            strong { (number(score.value)) } " [" (number(score.low)) ", " (number(score.high)) "]"
                                            @if let Some(lost) = lost(name, *setting) { small { "lost " (lost) } }
                                        }
                                        None => "–",
                                    }
                                }
                            }
                        }
                    }
                    @for (name, values) in [("ceiling", bounds(|score| score.ceiling)), ("floor", bounds(|score| score.floor))] {
                        tr.bounds { th scope="row" { (name) } @for value in values { td.num { (value) } } }
                    }
                }
            }
        },
    )
}

/// The share of the project's names that stay in each renamed setting, in all and by language: what a score without
/// names rests on.
fn names_left(audits: &[SettingAudit]) -> Markup {
    let left: Vec<(Setting, &LeftOf)> = audits
        .iter()
        .filter_map(|audit| Some((audit.setting, audit.left.as_ref()?)))
        .collect();
    let languages = left.iter().flat_map(|(_, left)| left.by_language.keys());
    let languages = distinct(languages.map(String::as_str));
    let heads: Vec<String> = left
        .iter()
        .map(|(setting, _)| setting.to_string())
        .collect();
    let heads: Vec<&str> = ["Language"]
        .into_iter()
        .chain(heads.iter().map(String::as_str))
        .collect();
    let share = |left: Option<Left>| {
        let share = left.and_then(Left::share);
        share.map_or("–".to_owned(), |share| format!("{:.1} %", share * 100.0))
    };
    let all = left.iter().map(|(_, left)| share(Some(left.all)));
    let mut rows: Vec<Vec<String>> = vec![["all".to_owned()].into_iter().chain(all).collect()];
    if languages.len() > 1 {
        for language in languages {
            let cells = left
                .iter()
                .map(|(_, left)| share(left.by_language.get(language).copied()));
            rows.push([language.to_owned()].into_iter().chain(cells).collect());
        }
    }
    html! {
        @if !left.is_empty() {
            h3 { "Names left" }
            p.note { "Of the project's identifiers in the texts, the share that stays. " a href="#settings" { "The names that stay" } " has the counts." }
            (markup::table("Names left by language and setting", 1, &heads, rows))
        }
    }
}

fn dash(kind: &str) -> Markup {
    html! { svg.dash viewBox="0 0 26 8" aria-hidden="true" { line class={ "bound " (kind) } x1="0" x2="26" y1="4" y2="4" {} } }
}

/// Every measure of every group.
fn measures(facts: &Facts<'_>) -> Markup {
    let measures = distinct(facts.scores.iter().map(|score| score.measure.as_str()));
    let confidence = percent(facts.recipe.scores.confidence);
    html! {
        p.note {
            "In each cell: the mean over queries, its " (confidence) " interval, the same with whole repositories drawn "
            "instead of queries if there are several (⌂; with two or three it is almost the whole range), and the ceiling (↑). "
            @match facts.recipe.scores.ties {
                barecode_scores::Ties::Expected => "Equal scores count as their average over all orders.",
                barecode_scores::Ties::Docno => "Among equal scores the greater document id comes first, as in trec_eval.",
                barecode_scores::Ties::Input => "Equal scores stay in the order of the run.",
                barecode_scores::Ties::Pessimistic => "Equal scores are in the worst order.",
                barecode_scores::Ties::Optimistic => "Equal scores are in the best order.",
            }
        }
        @for group in groups(facts.scores) {
            @let scores: Vec<&Score> = select(facts.scores, group, "all").collect();
            (markup::scroll(&format!("Scores of {}", group_name(Some(group))), html! {
                table {
                    caption { (caption(group, scores.first().copied())) }
                    (markup::heads(&["Retriever", "Setting"], &measures))
                    tbody {
                        @for name in retrievers(facts.scores) {
                            @for (place, setting) in settings(&scores).into_iter().enumerate() {
                                @let row: Vec<&Score> = scores.iter().copied()
                                    .filter(|score| score.retriever == name && score.setting == Some(setting)).collect();
                                tr.group[place == 0] {
                                    th scope="row" { (name) }
                                    td { (with_draws(Some(setting), row.first().map_or(1, |score| score.draws))) }
                                    @for measure in &measures { (cell(row.iter().find(|score| score.measure == *measure).copied(), true)) }
                                }
                            }
                        }
                    }
                }
            }))
        }
    }
}

/// The main measure by the strongest name that a query shares with its answer.
pub(super) fn leaks(facts: &Facts<'_>) -> Markup {
    let Some(measure) = main_measure(facts.scores) else {
        return html! {};
    };
    let mut tables: Vec<(&str, Markup)> = groups(facts.scores)
        .into_iter()
        .map(|group| (group, by_leak(facts, measure, group)))
        .collect();
    tables.sort_by_key(|(group, _)| *group != POOLED);
    html! {
        h2 #leaks { (measure) " by leak" }
        p.note {
            "A description may name what it describes. Queries are split by the strongest name that they share with their answer as written: "
            "the function's own (function), one that nobody writes by chance (identifier), one that is also a word (word), or none. "
            "A part of a name (compress in ZSTD_compress) is not a leak by this rule, yet a retriever that splits identifiers finds it: "
            "what is lost without names under “none” was mostly found by such parts."
            " Below " (FEWEST_QUERIES) " queries a cell shows too few."
        }
        @for (at, (_, table)) in tables.iter().enumerate() { @if at == 0 { (table) } }
        @if tables.len() > 1 {
            details {
                summary { "The same for each group" }
                @for (_, table) in &tables[1..] { (table) }
            }
        }
    }
}

fn by_leak(facts: &Facts<'_>, measure: &str, group: &str) -> Markup {
    let settings = &facts.recipe.settings;
    let columns: Vec<(&str, Setting)> = retrievers(facts.scores)
        .into_iter()
        .flat_map(|name| settings.iter().map(move |setting| (name, *setting)))
        .collect();
    markup::scroll(
        &format!("{measure} by leak in {}", group_name(Some(group))),
        html! {
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
                                    (cell(scores.iter().find(|score| score.retriever == *name && score.setting == Some(*setting)).copied(), false))
                                }
                            }
                        }
                    }
                }
            }
        },
    )
}

fn caption(group: &str, first: Option<&Score>) -> Markup {
    html! {
        (group_name(Some(group))) " "
        @if let Some(first) = first {
            small {
                (grouped(first.queries.into())) " queries"
                @if group == POOLED { ", each ranked within its group" } @else { ", " (grouped(first.documents.into())) " documents" }
            }
        }
    }
}

/// A mean with its interval and its ceiling, and the interval over repositories if it is requested.
fn cell(score: Option<&Score>, repositories: bool) -> Markup {
    html! {
        td.num {
            @if let Some(score) = score {
                @if score.too_few {
                    (too_few(score.queries.into()))
                } @else {
                    (number(score.value))
                    small {
                        "[" (number(score.low)) ", " (number(score.high)) "]" br;
                        @if let (true, Some(low), Some(high)) = (repositories, score.repository_low, score.repository_high) {
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
