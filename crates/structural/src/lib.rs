//! Code and sentences to one vocabulary, for retrieval that does not read names.

mod low;
mod rendering;
mod signature;
mod vocabulary;

pub use low::{render_assembly, render_wasm};
pub use rendering::Rendering;
pub use signature::{Shape, Signature, Trait};
pub use vocabulary::{Concept, Field};
