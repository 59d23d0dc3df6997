//! Cohere, version 2 of its API: `/embed` and `/rerank`.
//!
//! Limits: 96 texts a request of `/embed`, 1,000 documents of `/rerank` (Cohere's API reference). `/embed` is paid by
//! tokens, `/rerank` by searches: a query with up to 100 documents.

use serde_json::{Value, json};

use super::answer::{Scores, Vectors, checked, json_of, list_at, scores_at, vector_of};
use super::provider::{Cut, EmbeddingApi, Endpoint, Provider, RerankApi};
use super::transport::{Request, Response};
use crate::Side;

pub(crate) const COHERE: Provider = Provider {
    name: "cohere",
    base: Some("https://api.cohere.com/v2"),
    key_names: &["CO_API_KEY", "COHERE_API_KEY"],
    needs_key: true,
    embedding: Some(EmbeddingApi {
        limits: |_| (96, 128_000),
        request: embed,
        answer: vectors,
        cuts: true,
        variant: |_| "input_type",
    }),
    chat: None,
    rerank: Some(RerankApi {
        // One search; more documents would be billed as several.
        limits: |_| (100, 4_000_000),
        request: rerank,
        answer: scores,
    }),
};

fn embed(endpoint: &Endpoint, side: Side, texts: &[&str], cut: Cut) -> Request {
    let body = json!({
        "model": endpoint.model,
        "texts": texts,
        "input_type": format!("search_{}", side.name()),
        "embedding_types": ["float"],
        "truncate": match cut {
            Cut::Refuse => "NONE",
            Cut::Server => "END",
        },
    });
    endpoint.post_sized("/embed", body, "output_dimension")
}

fn vectors(response: &Response, count: usize) -> Result<Vectors, String> {
    let body = json_of(&response.body)?;
    let vectors = list_at(&body, "embeddings.float")?.iter().map(vector_of);
    let tokens = body
        .pointer("/meta/billed_units/input_tokens")
        .and_then(Value::as_u64);
    checked(vectors, count, tokens)
}

fn rerank(endpoint: &Endpoint, query: &str, texts: &[&str], _cut: Cut) -> Request {
    let body = json!({
        "model": endpoint.model,
        "query": query,
        "documents": texts,
        "top_n": texts.len(),
    });
    endpoint.post("/rerank", &body)
}

fn scores(response: &Response, count: usize) -> Result<Scores, String> {
    let body = json_of(&response.body)?;
    Ok((scores_at(&body, "results", count)?, None))
}
