//! Systems × subsets to lists, values of queries, and scores.
//!
//! In come [`System`]s (a retriever, a model with a reading of its documents, fused lists, lists in a reranker's
//! order) and [`Task`]s (documents, queries, grades and candidates of one [`Subset`](barecode_records::Subset)). Out
//! come [`Lists`], best first; a row for each query and measure ([`values()`]); and means with intervals, ceilings
//! and floors, the drops under settings and the differences between systems ([`summarize`]).
//!
//! The stages `retrieve` and `score` of a recipe and the command `eval` are the same calls: a recipe's `[[retriever]]`
//! and a short form of the command line become the same [`System`]. `score QRELS RUN` scores a query by the same
//! function ([`evaluate_judged`](barecode_scores::evaluate_judged)).
//!
//! The one hard thing is that lists depend only on the request. Every system names everything that its lists depend
//! on ([`System::digest`], [`System::files`]), draws of candidates come from (seed, query), and equal scores stay in
//! the order of ids. So a list on the disk can be trusted, and any system can be run again alone.
//!
//! The way inside: `retrievers` (the registry) → `choice` (the meaning of a name) → `system` (the thing that is
//! evaluated) and `task` (the data, with the candidates of `pool`) → `lists` and `rerank` (the lists of a system, its
//! documents read as `reading` defines) → `rows` (the same in a table, and back) → `values` (one row for each query;
//! of pairs `matching`) → `summary` (means) → `generalization` (means of the members of a suite).
//!
//! Not part of this crate: it opens no model, prints nothing, reads no clock and writes no file; it reads only files
//! of vectors and runs that a system names.

mod retrievers;
mod options;
mod choice;
mod system;
mod files;
mod task;
mod drawn;
mod pool;
mod reading;
mod asked;
mod lists;
mod rerank;
mod rows;
mod values;
mod prompt;
mod matching;
mod generalization;
mod summary;
mod probe;
mod probe_summary;
mod estimate;
mod error;

pub use asked::{Asked, List, Lists};
pub use choice::Choice;
pub use drawn::Drawn;
pub use error::EvaluateError;
pub use estimate::rerank_estimate;
pub use generalization::{Aggregate, Generalization, Member, aggregates};
pub use lists::{embedded, fused, of_run, of_vectors, retrieved};
pub use matching::{
    Decision, MATCHING_ACCURACY, MATCHING_TOKENS, Matched, PairRow, decision, fitted, judged,
    matching_values, of_labels, pair_rows, prompts, said,
};
pub use pool::PoolConfig;
pub use probe::{ProbeConfig, Probed, Prober, probe};
pub use probe_summary::summarize_probe;
pub use prompt::{MatchingParts, Wording};
pub use reading::{Reading, languages};
pub use rerank::{reranked, rescored};
pub use retrievers::explaining;
pub use rows::{ListReader, rows};
pub use summary::{Bootstraps, POOLED, SubsetFacts, Summary, letters, summarize};
pub use system::{
    DEFAULT_DEPTH, Dense, FusionConfig, RERANK_DEPTH, RerankedBy, System, SystemError, SystemKind,
    VectorOptions, check_references, label_of_model, options_of,
};
pub use task::{FileNames, ProbeParts, Task, TaskDocument, TaskQuery};
pub use values::{Bounds, Scoring, values};
