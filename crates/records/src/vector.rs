//! How vectors are compared: what models, retrievers and recipes name by the same three words.

use serde::{Deserialize, Serialize};

/// How vectors are compared; higher scores are nearer.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum VectorSimilarity {
    /// By the angle between them.
    #[default]
    Cosine,
    /// By their product.
    Dot,
    /// By the distance between them, negative.
    Euclid,
}

impl VectorSimilarity {
    /// As a recipe has it: `cosine`, `dot`, `euclid`.
    pub fn name(self) -> &'static str {
        match self {
            VectorSimilarity::Cosine => "cosine",
            VectorSimilarity::Dot => "dot",
            VectorSimilarity::Euclid => "euclid",
        }
    }
}
