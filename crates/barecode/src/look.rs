//! What the plan of a stage is made from besides the recipe: how far it looks, and the stages before it.

use std::collections::BTreeMap;

use barecode_records::Stage;

use crate::engine::Finished;

/// How far a plan looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Look {
    /// Into the run folder only: what lies there counts, whatever it was made with.
    Folder,
    /// At what is outside too, but no model is fetched.
    Around,
    /// At what is outside, and models are fetched.
    Fetch,
}

/// The finished stages before one.
pub(crate) type Before = BTreeMap<Stage, Finished>;
