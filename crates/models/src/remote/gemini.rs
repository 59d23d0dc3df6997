//! Google's Gemini API: `models/MODEL:batchEmbedContents`.
//!
//! Limits: 100 texts a request. The server cuts long texts without a notice and counts no tokens: they are estimated,
//! and texts that the estimate puts beyond the model's 2,048 tokens are *not* reported as cut. Queries are sent with
//! the task `CODE_RETRIEVAL_QUERY`, documents with `RETRIEVAL_DOCUMENT` (Gemini's documentation, "Task types").

use serde_json::{Value, json};

use super::answer::{Vectors, checked, json_of, list_at, vector_of};
use super::provider::{Cut, EmbeddingApi, Endpoint, Provider};
use super::transport::{Request, Response};
use crate::Side;

pub(crate) const GEMINI: Provider = Provider {
    name: "gemini",
    base: Some("https://generativelanguage.googleapis.com/v1beta"),
    key_names: &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
    needs_key: true,
    embedding: Some(EmbeddingApi {
        limits: |_| (100, 20_000),
        request: embed,
        answer: vectors,
        cuts: false,
        variant: |_| QUERY,
    }),
    chat: None,
    rerank: None,
};

const QUERY: &str = "CODE_RETRIEVAL_QUERY";

fn embed(endpoint: &Endpoint, side: Side, texts: &[&str], _cut: Cut) -> Request {
    let task = match side {
        Side::Query => QUERY,
        Side::Document => "RETRIEVAL_DOCUMENT",
    };
    let model = format!("models/{}", endpoint.model);
    let requests: Vec<Value> = texts
        .iter()
        .map(|text| {
            let mut request = json!({
                "model": model,
                "content": { "parts": [{ "text": text }] },
                "taskType": task,
            });
            if let Some(dimensions) = endpoint.dimensions {
                request["outputDimensionality"] = json!(dimensions);
            }
            request
        })
        .collect();
    endpoint.post(
        &format!("/{model}:batchEmbedContents"),
        &json!({ "requests": requests }),
    )
}

fn vectors(response: &Response, count: usize) -> Result<Vectors, String> {
    let body = json_of(&response.body)?;
    let vectors = list_at(&body, "embeddings")?
        .iter()
        .map(|item| vector_of(item.get("values").unwrap_or(&Value::Null)));
    checked(vectors, count, None)
}
