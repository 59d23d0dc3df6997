//! The input and output of every way to list documents.

use std::path::Path;

use barecode_models::Side;

use crate::task::Task;

/// Documents by their index in the task with their scores, best first.
pub type List = Vec<(usize, f64)>;

/// The list of each query, for each draw of candidates.
pub type Lists = Vec<Vec<List>>;

/// The request to a system, with everything that its lists need.
#[derive(Clone, Copy)]
pub struct Asked<'a> {
    /// The name of the system.
    pub system: &'a str,
    /// The number of documents in a list, equal scores at its end being kept together; the number that are reranked.
    pub depth: usize,
    /// Documents, queries, and the candidates of each draw.
    pub task: &'a Task,
    /// The seed of random order and of random names.
    pub seed: u64,
    /// The folder that files of systems are relative to.
    pub base: &'a Path,
    /// Called with the number of queries that a system has answered, and the number of all, if that takes long.
    pub progress: &'a (dyn Fn(&str, usize, usize) + Sync),
    /// Called with the number of texts of a side that a model did not read to their end, and the number of all.
    pub cut: &'a (dyn Fn(Side, usize, usize) + Sync),
    /// Called with the number of documents in a language or for a processor that the reading does not know.
    pub unknown: &'a (dyn Fn(usize) + Sync),
    /// Returns true if the user asked to stop.
    pub stop: &'a (dyn Fn() -> bool + Sync),
}

impl Asked<'_> {
    /// The lists of a task without documents or queries, which need no system.
    pub(crate) fn nothing(&self) -> Option<Lists> {
        let task = self.task;
        let is_empty = task.documents.is_empty() || task.queries.is_empty();
        is_empty.then(|| vec![vec![Vec::new(); task.queries.len()]; task.draws.len()])
    }

    /// The texts of all documents.
    pub(crate) fn documents(&self) -> Vec<&str> {
        let documents = self.task.documents.iter();
        documents.map(|document| document.text.as_str()).collect()
    }

    /// The texts of all queries.
    pub(crate) fn queries(&self) -> Vec<&str> {
        let queries = self.task.queries.iter();
        queries.map(|query| query.text.as_str()).collect()
    }
}
