//! The audit of a dataset, as a table on the terminal and as a page of its own.
//!
//! The page is self-contained as the page of a run is: no network, no script, no clock.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};

use barecode_audit::{DatasetAudit, Finding, Rule, Severity, rule, rules};
use comfy_table::{Cell, ContentArrangement};
use maud::{Markup, html};

use super::grid::{self, bold, right};
use super::markup;
use barecode_runs::console::{Screen, grouped};

/// The subject of the audit, the findings, the worst first, and where to read on.
pub fn terminal(
    audit: &DatasetAudit,
    examples: bool,
    screen: Screen,
) -> Result<String, fmt::Error> {
    let mut text = format!("{}: {}\n", audit.name, sizes(audit));
    let findings = rows(audit, examples);
    if findings.is_empty() {
        let applied = audit.applied.len();
        let left_out = match rules().len() - applied {
            0 => String::new(),
            count => format!("; {count} left out"),
        };
        writeln!(text, "no findings to show from {applied} rules{left_out}")?;
        return Ok(text);
    }
    let mut table = grid::styled(screen);
    if screen.width < u16::MAX {
        table.set_content_arrangement(ContentArrangement::Dynamic);
        table.set_width(screen.width);
    }
    let heads = ["", "rule", "subset", "count", "of", "what was found"];
    table.set_header(heads.map(|head| bold(Cell::new(head), screen)));
    for (finding, more) in &findings {
        let mut message = finding.message.clone();
        for example in finding.examples.iter().filter(|_| examples) {
            write!(message, "\n  {} {}", example.ids.join(" "), example.excerpt)?;
        }
        let severity = Cell::new(finding.severity);
        table.add_row([
            match finding.severity {
                Severity::Note => severity,
                Severity::Warning | Severity::Defect => bold(severity, screen),
            },
            Cell::new(format!("{} {}", finding.code, finding.name)),
            Cell::new(match more {
                0 => finding.subset.clone(),
                more => format!("{} and {more} more", finding.subset),
            }),
            right(grouped(finding.count)),
            Cell::new(format!("{} {}", grouped(finding.of), finding.what)),
            Cell::new(message),
        ]);
    }
    let table = table.to_string();
    for line in table.lines() {
        text.push_str(line.trim_end());
        text.push('\n');
    }
    writeln!(
        text,
        "{}; `barecode audit --explain CODE` explains a rule and what to do",
        totals(audit)
    )?;
    Ok(text)
}

/// The worst finding of each rule, the worst rules first, with the number of its findings in other subsets; with
/// examples every finding.
fn rows(audit: &DatasetAudit, examples: bool) -> Vec<(&Finding, usize)> {
    let mut findings: Vec<&Finding> = audit.findings.iter().collect();
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    let mut rows: Vec<(&Finding, usize)> = Vec::new();
    for finding in findings {
        let share = |of: &Finding| of.count as f64 / of.of.max(1) as f64;
        let mut same = rows.iter_mut().filter(|_| !examples);
        match same.find(|(first, _)| first.code == finding.code) {
            None => rows.push((finding, 0)),
            Some((first, more)) => {
                *more += 1;
                if first.severity == finding.severity && share(first) < share(finding) {
                    *first = finding;
                }
            }
        }
    }
    rows
}

/// `6 subsets, 3,112 documents, 3,112 queries, 3,112 judgments`.
fn sizes(audit: &DatasetAudit) -> String {
    let sum = |of: fn(&barecode_audit::SubsetSize) -> usize| -> String {
        grouped(audit.subsets.iter().map(of).sum::<usize>() as u64)
    };
    let subsets = audit.subsets.len() as u64;
    format!(
        "{} {}, {} documents, {} queries, {} judgments",
        grouped(subsets),
        if subsets == 1 { "subset" } else { "subsets" },
        sum(|subset| subset.documents),
        sum(|subset| subset.queries),
        sum(|subset| subset.judgments)
    )
}

/// `2 defects, 1 warning, 3 notes`.
pub fn totals(audit: &DatasetAudit) -> String {
    let of = |severity: Severity| {
        let count = audit
            .findings
            .iter()
            .filter(|finding| finding.severity == severity)
            .count();
        let plural = if count == 1 { "" } else { "s" };
        format!("{} {severity}{plural}", grouped(count as u64))
    };
    [Severity::Defect, Severity::Warning, Severity::Note]
        .map(of)
        .join(", ")
}

