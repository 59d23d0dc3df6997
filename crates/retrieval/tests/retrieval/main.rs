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
mod oracle;
mod published;
mod tokenizer;

use barecode_retrieval::{Analyzer, Bm25, Bm25Index, Counts};

/// A document in the list of a query.
struct Hit {
    query_id: String,
    doc_id: String,
    score: f64,
}

/// An id with a text.
#[derive(Clone)]
struct Text {
    id: String,
    text: String,
}

fn named(id: &str, text: &str) -> Text {
    Text {
        id: id.to_owned(),
        text: text.to_owned(),
    }
}

/// The lists of BM25, query by query, best first.
fn retrieve(options: &Bm25, depth: usize, documents: &[Text], queries: &[Text]) -> Vec<Hit> {
    let texts: Vec<&str> = documents.iter().map(|it| it.text.as_str()).collect();
    let asked: Vec<&str> = queries.iter().map(|it| it.text.as_str()).collect();
    let counts = Counts::of(Analyzer::new(options), &texts).unwrap();
    let lists = Bm25Index::new(&counts, options)
        .search_all(&asked, depth)
        .unwrap();
    let mut hits = Vec::new();
    for (query, list) in queries.iter().zip(lists) {
        hits.extend(list.into_iter().map(|scored| Hit {
            query_id: query.id.clone(),
            doc_id: documents[scored.document].id.clone(),
            score: scored.score,
        }));
    }
    hits
}
