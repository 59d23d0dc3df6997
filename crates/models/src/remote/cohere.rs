//! Cohere, version 2 of its API: `/embed` and `/rerank`.
//!
//! Limits: 96 texts a request of `/embed`, 1,000 documents of `/rerank` (Cohere's API reference). `/embed` is paid by
//! tokens, `/rerank` by searches: a query with up to 100 documents.

use serde_json::{Value, json};

use super::answer::{Vectors, checked, in_order, json_of, score_of, vector_of};
use super::provider::{Cut, EmbeddingApi, Endpoint, Facts, RerankApi};
use super::transport::{Request, Response};
use crate::Side;

pub(crate) const COHERE: Facts = Facts {
    name: "cohere",
    base: Some("https://api.cohere.com/v2"),
    key_names: &["CO_API_KEY", "COHERE_API_KEY"],
    needs_key: true,
    texts: 96,
    tokens: 128_000,
};

pub(crate) struct Cohere {
    pub(crate) endpoint: Endpoint,
}

fn truncate(cut: Cut) -> &'static str {
    match cut {
        Cut::Refuse => "NONE",
        Cut::Server => "END",
    }
}

impl EmbeddingApi for Cohere {
    fn model(&self) -> &str {
        &self.endpoint.model
    }

    fn request(&self, side: Side, texts: &[&str], cut: Cut) -> Request {
        let input_type = match side {
            Side::Query => "search_query",
            Side::Document => "search_document",
        };
        let mut body = json!({
            "model": self.endpoint.model,
            "texts": texts,
            "input_type": input_type,
            "embedding_types": ["float"],
            "truncate": truncate(cut),
        });
        if let Some(dimensions) = self.endpoint.dimensions {
            body["output_dimension"] = json!(dimensions);
        }
        self.endpoint.post("/embed", &body)
    }

    fn answer(&self, response: &Response, count: usize) -> Result<Vectors, String> {
        let body = json_of(&response.body)?;
        let vectors = body
            .pointer("/embeddings/float")
            .and_then(Value::as_array)
            .ok_or("no list `embeddings.float`")?
            .iter()
            .map(vector_of)
            .collect::<Result<_, _>>()?;
        let tokens = body
            .pointer("/meta/billed_units/input_tokens")
            .and_then(Value::as_u64);
        checked(vectors, count, tokens)
    }

    fn cuts(&self) -> bool {
        true
    }

    fn variant(&self) -> String {
        "input_type".to_owned()
    }
}

impl RerankApi for Cohere {
    fn facts(&self) -> Facts {
        Facts {
            // One search; more documents would be billed as several.
            texts: 100,
            tokens: 4_000_000,
            ..COHERE
        }
    }

    fn request(&self, query: &str, texts: &[&str], _cut: Cut) -> Request {
        let body = json!({
            "model": self.endpoint.model,
            "query": query,
            "documents": texts,
            "top_n": texts.len(),
        });
        self.endpoint.post("/rerank", &body)
    }

    fn answer(&self, response: &Response, count: usize) -> Result<(Vec<f32>, Option<u64>), String> {
        let body = json_of(&response.body)?;
        results(&body, count).map(|scores| (scores, None))
    }
}

/// `{results: [{index, relevance_score}]}`, which Jina writes too.
pub(crate) fn results(body: &Value, count: usize) -> Result<Vec<f32>, String> {
    let list = body
        .get("results")
        .and_then(Value::as_array)
        .ok_or("no list `results`")?;
    in_order(list, count)?
        .into_iter()
        .map(|item| score_of(item, "relevance_score"))
        .collect()
}
