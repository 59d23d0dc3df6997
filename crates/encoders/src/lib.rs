//! Models on this machine: texts to vectors, from folders as Hugging Face lays them out.
//!
//! In comes a folder with `config.json`, `tokenizer.json` and safetensors, and the name under which the model was
//! published; out comes an [`Encoder`](barecode_models::Encoder) or a [`Reranker`](barecode_models::Reranker).
//! The way inside: `folder` (what files say) and `published` (what their authors say) → `architecture` (which
//! parts, from which tensors) → `tokens` (text to ids) → `network` (ids to rows) → `pooling` (rows to a vector).
//! The one hard thing is that a text's vector has the same bits whatever stands beside it in the batch, and
//! however many threads work: texts are concatenated without padding, and every sum adds in an order that
//! depends on the text alone.
//!
//! What this does not do: it downloads nothing, runs no code of a model's folder, reads no pickled weights, and
//! computes in 32-bit floats only, so that its numbers can be compared.

mod architecture;
mod attention;
mod bert;
mod count;
mod decoder;
mod encoder;
mod folder;
mod gpt;
mod jina;
mod linear;
mod modernbert;
mod mpnet;
mod network;
mod nomic;
mod norm;
mod open;
mod pooling;
mod position;
mod published;
mod reranker;
mod t5;
mod tokens;
mod vector;
mod weights;

pub use count::LocalTokens;
pub use encoder::{LocalEncoder, LocalOptions};
pub use open::Local;
pub use pooling::Pooling;
pub use published::{Published, all_published, published};
pub use reranker::LocalReranker;

use barecode_models::ModelError;

/// The error for a model that cannot be used as it is.
fn unusable(message: String, hint: Option<&str>) -> ModelError {
    ModelError::Unusable {
        message,
        hint: hint.map(str::to_owned),
    }
}
