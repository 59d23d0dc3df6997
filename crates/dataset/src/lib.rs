//! Units, variants and queries to a dataset.
//!
//! In come the units of a run with their variants and queries, out comes a [`Dataset`] of [`Configuration`]s: subsets
//! (a view of a group under a setting) with documents, queries and judgments of their own, and the sections
//! and tables of a card ([`card_sections`], [`card_tables`]) by which Hugging Face `datasets` loads each of them:
//!
//! ```text
//! README.md
//! subsets.parquet  clusters.parquet  statistics.parquet
//! group1-standard/corpus.parquet  queries.parquet  qrels.parquet  pairs.parquet  train.parquet
//! group1-neutralized/…
//! ```
//!
//! The one hard part is that settings must be comparable: a unit takes part only if it has a variant in every
//! requested setting, so all settings of a view have the same queries, the same candidates and the same judgments,
//! and differ in the documents' text alone.
//!
//! Beside that it selects the units that take part at all: one of each cluster of near-duplicates, repositories as a
//! whole on the test or on the train side, and no more queries of a repository than the recipe allows; and it
//! describes the result in [`statistics()`].
//!
//! This crate writes no files, and it never puts a judgment into a document or a query.

mod config;
mod view;
mod split;
mod select;
mod overlap;
mod assemble;
mod configuration;
mod tokenizer;
mod tokens;
mod statistics;
mod probe;
mod lengths;
mod card;

pub use assemble::{Dataset, Draw, Inputs, assemble};
pub use barecode_tokens::TokenizerError;
pub use card::{
    CardFacts, NamedTable, PROBE_FILE, PROGRAMS_FILE, PipelineFacts, ProbeFacts, QuerySet,
    SettingFacts, SourceFacts, card_sections, card_tables, licenses_of, query_sets, setting_facts,
};
pub use config::{DatasetConfig, Train};
pub use configuration::{
    CLUSTERS_FILE, CORPUS_FILE, Configuration, PAIRS_FILE, QRELS_FILE, QUERIES_FILE,
    STATISTICS_FILE, SUBSETS_FILE, TRAIN_FILE,
};
pub use lengths::{Lengths, Spread, lengths};
pub use overlap::{HeldOut, Overlap, overlaps};
pub use probe::{PROBE_SUBSET, Probe, ProbeRows};
pub use split::sides;
pub use statistics::{Averages, CONCENTRATED, Code, averages, statistics};
pub use tokenizer::Tokenizer;
pub use tokens::TokenCounts;
pub use view::View;
