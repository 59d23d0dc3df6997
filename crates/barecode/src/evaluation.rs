//! Systems × subsets in a run folder: the shards of `retrieve` and `score`, for a recipe and for `eval` alike.
//!
//! In come systems, models and subsets; out come plans for the engine. A shard of `retrieve` is a system on a subset. A
//! system that combines others reads their lists where they are current and makes them again where they are not, so
//! that no shard waits for another.
//!
//! The way inside: `state` (the systems and subsets), `subset` (the input) and `question` (the task of the systems) →
//! `shards` and their `keys` (the inputs of each) → `embedding` (each text once for all subsets, before the first
//! shard) → `candidates` and `listing` (the shards) → `scoring`, with `matching` and `probe`. The usage of models is
//! written to `06-runs/ledger.json` ([`ledger`]), even if the run fails.
//!
//! It decides nothing about lists and scores; `barecode_evaluate` does.

mod state;
mod subset;
mod question;
mod keys;
mod shards;
mod embedding;
mod candidates;
mod listing;
mod made;
mod scoring;
mod matching;
mod probe;
mod estimates;
pub(crate) mod cut;
pub(crate) mod ledger;

pub(crate) use state::Evaluation;
pub(crate) use subset::{SubsetIn, read};
