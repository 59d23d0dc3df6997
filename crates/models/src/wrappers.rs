//! Around any model: prompts, texts that are longer than it reads, several texts for one.

mod average;
mod chunk;
mod prompt;

pub use average::encode_averaged;
pub use chunk::{Chunked, Chunking, encode_chunked};
pub use prompt::Prompted;
pub(crate) use prompt::prompted;
