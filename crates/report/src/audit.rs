//! The audit of settings, as a table on the terminal and as a part of the page.

use barecode_audit::SettingAudit;
use barecode_records::Scope;
use maud::{Markup, html};

use super::{grid, markup, number, percent};
use barecode_runs::console::{Screen, grouped};

const HEADS: [&str; 12] = [
    "setting",
    "texts",
    "lost",
    "twins",
    "best R@1",
    "best RR",
    "best nDCG@10",
    "changed",
    "names left",
    "names",
    "strings",
    "comments",
];

/// The table, with its warnings below.
pub fn terminal(audits: &[SettingAudit], units: usize, screen: Screen) -> String {
    let mut text = format!(
        "{} units; twins: texts that equal another one, and the best score of a model that knows everything except which is meant; changed: mean share of characters in changed identifiers; names left: of the project's identifiers, the share that stays; names, strings, comments: texts that still contain some from the project\n{}",
        grouped(units as u64),
        grid::table(1, &HEADS, audits.iter().map(cells), screen)
    );
    for note in audits.iter().flat_map(notes) {
        text.push_str("\nnote: ");
        text.push_str(&note);
    }
    text
}

/// A section of the page.
pub(super) fn section(audits: &[SettingAudit], scope: Scope) -> Markup {
    html! {
        p.note {
            "Twins are texts that another one equals, white space aside; beside them the best that a model can score that knows all "
            "but which twin is meant. Changed is the mean share of characters in changed identifiers. Names left is the share of the "
            "project's identifiers that stay. Names, strings and comments count the texts that still have some of the project."
        }
        @if audits.iter().any(|audit| audit.left.as_ref().is_some_and(|left| left.by_spelling.is_some())) {
            p.note { (promise(scope)) }
        }
        div.scroll tabindex="0" role="region" aria-label="Settings" {
            table {
                thead { tr { @for (at, head) in HEADS.iter().enumerate() { th.num[at > 0] scope="col" { (head) } } } }
                tbody {
                    @for audit in audits {
                        tr { @for (at, cell) in cells(audit).iter().enumerate() { td.num[at > 0] { (cell) } } }
                    }
                }
            }
        }
        @for note in audits.iter().flat_map(notes) { p.note { (markup::prose(&note)) } }
    }
}

fn cells(audit: &SettingAudit) -> Vec<String> {
    let best = audit.best.map(number);
    let lost: u32 = audit.lost.values().sum();
    let [r, rr, ndcg] = best;
    let name = match audit.draws {
        1 => audit.setting.to_string(),
        draws => format!("{} ({draws} draws)", audit.setting),
    };
    vec![
        name,
        grouped(audit.texts.into()),
        grouped(lost.into()),
        grouped(audit.with_twin.into()),
        r,
        rr,
        ndcg,
        audit.perturbation.map_or_else(|| "–".to_owned(), percent),
        left(audit.left.as_ref().and_then(|left| left.all.share())),
        grouped(audit.residue.names.into()),
        grouped(audit.residue.strings.into()),
        grouped(audit.residue.comments.into()),
    ]
}

/// The guarantee of a renaming in languages that are not compiled.
fn promise(scope: Scope) -> &'static str {
    match scope {
        Scope::Spelled => {
            "In languages that are not compiled, names were changed by spelling: one map for each source, whatever a name is \
             bound to. These texts were not run."
        }
        Scope::Bound => {
            "In languages that are not compiled, a name was changed only where it is proven to keep its binding. The others \
             stay, so these texts have more names than those of C."
        }
    }
}

/// A share of names, which is small.
fn left(share: Option<f64>) -> String {
    share.map_or_else(|| "–".to_owned(), |share| format!("{:.1} %", share * 100.0))
}

/// The notes that do not fit into a table.
fn notes(audit: &SettingAudit) -> Vec<String> {
    let mut notes = Vec::new();
    let setting = audit.setting;
    for (reason, count) in &audit.lost {
        notes.push(format!(
            "{setting}: {} lost, {reason}: {}",
            grouped((*count).into()),
            reason.explanation()
        ));
    }
    let of_languages = audit.left.iter().flat_map(|left| &left.by_language);
    let of_languages: Vec<String> = of_languages
        .map(|(language, of)| format!("{} {language}", left(of.share())))
        .collect();
    if let Some(share) = audit
        .left
        .as_ref()
        .and_then(|left| left.by_spelling?.share())
    {
        notes.push(format!(
            "{setting}: by spelling alone, {} of the words that the sources declare and no library has are still there",
            left(Some(share))
        ));
    }
    if of_languages.len() > 1 {
        notes.push(format!(
            "{setting}: names left by language: {}",
            of_languages.join(", ")
        ));
    }
    if audit.largest_twin_class > 2 {
        notes.push(format!(
            "{setting}: {} texts are all alike",
            grouped(audit.largest_twin_class.into())
        ));
    }
    if let Some(shared) = &audit.boilerplate {
        let end = if shared.at_start { "begin" } else { "end" };
        notes.push(format!(
            "{setting}: {} of the texts {end} in the same {} lines",
            percent(shared.share),
            shared.lines
        ));
    }
    for (count, what) in [
        (audit.residue.paths, "a path"),
        (audit.residue.addresses, "an address"),
    ] {
        if count > 0 {
            notes.push(format!(
                "{setting}: {} texts have {what} in them",
                grouped(count.into())
            ));
        }
    }
    notes
}
