//! Names that a setting changes in one text and leaves in another.

use std::collections::{BTreeMap, BTreeSet};

use barecode_languages::LANGUAGES;
use barecode_languages::lex::{TokenKind, lex};
use rayon::prelude::*;

use crate::look::{Look, SubsetLook};
use crate::rule::{Example, Finding, Report, Severity, excerpt, percent, rule};

rule! {
    /// Identifiers that a setting changes in some texts and leaves in others.
    ///
    /// **Why it matters.** A score under other names shows the value of names only as far as the names are gone. A
    /// renaming that stops at its proof leaves `self.status_code` and `PreparedRequest`, and the score stays high for
    /// that reason.
    ///
    /// **Method.** In subsets that are a setting of another one (see BA102), the identifiers of a text are compared
    /// with those of the original one by one, if their numbers are equal. A spelling that changes somewhere in the
    /// subset is a name. The number is the share of identifiers with such a spelling that stays. A warning from 10 %
    /// on.
    ///
    /// **Example.** Half of the identifiers of a Python package under a renaming by scopes.
    ///
    /// **Remedy.** Rename by spelling, with one map for a whole source; or give the share beside the score.
    ///
    /// **Limits.** A name that is left in all texts is not seen. A spelling that is the project's in one text and a
    /// library's in another counts where it stays.
    NAMES_LEFT = "BA208" "names-left", names_left;
}

fn names_left(look: &Look<'_>, report: &mut Report<'_>) {
    for subset in &look.subsets {
        let Some(original) = subset.original.map(|original| &look.subsets[original]) else {
            continue;
        };
        if let Some(finding) = of_subset(subset, original) {
            report.add(finding);
        }
    }
}

/// An identifier of the original, and true if it changed.
type Pair<'t> = (&'t str, bool);

fn of_subset(subset: &SubsetLook<'_>, original: &SubsetLook<'_>) -> Option<Finding> {
    let places = (0..subset.documents.len()).into_par_iter();
    let pairs: Vec<(usize, Vec<Pair<'_>>)> = places
        .filter_map(|at| {
            let after = subset.document(at);
            let before = original.document_at.get(after.id.as_str())?;
            let before = original.document(*before);
            let (old, new) = (identifiers(&before.text), identifiers(&after.text));
            let is_alike = old.len() == new.len();
            let pairs = old.into_iter().zip(new);
            is_alike.then(|| (at, pairs.map(|(old, new)| (old, old != new)).collect()))
        })
        .collect();
    // Texts of another form are no renaming.
    if pairs.len() * 2 < subset.documents.len() {
        return None;
    }
    let all = || pairs.iter().flat_map(|(_, pairs)| pairs);
    let changed: BTreeSet<&str> = all()
        .filter(|(_, changed)| *changed)
        .map(|(name, _)| *name)
        .collect();
    let of = all().filter(|(name, _)| changed.contains(name)).count();
    let mut stay: BTreeMap<&str, usize> = BTreeMap::new();
    for (name, _) in all().filter(|(name, is_new)| !is_new && changed.contains(name)) {
        *stay.entry(name).or_default() += 1;
    }
    let count: usize = stay.values().sum();
    if count == 0 {
        return None;
    }
    let share = count as f64 / of.max(1) as f64;
    let mut most: Vec<(&str, usize)> = stay.into_iter().collect();
    most.sort_by(|one, other| other.1.cmp(&one.1).then(one.0.cmp(other.0)));
    let examples = most.iter().take(3).filter_map(|(name, count)| {
        let stays = |(_, pairs): &&(usize, Vec<Pair<'_>>)| pairs.contains(&(*name, false));
        let (at, _) = pairs.iter().find(stays)?;
        let document = subset.document(*at);
        let from = document.text.find(name).unwrap_or_default();
        let example = Example {
            ids: vec![document.id.clone()],
            excerpt: excerpt(&document.text, from),
        };
        Some(example.times(*count))
    });
    let message = format!(
        "{} of the identifiers that this setting changes in some texts stay in others ({count} of {of})",
        percent(share)
    );
    Some(Finding {
        severity: Severity::by(share, 0.1, 2.0),
        examples: examples.collect(),
        ..subset.found("identifiers", count, of, message)
    })
}

/// The identifiers of a text, but for words that some language reserves.
fn identifiers(text: &str) -> Vec<&str> {
    let tokens = lex(text).into_iter();
    let names = tokens.filter(|token| token.kind == TokenKind::Identifier);
    let words = names.map(|token| token.text(text));
    words
        .filter(|word| !LANGUAGES.iter().any(|entry| entry.is_keyword(word)))
        .collect()
}
