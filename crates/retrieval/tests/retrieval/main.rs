//! Retrieval through its front door, and the same numbers from other programs.
//!
//! Comparisons with other programs need `BARECODE_PYTHON`, an interpreter that has them; those on published data need
//! `BARECODE_DATA`, the folder that holds it. Tests that lack theirs say so and pass.

#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "helpers of tests, and why a test is skipped"
)]

mod dense;
mod fusion;
mod laws;
mod oracle;
mod published;
mod tokenizer;

use barecode_models::{Bm25, RetrieverConfig, RetrieverKind};
use barecode_records::{Document, Hit, Id, Language, Leak, QueryText};

fn document(id: &str, text: &str) -> Document {
    Document {
        id: Id::from(id.to_owned()),
        title: String::new(),
        text: text.to_owned(),
        language: Language::C,
        source: "path:lib".to_owned(),
        repository: None,
        version: None,
        commit: None,
        first_commit: None,
        license: None,
        path: "lib.c".to_owned(),
        start_line: 1,
        end_line: 1,
    }
}

fn query(id: &str, text: &str) -> QueryText {
    QueryText {
        id: Id::from(id.to_owned()),
        text: text.to_owned(),
        leak: Leak::None,
        leaked: Vec::new(),
    }
}

fn bm25(options: Bm25, depth: u32) -> RetrieverConfig {
    RetrieverConfig::new(None, RetrieverKind::Bm25(options), depth).unwrap()
}

/// The lists of a retriever that asks no model.
fn retrieve(
    config: &RetrieverConfig,
    documents: &[Document],
    queries: &[QueryText],
    seed: u64,
) -> Vec<Hit> {
    barecode_retrieval::retrieve(config, None, documents, queries, seed).unwrap()
}
