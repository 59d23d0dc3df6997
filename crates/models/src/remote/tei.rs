//! Text Embeddings Inference, Hugging Face's server: `/embed` and `/rerank`.
//!
//! It refuses batches beyond `--max-client-batch-size` (32 unless configured otherwise) with 422 or 413, and texts
//! beyond the model's length with 413 unless it may cut them. Tokens are in the header `x-compute-tokens`.

use serde_json::json;

use super::answer::{Vectors, checked, in_order, json_of, number_in, score_of, vector_of};
use super::provider::{Cut, EmbeddingApi, Endpoint, Facts, RerankApi};
use super::transport::{Request, Response};
use crate::Side;

pub(crate) const TEI: Facts = Facts {
    name: "tei",
    base: None,
    key_names: &["TEI_API_KEY"],
    needs_key: false,
    texts: 32,
    tokens: 16_384,
};

pub(crate) struct Tei {
    pub(crate) endpoint: Endpoint,
    /// Whether vectors are normalized by the server.
    pub(crate) normalize: bool,
}

impl EmbeddingApi for Tei {
    fn model(&self) -> &str {
        &self.endpoint.model
    }

    fn request(&self, _side: Side, texts: &[&str], cut: Cut) -> Request {
        let mut body = json!({
            "inputs": texts,
            "normalize": self.normalize,
            "truncate": cut == Cut::Server,
        });
        if let Some(dimensions) = self.endpoint.dimensions {
            body["dimensions"] = json!(dimensions);
        }
        self.endpoint.post("/embed", &body)
    }

    fn answer(&self, response: &Response, count: usize) -> Result<Vectors, String> {
        let body = json_of(&response.body)?;
        let vectors = body
            .as_array()
            .ok_or("no list of vectors")?
            .iter()
            .map(vector_of)
            .collect::<Result<_, _>>()?;
        checked(vectors, count, number_in(response, "x-compute-tokens"))
    }

    fn cuts(&self) -> bool {
        true
    }

    fn variant(&self) -> String {
        if self.normalize {
            String::new()
        } else {
            "raw".to_owned()
        }
    }
}

impl RerankApi for Tei {
    fn facts(&self) -> Facts {
        TEI
    }

    fn request(&self, query: &str, texts: &[&str], cut: Cut) -> Request {
        let body = json!({
            "query": query,
            "texts": texts,
            "raw_scores": false,
            "truncate": cut == Cut::Server,
        });
        self.endpoint.post("/rerank", &body)
    }

    fn answer(&self, response: &Response, count: usize) -> Result<(Vec<f32>, Option<u64>), String> {
        let body = json_of(&response.body)?;
        let list = body.as_array().ok_or("no list of scores")?;
        let scores = in_order(list, count)?
            .into_iter()
            .map(|item| score_of(item, "score"))
            .collect::<Result<_, _>>()?;
        Ok((scores, number_in(response, "x-compute-tokens")))
    }
}
