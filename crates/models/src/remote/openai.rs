//! OpenAI's `/embeddings`, and every server that speaks it: vLLM, Ollama, llama.cpp, LM Studio, infinity.
//!
//! Limits: 2,048 texts and 300,000 tokens a request, 8,192 tokens a text (OpenAI's API reference, "Create
//! embeddings"). A longer text is refused, so it is cut here. OpenAI is asked for base64, which is exact and small;
//! other servers for numbers, which all of them can write, and either is read.

use serde_json::{Value, json};

use super::answer::{Vectors, checked, in_order, json_of, vector_of};
use super::provider::{Cut, EmbeddingApi, Endpoint, Facts};
use super::transport::{Request, Response};
use crate::Side;

pub(crate) const OPENAI: Facts = Facts {
    name: "openai",
    base: Some("https://api.openai.com/v1"),
    key_names: &["OPENAI_API_KEY"],
    needs_key: true,
    texts: 2048,
    tokens: 300_000,
};

/// A server of the user's own; batches that such servers take by default.
///
/// Its key is not OpenAI's: that one is never sent to another address unless a model's table names it.
pub(crate) const COMPATIBLE: Facts = Facts {
    name: "openai+URL",
    base: None,
    key_names: &["OPENAI_COMPATIBLE_API_KEY"],
    needs_key: false,
    texts: 128,
    tokens: 60_000,
};

pub(crate) struct OpenAi {
    pub(crate) endpoint: Endpoint,
    pub(crate) facts: Facts,
}

impl EmbeddingApi for OpenAi {
    fn model(&self) -> &str {
        &self.endpoint.model
    }

    fn request(&self, _side: Side, texts: &[&str], _cut: Cut) -> Request {
        let format = if self.facts.needs_key {
            "base64"
        } else {
            "float"
        };
        let mut body =
            json!({ "model": self.endpoint.model, "input": texts, "encoding_format": format });
        if let Some(dimensions) = self.endpoint.dimensions {
            body["dimensions"] = json!(dimensions);
        }
        self.endpoint.post("/embeddings", &body)
    }

    fn answer(&self, response: &Response, count: usize) -> Result<Vectors, String> {
        openai_answer(response, count)
    }

    fn cuts(&self) -> bool {
        false
    }
}

/// `{data: [{index, embedding}], usage: {prompt_tokens, total_tokens}}`, which Voyage and Jina write too.
pub(crate) fn openai_answer(response: &Response, count: usize) -> Result<Vectors, String> {
    let body = json_of(&response.body)?;
    let data = body
        .get("data")
        .and_then(Value::as_array)
        .ok_or("no list `data`")?;
    let vectors = in_order(data, count)?
        .into_iter()
        .map(|item| vector_of(item.get("embedding").unwrap_or(&Value::Null)))
        .collect::<Result<_, _>>()?;
    let tokens = body
        .pointer("/usage/total_tokens")
        .or_else(|| body.pointer("/usage/prompt_tokens"))
        .and_then(Value::as_u64)
        // Some servers write 0 if they do not count.
        .filter(|&tokens| tokens > 0);
    checked(vectors, count, tokens)
}
