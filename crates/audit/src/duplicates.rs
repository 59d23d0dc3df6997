//! The same question or the same pair several times, and judgments that contradict each other.

use std::collections::{BTreeMap, HashMap};

use barecode_formats::Kind;

use crate::look::{Look, SubsetLook};
use crate::rule::{
    Example, Finding, Report, Severity, counted, excerpt, grouped, percent, rule, share_of,
};
use crate::text::{Digest, digest, spaced};
use crate::twins::classes;

rule! {
    /// Queries that another query of the subset repeats.
    ///
    /// **Why it matters.** Means count the repeated query several times, and intervals treat the repetitions as
    /// independent, so they are too narrow.
    ///
    /// **Method.** Queries in small letters with white space as single blanks. `distinct` is the number of different
    /// ones. A warning from 1 % on, a defect from 20 % on.
    ///
    /// **Example.** `check if list is empty` five times in a set of web queries.
    ///
    /// **Remedy.** Keep one and merge its judgments.
    ///
    /// **Limits.** Paraphrases are not found.
    QUERIES = "BA401" "duplicate-queries", duplicate_queries;
}

rule! {
    /// Pairs of a query and its answer that occur several times.
    ///
    /// **Why it matters.** The dataset is smaller than it seems, and repeated pairs count double. If
    /// distractors are drawn from the rows, an answer can be its own distractor.
    ///
    /// **Method.** Pairs by the text of the query and of the document, each with white space as single blanks, grades
    /// above 0 only; counted are the pairs that another one repeats. Numbers: `distinct pairs`, `distinct documents`
    /// and `distinct queries` among them.
    ///
    /// **Example.** GenCodeSearchNet's CoSQA file: 4,545 distinct pairs in 10,293 rows.
    ///
    /// **Remedy.** Keep each pair once.
    ///
    /// **Limits.** Several right answers to a query are not a repetition.
    PAIRS = "BA402" "duplicate-pairs", duplicate_pairs;
}

rule! {
    /// The same query with different answers, judged separately.
    ///
    /// **Why it matters.** An answer to one is counted as wrong for the other, though the query is the same.
    ///
    /// **Method.** Queries as in BA401 that occur several times and whose answers differ in text (BA002). A warning
    /// from 1 % of queries on, a defect from 20 % on.
    ///
    /// **Example.** `Writes a Boolean to the stream.` over two functions.
    ///
    /// **Remedy.** Merge the queries and their answers.
    ///
    /// **Limits.** Queries of a matching set are asked with several documents on purpose and are skipped.
    ANSWERS = "BA403" "same-query-other-answers", same_query_other_answers;
}

rule! {
    /// Pairs that are judged twice with different grades.
    ///
    /// **Why it matters.** One of the two is wrong, and it depends on the tool which one counts.
    ///
    /// **Method.** Judgments of the same query and document, and in matching sets pairs with the same texts (white
    /// space as single blanks), with different grades.
    ///
    /// **Example.** `q1 0 d1 1` and `q1 0 d1 0` in a file of judgments.
    ///
    /// **Remedy.** Ask a third rater, or drop both.
    ///
    /// **Limits.** In retrieval sets, twins with different grades are BA003's.
    CONFLICTS = "BA404" "conflicting-judgments", conflicting;
}

/// Queries in small letters, white space as single blanks.
fn asked(subset: &SubsetLook<'_>) -> Vec<Digest> {
    subset
        .subset
        .queries
        .iter()
        .map(|query| digest(&spaced(&query.text).to_lowercase()))
        .collect()
}

fn duplicate_queries(look: &Look<'_>, report: &mut Report<'_>) {
    for subset in &look.subsets {
        let is_there = |at: usize| subset.queries[at].words > 0;
        let digests: Vec<Digest> = asked(subset);
        // Empty ones are another rule's.
        let found = classes(
            (0..digests.len())
                .filter(|&at| is_there(at))
                .map(|at| digests[at]),
        );
        let places: Vec<usize> = (0..digests.len()).filter(|&at| is_there(at)).collect();
        let mut groups: Vec<&Vec<usize>> = found.groups.iter().collect();
        groups.sort_by_key(|group| std::cmp::Reverse(group.len()));
        let count = found.with_twin();
        let share = share_of(count, places.len());
        let distinct = places.len() - count + found.groups.len();
        let examples = groups.iter().take(3).map(|group| {
            let queries: Vec<usize> = group.iter().map(|&at| places[at]).collect();
            subset.show_queries(&queries).times(group.len())
        });
        let is_matching = subset.subset.kind == Kind::Matching;
        let message = format!(
            "{} of {} ({}) read like another one; {} are distinct",
            grouped(count),
            counted(places.len(), "query"),
            percent(share),
            grouped(distinct)
        );
        report.add(Finding {
            // If pairs are judged, a query is paired with several documents on purpose.
            severity: if is_matching {
                Severity::Note
            } else {
                Severity::by(share, 0.01, 0.2)
            },
            numbers: vec![
                ("distinct", distinct as f64),
                ("largest", found.largest() as f64),
            ],
            examples: examples.collect(),
            ..subset.found("queries", count, places.len(), message)
        });
    }
}

