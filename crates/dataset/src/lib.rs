//! Units, variants and queries to a dataset.
//!
//! In come the units of a run with their variants and queries, out come [`Configuration`]s: one view of one
//! group under one setting, each with documents, queries and judgments of its own, and a [`card()`] that lets
//! Hugging Face `datasets` load every one of them from the folder as it is:
//!
//! ```text
//! README.md
//! group1-standard/corpus.parquet  queries.parquet  qrels.parquet  pairs.parquet
//! group1-neutralized/…
//! ```
//!
//! The one hard thing is that settings must be comparable: a unit takes part only if it has a variant in every
//! setting that is wanted, so all settings of a view have the same queries, the same candidates and the same
//! judgments, and differ in the documents' text alone.
//!
//! What this crate does not do: it writes no files, and it never puts a judgment into a document or a query.

mod assemble;
mod configuration;
mod card;

pub use assemble::{Assembled, assemble};
pub use card::{CardFacts, card};
pub use configuration::{CORPUS_FILE, Configuration, PAIRS_FILE, QRELS_FILE, QUERIES_FILE};
