//! Voyage AI: `/embeddings` and `/rerank`.
//!
//! Limits: 1,000 texts a request; 120,000 tokens for voyage-code-3 and the large models, 320,000 for voyage-3.5,
//! 1,000,000 for the lite ones (Voyage's documentation, "Text embeddings"). Many tools were caught by the token limit
//! (vera PR 18, haiku.rag 365, aichat PR 825). Rerankers accept 1,000 documents and 600,000 tokens.

use serde_json::json;

use super::answer::scores_with_usage;
use super::openai::openai_answer;
use super::provider::{Cut, EmbeddingApi, Endpoint, Provider, RerankApi};
use super::transport::Request;
use crate::Side;

pub(crate) const VOYAGE: Provider = Provider {
    name: "voyage",
    base: Some("https://api.voyageai.com/v1"),
    key_names: &["VOYAGE_API_KEY"],
    needs_key: true,
    embedding: Some(EmbeddingApi {
        limits,
        request: embed,
        answer: openai_answer,
        cuts: true,
        variant: |_| "input_type",
    }),
    chat: None,
    rerank: Some(RerankApi {
        limits,
        request: rerank,
        answer: |response, count| scores_with_usage(response, "data", count),
    }),
};

fn limits(model: &str) -> (usize, u64) {
    let tokens = if model.contains("rerank") {
        600_000
    } else if model.contains("lite") {
        1_000_000
    } else if model == "voyage-3.5" || model == "voyage-2" || model == "voyage-3" {
        320_000
    } else {
        120_000
    };
    (1000, tokens)
}

fn embed(endpoint: &Endpoint, side: Side, texts: &[&str], cut: Cut) -> Request {
    let body = json!({
        "model": endpoint.model,
        "input": texts,
        "input_type": side.name(),
        "truncation": cut == Cut::Server,
        "encoding_format": "base64",
    });
    endpoint.post_sized("/embeddings", body, "output_dimension")
}

fn rerank(endpoint: &Endpoint, query: &str, texts: &[&str], cut: Cut) -> Request {
    let body = json!({
        "model": endpoint.model,
        "query": query,
        "documents": texts,
        "truncation": cut == Cut::Server,
    });
    endpoint.post("/rerank", &body)
}
