//! The parts that pages share.

use maud::{DOCTYPE, Markup, PreEscaped, Render, html};

/// A page that needs no network and no script.
pub(super) fn page(title: &str, sections: &Markup) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                (head(title))
                style { (PreEscaped(barecode_web::BASE_CSS)) (PreEscaped(include_str!("page.css"))) }
            }
            body {
                main {
                    (sections)
                    footer { p { "Made by barecode " (env!("CARGO_PKG_VERSION")) "." } }
                }
            }
        }
    };
    let mut text = page.into_string();
    text.push('\n');
    text
}

/// The part of a head that all pages share.
pub(super) fn head(title: &str) -> Markup {
    html! {
        meta charset="utf-8";
        meta name="viewport" content="width=device-width, initial-scale=1";
        meta name="generator" content={ "barecode " (env!("CARGO_PKG_VERSION")) };
        title { (title) " – barecode" }
    }
}

/// The heads of a table on a page: of columns with names, then of columns with numbers.
pub(super) fn heads(names: &[&str], numbers: &[&str]) -> Markup {
    html! {
        thead {
            tr {
                @for name in names { th scope="col" { (name) } }
                @for number in numbers { th.num scope="col" { (number) } }
            }
        }
    }
}

/// A table of texts under a name that scrolls by itself; the first `names` cells of each row are names, the others
/// numbers, with their intervals below them.
pub(super) fn table(
    label: &str,
    names: usize,
    heads: &[&str],
    rows: impl IntoIterator<Item = Vec<String>>,
) -> Markup {
    let inside = html! {
        table {
            (self::heads(&heads[..names], &heads[names..]))
            tbody {
                @for cells in rows {
                    tr {
                        @for (at, cell) in cells.iter().enumerate() {
                            @if at >= names { td.num { (value(cell)) } } @else if at == 0 { th scope="row" { (cell) } } @else { td { (cell) } }
                        }
                    }
                }
            }
        }
    };
    scroll(label, inside)
}

/// A number, and below it the interval that is behind it.
fn value(cell: &str) -> Markup {
    html! {
        @match cell.split_once(" [") {
            Some((value, interval)) => { (value) small { "[" (interval) } }
            None => (cell)
        }
    }
}

/// A part that may be wider than the page: it scrolls by itself, and with the keyboard.
pub(super) fn scroll(label: &str, inside: impl Render) -> Markup {
    html! { div.scroll tabindex="0" role="group" aria-label=(label) { (inside) } }
}

/// A section that is closed until a reader opens it, or follows a link to `id`.
pub(super) fn folded(id: &str, title: &str, inside: impl Render) -> Markup {
    html! {
        details.section {
            summary { h2 { (title) } }
            div id=(id) { (inside) }
        }
    }
}

/// A sentence whose `code` is set as code.
pub(super) fn prose(sentence: &str) -> Markup {
    html! {
        @for (at, part) in sentence.split('`').enumerate() {
            @if at % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}
