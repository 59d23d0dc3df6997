//! Pairs of texts and an encoder → an encoder that was trained on them (CLARC, section 5.4 and appendix F.4).
//!
//! Enters: a folder with a BERT-like encoder, as `barecode-encoders` reads it; pairs of an anchor and its positive.
//! Leaves: a folder that barecode, sentence-transformers and transformers load as it is, with a card and a learning curve.
//!
//! ```no_run
//! use barecode_encoders::LocalOptions;
//! use barecode_train::{Model, Options, Pairs, Watch, train};
//! let options = Options { batch: 64, ..Options::default() };
//! let mut pairs = Pairs::read("mined".as_ref(), &options)?;
//! pairs.exclude(&options)?;
//! let model = Model { folder: "models/all-MiniLM-L6-v2".as_ref(), name: "all-MiniLM-L6-v2", options: LocalOptions::default() };
//! let mut watch = Watch { progress: &mut |_| (), stop: &|| false };
//! let report = train(&model, (&pairs, "mined"), &options, "tuned".as_ref(), &mut watch)?;
//! # Ok::<(), barecode_train::TrainError>(())
//! ```
//!
//! Reading order: `pairs` (files to pairs) and `exclude` (without what is tested) → `describe` (in plain
//! words, if requested) → `batches` (which pairs a step sees) → `examples` (their tokens, dev values, hard negatives)
//! → `loss` → `step` (batches larger than memory) → `optimizer` (AdamW, LoRA) → `run` (the loop) → `checkpoint`,
//! `seen` (the texts that a benchmark must not share) and `export`. The network is `barecode_encoders::backward`.
//!
//! The one hard thing is that a training is the same to the last bit on any number of threads, and after it was killed and
//! gone on with. Threads work on pieces of constant size, every sum has one order, and every draw depends on the
//! seed, the epoch and the text alone.
//!
//! Not in this crate: layers, dropout, mixed precision.

mod error;
mod options;
mod pairs;
mod exclude;
mod describe;
mod batches;
mod examples;
mod loss;
mod step;
mod optimizer;
mod checkpoint;
mod report;
mod seen;
mod export;
mod run;

pub use batches::batches;
pub use checkpoint::StepValue;
pub use error::TrainError;
pub use examples::DevValue;
pub use options::{Criterion, Lora, Options, Schedule};
pub use pairs::{Pair, Pairs};
pub use report::Report;
pub use run::{Model, Progress, Watch, train};
pub use seen::Seen;

#[cfg(test)]
mod tests;
