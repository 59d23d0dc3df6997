//! What the page of a run is made of.

use std::collections::BTreeMap;

use barecode_audit::SettingAudit;
use barecode_records::{Counts, ProbeScore, Score, SetDifference, Stage, Statistic, Toolchain};

use super::programs::Programs;
use super::robustness;
use super::samples::Sample;
use crate::recipe::Recipe;

/// All that the page shows.
pub(crate) struct Facts<'a> {
    /// The recipe.
    pub(crate) recipe: &'a Recipe,
    /// What compiled the units.
    pub(crate) toolchain: Option<Toolchain>,
    /// The sources as they describe themselves.
    pub(crate) sources: Vec<serde_json::Value>,
    /// The data sets of programs, likewise.
    pub(crate) data_sets: Vec<serde_json::Value>,
    /// What makes two solutions of one problem near-duplicates.
    pub(crate) near_duplicates: Vec<String>,
    /// In, kept and set aside, by stage and kind of thing.
    pub(crate) counts: Vec<(Stage, BTreeMap<String, Counts>)>,
    /// The numbers of the dataset.
    pub(crate) statistics: &'a [Statistic],
    /// What the settings left.
    pub(crate) audits: &'a [SettingAudit],
    /// The scores.
    pub(crate) scores: &'a [Score],
    /// What settings cost.
    pub(crate) robustness: robustness::Robustness<'a>,
    /// How sets of queries differ.
    pub(crate) sets: &'a [SetDifference],
    /// What models say of clones and bugs of programs.
    pub(crate) probe: &'a [ProbeScore],
    /// Transforms of programs, and examples of what they made.
    pub(crate) programs: Programs,
    /// Texts that models did not read to their end, a sentence for each model.
    pub(crate) cuts: Vec<String>,
    /// A few queries.
    pub(crate) samples: Vec<Sample>,
}
