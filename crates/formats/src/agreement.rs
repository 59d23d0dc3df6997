//! A comparison of two benchmarks: the proof that written files can be read.

use std::collections::BTreeMap;

use crate::{Benchmark, Judgment, Subset};

/// The differences of `other`, in sentences; empty if the subsets agree in documents, queries, judgments and
/// candidates.
///
/// Documents and queries are compared in their order, judgments as a set: files store them by query or by document.
/// Names of benchmarks and facts about them as a whole are not compared.
pub fn differences(one: &Benchmark, other: &Benchmark) -> Vec<String> {
    let mut found = Vec::new();
    let by_name = |benchmark: &Benchmark| -> BTreeMap<(String, String), usize> {
        let subsets = benchmark.subsets.iter().enumerate();
        subsets
            .map(|(place, subset)| ((subset.name.clone(), subset.split.clone()), place))
            .collect()
    };
    let (ours, theirs) = (by_name(one), by_name(other));
    for name in theirs.keys().filter(|name| !ours.contains_key(*name)) {
        found.push(format!("the subset {} ({}) is new", name.0, name.1));
    }
    for (name, place) in &ours {
        let (Some(a), Some(b)) = (
            one.subsets.get(*place),
            theirs.get(name).and_then(|place| other.subsets.get(*place)),
        ) else {
            found.push(format!("the subset {} ({}) is missing", name.0, name.1));
            continue;
        };
        for what in of_subsets(a, b) {
            found.push(format!("{} ({}): {what}", a.name, a.split));
        }
    }
    found
}

fn of_subsets(a: &Subset, b: &Subset) -> Vec<String> {
    let mut found = Vec::new();
    if a.kind != b.kind {
        found.push(format!("{:?} became {:?}", a.kind, b.kind));
    }
    let mut lists = |what: &str, ours: usize, theirs: usize, first: Option<String>| {
        if ours != theirs {
            found.push(format!("{ours} {what} became {theirs}"));
        } else if let Some(id) = first {
            found.push(format!("{what} differ, the first at `{id}`"));
        }
    };
    let documents = a.documents.iter().zip(&b.documents);
    let first = documents
        .into_iter()
        .find(|(a, b)| a != b)
        .map(|(a, _)| a.id.clone());
    lists("documents", a.documents.len(), b.documents.len(), first);
    let queries = a.queries.iter().zip(&b.queries);
    let first = queries
        .into_iter()
        .find(|(a, b)| a != b)
        .map(|(a, _)| a.id.clone());
    lists("queries", a.queries.len(), b.queries.len(), first);
    let (ours, theirs) = (sorted(a), sorted(b));
    let judgments = ours.iter().zip(&theirs);
    let first = judgments
        .into_iter()
        .find(|(a, b)| a != b)
        .map(|(a, _)| a.query.clone());
    lists("judgments", ours.len(), theirs.len(), first);
    if a.candidates != b.candidates {
        found.push("lists of candidates differ".to_owned());
    }
    found
}

fn sorted(subset: &Subset) -> Vec<&Judgment> {
    let mut judgments: Vec<&Judgment> = subset.judgments.iter().collect();
    judgments.sort_by_key(|one| (&one.query, &one.document));
    judgments
}
