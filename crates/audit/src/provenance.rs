//! The origin of the documents: repositories, licenses, languages.

use std::collections::BTreeMap;

use barecode_formats::{Family, family};

use crate::look::{Look, SubsetLook};
use crate::rule::{Example, Finding, Report, Severity, counted, grouped, percent, rule, share_of};

rule! {
    /// Documents of which many come from few repositories.
    ///
    /// **Why it matters.** The score depends on one project's style and names. Queries of one project are not an
    /// independent sample, so intervals over queries are too narrow.
    ///
    /// **Method.** By the column that names the repository, project or page. `effective` is the number of repositories
    /// of equal size that would be as concentrated (one over the sum of squared shares), `largest` the share of the
    /// largest. It is reported if the largest has 20 % of the documents or more: a note; a warning from half on, if
    /// there are several.
    ///
    /// **Example.** A set in which one library has 60 % of all functions.
    ///
    /// **Remedy.** Cap the number of documents of a repository, and draw bootstrap samples of repositories.
    ///
    /// **Limits.** Nothing is reported without such a column. Addresses of files are taken as they are, up to the
    /// repository for the usual hosts.
    REPOSITORIES = "BA601" "repository-concentration", repositories;
}

rule! {
    /// Documents with conflicting licenses under one label, and documents without a license.
    ///
    /// **Why it matters.** Using the dataset under its label breaks the terms of some of its documents.
    ///
    /// **Method.** By the column that names the license: `permissive` (MIT, BSD, Apache, CC-BY, CC0, …), `copyleft`
    /// (GPL, LGPL, MPL, EPL, CC-BY-SA, …), `restricted` (non-commercial, no derivatives, no license granted) and
    /// `unknown`. A warning where copyleft or restricted text is beside permissive text in one subset; a note where
    /// some licenses are unknown.
    ///
    /// **Example.** StatCodeSearch: 823 rows CC-BY, 97 CC0, 46 MIT, and some GPL and LGPL.
    ///
    /// **Remedy.** Publish a subset for each kind of license, each under its own label.
    ///
    /// **Limits.** Names are read, no license texts. This is not legal advice.
    LICENSES = "BA603" "license-mix", licenses;
}

rule! {
    /// Subsets with documents in several programming languages.
    ///
    /// **Why it matters.** The words of a query reveal the language, so part of the score is for distinguishing
    /// languages. A mean over languages weighs them by their number of queries.
    ///
    /// **Method.** By the column that names the language; reported if a second one has 1 % or more.
    ///
    /// **Example.** Six languages in one list of candidates.
    ///
    /// **Remedy.** Report scores by language, or make a subset of each.
    ///
    /// **Limits.** Nothing is reported without such a column.
    LANGUAGES = "BA604" "language-mix", languages;
}

/// Counts values in order of name, the most frequent first.
fn tally<'a>(values: impl Iterator<Item = &'a str>) -> Vec<(&'a str, usize)> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for value in values {
        *counts.entry(value).or_default() += 1;
    }
    let mut counts: Vec<(&str, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
    counts
}

fn shown(counts: &[(&str, usize)]) -> Vec<Example> {
    let examples = counts.iter().take(3).map(|(name, count)| Example {
        ids: Vec::new(),
        excerpt: format!("{name}: {}", grouped(*count)),
    });
    examples.collect()
}

/// The repository of a document: of an address on a known host its first two parts, else all of it.
pub(crate) fn repository<'a>(subset: &SubsetLook<'a>, at: usize) -> Option<&'a str> {
    let full = subset.document(at).repository()?;
    for host in ["github.com/", "gitlab.com/", "bitbucket.org/"] {
        if let Some((before, rest)) = full.split_once(host) {
            let parts: usize = rest.split('/').take(2).map(|part| part.len() + 1).sum();
            return full.get(
                ..(before.len() + host.len() + parts)
                    .saturating_sub(1)
                    .min(full.len()),
            );
        }
    }
    Some(full)
}

