//! Where the lists of a system come from.

use std::path::PathBuf;

use barecode_models::{Dtype, Lexical, ModelSpec, Similarity, Source, Structural};

use super::fusion::FusionConfig;
use crate::reading::Reading;

/// Where the lists of a system come from.
#[derive(Debug, Clone, PartialEq)]
pub enum SystemKind {
    /// Words in common, weighted by how rare they are.
    Bm25(Lexical),
    /// Tokens in common, as a share of all.
    Jaccard,
    /// What code does, in the words that people use for it.
    Structural(Structural),
    /// A random order, drawn per query: what knowing nothing scores.
    Random,
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
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RerankedBy {
    /// A reranker: a short form, or a name that the recipe's models have.
    Model(String),
    /// The structural retriever: its scores in the whole corpus.
    Structural(Structural),
}

impl RerankedBy {
    /// What a model is asked for.
    pub fn of_model(spec: &ModelSpec) -> Self {
        match &spec.source {
            Source::Structural(structural) => RerankedBy::Structural(*structural),
            _ => RerankedBy::Model(spec.name.clone()),
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

impl VectorOptions {
    /// What a model's description says.
    fn of(spec: &ModelSpec) -> Self {
        VectorOptions {
            similarity: spec.similarity,
            dtype: spec.dtype,
            dimensions: spec.dimensions,
        }
    }
}

impl SystemKind {
    /// What a model is asked for, its documents read in some way.
    pub fn of_model(spec: &ModelSpec, reading: Reading) -> Self {
        match &spec.source {
            Source::Bm25(lexical) => SystemKind::Bm25(lexical.clone()),
            Source::Jaccard => SystemKind::Jaccard,
            Source::Structural(structural) => SystemKind::Structural(*structural),
            Source::Vectors(path) => SystemKind::Vectors {
                path: path.clone(),
                vectors: VectorOptions::of(spec),
            },
            Source::Run(path) => SystemKind::Run(path.clone()),
            _ => SystemKind::Dense(Dense {
                model: spec.name.clone(),
                vectors: VectorOptions::of(spec),
                reading,
            }),
        }
    }

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
