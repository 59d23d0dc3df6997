//! Sets of queries over the same functions, side by side: comments, queries by models, queries by human authors
//! (CLARC, Table 9).

use barecode_records::SetDifference;
use maud::{Markup, html};

use super::robustness::{chance, signed};
use super::{grid, group_name, markup, number, setting_of, too_few};
use barecode_runs::console::Screen;

/// The comparison, for a table and its note.
const NOTE: &str = "the mean of each set over the functions that both ask for, and the paired difference with its interval";

/// The table on the terminal; `None` if there is only one set.
pub fn terminal(sets: &[SetDifference], screen: Screen) -> Option<String> {
    let measure = &sets.first()?.measure;
    let heads = [
        "functions",
        "setting",
        "retriever",
        "sets",
        "both ask for",
        "first",
        "second",
        "difference",
        "p",
    ];
    let rows = shown(sets).map(|one| {
        let mut cells = vec![
            one.functions.clone(),
            setting_of(one.setting),
            one.retriever.clone(),
            format!("{} − {}", one.first, one.second),
            one.answers.to_string(),
        ];
        if one.too_few {
            cells.extend([
                too_few(one.answers.into()),
                String::new(),
                String::new(),
                String::new(),
            ]);
        } else {
            let (low, high) = (signed(one.low), signed(one.high));
            cells.extend([
                number(one.first_value),
                number(one.second_value),
                format!("{} [{low}, {high}]", signed(one.difference)),
                chance(one.p),
            ]);
        }
        cells
    });
    let table = grid::table(4, &heads, rows, screen);
    Some(format!("\nsets of queries, {measure}: {NOTE}\n{table}"))
}

/// The section of the page; empty if there is only one set.
pub(super) fn section(sets: &[SetDifference]) -> Markup {
    html! {
        @if let Some(first) = sets.first() {
            h2 #sets { "Sets of queries" }
            p.note { (first.measure) ": " (NOTE) "." }
            (markup::scroll("Sets of queries", html! {
                table {
                    (markup::heads(&["Functions", "Setting", "Retriever", "Sets"], &["Both ask for", "First", "Second", "Difference", "p"]))
                    tbody {
                        @for one in shown(sets) {
                            tr {
                                td { (group_name(Some(&one.functions))) }
                                td { (setting_of(one.setting)) }
                                th scope="row" { (one.retriever) }
                                td { (one.first) " − " (one.second) }
                                td.num { (one.answers) }
                                @if one.too_few {
                                    td.num colspan="4" { (too_few(one.answers.into())) }
                                } @else {
                                    td.num { (number(one.first_value)) }
                                    td.num { (number(one.second_value)) }
                                    td.num { (signed(one.difference)) small { "[" (signed(one.low)) ", " (signed(one.high)) "]" } }
                                    td.num { (chance(one.p)) }
                                }
                            }
                        }
                    }
                }
            }))
        }
    }
}

/// Rows of the main measure, of all groups together if they exist.
fn shown(sets: &[SetDifference]) -> impl Iterator<Item = &SetDifference> {
    let measure = sets.first().map(|one| one.measure.as_str());
    let is_pooled = |one: &SetDifference| one.functions == barecode_evaluate::POOLED;
    let any = sets.iter().any(is_pooled);
    let of_measure = sets
        .iter()
        .filter(move |one| Some(one.measure.as_str()) == measure);
    of_measure.filter(move |one| !any || is_pooled(one))
}
