//! The inputs of a stage's plan besides the recipe: the range of its look, and the stages before it.

use std::collections::BTreeMap;

use barecode_records::Stage;

use crate::engine::Finished;

/// The range of a plan's look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Look {
    /// Into the run folder only: its files count, whatever they were made with.
    Folder,
    /// At what is outside too, but no model is fetched.
    Around,
    /// At what is outside, and models are fetched.
    Fetch,
}

/// The finished stages before one.
pub(crate) type Before = BTreeMap<Stage, Finished>;
