//! Models behind an address.
//!
//! The path of a request: `encoder`, `rerank`, `ranker` or `writer` makes batches → the provider's file writes the request →
//! `call` sends it until it is answered, at the speed that `pace` allows → `transport` is the network → the
//! provider's file reads the answer, `answer` checks it → it is on the `cassette` and handed over.

mod answer;
mod anthropic;
mod batch;
mod call;
mod cassette;
mod chat;
mod cohere;
mod encoder;
mod gemini;
mod jina;
mod openai;
mod pace;
mod provider;
mod ranker;
mod rerank;
mod tei;
mod transport;
mod voyage;
mod writer;

pub(crate) use answer::vector_of;
pub(crate) use anthropic::ANTHROPIC;
pub use batch::estimated_tokens;
pub(crate) use call::Caller;
pub use call::{Retry, Stop};
pub use cassette::Cassette;
pub(crate) use cohere::COHERE;
pub(crate) use encoder::RemoteEncoder;
pub(crate) use gemini::GEMINI;
pub(crate) use jina::JINA;
pub(crate) use openai::{COMPATIBLE, OPENAI};
pub use pace::Limits;
pub(crate) use pace::Pace;
pub(crate) use provider::{Endpoint, Provider};
pub(crate) use ranker::ChatReranker;
pub(crate) use rerank::RemoteReranker;
pub(crate) use tei::TEI;
pub use transport::{
    Authorization, Broken, Http, Key, Method, Piece, Request, Response, Transport, public_address,
};
pub(crate) use voyage::VOYAGE;
pub(crate) use writer::{RemoteWriter, most_tokens};
