//! One retriever on one configuration.

use barecode_models::{RetrieverConfig, RetrieverKind};
use barecode_records::{Document, Hit, QueryText};
use rayon::prelude::*;

use crate::bm25::Index;
use crate::random;
use crate::top::{Scored, top};

/// The lists of all queries, in the order of `queries`; within a query by descending score, then by id.
///
/// Ranks are one-based. The last rank may lie beyond the retriever's depth, because equal scores at the end
/// are kept together. `seed` is the run's; only the random retriever draws.
pub fn retrieve(
    config: &RetrieverConfig,
    documents: &[Document],
    queries: &[QueryText],
    seed: u64,
) -> Vec<Hit> {
    let index = match config.kind() {
        RetrieverKind::Bm25(options) => Some(Index::of(options, documents)),
        RetrieverKind::Random => None,
    };
    let scores = |query: &QueryText| match &index {
        Some(index) => index.score(&query.text),
        None => random::scores(documents, &query.id, config.name(), seed),
    };
    let depth = usize::try_from(config.depth()).unwrap_or(usize::MAX);
    let lists: Vec<Vec<Hit>> = queries
        .par_iter()
        .map(|query| hits(query, documents, top(scores(query), documents, depth)))
        .collect();
    lists.concat()
}

fn hits(query: &QueryText, documents: &[Document], list: Vec<Scored>) -> Vec<Hit> {
    let hit = |(rank, scored): (u32, Scored)| Hit {
        query_id: query.id.clone(),
        doc_id: documents[scored.document].id.clone(),
        rank,
        score: scored.score,
    };
    (1..).zip(list).map(hit).collect()
}
