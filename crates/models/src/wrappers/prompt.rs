//! The text put before each text that a model reads.

use std::fmt::Write;

use crate::{Done, Embeddings, Encoder, ModelError, Side};

/// An encoder that sets a prompt before every query and every document.
///
/// It goes around the cache, not into it: the cache knows texts with their prompts, so another prompt for queries
/// leaves the documents' vectors as good as they were.
///
/// ```
/// use barecode_models::{Embeddings, Encoder, ModelError, Prompted, Side};
/// struct Length;
/// impl Encoder for Length {
///     fn identity(&self) -> &str {
///         "length"
///     }
///     fn encode(&self, _: Side, texts: &[&str]) -> Result<Embeddings, ModelError> {
///         Ok(Embeddings {
///             dimensions: 1,
///             values: texts.iter().map(|text| text.len() as f32).collect(),
///             tokens: vec![1; texts.len()],
///             truncated: vec![false; texts.len()],
///         })
///     }
/// }
/// let prompted = Prompted::new(Length, "query: ", "");
/// assert_eq!(prompted.encode(Side::Query, &["a"])?.values, [8.0]);
/// assert_eq!(prompted.encode(Side::Document, &["a"])?.values, [1.0]);
/// assert_eq!(prompted.identity(), r#"length query-prompt="query: ""#);
/// # Ok::<(), ModelError>(())
/// ```
#[derive(Debug)]
pub struct Prompted<E> {
    inner: E,
    identity: String,
    query: String,
    document: String,
}

/// The identity of a model behind prompts.
pub(crate) fn prompted(identity: &str, query: &str, document: &str) -> String {
    let mut identity = identity.to_owned();
    for (name, prompt) in [("query-prompt", query), ("document-prompt", document)] {
        if !prompt.is_empty() {
            write!(identity, " {name}={prompt:?}").expect("memory takes any text");
        }
    }
    identity
}

impl<E: Encoder> Prompted<E> {
    /// Sets prompts; an empty one is not set.
    pub fn new(inner: E, query: &str, document: &str) -> Self {
        Prompted {
            identity: prompted(inner.identity(), query, document),
            inner,
            query: query.to_owned(),
            document: document.to_owned(),
        }
    }

    fn with_prompts(&self, side: Side, texts: &[&str]) -> Vec<String> {
        let prompt = match side {
            Side::Query => &self.query,
            Side::Document => &self.document,
        };
        texts.iter().map(|text| format!("{prompt}{text}")).collect()
    }
}

impl<E: Encoder> Encoder for Prompted<E> {
    fn identity(&self) -> &str {
        &self.identity
    }

    fn encode(&self, side: Side, texts: &[&str]) -> Result<Embeddings, ModelError> {
        let texts = self.with_prompts(side, texts);
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        self.inner.encode(side, &texts)
    }

    fn encode_parts(&self, side: Side, texts: &[&str], done: Done<'_>) -> Result<(), ModelError> {
        let texts = self.with_prompts(side, texts);
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        self.inner.encode_parts(side, &texts, done)
    }
}
