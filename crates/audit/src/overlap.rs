//! The content that is in train and in test.

use std::collections::HashSet;

use barecode_corpus::duplicates::{Likeness, nearest};

use crate::look::{Look, SubsetLook};
use crate::provenance::repository;
use crate::rule::{Example, Finding, Report, Severity, counted, grouped, percent, rule, share_of};

rule! {
    /// Answers and queries of a test split that are also in a train split.
    ///
    /// **Why it matters.** A model that was trained on the train split has seen the answer.
    ///
    /// **Method.** Subsets with `train` in their split or name are compared with those with `test`, `dev`, `valid`,
    /// `validation` or `eval`, unless the names show different languages or settings. A subset named only `train` is
    /// compared with all of them. The texts are the documents that answer a query (all if there are no judgments)
    /// without comments and white space, and the queries with white space as single blanks. The remaining documents of
    /// ten words or more are near if seven of ten of their runs of five tokens are equal (Jaccard similarity), or if
    /// only names differ (BA005). Numbers: `documents`, `exact documents`, `near documents`, `queries`, `pairs`, and,
    /// if a column has them, `repositories` on both sides. A warning for any answer, a defect from 5 % on. Near
    /// documents alone are a note below 1 %, then a warning. Shared repositories alone are a note.
    ///
    /// **Example.** A function copied into two projects, one on either side.
    ///
    /// **Remedy.** Split by repository after removing duplicates.
    ///
    /// **Limits.** Of two texts as alike as the threshold, one in a thousand is missed.
    OVERLAP = "BA602" "train-test-overlap", train_test_overlap;
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Train,
    Test,
}

fn side(subset: &SubsetLook<'_>) -> Option<(Side, String)> {
    let name = subset.subset.name.to_lowercase();
    let in_name: Vec<&str> = name
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    let of_word = |word: &str| match word {
        "train" | "training" => Some(Side::Train),
        "test" | "testing" | "dev" | "valid" | "validation" | "eval" | "evaluation" => {
            Some(Side::Test)
        }
        _ => None,
    };
    let rest: Vec<&str> = in_name
        .iter()
        .copied()
        .filter(|word| of_word(word).is_none() && !["clf", "mrr"].contains(word))
        .collect();
    let named = in_name.iter().find_map(|word| of_word(word));
    // A reader without splits sets `test`; the name is more reliable.
    let side = named.or_else(|| of_word(subset.subset.split.to_lowercase().as_str()))?;
    Some((side, rest.join(" ")))
}

/// The digests of one side that are compared.
struct Texts {
    documents: HashSet<u128>,
    exact: HashSet<u128>,
    queries: HashSet<u128>,
    pairs: HashSet<(u128, u128)>,
    repositories: HashSet<String>,
    renamed: HashSet<u128>,
}

/// When documents are near: as datasets of barecode have it.
const NEAR: Likeness = Likeness {
    threshold: 0.7,
    shingle: 5,
};

/// Shorter ones are alike by chance.
const FEWEST_WORDS: u32 = 10;

/// The documents of `asked`, by index, that are nearly one that `train` uses, or one under other names.
fn near(
    train: &SubsetLook<'_>,
    texts: &Texts,
    test: &SubsetLook<'_>,
    asked: &[usize],
) -> Vec<usize> {
    let long = |subset: &SubsetLook<'_>, at: &usize| subset.documents[*at].words >= FEWEST_WORDS;
    let known: Vec<&str> = used(train)
        .into_iter()
        .filter(|at| long(train, at))
        .map(|at| &*train.document(at).text)
        .collect();
    let asked: Vec<usize> = asked.iter().copied().filter(|at| long(test, at)).collect();
    let of_asked: Vec<&str> = asked.iter().map(|&at| &*test.document(at).text).collect();
    let found = nearest(&known, &of_asked, NEAR);
    let is_renamed = |at: usize| {
        let renamed = test.documents[at].renamed;
        renamed.is_some_and(|renamed| texts.renamed.contains(&renamed.all))
    };
    let found = asked.into_iter().zip(found);
    found
        .filter(|&(at, found)| found.is_some() || is_renamed(at))
        .map(|(at, _)| at)
        .collect()
}

fn used(subset: &SubsetLook<'_>) -> Vec<usize> {
    let answering = subset.answering();
    if answering.is_empty() {
        (0..subset.documents.len()).collect()
    } else {
        answering
    }
}

