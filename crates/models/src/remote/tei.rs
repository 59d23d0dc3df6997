//! Text Embeddings Inference, Hugging Face's server: `/embed` and `/rerank`.
//!
//! It refuses batches beyond `--max-client-batch-size` (32 unless configured otherwise) with 422 or 413, and texts
//! beyond the model's length with 413 unless it may cut them. Tokens are in the header `x-compute-tokens`.

use serde_json::json;

use super::answer::{Scores, Vectors, checked, json_of, number_in, scores_of, vector_of};
use super::provider::{Cut, EmbeddingApi, Endpoint, Provider, RerankApi};
use super::transport::{Request, Response};
use crate::Side;

pub(crate) const TEI: Provider = Provider {
    name: "tei",
    base: None,
    key_names: &["TEI_API_KEY"],
    needs_key: false,
    embedding: Some(EmbeddingApi {
        limits: |_| (32, 16_384),
        request: embed,
        answer: vectors,
        cuts: true,
        variant: |endpoint| if endpoint.normalize { "" } else { "raw" },
    }),
    chat: None,
    rerank: Some(RerankApi {
        limits: |_| (32, 16_384),
        request: rerank,
        answer: scores,
    }),
};

fn embed(endpoint: &Endpoint, _side: Side, texts: &[&str], cut: Cut) -> Request {
    let body = json!({
        "inputs": texts,
        "normalize": endpoint.normalize,
        "truncate": cut == Cut::Server,
    });
    endpoint.post_sized("/embed", body, "dimensions")
}

fn vectors(response: &Response, count: usize) -> Result<Vectors, String> {
    let body = json_of(&response.body)?;
    let vectors = body.as_array().ok_or("no list of vectors")?.iter();
    let tokens = number_in(response, "x-compute-tokens");
    checked(vectors.map(vector_of), count, tokens)
}

fn rerank(endpoint: &Endpoint, query: &str, texts: &[&str], cut: Cut) -> Request {
    let body = json!({
        "query": query,
        "texts": texts,
        "raw_scores": false,
        "truncate": cut == Cut::Server,
    });
    endpoint.post("/rerank", &body)
}

fn scores(response: &Response, count: usize) -> Result<Scores, String> {
    let body = json_of(&response.body)?;
    let list = body.as_array().ok_or("no list of scores")?;
    let tokens = number_in(response, "x-compute-tokens");
    Ok((scores_of(list, "score", count)?, tokens))
}
