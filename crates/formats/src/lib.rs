//! Others' files and a [`Benchmark`], in both directions.
//!
//! What this crate does not do: it scores nothing, audits nothing and changes no text.

mod benchmark;
mod error;

pub mod ranx;
pub mod run;
pub mod trec;

pub use benchmark::{Benchmark, Document, Extra, Facts, Judgment, Kind, Query, Subset};
pub use error::{FormatError, Place};