fn repositories(look: &Look<'_>, report: &mut Report<'_>) {
    for subset in &look.subsets {
        let places = 0..subset.documents.len();
        let counts = tally(places.filter_map(|at| repository(subset, at)));
        let of: usize = counts.iter().map(|(_, count)| count).sum();
        let Some(&(name, largest)) = counts.first() else {
            continue;
        };
        let share = share_of(largest, of);
        let squares: f64 = counts
            .iter()
            .map(|&(_, count)| share_of(count, of).powi(2))
            .sum();
        // A list of pages has one document a page; and a handful of documents may well have one origin.
        if share < 0.2 || of < 20 {
            continue;
        }
        let message = format!(
            "{} of {} come from `{name}`; {} in all, as concentrated as {:.1} of equal size",
            percent(share),
            counted(of, "document"),
            counted(counts.len(), "repository"),
            1.0 / squares
        );
        report.add(Finding {
            severity: if counts.len() == 1 {
                Severity::Note
            } else {
                Severity::by(share, 0.5, 2.0)
            },
            numbers: vec![
                ("repositories", counts.len() as f64),
                ("effective", 1.0 / squares),
                ("largest", share),
            ],
            examples: shown(&counts),
            ..subset.found("documents", largest, of, message)
        });
    }
}

fn licenses(look: &Look<'_>, report: &mut Report<'_>) {
    for subset in &look.subsets {
        let documents = subset.subset.documents.iter();
        let with_column = documents
            .filter(|document| document.license().is_some())
            .count();
        if with_column == 0 {
            continue;
        }
        let names = subset
            .subset
            .documents
            .iter()
            .map(|document| document.license().unwrap_or("(none)"));
        let counts = tally(names);
        let of_family = |wanted: &[Family]| -> usize {
            let counts = counts.iter();
            let under = counts.filter(|(name, _)| wanted.contains(&family(name)));
            under.map(|(_, count)| count).sum()
        };
        let permissive = of_family(&[Family::Permissive]);
        let copyleft = of_family(&[Family::WeakCopyleft, Family::Copyleft]);
        let restricted = of_family(&[Family::Restricted]);
        let unknown = of_family(&[Family::Unknown]);
        let kinds = [permissive, copyleft, restricted]
            .iter()
            .filter(|count| **count > 0)
            .count();
        let is_mixed = kinds > 1;
        let of = subset.documents.len();
        let count = if is_mixed {
            copyleft + restricted + unknown
        } else {
            unknown
        };
        let message = format!(
            "of {}, {} are under permissive licenses, {} under copyleft, {} restricted, {} unknown",
            counted(of, "document"),
            grouped(permissive),
            grouped(copyleft),
            grouped(restricted),
            grouped(unknown)
        );
        report.add(Finding {
            severity: if is_mixed {
                Severity::Warning
            } else {
                Severity::Note
            },
            numbers: vec![
                ("permissive", permissive as f64),
                ("copyleft", copyleft as f64),
                ("restricted", restricted as f64),
                ("unknown", unknown as f64),
                ("licenses", counts.len() as f64),
            ],
            examples: {
                let others: Vec<(&str, usize)> = counts
                    .iter()
                    .copied()
                    .filter(|(name, _)| family(name) != Family::Permissive)
                    .collect();
                shown(&others)
            },
            ..subset.found("documents", count, of, message)
        });
    }
}

fn languages(look: &Look<'_>, report: &mut Report<'_>) {
    for subset in &look.subsets {
        let counts = tally(
            subset
                .subset
                .documents
                .iter()
                .filter_map(|document| document.language()),
        );
        let of: usize = counts.iter().map(|(_, count)| count).sum();
        let Some(&(_, largest)) = counts.first() else {
            continue;
        };
        if counts.get(1).is_none_or(|&(_, second)| second * 100 < of) {
            continue;
        }
        let message = format!(
            "{} are in {} languages",
            counted(of, "document"),
            counts.len()
        );
        report.add(Finding {
            numbers: vec![("languages", counts.len() as f64)],
            examples: shown(&counts),
            ..subset.found("documents", of - largest, of, message)
        });
    }
}
