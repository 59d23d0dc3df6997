//! A subset with its documents, queries and judgments; Hugging Face calls it a configuration.

use std::collections::BTreeMap;

use barecode_records::{Document, Id, Judgment, Leak, Pair, QueryText, Subset};

/// The documents of a configuration, in its folder.
pub const CORPUS_FILE: &str = "corpus.parquet";
/// The queries of a configuration, in its folder.
pub const QUERIES_FILE: &str = "queries.parquet";
/// The judgments of a configuration, in its folder.
pub const QRELS_FILE: &str = "qrels.parquet";
/// The flat view of a configuration, in its folder.
pub const PAIRS_FILE: &str = "pairs.parquet";

/// The flat view of the train split, in the folder of a configuration.
pub const TRAIN_FILE: &str = "train.parquet";
/// The clusters of near-duplicates, at the root of a dataset.
pub const CLUSTERS_FILE: &str = "clusters.parquet";
/// The list of subsets, at the root of a dataset.
pub const SUBSETS_FILE: &str = "subsets.parquet";
/// The statistics, at the root of a dataset.
pub const STATISTICS_FILE: &str = "statistics.parquet";

/// The task of one retriever at once, and the judgments of its answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Configuration {
    /// Its name, which is also the name of its folder, its kind and its facets.
    pub subset: Subset,
    /// The candidates, by id.
    pub documents: Vec<Document>,
    /// The queries, by id; each has at least one judgment.
    pub queries: Vec<QueryText>,
    /// The judgments, by query and document; each points at a query and a document of this configuration.
    pub judgments: Vec<Judgment>,
}

impl Configuration {
    /// The pairs of a subset, each with the document of its code. Leaks and judgments of grade 0 are not known of pairs.
    pub fn of_answers(
        subset: Subset,
        pairs: impl IntoIterator<Item = (Pair, Document)>,
    ) -> Configuration {
        let mut documents: BTreeMap<Id, Document> = BTreeMap::new();
        let mut queries: BTreeMap<Id, QueryText> = BTreeMap::new();
        let mut judgments = Vec::new();
        for (pair, document) in pairs {
            judgments.push(Judgment {
                query_id: pair.query_id.clone(),
                corpus_id: pair.code_id.clone(),
                score: pair.relevance,
            });
            let query = QueryText {
                id: pair.query_id.clone(),
                text: pair.query_text,
                leak: Leak::None,
                leaked: Vec::new(),
            };
            queries.insert(pair.query_id, query);
            documents.insert(pair.code_id, document);
        }
        Configuration {
            subset,
            documents: documents.into_values().collect(),
            queries: queries.into_values().collect(),
            judgments,
        }
    }

    /// The name of the subset and of its folder.
    pub fn name(&self) -> &str {
        &self.subset.name
    }

    /// Every judgment with its texts, in the order of the judgments.
    ///
    /// # Panics
    /// If a judgment points outside of the configuration.
    pub fn pairs(&self) -> Vec<Pair> {
        let documents: BTreeMap<&Id, &Document> = self
            .documents
            .iter()
            .map(|document| (&document.id, document))
            .collect();
        let asked: BTreeMap<&Id, &str> = self
            .queries
            .iter()
            .map(|query| (&query.id, query.text.as_str()))
            .collect();
        let inside = "a judgment points into its configuration";
        let pair = |judgment: &Judgment| {
            let document = documents.get(&judgment.corpus_id).expect(inside);
            let query = asked.get(&judgment.query_id).expect(inside);
            Pair {
                query_id: judgment.query_id.clone(),
                query_text: (*query).to_owned(),
                code_id: judgment.corpus_id.clone(),
                code_text: document.text.clone(),
                relevance: judgment.score,
                language: document.language,
                repository: document.repository.clone(),
                license: document.license.clone(),
            }
        };
        self.judgments.iter().map(pair).collect()
    }

    /// Returns the number of documents that share their text with another one.
    ///
    /// No model can distinguish such twins, so no score of this configuration can be perfect if one is an answer.
    pub fn twins(&self) -> usize {
        let mut by_text: BTreeMap<&str, usize> = BTreeMap::new();
        for document in &self.documents {
            *by_text.entry(&document.text).or_default() += 1;
        }
        by_text.into_values().filter(|&count| count > 1).sum()
    }
}
