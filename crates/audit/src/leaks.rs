//! Names in queries: those that the answer shows, and those that it had before a setting took them.

use std::collections::BTreeSet;

use rayon::prelude::*;

use crate::look::{Leaking, Look, SubsetLook};
use crate::rule::{Example, Finding, Report, Severity, counted, excerpt, percent, rule, share_of};
use crate::text::{is_compound, spaced, words};

rule! {
    /// Queries that contain a name that their answer has or uses.
    ///
    /// **Why it matters.** A query that contains `sqlite3_bind_text` has already found the function: the score
    /// measures search for a word.
    ///
    /// **Method.** Unusual words of the query (an underscore between letters, a capital inside, letters with a digit)
    /// are searched in the query's answers. They must be whole words in the same case.
    ///
    /// **Example.** "Frees what `json_value_init_object` has returned", over code that calls it.
    ///
    /// **Remedy.** Score these queries separately: `--json` lists them by class. Instruct authors of queries to avoid
    /// names.
    ///
    /// **Limits.** A name that is a plain word (`insert`) cannot be distinguished from the word. Products with
    /// a capital inside (`OpenGL`) count if the code has them too.
    KEPT = "BA101" "names-kept", names_kept;
}

rule! {
    /// Queries that contain a name that their answer had or used before this setting removed the names.
    ///
    /// **Why it matters.** The query asks for a word that the text no longer has. The loss is due to a mismatch
    /// of query and code, but is counted as if the model were weak.
    ///
    /// **Method.** The subset with the same documents as written is found by ids (see the chapter *The audit*). A name
    /// as in BA101 is lost if it is in the original's answer and not in this subset's. A warning from 10 % of queries
    /// on, and never a defect: a setting that removes names does so by design.
    ///
    /// **Example.** 73 of the first hundred queries of CLARC's group 2 contain an identifier that the neutralized text
    /// lacks.
    ///
    /// **Remedy.** Score with and without these queries; rename in the query too; or write queries without names.
    ///
    /// **Limits.** Nothing is reported if none of the subsets is the original.
    LOST = "BA102" "names-lost", names_lost;
}

rule! {
    /// Answers that contain the whole query, word for word.
    ///
    /// **Why it matters.** If the query is the function's documentation and the text still contains it, any search for
    /// words scores 1. The dataset then measures nothing else.
    ///
    /// **Method.** Query and answer are compared in lower case, with other characters than letters and digits as one
    /// blank. The query must have four words or more, and occur in an answer between word boundaries. A defect from 10
    /// % of queries on, a warning from 1 % on.
    ///
    /// **Example.** Functions of CodeSearchNet with their docstring, whose first sentence is the query.
    ///
    /// **Remedy.** Strip documentation from the answers.
    ///
    /// **Limits.** Reworded documentation is not found.
    VERBATIM = "BA103" "query-in-answer", query_in_answer;
}

/// All queries of all subsets that leak a name, in order.
pub(crate) fn leaking<'l>(look: &'l Look<'_>) -> &'l [Leaking] {
    let of_subset = |subset: &SubsetLook<'_>| {
        let original = subset.original.map(|original| &look.subsets[original]);
        let of_query = |query: usize| of_query(subset, original, query);
        let queries = (0..subset.queries.len()).into_par_iter();
        queries.filter_map(of_query).collect::<Vec<_>>()
    };
    look.leaking
        .get_or_init(|| look.subsets.iter().flat_map(of_subset).collect())
}

fn of_query(
    subset: &SubsetLook<'_>,
    original: Option<&SubsetLook<'_>>,
    query: usize,
) -> Option<Leaking> {
    let asked: BTreeSet<&str> = words(&subset.query(query).text)
        .filter(|word| is_compound(word))
        .collect();
    if asked.is_empty() {
        return None;
    }
    let mut shown: BTreeSet<&str> = BTreeSet::new();
    let mut shown_before: BTreeSet<&str> = BTreeSet::new();
    for answer in subset.answers(query) {
        let document = subset.document(answer);
        shown.extend(words(&document.text).filter(|word| asked.contains(word)));
        let before = original.and_then(|original| {
            let at = original.document_at.get(document.id.as_str());
            at.map(|&at| original.document(at))
        });
        if let Some(before) = before {
            shown_before.extend(words(&before.text).filter(|word| asked.contains(word)));
        }
    }
    let kept: Vec<String> = shown.iter().map(|&name| name.to_owned()).collect();
    let lost: Vec<String> = shown_before
        .difference(&shown)
        .map(|&name| name.to_owned())
        .collect();
    let class = match (kept.is_empty(), lost.is_empty()) {
        (true, true) => return None,
        (false, true) => "kept",
        (true, false) => "lost",
        (false, false) => "both",
    };
    Some(Leaking {
        subset: subset.label.clone(),
        query: subset.query(query).id.clone(),
        class,
        kept,
        lost,
    })
}