/// The page.
pub fn page(audit: &DatasetAudit) -> String {
    let mut by_rule: BTreeMap<&str, Vec<&Finding>> = BTreeMap::new();
    for finding in &audit.findings {
        by_rule.entry(finding.code).or_default().push(finding);
    }
    let mut in_order: Vec<(Severity, &str, Vec<&Finding>)> = by_rule
        .into_iter()
        .map(|(code, findings)| {
            let worst = findings.iter().map(|finding| finding.severity).max();
            (worst.unwrap_or(Severity::Note), code, findings)
        })
        .collect();
    in_order.sort_by_key(|(worst, ..)| std::cmp::Reverse(*worst));
    let title = format!("Audit of {}", audit.name);
    let quiet = rules()
        .iter()
        .filter(|rule| !in_order.iter().any(|(_, code, _)| *code == rule.code));
    let (clean, left_out): (Vec<&Rule>, Vec<&Rule>) =
        quiet.partition(|rule| audit.applied.contains(&rule.code));
    let list = |rules: &[&Rule]| {
        html! {
            ul { @for rule in rules { li { code { (rule.code) } " " (rule.name) ": " (rule.summary()) } } }
        }
    };
    let sections = html! {
        header {
            h1 { (title) }
            p {
                "Properties of the dataset that change the meaning of its scores. A note is good to know; with a "
                "warning, scores mean something else than their name for some queries; with a defect, they cannot be compared "
                "with those of a sound set."
            }
            p { strong { (totals(audit)) } " in " (sizes(audit)) "." }
        }
        (summary(&in_order))
        (subsets(audit))
        @for (worst, code, findings) in &in_order {
            @if let Some(rule) = rule(code) { (of_rule(rule, *worst, findings)) }
        }
        h2 #silent { "Rules without findings" }
        (list(&clean))
        @if !left_out.is_empty() {
            h2 #left-out { "Rules that were left out" }
            (list(&left_out))
        }
    };
    markup::page(&title, &sections)
}

fn summary(in_order: &[(Severity, &str, Vec<&Finding>)]) -> Markup {
    html! {
        h2 #summary { "What was found" }
        @if in_order.is_empty() { p { "Nothing." } }
        @else {
            div.scroll tabindex="0" role="region" aria-label="What was found" {
                table {
                    thead { tr { th scope="col" { "Rule" } th scope="col" { "Worst" } th.num scope="col" { "Subsets" } th scope="col" { "In the worst of them" } } }
                    tbody {
                        @for (worst, code, findings) in in_order {
                            tr {
                                th scope="row" { a href={ "#" (code) } { (code) } " " @if let Some(rule) = rule(code) { (rule.name) } }
                                td { (worst) }
                                td.num { (findings.len()) }
                                td { @if let Some(finding) = worst_of(findings) { code { (finding.subset) } ": " (finding.message) } }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The finding of the highest severity and, of these, share; the first among equals.
fn worst_of<'a>(findings: &[&'a Finding]) -> Option<&'a Finding> {
    let key = |finding: &Finding| {
        (
            finding.severity,
            finding.count.saturating_mul(1000) / finding.of.max(1),
        )
    };
    findings
        .iter()
        .rev()
        .max_by_key(|finding| key(finding))
        .copied()
}

fn subsets(audit: &DatasetAudit) -> Markup {
    html! {
        h2 #subsets { "What was audited" }
        div.scroll tabindex="0" role="region" aria-label="Subsets" {
            table {
                thead { tr {
                    th scope="col" { "Subset" } th scope="col" { "Split" } th.num scope="col" { "Documents" } th.num scope="col" { "Queries" }
                    th.num scope="col" { "Judgments" } th scope="col" { "A setting of" }
                } }
                tbody {
                    @for subset in &audit.subsets {
                        tr {
                            th scope="row" { (subset.subset) }
                            td { (subset.split) }
                            td.num { (grouped(subset.documents as u64)) }
                            td.num { (grouped(subset.queries as u64)) }
                            td.num { (grouped(subset.judgments as u64)) }
                            td { (subset.original.as_deref().unwrap_or_default()) }
                        }
                    }
                }
            }
        }
    }
}

fn of_rule(rule: &Rule, worst: Severity, findings: &[&Finding]) -> Markup {
    html! {
        h2 id=(rule.code) { (rule.code) " " (rule.name) " (" (worst) ")" }
        p.note { (rule.summary()) }
        div.scroll tabindex="0" role="region" aria-label=(rule.name) {
            table {
                thead { tr { th scope="col" { "Subset" } th scope="col" { "Severity" } th.num scope="col" { "Count" } th scope="col" { "Found" } } }
                tbody {
                    @for finding in findings {
                        tr {
                            th scope="row" { (finding.subset) }
                            td { (finding.severity) }
                            td.num { (grouped(finding.count)) small { "of " (grouped(finding.of)) " " (finding.what) } }
                            td {
                                (finding.message) "."
                                @if !finding.examples.is_empty() {
                                    details {
                                        summary { "Examples" }
                                        ul { @for example in &finding.examples { li { code { (example.ids.join(" ")) } " " (example.excerpt) } } }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
        details {
            summary { "Check and remedy" }
            @for paragraph in rule.paragraphs() { p { @if let Some(head) = paragraph.0 { strong { (head) } " " } (paragraph.1) } }
        }
    }
}
