//! Jina AI: `/embeddings` and `/rerank`.
//!
//! The `task` chooses the model's adapter: `retrieval.query` and `retrieval.passage` for jina-embeddings-v3 and v4,
//! `nl2code.query` and `nl2code.passage` for the jina-code-embeddings; older models have none (Jina's API reference).

use serde_json::json;

use super::answer::scores_with_usage;
use super::openai::openai_answer;
use super::provider::{Cut, EmbeddingApi, Endpoint, Provider, RerankApi};
use super::transport::Request;
use crate::Side;

pub(crate) const JINA: Provider = Provider {
    name: "jina",
    base: Some("https://api.jina.ai/v1"),
    key_names: &["JINA_API_KEY"],
    needs_key: true,
    embedding: Some(EmbeddingApi {
        limits: |_| (512, 100_000),
        request: embed,
        answer: openai_answer,
        cuts: true,
        variant: |endpoint| task(&endpoint.model, Side::Query).unwrap_or(""),
    }),
    chat: None,
    rerank: Some(RerankApi {
        limits: |_| (512, 100_000),
        request: rerank,
        answer: |response, count| scores_with_usage(response, "results", count),
    }),
};

fn task(model: &str, side: Side) -> Option<&'static str> {
    let is_code = model.starts_with("jina-code-embeddings");
    let has_adapters = [
        "jina-embeddings-v3",
        "jina-embeddings-v4",
        "jina-embeddings-v5",
    ]
    .iter()
    .any(|name| model.starts_with(name));
    match (is_code, has_adapters, side) {
        (true, _, Side::Query) => Some("nl2code.query"),
        (true, _, Side::Document) => Some("nl2code.passage"),
        (_, true, Side::Query) => Some("retrieval.query"),
        (_, true, Side::Document) => Some("retrieval.passage"),
        _ => None,
    }
}

fn embed(endpoint: &Endpoint, side: Side, texts: &[&str], cut: Cut) -> Request {
    let mut body = json!({
        "model": endpoint.model,
        "input": texts,
        "embedding_type": "base64",
        "truncate": cut == Cut::Server,
    });
    if let Some(task) = task(&endpoint.model, side) {
        body["task"] = json!(task);
    }
    endpoint.post_sized("/embeddings", body, "dimensions")
}

fn rerank(endpoint: &Endpoint, query: &str, texts: &[&str], _cut: Cut) -> Request {
    let body = json!({
        "model": endpoint.model,
        "query": query,
        "documents": texts,
        "top_n": texts.len(),
        "return_documents": false,
    });
    endpoint.post("/rerank", &body)
}