fn names_kept(look: &Look<'_>, report: &mut Report<'_>) {
    names(
        look,
        report,
        |leak| &leak.kept,
        |share| Severity::by(share, 0.1, 2.0),
        |count, share| format!("{} something that the answer shows", naming(count, &share)),
    );
}

fn names_lost(look: &Look<'_>, report: &mut Report<'_>) {
    names(
        look,
        report,
        |leak| &leak.lost,
        |share| Severity::by(share, 0.1, 2.0),
        |count, share| {
            format!(
                "{} something that the answer had and this setting took, by design",
                naming(count, &share)
            )
        },
    );
}

/// `3 queries (1.5 %) name`.
fn naming(count: usize, share: &str) -> String {
    let verb = if count == 1 { "names" } else { "name" };
    format!("{} ({share}) {verb}", counted(count, "query"))
}

fn names(
    look: &Look<'_>,
    report: &mut Report<'_>,
    pick: fn(&Leaking) -> &Vec<String>,
    severity: fn(f64) -> Severity,
    message: fn(usize, String) -> String,
) {
    for subset in &look.subsets {
        let of_subset: Vec<&Leaking> = leaking(look)
            .iter()
            .filter(|leak| leak.subset == subset.label && !pick(leak).is_empty())
            .collect();
        let of = subset.answered();
        let share = share_of(of_subset.len(), of);
        let examples = of_subset.iter().take(3).map(|leak| {
            let text = subset
                .query_at
                .get(leak.query.as_str())
                .map_or("", |&at| subset.query(at).text.as_str());
            let at = pick(leak)
                .first()
                .and_then(|name| text.find(name.as_str()))
                .unwrap_or(0);
            Example {
                ids: vec![leak.query.clone()],
                excerpt: format!("{}: {}", pick(leak).join(", "), excerpt(text, at)),
            }
        });
        let message = message(of_subset.len(), percent(share));
        report.add(Finding {
            severity: severity(share),
            examples: examples.collect(),
            ..subset.found("queries", of_subset.len(), of, message)
        });
    }
}

/// Small letters and digits, all else as one blank.
fn plain(text: &str) -> String {
    let spread: String = text
        .chars()
        .map(|c| if c.is_alphanumeric() { c } else { ' ' })
        .collect();
    format!(" {} ", spaced(&spread.to_lowercase()))
}

fn query_in_answer(look: &Look<'_>, report: &mut Report<'_>) {
    for subset in &look.subsets {
        let found: Vec<(usize, usize)> = (0..subset.queries.len())
            .into_par_iter()
            .filter_map(|query| {
                let asked = plain(&subset.query(query).text);
                if asked.split_whitespace().count() < 4 {
                    return None;
                }
                let mut answers = subset.answers(query);
                // A query that is its document is another rule's.
                let answer = answers.find(|&answer| {
                    let shown = plain(&subset.document(answer).text);
                    shown.len() > asked.len() && shown.contains(&asked)
                });
                answer.map(|answer| (query, answer))
            })
            .collect();
        let of = subset.answered();
        let share = share_of(found.len(), of);
        let examples = found
            .iter()
            .take(3)
            .map(|&(query, answer)| subset.show_pair(query, answer));
        let message = format!(
            "{} ({}) are word for word in their answer",
            counted(found.len(), "query"),
            percent(share)
        );
        report.add(Finding {
            severity: Severity::by(share, 0.01, 0.1),
            examples: examples.collect(),
            ..subset.found("queries", found.len(), of, message)
        });
    }
}