fn pairs<'s>(subset: &'s SubsetLook<'_>) -> impl Iterator<Item = (u128, u128)> + 's {
    (0..subset.queries.len()).flat_map(move |query| {
        let answers = subset.answers(query);
        answers.map(move |answer| (subset.queries[query].spaced, subset.documents[answer].code))
    })
}

fn texts(subset: &SubsetLook<'_>) -> Texts {
    let used = used(subset);
    Texts {
        documents: used.iter().map(|&at| subset.documents[at].code).collect(),
        exact: used.iter().map(|&at| subset.documents[at].exact).collect(),
        queries: subset.queries.iter().map(|facts| facts.spaced).collect(),
        pairs: pairs(subset).collect(),
        repositories: used
            .iter()
            .filter_map(|&at| repository(subset, at))
            .map(str::to_owned)
            .collect(),
        renamed: used
            .iter()
            .filter_map(|&at| Some(subset.documents[at].renamed?.all))
            .collect(),
    }
}

fn train_test_overlap(look: &Look<'_>, report: &mut Report<'_>) {
    let sides: Vec<(usize, Side, String)> = look
        .subsets
        .iter()
        .enumerate()
        .filter_map(|(at, subset)| side(subset).map(|(side, name)| (at, side, name)))
        .collect();
    for (train_at, _, train_name) in sides.iter().filter(|side| side.1 == Side::Train) {
        let train = texts(&look.subsets[*train_at]);
        let matching = sides
            .iter()
            .filter(|side| side.1 == Side::Test)
            .filter(|side| side.2 == *train_name || train_name.is_empty());
        for &(test_at, ..) in matching {
            let test = &look.subsets[test_at];
            let used = used(test);
            let documents: Vec<usize> = used
                .iter()
                .copied()
                .filter(|&at| {
                    test.documents[at].words > 0
                        && train.documents.contains(&test.documents[at].code)
                })
                .collect();
            let rest: Vec<usize> = used
                .iter()
                .copied()
                .filter(|at| documents.binary_search(at).is_err())
                .collect();
            let near = near(&look.subsets[*train_at], &train, test, &rest);
            let exact = documents
                .iter()
                .filter(|&&at| train.exact.contains(&test.documents[at].exact))
                .count();
            let queries = test
                .queries
                .iter()
                .filter(|facts| train.queries.contains(&facts.spaced))
                .count();
            let both = pairs(test)
                .filter(|pair| train.pairs.contains(pair))
                .count();
            let mut repositories: Vec<&str> =
                used.iter().filter_map(|&at| repository(test, at)).collect();
            repositories.sort_unstable();
            repositories.dedup();
            repositories.retain(|name| train.repositories.contains(*name));
            let share = share_of(documents.len(), used.len());
            let near_share = share_of(near.len(), used.len());
            let nothing = documents.is_empty() && near.is_empty() && queries == 0;
            let examples = documents
                .iter()
                .chain(&near)
                .take(3)
                .map(|&at| test.show_document(at, 0));
            let mut examples: Vec<Example> = examples.collect();
            if nothing {
                let names = repositories.iter().take(3);
                examples = names
                    .map(|name| Example {
                        ids: Vec::new(),
                        excerpt: (*name).to_owned(),
                    })
                    .collect();
            }
            let (count, of, what) = if nothing {
                (repositories.len(), train.repositories.len(), "repositories")
            } else if documents.is_empty() && near.is_empty() {
                (queries, test.queries.len(), "queries")
            } else {
                (documents.len() + near.len(), used.len(), "documents")
            };
            let message = format!(
                "{} of {} ({}), {} more nearly, and {} are in `{}` too; {} are shared",
                grouped(documents.len()),
                counted(used.len(), "answer"),
                percent(share),
                grouped(near.len()),
                counted(queries, "query"),
                look.subsets[*train_at].label,
                counted(repositories.len(), "repository")
            );
            report.add(Finding {
                severity: if documents.is_empty() {
                    Severity::by(near_share, 0.01, 2.0)
                } else {
                    Severity::by(share, 0.0, 0.05)
                },
                numbers: vec![
                    ("documents", documents.len() as f64),
                    ("exact documents", exact as f64),
                    ("near documents", near.len() as f64),
                    ("queries", queries as f64),
                    ("pairs", both as f64),
                    ("repositories", repositories.len() as f64),
                ],
                examples,
                ..test.found(what, count, of, message)
            });
        }
    }
}
