//! What every way to list documents is asked with, and what it gives.

use std::path::Path;

use barecode_models::Side;

/// Documents by their index in the task with their scores, best first.
pub type List = Vec<(usize, f64)>;

/// For each draw of candidates and each query its list.
pub type Lists = Vec<Vec<List>>;

/// What lists are made with.
#[derive(Clone, Copy)]
pub struct Asked<'a> {
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
