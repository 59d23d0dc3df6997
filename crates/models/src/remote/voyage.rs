//! Voyage AI: `/embeddings` and `/rerank`.
//!
//! Limits: 1,000 texts a request; 120,000 tokens for voyage-code-3 and the large models, 320,000 for voyage-3.5,
//! 1,000,000 for the lite ones (Voyage's documentation, "Text embeddings"). Many tools were caught by the token limit
//! (vera PR 18, haiku.rag 365, aichat PR 825). Rerankers take 1,000 documents and 600,000 tokens.

use serde_json::{Value, json};

use super::answer::{Vectors, in_order, json_of, score_of};
use super::openai::openai_answer;
use super::provider::{Cut, EmbeddingApi, Endpoint, Facts, RerankApi};
use super::transport::{Request, Response};
use crate::Side;

/// What is true of a Voyage model.
pub(crate) fn facts(model: &str) -> Facts {
    let tokens = if model.contains("rerank") {
        600_000
    } else if model.contains("lite") {
        1_000_000
    } else if model == "voyage-3.5" || model == "voyage-2" || model == "voyage-3" {
        320_000
    } else {
        120_000
    };
    Facts {
        name: "voyage",
        base: Some("https://api.voyageai.com/v1"),
        key_names: &["VOYAGE_API_KEY"],
        needs_key: true,
        texts: 1000,
        tokens,
    }
}

pub(crate) struct Voyage {
    pub(crate) endpoint: Endpoint,
}

impl EmbeddingApi for Voyage {
    fn model(&self) -> &str {
        &self.endpoint.model
    }

    fn request(&self, side: Side, texts: &[&str], cut: Cut) -> Request {
        let input_type = match side {
            Side::Query => "query",
            Side::Document => "document",
        };
        let mut body = json!({
            "model": self.endpoint.model,
            "input": texts,
            "input_type": input_type,
            "truncation": cut == Cut::Server,
            "encoding_format": "base64",
        });
        if let Some(dimensions) = self.endpoint.dimensions {
            body["output_dimension"] = json!(dimensions);
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
        "input_type".to_owned()
    }
}

impl RerankApi for Voyage {
    fn facts(&self) -> Facts {
        facts(&self.endpoint.model)
    }

    fn request(&self, query: &str, texts: &[&str], cut: Cut) -> Request {
        let body = json!({
            "model": self.endpoint.model,
            "query": query,
            "documents": texts,
            "truncation": cut == Cut::Server,
        });
        self.endpoint.post("/rerank", &body)
    }

    fn answer(&self, response: &Response, count: usize) -> Result<(Vec<f32>, Option<u64>), String> {
        let body = json_of(&response.body)?;
        let data = body
            .get("data")
            .and_then(Value::as_array)
            .ok_or("no list `data`")?;
        let scores = in_order(data, count)?
            .into_iter()
            .map(|item| score_of(item, "relevance_score"))
            .collect::<Result<_, _>>()?;
        let tokens = body.pointer("/usage/total_tokens").and_then(Value::as_u64);
        Ok((scores, tokens))
    }
}
