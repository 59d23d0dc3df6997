//! OpenAI's `/embeddings`, and every server with this interface: vLLM, Ollama, llama.cpp, LM Studio, infinity.
//!
//! Limits: 2,048 texts and 300,000 tokens a request, 8,192 tokens a text (OpenAI's API reference, "Create
//! embeddings"). A longer text is refused, so it is cut before it is sent. Requests to OpenAI use base64, which is
//! exact and small; those to other servers use numbers, which all of them can write, and either is read.

use serde_json::{Value, json};

use super::answer::{Vectors, checked, in_order, json_of, list_at, vector_of};
use super::chat::{COMPATIBLE_CHAT, OPENAI_CHAT};
use super::provider::{EmbeddingApi, Endpoint, Provider};
use super::transport::{Request, Response};

pub(crate) const OPENAI: Provider = Provider {
    name: "openai",
    base: Some("https://api.openai.com/v1"),
    key_names: &["OPENAI_API_KEY"],
    needs_key: true,
    embedding: Some(OPENAI_EMBEDDING),
    chat: Some(OPENAI_CHAT),
    rerank: None,
};

const OPENAI_EMBEDDING: EmbeddingApi = EmbeddingApi {
    limits: |_| (2048, 300_000),
    request: |endpoint, _, texts, _| embed(endpoint, texts, "base64"),
    answer: openai_answer,
    cuts: false,
    variant: |_| "",
};

/// A server of the user's own; batches that such servers take by default.
///
/// Its key is not OpenAI's: that one is never sent to another address unless a model's table names it.
pub(crate) const COMPATIBLE: Provider = Provider {
    name: "openai+URL",
    base: None,
    key_names: &["OPENAI_COMPATIBLE_API_KEY"],
    needs_key: false,
    embedding: Some(EmbeddingApi {
        limits: |_| (128, 60_000),
        request: |endpoint, _, texts, _| embed(endpoint, texts, "float"),
        ..OPENAI_EMBEDDING
    }),
    chat: Some(COMPATIBLE_CHAT),
    rerank: None,
};

fn embed(endpoint: &Endpoint, texts: &[&str], format: &str) -> Request {
    let body = json!({ "model": endpoint.model, "input": texts, "encoding_format": format });
    endpoint.post_sized("/embeddings", body, "dimensions")
}

/// `{data: [{index, embedding}], usage: {prompt_tokens, total_tokens}}`, which Voyage and Jina write too.
pub(crate) fn openai_answer(response: &Response, count: usize) -> Result<Vectors, String> {
    let body = json_of(&response.body)?;
    let vectors = in_order(list_at(&body, "data")?, count)?
        .into_iter()
        .map(|item| vector_of(item.get("embedding").unwrap_or(&Value::Null)));
    let tokens = body
        .pointer("/usage/total_tokens")
        .or_else(|| body.pointer("/usage/prompt_tokens"))
        .and_then(Value::as_u64)
        // Some servers write 0 if they do not count.
        .filter(|&tokens| tokens > 0);
    checked(vectors, count, tokens)
}
