//! What every embedding model is, local or remote: texts to vectors.

use serde::{Deserialize, Serialize};

use crate::ModelError;

/// Which side of the search a text stands on: prompts and input types differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// What is asked.
    Query,
    /// What is searched.
    Document,
}

/// The vectors of some texts, in their order.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Embeddings {
    /// Length of every vector.
    pub dimensions: usize,
    /// The vectors one after another: text `i` has `values[i * dimensions..(i + 1) * dimensions]`.
    pub values: Vec<f32>,
    /// Tokens of each text that the model read, as it counts them; 0 where it does not tell.
    pub tokens: Vec<u32>,
    /// Whether the text was longer than the model reads.
    pub truncated: Vec<bool>,
}

impl Embeddings {
    /// Number of vectors.
    pub fn len(&self) -> usize {
        self.tokens.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// The vector of a text.
    ///
    /// # Panics
    /// If there are fewer texts.
    pub fn vector(&self, text: usize) -> &[f32] {
        &self.values[text * self.dimensions..(text + 1) * self.dimensions]
    }
}

/// A model that turns texts into vectors.
///
/// The vector of a text depends on the model's [`identity`](Encoder::identity), the side and the text, never on
/// the texts beside it: that is what makes vectors worth keeping.
pub trait Encoder: Send + Sync {
    /// Everything that the vectors depend on: model, revision, pooling, normalization, prompts, maximum length,
    /// dimensions, number type. Two encoders with the same identity give the same vectors.
    fn identity(&self) -> &str;

    /// The vectors of some texts.
    ///
    /// # Errors
    /// As [`ModelError`] has it; nothing of the call is kept then.
    fn encode(&self, side: Side, texts: &[&str]) -> Result<Embeddings, ModelError>;
}

/// A model that says how well texts answer a query.
pub trait Reranker: Send + Sync {
    /// As [`Encoder::identity`].
    fn identity(&self) -> &str;

    /// One score a text, higher is better.
    ///
    /// # Errors
    /// As [`ModelError`] has it.
    fn score(&self, query: &str, texts: &[&str]) -> Result<Vec<f32>, ModelError>;
}
