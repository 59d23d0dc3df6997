//! Queries that are nearly the same and have different answers.

use std::collections::{BTreeSet, HashMap};

use crate::look::{Look, SubsetLook};
use crate::rule::{Finding, Report, Severity, counted, percent, rule, share_of};
use crate::text::{Digest, digest};

rule! {
    /// Queries that differ in a slip or a word without meaning, and have different answers.
    ///
    /// **Why it matters.** As BA403: an answer to one is counted as wrong for the other.
    ///
    /// **Method.** Queries are compared as words in lower case, without punctuation, articles and the `s` of plurals.
    /// Two are near if their words are equal, or if one word differs by a letter that is wrong, missing, extra or
    /// swapped. Both forms of that word need five letters or more, and no digit. Pairs that BA403 counts are left out,
    /// and pairs whose answers have the same text (BA002). A warning from 1 % of queries on, a defect from 20 % on.
    ///
    /// **Example.** `Returns the length of a list.` and `return length of the lists`.
    ///
    /// **Remedy.** Merge the queries and their answers.
    ///
    /// **Limits.** Paraphrases are not found. Two right words may be a letter apart.
    NEAR = "BA405" "near-queries-other-answers", near_queries;
}

/// The words of a query that are compared. A sign that is alone (`"<"`) is a word.
fn essential(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for part in text.split_whitespace() {
        if !part.contains(char::is_alphanumeric) {
            let of_sentences = |c: char| ".,;:!?\"'`-–—“”‘’".contains(c);
            let sign = part.trim_matches(of_sentences);
            words.extend((!sign.is_empty()).then(|| sign.to_owned()));
            continue;
        }
        let names = part.split(|c: char| !(c.is_alphanumeric() || c == '_'));
        let names = names.filter(|word| !word.is_empty()).map(str::to_lowercase);
        let names = names.filter(|word| !["a", "an", "the"].contains(&&**word));
        words.extend(names.map(without_plural));
    }
    words
}

fn without_plural(word: String) -> String {
    match word.strip_suffix('s') {
        Some(stem)
            if stem.len() >= 3
                && !stem.ends_with('s')
                && stem.bytes().all(|b| b.is_ascii_alphabetic()) =>
        {
            stem.to_owned()
        }
        _ => word,
    }
}

/// Returns `true` if two words are probably one, with a slip.
fn is_slip(one: &str, other: &str) -> bool {
    let is_plain = |word: &str| word.chars().count() >= 5 && word.chars().all(char::is_alphabetic);
    is_plain(one) && is_plain(other) && strsim::damerau_levenshtein(one, other) == 1
}

/// Pairs of near queries, the lesser index first.
fn near(words: &[Vec<String>]) -> BTreeSet<(usize, usize)> {
    let mut found = BTreeSet::new();
    let mut whole: HashMap<Digest, usize> = HashMap::new();
    // By the words without one of them: queries that share them differ in that word at most.
    let mut without: HashMap<(Digest, usize), Vec<usize>> = HashMap::new();
    for (at, of_query) in words.iter().enumerate() {
        if of_query.len() < 3 {
            continue;
        }
        let first = *whole.entry(digest(&of_query.join(" "))).or_insert(at);
        if first != at {
            found.insert((first, at));
            continue;
        }
        for (place, word) in of_query.iter().enumerate() {
            let rest = [&of_query[..place], &of_query[place + 1..]]
                .concat()
                .join(" ");
            let others = without.entry((digest(&rest), place)).or_default();
            // A template with hundreds of queries has hundreds of words in its gap.
            for &other in others.iter().take(200) {
                if is_slip(word, &words[other][place]) {
                    found.insert((other, at));
                }
            }
            others.push(at);
        }
    }
    found
}

fn near_queries(look: &Look<'_>, report: &mut Report<'_>) {
    for subset in look.subsets.iter().filter(|subset| subset.is_retrieval()) {
        let queries = &subset.subset.queries;
        let words: Vec<Vec<String>> = queries.iter().map(|query| essential(&query.text)).collect();
        let plain = |at: usize| crate::text::spaced(&queries[at].text).to_lowercase();
        let mut pairs: Vec<(usize, usize)> = near(&words).into_iter().collect();
        pairs.retain(|&(one, other)| {
            plain(one) != plain(other) && answers(subset, one) != answers(subset, other)
        });
        let mut members: Vec<usize> = pairs
            .iter()
            .flat_map(|&(one, other)| [one, other])
            .collect();
        members.sort_unstable();
        members.dedup();
        let share = share_of(members.len(), queries.len());
        let message = format!(
            "{} ({}) nearly read like another one and have other answers",
            counted(members.len(), "query"),
            percent(share)
        );
        let examples = pairs.iter().take(3).map(|&(one, other)| {
            let mut example = subset.show_queries(&[one, other]);
            let second = subset.show_query(other, 0).excerpt;
            example.excerpt = format!("{} / {second}", example.excerpt);
            example
        });
        report.add(Finding {
            severity: Severity::by(share, 0.01, 0.2),
            numbers: vec![("pairs", pairs.len() as f64)],
            examples: examples.collect(),
            ..subset.found("queries", members.len(), queries.len(), message)
        });
    }
}

/// The texts of a query's answers, each once.
fn answers(subset: &SubsetLook<'_>, query: usize) -> BTreeSet<Digest> {
    let answers = subset.answers(query);
    answers.map(|at| subset.documents[at].spaced).collect()
}
