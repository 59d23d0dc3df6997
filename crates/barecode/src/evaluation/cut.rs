//! Counts, while lists are made, texts that a system truncates or does not know, and lists without the answer.

use std::sync::{Mutex, PoisonError};

use barecode_evaluate::{Drawn, Lists, Task};
use barecode_models::Side;
use barecode_train::Seen;
use serde_json::{Value, json};

use crate::report::cut::Cut;

/// The counts of one shard.
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

    /// Counts lists of drawn candidates, and those that lack the answers that are among them.
    pub(super) fn add_pools(&self, task: &Task, lists: &Lists) {
        let mut counted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for (drawn, lists) in task.draws.iter().zip(lists) {
            let Drawn::Candidates(candidates) = drawn else {
                continue;
            };
            let counted = counted.get_or_insert_default();
            let lists = task.queries.iter().zip(candidates.iter().zip(lists));
            // Two candidates are a pair, whose only question is a match.
            for (query, (own, list)) in lists.filter(|(_, (own, _))| own.len() > 2) {
                let is_answer = |document: usize| task.is_answer(&query.id, document);
                counted.pools += 1;
                counted.pools_without_answer += u64::from(
                    own.iter().any(|&it| is_answer(it))
                        && !list.iter().any(|&(it, _)| is_answer(it)),
                );
            }
        }
    }

    /// The counts for the ticket; null if the system embeds no text, reads no code, and no pool was drawn.
    pub(super) fn told(self, system: &str) -> Value {
        let counted = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        let told = counted.map(|counted| Cut {
            system: system.to_owned(),
            ..counted
        });
        json!(told)
    }
}
