//! One retriever on one configuration.

use barecode_models::{RetrieverConfig, RetrieverKind};
use barecode_records::{Document, Hit, QueryText};
use rayon::prelude::*;

use crate::analyzer::Analyzer;
use crate::counts::Counts;
use crate::index::Bm25Index;
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
    let depth = usize::try_from(config.depth()).unwrap_or(usize::MAX);
    let lists: Vec<Vec<Scored>> = match config.kind() {
        RetrieverKind::Bm25(options) => {
            let texts: Vec<&str> = documents.iter().map(|document| &*document.text).collect();
            let asked: Vec<&str> = queries.iter().map(|query| &*query.text).collect();
            let counts = Counts::of(Analyzer::new(&options), &texts);
            let counts = counts.expect(WORDS);
            Bm25Index::new(&counts, &options)
                .search_all(&asked, depth)
                .expect(WORDS)
        }
        RetrieverKind::Random => queries
            .par_iter()
            .map(|query| {
                let scores = random::scores(documents, &query.id, config.name(), seed);
                top(scores, documents, depth)
            })
            .collect(),
    };
    let lists: Vec<Vec<Hit>> = queries
        .iter()
        .zip(lists)
        .map(|(query, list)| hits(query, documents, top(list, documents, depth)))
        .collect();
    lists.concat()
}

const WORDS: &str = "the words of a recipe never fail";

fn hits(query: &QueryText, documents: &[Document], list: Vec<Scored>) -> Vec<Hit> {
    let hit = |(rank, scored): (u32, Scored)| Hit {
        query_id: query.id.clone(),
        doc_id: documents[scored.document].id.clone(),
        rank,
        score: scored.score,
    };
    (1..).zip(list).map(hit).collect()
}
