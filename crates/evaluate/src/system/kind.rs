//! Where the lists of a system come from.

use std::path::PathBuf;
use std::sync::Arc;

use barecode_models::Dtype;
use barecode_retrieval::{Retriever, ScoresAll, Similarity};

use super::fusion::FusionConfig;
use crate::reading::Reading;

/// Where the lists of a system come from.
#[derive(Debug, Clone, PartialEq)]
pub enum SystemKind {
    /// A retriever that needs no model.
    Retriever(Arc<dyn Retriever>),
    /// Vectors of a model.
    Dense(Dense),
    /// Vectors that are there already.
    Vectors {
        /// A file, or a folder with files for documents and queries.
        path: PathBuf,
        /// How they are stored and compared.
        vectors: VectorOptions,
    },
    /// Lists in a file, or in a folder with a file for each subset.
    Run(PathBuf),
    /// The lists of other systems as one.
    Fused {
        /// The names of these systems.
        of: Vec<String>,
        /// How their scores are added.
        how: FusionConfig,
    },
    /// The lists of another system, the first documents in the order of a reranker.
    Reranked {
        /// The name of this system.
        of: String,
        /// What orders them.
        by: RerankedBy,
    },
    /// What a chat model says of pairs, `True` or `False`; it lists nothing else.
    Chat {
        /// The model: a short form, or a name that the models have.
        model: String,
        /// Tokens at which its answers are cut.
        max_tokens: u32,
    },
    /// What a classifier said of pairs, in a file or in a folder with a file for each subset.
    Labels(PathBuf),
}

/// What puts documents of a list in another order.
#[derive(Debug, Clone)]
pub enum RerankedBy {
    /// A reranker: a short form, or a name that the recipe's models have.
    Model(String),
    /// A retriever: its scores in the whole corpus.
    Retriever(Arc<dyn ScoresAll>),
}

impl PartialEq for RerankedBy {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (RerankedBy::Model(one), RerankedBy::Model(other)) => one == other,
            (RerankedBy::Retriever(one), RerankedBy::Retriever(other)) => {
                let (one, other): (&dyn Retriever, &dyn Retriever) = (&**one, &**other);
                one == other
            }
            _ => false,
        }
    }
}

/// The options of a system that embeds texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dense {
    /// The model: a short form such as `hf:ORG/NAME`, or a name that the recipe's models have.
    pub model: String,
    /// How its vectors are stored and compared.
    pub vectors: VectorOptions,
    /// How documents are given to the model.
    pub reading: Reading,
}

/// How vectors are stored and compared; by default as they come, by their cosine.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct VectorOptions {
    /// How two vectors are compared.
    pub similarity: Similarity,
    /// How documents' vectors are stored; as they come where it is `None`.
    pub dtype: Option<Dtype>,
    /// Numbers of a vector, if it must have fewer than it comes with.
    pub dimensions: Option<u32>,
}

impl SystemKind {
    /// How vectors are stored and compared, if there are any.
    pub(crate) fn vectors(&self) -> Option<&VectorOptions> {
        match self {
            SystemKind::Dense(Dense { vectors, .. }) | SystemKind::Vectors { vectors, .. } => {
                Some(vectors)
            }
            _ => None,
        }
    }
}
