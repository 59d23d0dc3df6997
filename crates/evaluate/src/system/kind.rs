//! The source of the lists of a system.

use std::path::PathBuf;
use std::sync::Arc;

use barecode_models::Dtype;
use barecode_retrieval::{Retriever, ScoresAll, Similarity};

use super::fusion::FusionConfig;
use crate::reading::Reading;

/// The source of the lists of a system.
#[derive(Debug, Clone, PartialEq)]
pub enum SystemKind {
    /// A retriever that needs no model.
    Retriever(Arc<dyn Retriever>),
    /// Vectors of a model.
    Dense(Dense),
    /// Vectors that exist already.
    Vectors {
        /// A file, or a folder with files for documents and queries.
        path: PathBuf,
        /// Their storage and comparison.
        vectors: VectorOptions,
    },
    /// Lists in a file, or in a folder with a file for each subset.
    Run(PathBuf),
    /// The lists of other systems as one.
    Fused {
        /// The names of these systems.
        of: Vec<String>,
        /// The method by which their scores are added.
        how: FusionConfig,
    },
    /// The lists of another system, the first documents in the order of a reranker.
    Reranked {
        /// The name of this system.
        of: String,
        /// The reranker that orders them.
        by: RerankedBy,
    },
    /// The verdicts of a chat model on pairs, `True` or `False`; it lists nothing else.
    Chat {
        /// The model: a short form, or a name that the models have.
        model: String,
        /// Tokens at which its answers are cut.
        max_tokens: u32,
    },
    /// The verdicts of a classifier on pairs, in a file or in a folder with a file for each subset.
    Labels(PathBuf),
}

/// The reranker that puts documents of a list in another order.
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
    /// The storage and comparison of its vectors.
    pub vectors: VectorOptions,
    /// The form in which documents are given to the model.
    pub reading: Reading,
}

/// The storage and comparison of vectors; by default as the model returns them, by their cosine.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct VectorOptions {
    /// The comparison of two vectors.
    pub similarity: Similarity,
    /// The storage of documents' vectors; as the model returns them where it is `None`.
    pub dtype: Option<Dtype>,
    /// Numbers of a vector, if it must have fewer than it comes with.
    pub dimensions: Option<u32>,
}

impl SystemKind {
    /// The storage and comparison of vectors, if there are any.
    pub(crate) fn vectors(&self) -> Option<&VectorOptions> {
        match self {
            SystemKind::Dense(Dense { vectors, .. }) | SystemKind::Vectors { vectors, .. } => {
                Some(vectors)
            }
            _ => None,
        }
    }
}
