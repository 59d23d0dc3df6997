//! A page of some queries: each with its answer, its ranks, and the names of the documents above the answer. A script
//! shows the texts side by side when a reader opens a rank.

use barecode_runs::console::grouped;
use maud::{Markup, html};

use super::{
    Asked, Browsed, List, QUERIES_A_PAGE, anchor, document, page_file, rank_text, visible,
};
use crate::{group_name, markup};

/// Characters of a query, and of an answer that is shown before a reader asks for more.
const QUERY: usize = 4_000;
const ANSWER: usize = 6_000;

/// The page.
pub(super) fn render(all: &Browsed, number: usize) -> String {
    let from = number * QUERIES_A_PAGE;
    let queries = all.queries.iter().enumerate();
    let queries = queries.skip(from).take(QUERIES_A_PAGE);
    let to = (from + QUERIES_A_PAGE).min(all.queries.len());
    let neighbor = |number: usize, text: &str| {
        let file = page_file(number);
        let file = file.file_name().unwrap_or_default().to_string_lossy();
        html! { li { a href=(file) { (text) } } }
    };
    let pages = |label: &str| {
        html! {
            nav aria-label=(label) {
                ul {
                    li { a href="../index.html" { (all.home.name()) } }
                    li { a href="../queries.html" { "All queries" } }
                    @if number > 0 { (neighbor(number - 1, "Previous page")) }
                    @if number + 1 < all.pages() { (neighbor(number + 1, "Next page")) }
                }
            }
        }
    };
    let title = format!("{}: queries {} to {to}", all.name, from + 1);
    let sections = html! {
        header { (pages("Pages")) h1 { (title) } }
        @for (at, query) in queries { (article(all, (at, at - from), query)) }
        footer { (pages("Pages, again")) }
    };
    let file = page_file(number).with_extension("js");
    let file = file.file_name().unwrap_or_default().to_string_lossy();
    document(
        &title,
        "../",
        &["about.js".to_owned(), file.into_owned()],
        &sections,
    )
}

/// A query with its ranks and its answer.
pub(super) fn article(all: &Browsed, (number, at): (usize, usize), query: &Asked) -> Markup {
    let answer = &all.documents[query.answer as usize];
    let written = answer.texts.first().and_then(Option::as_deref);
    html! {
        article.query id=(anchor(query)) data-at=(at) {
            h2 { "Query " (grouped(number as u64 + 1)) }
            blockquote dir="auto" { (visible(&query.text, QUERY)) }
            p.note {
                "Answer: " code { (visible(&answer.name, 200)) }
                @if !answer.place.is_empty() { ", " code { (visible(&answer.place, 400)) } }
                @if !query.group.is_empty() { "; " (group_name(Some(&query.group))) }
                @if !query.writer.is_empty() { "; writer: " (visible(&query.writer, 80)) }
                @if let Some(leak) = query.leak {
                    "; leak: " (leak.name())
                    @if !query.leaked.is_empty() { " (" (visible(&query.leaked.join(", "), 200)) ")" }
                }
                "; " a href={ "#" (anchor(query)) } { code { (visible(&query.id, 200)) } }
            }
            (ranks(all, query))
            div.beside {}
            @if let Some(text) = written {
                details { summary { "The answer as written" } pre { code { (visible(text, ANSWER)) } } }
            }
        }
    }
}

/// The rank of the answer for each system and setting, and below it the documents above.
fn ranks(all: &Browsed, query: &Asked) -> Markup {
    let settings: Vec<&str> = all.settings.iter().map(String::as_str).collect();
    let rows = all
        .systems
        .iter()
        .zip(query.lists.chunks(settings.len().max(1)));
    markup::scroll(
        "Ranks of the answer, and the documents above it",
        html! {
            table.ranks {
                (markup::heads(&["System"], &settings))
                tbody {
                    @for (row, (system, lists)) in rows.enumerate() {
                        @if lists.iter().any(Option::is_some) {
                            tr {
                                th scope="row" { (visible(system, 120)) }
                                @for (column, list) in lists.iter().enumerate() {
                                    td.num { @if let Some(list) = list { (cell(all, list, row * settings.len() + column)) } }
                                }
                            }
                        }
                    }
                }
            }
        },
    )
}

fn cell(all: &Browsed, list: &List, at: usize) -> Markup {
    let above = list
        .others
        .iter()
        .filter(|other| list.rank.is_none_or(|rank| f64::from(other.rank) < rank));
    let names = above.map(|other| {
        let name = all.documents[other.document as usize].name.as_str();
        visible(name.rsplit("::").next().unwrap_or(name), 40)
    });
    let names: Vec<String> = names.collect();
    html! {
        span.rank data-list=(at) { (rank_text(list.rank)) }
        @if !names.is_empty() { small { (names.join(", ")) } }
    }
}
