//! The table of all queries: rows for the script, and the first of them for readers without scripts.

use std::collections::BTreeSet;

use barecode_runs::console::grouped;
use maud::html;
use serde_json::{Value, json};

use super::{Asked, Browsed, Home, document, rank_text, short, visible};
use crate::{group_name, markup};

/// The file of the table.
pub const LIST: &str = "queries.html";

/// The rows that a reader without scripts sees.
const STATIC: usize = 200;
/// Characters of a query in the table.
const TEXT: usize = 160;

/// A row as the script reads it.
pub(super) fn row(all: &Browsed, query: &Asked) -> Value {
    let answer = &all.documents[query.answer as usize];
    let ranks = query.ranks().into_iter();
    let ranks = ranks.map(|rank| rank.map(short));
    json!([
        super::anchor(query),
        one_line(&query.text),
        visible(&answer.name, 80),
        visible(&query.writer, 80),
        query.leak.map_or("", |leak| leak.name()),
        query.group,
        answer.language,
        short(query.fall(all.settings.len())),
        ranks.collect::<Vec<_>>(),
    ])
}

/// A query in one line.
pub(crate) fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    let mut shown: String = line.chars().take(TEXT).collect();
    if shown.len() < line.len() {
        shown.push('…');
    }
    visible(&shown, TEXT + 1)
}

/// The page of the table.
pub(super) fn render(all: &Browsed) -> String {
    let settings = all.settings.len();
    let ids: BTreeSet<&str> = all.queries.iter().map(|query| query.id.as_str()).collect();
    let n_queries = ids.len();
    let has_group = all.queries.iter().any(|query| !query.group.is_empty());
    let has_leak = all.queries.iter().any(|query| query.leak.is_some());
    let first = all.systems.first().map_or("", String::as_str);
    // Without scripts, the settings of the first system, or the systems that are compared, in the first setting.
    let (heads, step, ranks_of) = if all.compared {
        let setting = all.settings.first().map_or("", String::as_str);
        (&all.systems, settings, setting)
    } else {
        (&all.settings, 1, first)
    };
    let sections = html! {
        header {
            nav aria-label="Pages" { ul { li { a href="index.html" { (all.home.name()) } } } }
            h1 { (all.name) ": all queries" }
            p {
                (grouped(n_queries as u64)) " queries in " (grouped(all.queries.len() as u64)) " rows. A rank is that of the answer, of drawn settings in the first draw; "
                "– is an answer that was not retrieved. A query that is asked in several groups has a row for each. "
                @match all.home {
                    Home::Comparison => "Two ranks are those of two systems. The queries on which systems differ most come first.",
                    Home::Report => {
                        "The fall is the largest loss of 1 / rank from the code as written to another setting. "
                        "Your own queries come first, then those whose answer falls furthest, in any system."
                    }
                    Home::Board => {
                        "The fall is the largest loss of 1 / rank from the first setting to another. "
                        "The queries whose answer falls furthest in any system come first."
                    }
                }
            }
        }
        div #browse {
            noscript { p.note { "Without scripts the table has the first " (STATIC.min(all.queries.len())) " queries and the ranks of " (ranks_of) "; the pages below have all of them." } }
            (markup::scroll("Queries", html! {
                table.queries {
                    thead {
                        tr {
                            th scope="col" { "Query" }
                            th scope="col" { "Answer" }
                            @if has_group { th scope="col" { "Group" } }
                            @if has_leak { th scope="col" { "Leak" } }
                            @for head in heads { th.num scope="col" { (head) } }
                        }
                    }
                    tbody {
                        @for (at, query) in all.queries.iter().enumerate().take(STATIC) {
                            tr {
                                th scope="row" { a href=(all.link(at)) { (one_line(&query.text)) } }
                                td { code { (visible(&all.documents[query.answer as usize].name, 80)) } }
                                @if has_group { td { (group_name(Some(&query.group))) } }
                                @if has_leak { td { (query.leak.map_or("", |leak| leak.name())) } }
                                @for list in query.lists.iter().step_by(step.max(1)).take(heads.len()) {
                                    td.num { (list.as_ref().map_or(String::new(), |list| rank_text(list.rank))) }
                                }
                            }
                        }
                    }
                }
            }))
        }
        nav aria-label="Pages of queries" {
            details {
                summary { "All pages" }
                ul { @for number in 0..all.pages() { li { a href=(super::page_file(number).display()) { (number + 1) } } } }
            }
        }
    };
    let mut data = vec!["queries/about.js".to_owned()];
    data.extend(
        (0..all.queries.len().div_ceil(super::ROWS_A_FILE))
            .map(|number| format!("queries/rows-{number:03}.js")),
    );
    document(&format!("{}: all queries", all.name), "", &data, &sections)
}
