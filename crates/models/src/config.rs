//! The models that a command or a `models.toml` can request.
//!
//! Enters: a short form (`voyage:voyage-code-3`) or a `[[model]]` table. Leaves: a [`ModelSpec`] that cannot be
//! wrong: its kind is known, its options mean something for that kind, its numbers are in range. It does not check
//! that the model exists; [`open_encoder`] and [`open_reranker`] do.

use std::path::PathBuf;
use std::time::Duration;

use barecode_records::words;

use crate::Similarity;
use crate::ledger::Price;
use crate::remote::Limits;

mod described;
mod file;
mod open;
mod published;
mod short;
mod table;
mod writing;

pub use described::{Described, Refused};
pub use file::{models_in, parse_models, read_models};
pub use open::{
    Environment, Estimate, ModelListener, Opening, estimate, known_identity, look_for,
    model_folder, open_encoder, open_reranker,
};
pub use short::{nearest, short_form};
pub use writing::{estimate_writing, open_writer, writer_identity};

/// One model, with everything that was specified for it.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelSpec {
    /// The name in tables, files and the ledger.
    pub name: String,
    /// Its kind and location.
    pub source: Source,
    /// The revision, among several models of this name: a commit or tag of the hub, or any word that distinguishes
    /// one server's model from what it served before.
    pub revision: Option<String>,
    /// The pooling of the rows of a local model.
    pub pooling: Option<Pooling>,
    /// True if vectors are brought to length 1.
    pub normalize: Option<bool>,
    /// The text before a query.
    pub query_prompt: Option<String>,
    /// The text before a document.
    pub document_prompt: Option<String>,
    /// Tokens that are read of a text.
    pub max_length: Option<u32>,
    /// Numbers of a vector, for models that can return fewer (Matryoshka).
    pub dimensions: Option<u32>,
    /// The number type of vectors that are stored for search.
    pub dtype: Option<Dtype>,
    /// The measure by which vectors are compared.
    pub similarity: Similarity,
    /// Its price; by default that of the provider's list.
    pub price: Price,
    /// The options of requests to a server.
    pub remote: RemoteOptions,
}

/// The kind and location of a model.
#[derive(Debug, Clone, PartialEq)]
pub enum Source {
    /// A folder in the layout of Hugging Face's libraries.
    Local(PathBuf),
    /// A repository of the Hugging Face hub, `ORG/NAME`.
    Hub(String),
    /// OpenAI.
    OpenAi(String),
    /// A server with OpenAI's interface; without a model's name, the only one that it has.
    Compatible {
        /// The address up to and with `/v1`.
        url: String,
        /// The name of the model.
        model: Option<String>,
    },
    /// Anthropic.
    Anthropic(String),
    /// Voyage AI.
    Voyage(String),
    /// Cohere.
    Cohere(String),
    /// Jina AI.
    Jina(String),
    /// Google's Gemini.
    Gemini(String),
    /// A Text Embeddings Inference server.
    Tei(String),
    /// A program that reads texts and writes vectors.
    Process(String),
    /// Existing vectors.
    Vectors(PathBuf),
    /// A TREC run: existing lists of documents.
    Run(PathBuf),
}

