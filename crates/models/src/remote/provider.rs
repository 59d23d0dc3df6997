//! What differs between providers: addresses, keys, limits, and the shape of requests and answers.

use serde_json::Value;

use super::answer::Vectors;
use super::transport::{Authorization, Request, Response};
use crate::Side;

/// What is true of a provider without asking it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Facts {
    /// Its short form's prefix.
    pub(crate) name: &'static str,
    /// Its address, if it has a public one.
    pub(crate) base: Option<&'static str>,
    /// Where its key is looked for, in this order.
    pub(crate) key_names: &'static [&'static str],
    /// Whether it requires a key.
    pub(crate) needs_key: bool,
    /// Texts in one request.
    pub(crate) texts: usize,
    /// Tokens in one request.
    pub(crate) tokens: u64,
}

/// One model at one address.
#[derive(Debug, Clone)]
pub(crate) struct Endpoint {
    /// The address without a slash at its end.
    pub(crate) base: String,
    pub(crate) authorization: Authorization,
    pub(crate) model: String,
    /// Requested dimensions of a vector, if the server can cut (Matryoshka).
    pub(crate) dimensions: Option<u32>,
}

impl Endpoint {
    pub(crate) fn post(&self, path: &str, body: &Value) -> Request {
        Request::post(&format!("{}{path}", self.base), &self.authorization, body)
    }
}

/// Who shortens a text that is longer than the model reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cut {
    /// Neither side: the server is asked to refuse, so that a cut is never silent.
    Refuse,
    /// The server, at its own last token.
    Server,
}

/// An embedding endpoint's requests and answers.
pub(crate) trait EmbeddingApi: Send + Sync {
    /// The model's name for the server.
    fn model(&self) -> &str;

    /// Asks for the vectors of some texts.
    fn request(&self, side: Side, texts: &[&str], cut: Cut) -> Request;

    /// Reads the answer for so many texts.
    fn answer(&self, response: &Response, count: usize) -> Result<Vectors, String>;

    /// Whether [`Cut`] means something to the server; otherwise texts are cut before they are sent.
    fn cuts(&self) -> bool;

    /// What else the vectors depend on, beside model, dimensions and prompts, to be part of the identity.
    fn variant(&self) -> String {
        String::new()
    }
}

/// A rerank endpoint's requests and answers.
pub(crate) trait RerankApi: Send + Sync {
    /// What is true of the provider.
    fn facts(&self) -> Facts;

    /// Asks for the scores of some texts.
    fn request(&self, query: &str, texts: &[&str], cut: Cut) -> Request;

    /// Reads the scores in the order of the texts, and the tokens where the server counts them.
    fn answer(&self, response: &Response, count: usize) -> Result<(Vec<f32>, Option<u64>), String>;
}
