//! BM25 in Lucene's formula.
//!
//! The score of a document for a query is the sum over the query's terms, repetitions included, of
//!
//! ```text
//! idf · tf / (k1 · (1 - b + b · length / mean length) + tf)
//! idf = ln(1 + (N - df + 0.5) / (df + 0.5))
//! ```
//!
//! with `tf` the term's count in the document, `df` the number of documents that have it, `N` the number of
//! documents, and lengths counted in terms after analysis. This is `bm25s`'s method `lucene`; Lucene itself
//! rounds lengths to eight bits, which is left out here.
//!
//! A document that shares no term with the query is not retrieved. A query's terms are added in alphabetical
//! order, so documents with the same terms have the same score to the last bit.

use std::collections::{BTreeMap, HashMap};

use barecode_models::Bm25;
use barecode_records::Document;

use crate::analyzer::Analyzer;
use crate::top::Scored;

/// The documents that have a term, with the weight that the term adds to each.
pub(crate) struct Index {
    analyzer: Analyzer,
    documents: usize,
    /// Looked up only, never walked through.
    postings: HashMap<String, Vec<(u32, f64)>>,
}

impl Index {
    /// Counts the terms of all documents.
    pub(crate) fn of(options: Bm25, documents: &[Document]) -> Self {
        let analyzer = Analyzer::new(&options);
        let mut counts: BTreeMap<String, Vec<(u32, u32)>> = BTreeMap::new();
        let mut lengths = Vec::with_capacity(documents.len());
        for (place, document) in (0_u32..).zip(documents) {
            let terms = analyzer.terms(&document.text);
            lengths.push(terms.len() as f64);
            for term in terms {
                let list = counts.entry(term).or_default();
                match list.last_mut() {
                    Some((last, count)) if *last == place => *count += 1,
                    _ => list.push((place, 1)),
                }
            }
        }
        // Without terms nothing below divides by it.
        let mean_length = lengths.iter().sum::<f64>() / documents.len() as f64;
        let weight = |idf: f64, place: u32, count: u32| {
            let length = lengths[place as usize];
            let tf = f64::from(count);
            idf * tf / (options.k1 * (1.0 - options.b + options.b * length / mean_length) + tf)
        };
        let weigh = |(term, list): (String, Vec<(u32, u32)>)| {
            let df = list.len() as f64;
            let idf = (1.0 + (documents.len() as f64 - df + 0.5) / (df + 0.5)).ln();
            let weigh = |(place, count)| (place, weight(idf, place, count));
            (term, list.into_iter().map(weigh).collect())
        };
        let postings = counts.into_iter().map(weigh).collect();
        Index {
            analyzer,
            documents: documents.len(),
            postings,
        }
    }

    /// The documents that share a term with the query, in the order of the corpus.
    pub(crate) fn score(&self, query: &str) -> Vec<Scored> {
        let mut terms: BTreeMap<String, u32> = BTreeMap::new();
        for term in self.analyzer.terms(query) {
            *terms.entry(term).or_default() += 1;
        }
        let mut scores = vec![0.0; self.documents];
        for (term, times) in terms {
            for &(place, weight) in self.postings.get(&term).map_or(&[][..], Vec::as_slice) {
                scores[place as usize] += weight * f64::from(times);
            }
        }
        // A shared term always adds something: its weight is above zero.
        let scored = scores
            .into_iter()
            .enumerate()
            .filter(|&(_, score)| score > 0.0);
        scored
            .map(|(document, score)| Scored { document, score })
            .collect()
    }
}
