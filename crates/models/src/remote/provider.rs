//! The differences between providers: addresses, keys, limits, and the shape of requests and answers.
//!
//! A provider is a constant of this type, in a file of its own.

use serde_json::{Value, json};

use super::answer::{Scores, Vectors};
use super::chat::ChatApi;
use super::transport::{Authorization, Request, Response};
use crate::Side;

/// The constant properties of a provider.
#[derive(Debug)]
pub(crate) struct Provider {
    /// Its short form's prefix.
    pub(crate) name: &'static str,
    /// Its address, if it has a public one.
    pub(crate) base: Option<&'static str>,
    /// The variables that may hold its key, in this order.
    pub(crate) key_names: &'static [&'static str],
    /// True if it requires a key.
    pub(crate) needs_key: bool,
    /// Its endpoint for vectors, if it has models that embed.
    pub(crate) embedding: Option<EmbeddingApi>,
    /// Its endpoint for texts, if it has models that write.
    pub(crate) chat: Option<ChatApi>,
    /// Its endpoint for scores, if it has models for that alone.
    pub(crate) rerank: Option<RerankApi>,
}

/// An embedding endpoint's requests and answers.
#[derive(Debug)]
pub(crate) struct EmbeddingApi {
    /// Texts and tokens in one request to a model.
    pub(crate) limits: fn(&str) -> (usize, u64),
    /// Makes the request for the vectors of some texts.
    pub(crate) request: fn(&Endpoint, Side, &[&str], Cut) -> Request,
    /// Reads the answer for this many texts.
    pub(crate) answer: fn(&Response, usize) -> Result<Vectors, String>,
    /// True if the server follows [`Cut`]; otherwise texts are cut before they are sent.
    pub(crate) cuts: bool,
    /// The further properties that the vectors depend on, beside model, dimensions and prompts, for the identity.
    pub(crate) variant: fn(&Endpoint) -> &'static str,
}

/// A rerank endpoint's requests and answers.
#[derive(Debug)]
pub(crate) struct RerankApi {
    /// Texts and tokens in one request to a model.
    pub(crate) limits: fn(&str) -> (usize, u64),
    /// Makes the request for the scores of some texts.
    pub(crate) request: fn(&Endpoint, &str, &[&str], Cut) -> Request,
    /// Reads the scores in the order of the texts, and the tokens if the server counts them.
    pub(crate) answer: fn(&Response, usize) -> Result<Scores, String>,
}

/// One model at one address.
#[derive(Debug, Clone)]
pub(crate) struct Endpoint {
    pub(crate) provider: &'static Provider,
    /// The address without a slash at its end.
    pub(crate) base: String,
    pub(crate) authorization: Authorization,
    pub(crate) model: String,
    /// Requested dimensions of a vector, if the server can cut (Matryoshka).
    pub(crate) dimensions: Option<u32>,
    /// True if vectors are normalized, for servers with this option.
    pub(crate) normalize: bool,
}

impl Endpoint {
    pub(crate) fn post(&self, path: &str, body: &Value) -> Request {
        Request::post(&format!("{}{path}", self.base), &self.authorization, body)
    }

    /// The same with the requested dimensions under the provider's name for them.
    pub(crate) fn post_sized(&self, path: &str, mut body: Value, name: &str) -> Request {
        if let Some(dimensions) = self.dimensions {
            body[name] = json!(dimensions);
        }
        self.post(path, &body)
    }
}

/// The side that shortens a text that is longer than the model reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cut {
    /// Neither side: the server must refuse, so that a cut is never silent.
    Refuse,
    /// The server, at its own last token.
    Server,
}
