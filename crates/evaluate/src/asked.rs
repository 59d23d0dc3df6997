//! What every way to list documents is asked with, and what it gives.

use std::path::Path;

use barecode_models::Side;

use crate::task::Task;

/// Documents by their index in the task with their scores, best first.
pub type List = Vec<(usize, f64)>;

/// For each draw of candidates and each query its list.
pub type Lists = Vec<Vec<List>>;

/// What is asked of a system, and what its lists are made with.
#[derive(Clone, Copy)]
pub struct Asked<'a> {
    /// The name of the system.
    pub system: &'a str,
    /// How many documents a list has, equal scores at its end being kept together; how many are reranked.
    pub depth: usize,
    /// Documents, queries, and the candidates of each draw.
    pub task: &'a Task,
    /// The seed of random order and of random names.
    pub seed: u64,
    /// The folder that files of systems are relative to.
    pub base: &'a Path,
    /// Hears how many queries of how many a system has answered, if that takes long.
    pub progress: &'a (dyn Fn(&str, usize, usize) + Sync),
    /// Hears how many texts of a side a model did not read to their end, and of how many.
    pub cut: &'a (dyn Fn(Side, usize, usize) + Sync),
    /// Hears how many documents are in a language or for a processor that the way to read them does not know.
    pub unknown: &'a (dyn Fn(usize) + Sync),
    /// Whether somebody asked to stop.
    pub stop: &'a (dyn Fn() -> bool + Sync),
}

impl Asked<'_> {
    /// The lists of a task without documents or queries, which nobody has to be asked for.
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
