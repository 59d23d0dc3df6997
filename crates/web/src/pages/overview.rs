//! The entry page, the list of items, and pages that only show a message.

use maud::{Markup, html};

use super::notice;
use crate::study::{Kind, Rater};

/// Items on a page of the list.
pub(crate) const PER_PAGE: u32 = 200;

/// The introduction before the items: paragraphs, with an empty line between two.
pub(super) fn introduction(text: &str) -> Markup {
    let paragraphs = text.split("\n\n").map(str::trim);
    html! {
        @for paragraph in paragraphs.filter(|it| !it.is_empty()) { p.introduction { (paragraph) } }
    }
}

/// The form for the token.
pub(crate) fn enter(alert: Option<&str>) -> Markup {
    html! {
        h1 { "Sign in" }
        @if let Some(alert) = alert { (notice("alert", "alert", alert)) }
        form.enter method="post" action="/enter" {
            p.field {
                label for="token" { "Your token" }
                input #token type="password" name="token" autocomplete="off" required aria-describedby="from-whom";
            }
            p.soft #from-whom { "Whoever runs the study gave it to you. It is not stored in this browser's history." }
            button.main type="submit" { "Sign in" }
        }
    }
}

/// All items of a rater, some on a page.
pub(crate) fn overview(
    kind: Kind,
    (introduced, question): (&str, &str),
    rater: &Rater,
    positions: &[(u32, bool)],
    next: Option<u32>,
) -> Markup {
    let pages = rater.items.div_ceil(PER_PAGE);
    let first = positions.first().map_or(1, |(position, _)| *position);
    html! {
        h1 { @if kind == Kind::Review { "Review" } @else { "Study" } }
        (introduction(introduced))
        p { (question) }
        p role="status" { strong { (rater.answered) " of " (rater.items) } " answered" @if next.is_none() { ". All is done, thank you: you can still change answers." } }
        progress max=(rater.items) value=(rater.answered) aria-label="Items answered" {}
        @if let Some(next) = next {
            p { a.main data-key="o" href={ "/item/" (next) } { @if rater.answered == 0 { "Begin" } @else { "Go on" } " with item " (next) } }
        }
        @if pages > 1 {
            nav.pages aria-label="Pages of the list" {
                @for page in 1..=pages {
                    @if (page - 1) * PER_PAGE + 1 == first { strong aria-current="page" { (page) } } @else { a href={ "/?page=" (page) } { (page) } }
                }
            }
        }
        h2 #items { "Items" }
        ol.items aria-labelledby="items" {
            @for (position, is_answered) in positions {
                li {
                    a class=[is_answered.then_some("done")] href={ "/item/" (position) } {
                        (position) @if *is_answered { span aria-hidden="true" { " ✓" } span.unseen { " answered" } } @else { span.unseen { " open" } }
                    }
                }
            }
        }
    }
}

/// A page with a heading and a sentence.
pub(crate) fn message(title: &str, text: &str) -> Markup {
    html! {
        h1 { (title) }
        (notice("alert", "alert", text))
        p { a href="/" { "To the list of items" } }
    }
}
