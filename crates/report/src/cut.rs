//! Counts of texts that a system truncated, does not know or was trained on, and of lists without the answer: made with
//! the lists, stored in the tickets of runs, and shown on the page, the terminal and in `--json`.

use std::collections::BTreeSet;

use barecode_evaluate::PoolConfig;
use barecode_runs::console::{counted, grouped};
use barecode_runs::engine::Finished;
use serde::{Deserialize, Serialize};

/// The counts of one system, on all subsets together.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Cut {
    /// The system.
    pub system: String,
    /// Documents that were read.
    pub documents: u64,
    /// Those longer than it reads.
    pub documents_cut: u64,
    /// Queries that were read.
    pub queries: u64,
    /// Those longer than it reads.
    pub queries_cut: u64,
    /// Documents in a language or for a processor that it does not know.
    pub documents_unknown: u64,
    /// Documents that it was trained on.
    pub documents_seen: u64,
    /// Queries that it was trained on.
    pub queries_seen: u64,
    /// Lists of drawn candidates: one for each query and draw.
    pub pools: u64,
    /// Lists without an answer, though one is among the candidates.
    pub pools_without_answer: u64,
}

/// The subsets with fewer other documents than a pool needs, by name with the number of their documents.
pub fn short_pools<'a>(
    pool: PoolConfig,
    subsets: impl Iterator<Item = (&'a str, u32)>,
) -> Option<String> {
    let others = pool.others()?;
    let short: BTreeSet<(&str, u32)> = subsets
        .filter(|&(_, documents)| (documents as usize) <= others)
        .collect();
    let names = short.iter();
    let names: Vec<String> = names
        .map(|(name, documents)| {
            format!("{name} ({})", counted(u64::from(*documents), "documents"))
        })
        .collect();
    (!names.is_empty()).then(|| {
        format!(
            "{pool}: fewer than {others} other documents, so a query is ranked against all of them: {}",
            names.join(", ")
        )
    })
}

/// The counts of all subsets, by system, in the order of the runs.
pub fn cuts(runs: &Finished) -> Vec<Cut> {
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
                sum.pools += cut.pools;
                sum.pools_without_answer += cut.pools_without_answer;
            }
            None => sums.push(cut),
        }
    }
    sums
}

/// The same counts without those of documents that a system does not know.
pub fn of_known(cuts: &[Cut]) -> Vec<Cut> {
    let known = |cut: &Cut| Cut {
        documents_unknown: 0,
        ..cut.clone()
    };
    cuts.iter().map(known).collect()
}

/// `minilm: 341 of 918 documents and 0 of 120 queries, of all subsets together, are longer than it reads`, and
/// similar sentences for documents that are not known or were seen; empty if all was read and is new.
pub fn sentences(cuts: &[Cut]) -> Vec<String> {
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
        if cut.pools_without_answer > 0 {
            sentences.push(format!(
                "{name}: {} of {} lists, of all subsets together, have no answer, for it lists only what it has a score for; the answer counts as not found, and not as the last of the candidates",
                grouped(cut.pools_without_answer),
                grouped(cut.pools)
            ));
        }
    }
    sentences
}
