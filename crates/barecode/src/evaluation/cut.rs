//! Texts that are longer than a model reads, and those in languages that a way to read them does not know: counted where
//! they are read, and kept in the tickets of runs, so that the page, the terminal and `--json` can say so.

use std::sync::{Mutex, PoisonError};

use barecode_models::Side;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::console::grouped;
use crate::engine::Finished;

/// How many texts of one system on all subsets were read, how many not to their end, and how many documents not as they
/// were meant to be.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[expect(
    clippy::struct_field_names,
    reason = "the names of columns in `--json`"
)]
pub(crate) struct Cut {
    system: String,
    documents: u64,
    documents_cut: u64,
    queries: u64,
    queries_cut: u64,
    documents_unknown: u64,
}

/// What one shard counts.
#[derive(Debug, Default)]
pub(crate) struct Counting(Mutex<Option<Cut>>);

impl Counting {
    /// Counts texts of a side.
    pub(super) fn add(&self, side: Side, cut: usize, of: usize) {
        let mut counted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let counted = counted.get_or_insert_default();
        let (all, some) = match side {
            Side::Document => (&mut counted.documents, &mut counted.documents_cut),
            Side::Query => (&mut counted.queries, &mut counted.queries_cut),
        };
        *all += of as u64;
        *some += cut as u64;
    }

    /// Counts documents in a language or for a processor that is not known.
    pub(super) fn add_unknown(&self, documents: usize) {
        let mut counted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        counted.get_or_insert_default().documents_unknown += documents as u64;
    }

    /// What the ticket says; nothing of a system that neither embeds nor reads code.
    pub(super) fn told(self, system: &str) -> Value {
        let counted = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        let told = counted.map(|counted| Cut {
            system: system.to_owned(),
            ..counted
        });
        json!(told)
    }
}

/// The counts of all subsets, by system, in the order of the runs.
pub(crate) fn cuts(runs: &Finished) -> Vec<Cut> {
    let mut sums: Vec<Cut> = Vec::new();
    let told = runs
        .made_from()
        .filter_map(|told| Cut::deserialize(told).ok());
    for cut in told {
        match sums.iter_mut().find(|sum| sum.system == cut.system) {
            Some(sum) => {
                sum.documents += cut.documents;
                sum.documents_cut += cut.documents_cut;
                sum.queries += cut.queries;
                sum.queries_cut += cut.queries_cut;
                sum.documents_unknown += cut.documents_unknown;
            }
            None => sums.push(cut),
        }
    }
    sums
}

/// `minilm: 341 of 918 documents and 0 of 120 queries, of all subsets together, are longer than it reads`, and the like of
/// documents that are not known; nothing where all was read.
pub(crate) fn sentences(cuts: &[Cut]) -> Vec<String> {
    let mut sentences = Vec::new();
    for cut in cuts {
        let (name, documents) = (&cut.system, grouped(cut.documents));
        if cut.documents_cut + cut.queries_cut > 0 {
            sentences.push(format!(
                "{name}: {} of {documents} documents and {} of {} queries, of all subsets together, are longer than it reads",
                grouped(cut.documents_cut),
                grouped(cut.queries_cut),
                grouped(cut.queries)
            ));
        }
        if cut.documents_unknown > 0 {
            sentences.push(format!(
                "{name}: {} of {documents} documents, of all subsets together, are in a language or for a processor that it does not know",
                grouped(cut.documents_unknown)
            ));
        }
    }
    sentences
}
