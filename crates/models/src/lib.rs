//! The door to models: which retrievers a recipe can ask for, by name.
//!
//! In comes one `[[retriever]]` table of a recipe, out comes a [`RetrieverConfig`] that cannot be wrong: every
//! option has a value, no option stands where it means nothing, and the name can be a file's name.
//!
//! ```toml
//! [[retriever]]
//! kind = "bm25"          # or "random"
//! form = "lucene"        # or "robertson", "atire", "bm25l", "bm25+"
//! tokenizer = "code"     # or "plain"
//! stop-words = "english" # or "none"
//! stemmer = "english"    # or "none"
//! k1 = 1.5
//! b = 0.75
//! # delta = 0.5          # with "bm25l" and "bm25+"
//! depth = 1000           # documents kept a query; equal scores are never cut apart
//! name = "bm25-tuned"    # by default made of the options: "bm25-code-stop-stem"
//! ```
//!
//! The one hard thing is that results outlive recipes: [`RetrieverConfig::digest`] covers what changes a
//! result and nothing else, so a run is repeated when it must be and only then.
//!
//! Models on this machine are in `local`: [`LocalEncoder`] and [`LocalReranker`] read a folder as Hugging Face lays
//! it out, and [`published`] knows what well-known models are used with.

mod encoder;
mod error;
mod local;
mod retriever;
mod wire;

pub use encoder::{Embeddings, Encoder, Reranker, Side};
pub use error::ModelError;
pub use local::{
    LocalEncoder, LocalOptions, LocalReranker, Pooling, Published, all_published, published,
};
pub use retriever::{
    Bm25, DEFAULT_DEPTH, Form, RetrieverConfig, RetrieverError, RetrieverKind, Stemmer, StopWords,
    Tokenizer, check_names,
};
