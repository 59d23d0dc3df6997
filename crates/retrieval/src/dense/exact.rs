//! Exact scores: in 64 bits, in a fixed order, from the numbers as they are stored.

use barecode_records::VectorSimilarity as Similarity;

use crate::product;
use crate::vectors::{Data, Vectors};

/// A document and a query, each with its length in the numbers that are stored.
pub(super) struct Pair<'v> {
    pub(super) documents: &'v Vectors,
    pub(super) document: usize,
    pub(super) document_length: f64,
    /// Stored as the documents are, or in 32 bits if those are in 16.
    pub(super) queries: &'v Vectors,
    pub(super) query: usize,
    pub(super) query_length: f64,
}

impl Pair<'_> {
    /// The score; `row` is overwritten.
    pub(super) fn score(&self, similarity: Similarity, row: &mut Vec<f32>) -> f64 {
        let score = match (self.documents.data(), self.queries.data()) {
            (
                Data::Int8 { rows, steps },
                Data::Int8 {
                    rows: queries,
                    steps: query_steps,
                },
            ) => {
                let own = &rows[self.documents.numbers(self.document)];
                let query = &queries[self.queries.numbers(self.query)];
                let product = product::whole(own, query) as f64;
                let a = f64::from(query_steps[self.query]);
                let b = f64::from(steps[self.document]);
                match similarity {
                    Similarity::Cosine => self.cosine(product),
                    Similarity::Dot => a * b * product,
                    Similarity::Euclid => {
                        let squares = a * a * product::whole(query, query) as f64
                            + b * b * product::whole(own, own) as f64;
                        -(squares - 2.0 * (a * b * product)).max(0.0).sqrt()
                    }
                }
            }
            (Data::Binary(words), Data::Binary(queries)) => {
                let own = &words[self.documents.words(self.document)];
                let query = &queries[self.queries.words(self.query)];
                let differing = f64::from(product::differing(own, query));
                let dimensions = self.documents.dimensions() as f64;
                let product = dimensions - 2.0 * differing;
                match similarity {
                    Similarity::Cosine => product / dimensions,
                    Similarity::Dot => product,
                    Similarity::Euclid => -2.0 * differing.sqrt(),
                }
            }
            (_, Data::F32(queries)) => {
                let query = &queries[self.queries.numbers(self.query)];
                let own = self.documents.floats(self.document, row);
                let own = own.expect("queries are stored as documents are");
                match similarity {
                    Similarity::Cosine => self.cosine(product::exact(query, own)),
                    Similarity::Dot => product::exact(query, own),
                    Similarity::Euclid => -product::squared_distance(query, own).sqrt(),
                }
            }
            _ => unreachable!("queries are stored as documents are"),
        };
        // A zero has one sign, so that zeros are equal however they are compared.
        score + 0.0
    }

    fn cosine(&self, product: f64) -> f64 {
        if self.query_length == 0.0 || self.document_length == 0.0 {
            0.0
        } else {
            product / (self.query_length * self.document_length)
        }
    }
}

/// The length of a vector in the numbers that are stored; `row` is overwritten.
pub(super) fn length(vectors: &Vectors, vector: usize, row: &mut Vec<f32>) -> f64 {
    match vectors.data() {
        Data::F32(_) | Data::F16(_) => {
            let values = vectors
                .floats(vector, row)
                .expect("they are in 32 or 16 bits");
            product::exact(values, values).sqrt()
        }
        Data::Int8 { rows, .. } => {
            let values = &rows[vectors.numbers(vector)];
            (product::whole(values, values) as f64).sqrt()
        }
        Data::Binary(_) => (vectors.dimensions() as f64).sqrt(),
    }
}
