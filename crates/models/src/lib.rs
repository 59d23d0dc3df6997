//! The door to models: texts → vectors and scores, from any machine.
//!
//! Enters: the model that a command or a recipe requests, by short form (`voyage:voyage-code-3`) or by name from
//! `models.toml` ([`ModelSpec`]); and texts. Leaves: an [`Encoder`] or a [`Reranker`] that returns the same for the
//! same text, with a cache, a budget and a ledger around it.
//!
//! ```no_run
//! use std::sync::Arc;
//! use barecode_models::{Cache, Encoder, Opening, Side, open_encoder};
//! let mut opening = Opening::new()?;
//! opening.cache = Some(Arc::new(Cache::open("vectors.sqlite".as_ref(), None, &*opening.clock)?));
//! let encoder = open_encoder(&"openai+http://localhost:8000/v1#bge-m3".parse()?, &opening)?;
//! let vectors = encoder.encode(Side::Document, &["int f(void) { return 1; }"])?;
//! # Ok::<(), barecode_models::ModelError>(())
//! ```
//!
//! The one hard thing is that texts cost money and time and every step in between can fail. Every answered request is
//! stored at once, whatever happens to the next one, and none is sent again.
//!
//! Models on this machine are computed by `barecode-encoders`, which [`Opening::local`] accepts as [`LocalModels`].
//!
//! This crate searches nothing, and it knows no dataset. Only it opens connections to models, and no key leaves it
//! except in a request.

mod answered;
mod cache;
mod clock;
mod config;
mod counted;
mod encoder;
mod error;
mod hub;
mod ledger;
mod local;
mod process;
mod remote;
mod vectors;
mod wrappers;
mod writer;

pub use cache::{Cache, CacheEntry, Cached, CachedReranker, Progress, Scores};
pub use clock::{Clock, SystemClock};
pub use config::{
    Described, Dtype, Environment, Estimate, ModelListener, ModelSpec, Opening, Pooling, Refused,
    RemoteOptions, Source, estimate, estimate_writing, known_identity, look_for, model_folder,
    models_in, nearest, open_encoder, open_reranker, open_writer, parse_models, read_models,
    short_form, writer_identity,
};
pub use hub::dataset_folder;

pub use barecode_records::VectorSimilarity as Similarity;
pub use encoder::{Done, Embeddings, Encoder, Reranker, Side};
pub use error::ModelError;
pub use ledger::{Budget, Event, Ledger, LedgerListener, Price, Tokens, Usage};
pub use local::LocalModels;
pub use process::end_programs;
pub use remote::{
    Authorization, Broken, Cassette, Http, Key, Limits, Method, Piece, Request, Response, Retry,
    Stop, Transport, estimated_tokens, public_address,
};
pub use vectors::{Vectors, read_vectors};
pub use wrappers::{Chunked, Chunking, Prompted, encode_averaged, encode_chunked};
pub use writer::{Answer, Answered, End, Prompt, Sampling, Writer};
