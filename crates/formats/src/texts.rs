//! Documents and queries of a subset by id.

use std::collections::HashMap;

use crate::{Document, Query, Subset};

/// Looks up what a judgment names.
pub(crate) struct Texts<'a> {
    queries: HashMap<&'a str, &'a Query>,
    documents: HashMap<&'a str, &'a Document>,
}

impl<'a> Texts<'a> {
    pub(crate) fn of(subset: &'a Subset) -> Self {
        let queries = subset.queries.iter();
        let documents = subset.documents.iter();
        Texts {
            queries: queries.map(|one| (one.id.as_str(), one)).collect(),
            documents: documents.map(|one| (one.id.as_str(), one)).collect(),
        }
    }

    pub(crate) fn query(&self, id: &str) -> Option<&'a Query> {
        self.queries.get(id).copied()
    }

    pub(crate) fn document(&self, id: &str) -> Option<&'a Document> {
        self.documents.get(id).copied()
    }
}
