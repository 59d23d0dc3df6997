//! Code and sentences to one vocabulary, for retrieval that does not read names.

mod library;
mod low;
mod query;
mod rendering;
mod retriever;
mod signature;
mod source;
mod types;
mod vocabulary;
mod words;

pub use library::documentation;
pub use low::{render_assembly, render_wasm};
pub use query::Question;
pub use rendering::Rendering;
pub use retriever::{Collection, Stems, Weights, concept_words, signature_terms, weighted};
pub use signature::{Shape, Signature, Trait};
pub use source::render_c;
pub use vocabulary::{Concept, Field};