impl Source {
    /// The kind, as in short forms and `models.toml`.
    pub fn kind(&self) -> &'static str {
        match self {
            Source::Local(_) => "local",
            Source::Hub(_) => "hf",
            Source::OpenAi(_) | Source::Compatible { .. } => "openai",
            Source::Anthropic(_) => "anthropic",
            Source::Voyage(_) => "voyage",
            Source::Cohere(_) => "cohere",
            Source::Jina(_) => "jina",
            Source::Gemini(_) => "gemini",
            Source::Tei(_) => "tei",
            Source::Process(_) => "process",
            Source::Vectors(_) => "vectors",
            Source::Run(_) => "run",
        }
    }

    /// The repository, if the model is on the Hugging Face hub.
    pub fn repository(&self) -> Option<&str> {
        match self {
            Source::Hub(repository) => Some(repository),
            _ => None,
        }
    }

    /// The model's name, if it is one of several.
    pub(crate) fn model(&self) -> Option<&str> {
        match self {
            Source::Hub(model)
            | Source::OpenAi(model)
            | Source::Anthropic(model)
            | Source::Voyage(model)
            | Source::Cohere(model)
            | Source::Jina(model)
            | Source::Gemini(model) => Some(model),
            Source::Compatible { model, .. } => model.as_deref(),
            Source::Local(_)
            | Source::Tei(_)
            | Source::Process(_)
            | Source::Vectors(_)
            | Source::Run(_) => None,
        }
    }

    /// Returns `true` if it makes vectors of texts: the others have vectors or lists already.
    pub fn embeds(&self) -> bool {
        !matches!(self, Source::Vectors(_) | Source::Run(_))
    }

    /// Returns `true` if a machine of another operator reads the texts, and may charge for it.
    pub fn is_remote(&self) -> bool {
        match self {
            Source::OpenAi(_)
            | Source::Compatible { .. }
            | Source::Anthropic(_)
            | Source::Voyage(_)
            | Source::Cohere(_)
            | Source::Jina(_)
            | Source::Gemini(_)
            | Source::Tei(_) => true,
            Source::Local(_)
            | Source::Hub(_)
            | Source::Process(_)
            | Source::Vectors(_)
            | Source::Run(_) => false,
        }
    }
}

words! {
    /// The pooling of the rows of a text's tokens into one vector. Special tokens count like others, as in
    /// sentence-transformers.
    ///
    /// ```
    /// use barecode_models::Pooling;
    /// let pooling: Pooling = serde_json::from_str("\"last\"").unwrap();
    /// assert_eq!((pooling, pooling.name()), (Pooling::Last, "last"));
    /// ```
    pub enum Pooling {
        /// The row of the first token, which BERT calls `[CLS]`.
        #[serde(alias = "cls")]
        First = "first",
        /// The mean of all rows.
        Mean = "mean",
        /// The largest of each number.
        Max = "max",
        /// The row of the last token, which has seen all others in a model that looks back only.
        Last = "last",
        /// The sum of all rows over the root of their number.
        MeanRoot = "mean-root",
        /// The mean with weights 1, 2, 3, …
        WeightedMean = "weighted-mean",
    }
}

words! {
    /// The number type of vectors that are stored for search.
    pub enum Dtype {
        /// As they come.
        Float32 = "float32",
        /// Half of the bits.
        Float16 = "float16",
        /// A byte a number.
        Int8 = "int8",
        /// A bit a number: its sign.
        Binary = "binary",
    }
}

/// The options of requests to a server, if they must differ from the defaults of its provider.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RemoteOptions {
    /// The address, if it is not the provider's own: a gateway, a region.
    pub url: Option<String>,
    /// The environment variable with the key.
    pub key_variable: Option<String>,
    /// Texts in one request.
    pub batch_texts: Option<usize>,
    /// Tokens in one request, by estimate.
    pub batch_tokens: Option<u64>,
    /// Requests under way at the same time.
    pub parallel: Option<usize>,
    /// Requests and tokens a minute.
    pub limits: Limits,
    /// The longest time of one request.
    pub timeout: Option<Duration>,
    /// The longest time of all requests together.
    pub deadline: Option<Duration>,
}

impl ModelSpec {
    /// A model that is specified by its source alone.
    pub fn new(name: &str, source: Source) -> Self {
        let price = published::price(&source);
        ModelSpec {
            name: name.to_owned(),
            source,
            revision: None,
            pooling: None,
            normalize: None,
            query_prompt: None,
            document_prompt: None,
            max_length: None,
            dimensions: None,
            dtype: None,
            similarity: Similarity::Cosine,
            price,
            remote: RemoteOptions::default(),
        }
    }
}
