//! Texts that are longer than a model reads, those in languages that a way to read them does not know, and those that a
//! model was trained on: counted where they are read, and kept in the tickets of runs, so that the page, the terminal and `--json` can say so.

use std::sync::{Mutex, PoisonError};

use barecode_evaluate::Task;
use barecode_models::Side;
use barecode_train::Seen;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::console::grouped;
use crate::engine::Finished;

/// How many texts of one system on all subsets were read, how many not to their end, how many documents not as they were
/// meant to be, and how many texts the model was trained on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
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
    documents_seen: u64,
    queries_seen: u64,
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

    /// Counts texts that the model was trained on.
    pub(super) fn add_seen(&self, seen: &Seen, task: &Task) {
        let mut counted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let counted = counted.get_or_insert_default();
        let documents = task.documents.iter();
        let documents = documents.filter(|one| seen.has_document(&one.text));
        let queries = task.queries.iter();
        let queries = queries.filter(|one| seen.has_query(&one.text));
        counted.documents_seen += documents.count() as u64;
        counted.queries_seen += queries.count() as u64;
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
                sum.documents_seen += cut.documents_seen;
                sum.queries_seen += cut.queries_seen;
            }
            None => sums.push(cut),
        }
    }
    sums
}

/// `minilm: 341 of 918 documents and 0 of 120 queries, of all subsets together, are longer than it reads`, and the like of
/// documents that are not known or were seen; nothing where all was read and is new.
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
        if cut.documents_seen + cut.queries_seen > 0 {
            sentences.push(format!(
                "{name}: {} of {documents} documents and {} of {} queries, of all subsets together, are texts that it was trained on",
                grouped(cut.documents_seen),
                grouped(cut.queries_seen),
                grouped(cut.queries)
            ));
        }
    }
    sentences
}
