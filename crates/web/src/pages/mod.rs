//! The pages: plain HTML that works without a script, on light and dark, on a phone and with a screen reader.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::highlight::highlight;

mod item;
mod offline;
mod overview;

pub(crate) use item::{Shown, item};
pub use offline::offline;
use overview::introduction;
pub(crate) use overview::{PER_PAGE, enter, message, overview};

/// Colors, letters and code of all pages of barecode.
pub const BASE_CSS: &str = include_str!("base.css");

/// The styles that only the pages of a study have.
const STUDY_CSS: &str = include_str!("study.css");

/// Keys as alternatives to clicks; everything works without them.
pub(crate) const KEYS: &str = include_str!("keys.js");

/// The style of the pages.
pub(crate) fn css() -> String {
    format!("{BASE_CSS}{STUDY_CSS}")
}

/// A page that the server shows.
pub(crate) fn page(title: &str, rater: Option<&str>, body: &Markup) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) " – barecode study" }
                link rel="stylesheet" href="/study.css";
                link rel="icon" href="/icon.svg";
                script src="/keys.js" defer {}
            }
            body {
                a.skip href="#main" { "To the content" }
                header.top {
                    a href="/" { "All items" }
                    @if let Some(rater) = rater {
                        form method="post" action="/leave" { span { (rater) } button.quiet type="submit" { "Sign out" } }
                    }
                }
                main #main { (body) }
            }
        }
    };
    page.into_string()
}

/// Code in colors, in a frame that scrolls by itself and with the keyboard.
fn code(label: &str, text: &str, language: &str) -> Markup {
    html! {
        pre tabindex="0" role="region" aria-label=(label) {
            code {
                @for (kind, piece) in highlight(text, language) {
                    @match kind {
                        Some(kind) => span class={ "c-" (kind) } { (piece) },
                        None => (piece),
                    }
                }
            }
        }
    }
}

/// A sentence that a screen reader speaks when the page opens.
fn notice(class: &str, role: &str, text: &str) -> Markup {
    html! { p class={ "notice " (class) } role=(role) { (text) } }
}

/// A script or style, not escaped.
fn raw(text: &str) -> PreEscaped<&str> {
    PreEscaped(text)
}
