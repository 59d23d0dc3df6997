//! Models on this machine: texts to vectors and scores, from folders as Hugging Face's libraries save them.
//!
//! Enters: a folder with `config.json`, `tokenizer.json` and safetensors, and the options of its model; texts.
//! Leaves: an [`Encoder`](barecode_models::Encoder) or a [`Reranker`](barecode_models::Reranker). [`Local`] is the
//! loader that `barecode-models` uses for `local:` and `hf:`.
//!
//! ```no_run
//! use barecode_encoders::{LocalEncoder, LocalOptions};
//! use barecode_models::{Encoder, Side};
//! let encoder = LocalEncoder::load("models/all-MiniLM-L6-v2".as_ref(), &LocalOptions::default())?;
//! let vectors = encoder.encode(Side::Query, &["add two numbers"])?;
//! assert_eq!(vectors.dimensions, 384);
//! # Ok::<(), barecode_models::ModelError>(())
//! ```
//!
//! Reading order: `folder` (the settings of files) and `published` (the settings of their authors) → `parts` (the
//! parts of a network) and `architecture` (which parts, from which tensors) → `texts` and `tokens` (text to ids) →
//! `engine` and `packs` (the work of threads) → `network` (ids to rows) → `pooling` (rows to a vector). Every
//! architecture is the same network with other parts. [`backward`] runs the same parts for training: forward with a
//! tape, and back.
//!
//! The one hard thing is that a text's vector has the same bits whatever the other texts of the batch are, and on any
//! number of threads. Texts are concatenated without padding, and every sum adds in an order that depends on the text
//! alone.
//!
//! This crate downloads nothing, runs no code of a model's folder and reads no pickled weights. It computes in 32-bit
//! floats and on the processor only, so that its numbers can be compared; a graphics card serves through a server.
//! `linear` and `weights` are the only files with `unsafe`: a matrix product over checked slices, and mapped files.

mod architecture;
mod attention;
pub mod backward;
mod encoder;
mod engine;
mod folder;
mod layer;
mod linear;
mod network;
mod norm;
mod open;
mod options;
mod packs;
mod parts;
mod pooling;
mod position;
mod published;
mod reranker;
mod texts;
mod tokens;
mod usage;
mod vector;
mod weights;

pub use barecode_tokens::Ids;
pub use encoder::LocalEncoder;
pub use open::Local;
pub use options::LocalOptions;
pub use published::{Published, published};
pub use reranker::LocalReranker;
pub use texts::LocalTokens;
pub use usage::Usage;

/// The arithmetic of networks, for losses and optimizers.
pub mod arithmetic {
    pub use super::linear::{View, add_matrix_product, matrix_product};
    pub use super::vector::{Kernel, fast};
}

use barecode_models::ModelError;

/// The error for a model that cannot be used as it is.
fn unusable(message: String, hint: Option<&str>) -> ModelError {
    ModelError::Unusable {
        message,
        hint: hint.map(str::to_owned),
    }
}
