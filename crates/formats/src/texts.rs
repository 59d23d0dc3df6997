//! Documents and queries of subsets: those that a judgment names, and those of several splits.

use std::collections::{HashMap, HashSet};

use crate::{Document, Judgment, Query, Subset};

/// The judgments whose texts exist, with these texts.
pub(crate) fn judged(subset: &Subset) -> impl Iterator<Item = (&Judgment, &Query, &Document)> {
    let queries = subset.queries.iter();
    let queries: HashMap<&str, &Query> = queries.map(|one| (one.id.as_str(), one)).collect();
    let documents = subset.documents.iter();
    let documents: HashMap<&str, &Document> = documents.map(|one| (one.id.as_str(), one)).collect();
    subset.judgments.iter().filter_map(move |judgment| {
        let query = queries.get(judgment.query.as_str())?;
        let document = documents.get(judgment.document.as_str())?;
        Some((judgment, *query, *document))
    })
}

/// The documents of several splits, each id once.
pub(crate) fn documents_once<'a>(splits: &[&'a Subset]) -> Vec<&'a Document> {
    let mut seen = HashSet::new();
    let all = splits.iter().flat_map(|split| &split.documents);
    all.filter(|one| seen.insert(&one.id)).collect()
}

/// The queries of several splits, each id once.
pub(crate) fn queries_once<'a>(splits: &[&'a Subset]) -> Vec<&'a Query> {
    let mut seen = HashSet::new();
    let all = splits.iter().flat_map(|split| &split.queries);
    all.filter(|one| seen.insert(&one.id)).collect()
}
