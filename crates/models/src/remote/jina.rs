//! Jina AI: `/embeddings` and `/rerank`.
//!
//! The `task` chooses the model's adapter: `retrieval.query` and `retrieval.passage` for jina-embeddings-v3 and v4,
//! `nl2code.query` and `nl2code.passage` for the jina-code-embeddings; older models have none (Jina's API reference).

use serde_json::{Value, json};

use super::answer::{Vectors, json_of};
use super::cohere::results;
use super::openai::openai_answer;
use super::provider::{Cut, EmbeddingApi, Endpoint, Facts, RerankApi};
use super::transport::{Request, Response};
use crate::Side;

pub(crate) const JINA: Facts = Facts {
    name: "jina",
    base: Some("https://api.jina.ai/v1"),
    key_names: &["JINA_API_KEY"],
    needs_key: true,
    texts: 512,
    tokens: 100_000,
};

pub(crate) struct Jina {
    pub(crate) endpoint: Endpoint,
}

impl Jina {
    fn task(&self, side: Side) -> Option<&'static str> {
        let model = &self.endpoint.model;
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
}

impl EmbeddingApi for Jina {
    fn model(&self) -> &str {
        &self.endpoint.model
    }

    fn request(&self, side: Side, texts: &[&str], cut: Cut) -> Request {
        let mut body = json!({
            "model": self.endpoint.model,
            "input": texts,
            "embedding_type": "base64",
            "truncate": cut == Cut::Server,
        });
        if let Some(task) = self.task(side) {
            body["task"] = json!(task);
        }
        if let Some(dimensions) = self.endpoint.dimensions {
            body["dimensions"] = json!(dimensions);
        }
        self.endpoint.post("/embeddings", &body)
    }

    fn answer(&self, response: &Response, count: usize) -> Result<Vectors, String> {
        openai_answer(response, count)
    }

    fn cuts(&self) -> bool {
        true
    }

    fn variant(&self) -> String {
        self.task(Side::Query).unwrap_or("").to_owned()
    }
}

impl RerankApi for Jina {
    fn facts(&self) -> Facts {
        JINA
    }

    fn request(&self, query: &str, texts: &[&str], _cut: Cut) -> Request {
        let body = json!({
            "model": self.endpoint.model,
            "query": query,
            "documents": texts,
            "top_n": texts.len(),
            "return_documents": false,
        });
        self.endpoint.post("/rerank", &body)
    }

    fn answer(&self, response: &Response, count: usize) -> Result<(Vec<f32>, Option<u64>), String> {
        let body = json_of(&response.body)?;
        let tokens = body.pointer("/usage/total_tokens").and_then(Value::as_u64);
        results(&body, count).map(|scores| (scores, tokens))
    }
}