fn duplicate_pairs(look: &Look<'_>, report: &mut Report<'_>) {
    for subset in &look.subsets {
        // Rows as they were judged: the same pair of ids twice is a repetition too.
        let rows: Vec<(usize, usize)> = subset
            .subset
            .judgments
            .iter()
            .filter(|judgment| judgment.grade > 0)
            .filter_map(|judgment| {
                let query = subset.query_at.get(judgment.query.as_str())?;
                let document = subset.document_at.get(judgment.document.as_str())?;
                Some((*query, *document))
            })
            .collect();
        let mut pairs: BTreeMap<(Digest, Digest), Vec<usize>> = BTreeMap::new();
        for (at, &(query, document)) in rows.iter().enumerate() {
            let key = (
                subset.queries[query].spaced,
                subset.documents[document].spaced,
            );
            pairs.entry(key).or_default().push(at);
        }
        let distinct = pairs.len();
        let n_distinct = |digests: &mut Vec<Digest>| {
            digests.sort_unstable();
            digests.dedup();
            digests.len()
        };
        let documents = n_distinct(&mut pairs.keys().map(|key| key.1).collect());
        let queries = n_distinct(&mut pairs.keys().map(|key| key.0).collect());
        let mut repeated: Vec<Vec<usize>> = pairs
            .into_values()
            .filter(|of_pair| of_pair.len() > 1)
            .collect();
        repeated.sort_by_key(|of_pair| (std::cmp::Reverse(of_pair.len()), of_pair[0]));
        let count: usize = repeated.iter().map(Vec::len).sum();
        let share = share_of(count, rows.len());
        let examples = repeated.iter().take(3).map(|of_pair| {
            let queries: Vec<usize> = of_pair.iter().map(|&at| rows[at].0).collect();
            subset.show_queries(&queries).times(of_pair.len())
        });
        let message = format!(
            "{} of {} ({}) repeat another one; {} are distinct, with {} and {}",
            grouped(count),
            counted(rows.len(), "pair"),
            percent(share),
            grouped(distinct),
            counted(documents, "document"),
            counted(queries, "query")
        );
        report.add(Finding {
            severity: Severity::by(share, 0.001, 0.05),
            numbers: vec![
                ("distinct pairs", distinct as f64),
                ("distinct documents", documents as f64),
                ("distinct queries", queries as f64),
            ],
            examples: examples.collect(),
            ..subset.found("pairs", count, rows.len(), message)
        });
    }
}

fn same_query_other_answers(look: &Look<'_>, report: &mut Report<'_>) {
    for subset in look.subsets.iter().filter(|subset| subset.is_retrieval()) {
        let found = classes(asked(subset).into_iter());
        let answers = |query: usize| {
            let mut answers: Vec<Digest> = subset
                .answers(query)
                .map(|at| subset.documents[at].spaced)
                .collect();
            answers.sort_unstable();
            answers.dedup();
            answers
        };
        let differ = |group: &&Vec<usize>| {
            let first = answers(group[0]);
            subset.queries[group[0]].words > 0
                && group.iter().skip(1).any(|&query| answers(query) != first)
        };
        let mut groups: Vec<&Vec<usize>> = found.groups.iter().filter(differ).collect();
        groups.sort_by_key(|group| std::cmp::Reverse(group.len()));
        let count: usize = groups.iter().map(|group| group.len()).sum();
        let share = share_of(count, subset.queries.len());
        let examples = groups
            .iter()
            .take(3)
            .map(|group| subset.show_queries(group));
        let message = format!(
            "{} ({}) have the text of another query and different answers; the largest group has {}",
            counted(count, "query"),
            percent(share),
            groups.first().map_or(0, |group| group.len())
        );
        report.add(Finding {
            severity: Severity::by(share, 0.01, 0.2),
            numbers: vec![("groups", groups.len() as f64)],
            examples: examples.collect(),
            ..subset.found("queries", count, subset.queries.len(), message)
        });
    }
}

fn conflicting(look: &Look<'_>, report: &mut Report<'_>) {
    for subset in &look.subsets {
        let is_matching = subset.subset.kind == Kind::Matching;
        let mut grades: HashMap<(Digest, Digest), (i32, usize)> = HashMap::new();
        let mut found: Vec<(usize, usize)> = Vec::new();
        let mut pairs = 0;
        for (at, judgment) in subset.subset.judgments.iter().enumerate() {
            let places = subset
                .query_at
                .get(judgment.query.as_str())
                .zip(subset.document_at.get(judgment.document.as_str()));
            let key = match places {
                Some((&query, &document)) if is_matching => (
                    subset.queries[query].spaced,
                    subset.documents[document].spaced,
                ),
                _ => (digest(&judgment.query), digest(&judgment.document)),
            };
            let entry = grades.entry(key).or_insert_with(|| {
                pairs += 1;
                (judgment.grade, at)
            });
            if entry.0 != judgment.grade {
                found.push((entry.1, at));
            }
        }
        let examples = found.iter().take(3).map(|&(one, other)| {
            let (one, other) = (
                &subset.subset.judgments[one],
                &subset.subset.judgments[other],
            );
            let text = subset
                .query_at
                .get(one.query.as_str())
                .map_or("", |&at| subset.query(at).text.as_str());
            Example {
                ids: vec![
                    one.query.clone(),
                    one.document.clone(),
                    other.query.clone(),
                    other.document.clone(),
                ],
                excerpt: format!("{} and {}: {}", one.grade, other.grade, excerpt(text, 0)),
            }
        });
        let share = share_of(found.len(), pairs);
        let message = format!(
            "{} of {} are judged again with another grade",
            grouped(found.len()),
            counted(pairs, "pair")
        );
        report.add(Finding {
            severity: Severity::by(share, 0.0, 0.01),
            examples: examples.collect(),
            ..subset.found("pairs", found.len(), pairs, message)
        });
    }
}
