//! Texts or vectors to lists: BM25, token overlap, exact search over vectors, random order; lists to other lists.
//!
//! In come documents and queries, as texts or as vectors; out comes for each query a list, best first. Judgments are
//! not a parameter here, except of a [`Pool`], which must contain the answers.
//!
//! The one hard thing is that equal inputs must stay equal: documents with the same words, or the same vector, get
//! the same score to the last bit, and a list is never cut between equal scores. Then the measures can treat ties as
//! ties. The same bytes come out on any number of threads: fast computations, which depend on blocks and machines,
//! only choose candidates, exact scores are added in a fixed order, and nothing is drawn without a seed of its own.
//!
//! Every way to list documents without a model is a [`Retriever`]: its options, its name and its corpus made ready are
//! beside each other in one file.
//!
//! Not part of this crate: it approximates nothing, and it knows no model.

mod retriever;
mod options;
mod analyzer;
mod vocabulary;
mod counts;
mod bm25;
mod pages;
mod sums;
mod bounds;
mod index;
mod lexical;
mod jaccard;
mod vectors;
mod npy;
mod product;
mod coarse;
mod dense;
mod fusion;
mod pool;
mod random;
mod top;

pub use analyzer::{Analyzer, STOP_WORDS};
pub use barecode_records::VectorSimilarity as Similarity;
pub use barecode_tokens::TokenizerError;
pub use counts::Counts;
pub use dense::DenseIndex;
pub use fusion::{Fusion, fuse};
pub use index::Bm25Index;
pub use jaccard::{Jaccard, TokenBags};
pub use lexical::Lexical;
pub use npy::NpyError;
pub use options::{Bm25, Form, Stemmer, StopWords, Tokenizer};
pub use pool::{Corpus, Pool, windows};
pub use random::{Random, random_order};
pub use retriever::{
    Alike, Compares, Documents, Explains, Knows, Query, Retriever, RetrieverError, Scorer,
    ScoresAll, Setting,
};
pub use top::{Scored, best};
pub use vectors::{Precision, Vectors, VectorsError};
