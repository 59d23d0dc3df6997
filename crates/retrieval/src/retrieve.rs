//! One retriever on one configuration.

use barecode_models::{
    Dense, Dtype, Embeddings, Encoder, ModelError, RetrieverConfig, RetrieverKind, Side,
};
use barecode_records::{Document, Hit, QueryText};
use rayon::prelude::*;

use crate::analyzer::Analyzer;
use crate::counts::Counts;
use crate::dense::DenseIndex;
use crate::index::Bm25Index;
use crate::random;
use crate::top::{Scored, top};
use crate::vectors::{Precision, Vectors, VectorsError};

/// Why a retriever gives no lists.
#[derive(Debug, thiserror::Error)]
pub enum RetrieveError {
    /// A retriever that compares vectors was called without its model.
    #[error("retriever `{retriever}` compares vectors, and no model was opened for it")]
    NoModel {
        /// The retriever's name.
        retriever: String,
    },
    /// The model gives no vectors.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The vectors cannot be compared.
    #[error("retriever `{retriever}`: {source}")]
    Vectors {
        /// The retriever's name.
        retriever: String,
        /// What is wrong with them.
        source: VectorsError,
    },
}

/// The lists of all queries, in the order of `queries`; within a query by descending score, then by id.
///
/// Ranks are one-based. The last rank may lie beyond the retriever's depth, because equal scores at the end
/// are kept together. `seed` is the run's; only the random retriever draws. `encoder` is the model of a retriever
/// that compares vectors; others ask none. A vector is of the [text of a document](embedded_text) alone.
///
/// # Errors
/// As [`RetrieveError`] has it; words and random order never fail.
pub fn retrieve(
    config: &RetrieverConfig,
    encoder: Option<&dyn Encoder>,
    documents: &[Document],
    queries: &[QueryText],
    seed: u64,
) -> Result<Vec<Hit>, RetrieveError> {
    let depth = usize::try_from(config.depth()).unwrap_or(usize::MAX);
    let asked: Vec<&str> = queries.iter().map(|query| &*query.text).collect();
    let lists: Vec<Vec<Scored>> = match config.kind() {
        RetrieverKind::Bm25(options) => {
            let texts: Vec<&str> = documents.iter().map(|document| &*document.text).collect();
            let counts = Counts::of(Analyzer::new(options), &texts);
            let counts = counts.expect(WORDS);
            Bm25Index::new(&counts, options)
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
        RetrieverKind::Dense(dense) => {
            let retriever = config.name().to_owned();
            let Some(encoder) = encoder else {
                return Err(RetrieveError::NoModel { retriever });
            };
            if documents.is_empty() || queries.is_empty() {
                return Ok(Vec::new());
            }
            let texts: Vec<&str> = documents.iter().map(embedded_text).collect();
            let documents = encoder.encode(Side::Document, &texts)?;
            let queries = encoder.encode(Side::Query, &asked)?;
            nearest(dense, documents, queries, depth)
                .map_err(|source| RetrieveError::Vectors { retriever, source })?
        }
    };
    let lists: Vec<Vec<Hit>> = queries
        .iter()
        .zip(lists)
        .map(|(query, list)| hits(query, documents, top(list, documents, depth)))
        .collect();
    Ok(lists.concat())
}

/// What a model is given of a document: its text without blanks at its ends, as MTEB's retrieval tasks give it.
///
/// The title is empty in every dataset of a run, so nothing stands before the text.
pub fn embedded_text(document: &Document) -> &str {
    document.text.trim()
}

/// The nearest documents of each query, exactly.
fn nearest(
    dense: &Dense,
    documents: Embeddings,
    queries: Embeddings,
    depth: usize,
) -> Result<Vec<Vec<Scored>>, VectorsError> {
    let cut = |vectors: Vectors| match dense.dimensions.map(|dimensions| dimensions as usize) {
        // A model that was asked for fewer numbers gives as many; another gives what it has.
        Some(dimensions) if dimensions < vectors.dimensions() => vectors.cut(dimensions),
        _ => Ok(vectors),
    };
    let documents = cut(Vectors::of(documents)?)?;
    let queries = cut(Vectors::of(queries)?)?;
    let documents = match dense.dtype.unwrap_or(Dtype::Float32) {
        Dtype::Float32 => documents,
        Dtype::Float16 => documents.stored(Precision::F16)?,
        Dtype::Int8 => documents.stored(Precision::Int8)?,
        Dtype::Binary => documents.stored(Precision::Binary)?,
    };
    DenseIndex::new(&documents, dense.similarity).search_all(&queries, depth)
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
