//! Google's Gemini API: `models/MODEL:batchEmbedContents`.
//!
//! Limits: 100 texts a request. The server cuts long texts without saying so and counts no tokens: they are estimated,
//! and texts that the estimate puts beyond the model's 2,048 tokens are *not* reported as cut. Queries are sent with
//! the task `CODE_RETRIEVAL_QUERY`, documents with `RETRIEVAL_DOCUMENT` (Gemini's documentation, "Task types").

use serde_json::{Value, json};

use super::answer::{Vectors, checked, json_of, vector_of};
use super::provider::{Cut, EmbeddingApi, Endpoint, Facts};
use super::transport::{Request, Response};
use crate::Side;

pub(crate) const GEMINI: Facts = Facts {
    name: "gemini",
    base: Some("https://generativelanguage.googleapis.com/v1beta"),
    key_names: &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
    needs_key: true,
    texts: 100,
    tokens: 20_000,
};

pub(crate) struct Gemini {
    pub(crate) endpoint: Endpoint,
}

impl EmbeddingApi for Gemini {
    fn model(&self) -> &str {
        &self.endpoint.model
    }

    fn request(&self, side: Side, texts: &[&str], _cut: Cut) -> Request {
        let task = match side {
            Side::Query => "CODE_RETRIEVAL_QUERY",
            Side::Document => "RETRIEVAL_DOCUMENT",
        };
        let model = format!("models/{}", self.endpoint.model);
        let requests: Vec<Value> = texts
            .iter()
            .map(|text| {
                let mut request = json!({
                    "model": model,
                    "content": { "parts": [{ "text": text }] },
                    "taskType": task,
                });
                if let Some(dimensions) = self.endpoint.dimensions {
                    request["outputDimensionality"] = json!(dimensions);
                }
                request
            })
            .collect();
        self.endpoint.post(
            &format!("/{model}:batchEmbedContents"),
            &json!({ "requests": requests }),
        )
    }

    fn answer(&self, response: &Response, count: usize) -> Result<Vectors, String> {
        let body = json_of(&response.body)?;
        let vectors = body
            .get("embeddings")
            .and_then(Value::as_array)
            .ok_or("no list `embeddings`")?
            .iter()
            .map(|item| vector_of(item.get("values").unwrap_or(&Value::Null)))
            .collect::<Result<_, _>>()?;
        checked(vectors, count, None)
    }

    fn cuts(&self) -> bool {
        false
    }

    fn variant(&self) -> String {
        "CODE_RETRIEVAL_QUERY".to_owned()
    }
}
