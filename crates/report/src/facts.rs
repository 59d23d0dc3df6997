//! The content of the page of a run.

use std::collections::BTreeMap;

use barecode_audit::SettingAudit;
use barecode_records::{
    Counts, ProbeScore, Query, QueryScore, Score, SetDifference, Stage, Statistic, Toolchain, Unit,
};

use super::browse::LIST;
use super::programs::Programs;
use super::robustness;
use super::samples::Sample;
use barecode_recipe::Recipe;

/// All that the page shows.
pub struct Facts<'a> {
    /// The recipe.
    pub recipe: &'a Recipe,
    /// The toolchain that compiled the units.
    pub toolchain: Option<Toolchain>,
    /// The sources as they describe themselves.
    pub sources: Vec<serde_json::Value>,
    /// The data sets of programs, likewise.
    pub data_sets: Vec<serde_json::Value>,
    /// The criteria by which two solutions of one problem are near-duplicates.
    pub near_duplicates: Vec<String>,
    /// Headers with assumed values, with the number of units that read each, and the number of units that read any of
    /// them.
    pub assumed: (BTreeMap<String, u64>, u64),
    /// In, kept and set aside, by stage and kind of thing.
    pub counts: Vec<(Stage, BTreeMap<String, Counts>)>,
    /// Number of queries that each writer has.
    pub asked: BTreeMap<String, u64>,
    /// The numbers of the dataset.
    pub statistics: &'a [Statistic],
    /// The audits of the settings.
    pub audits: &'a [SettingAudit],
    /// The scores.
    pub scores: &'a [Score],
    /// The cost of the settings.
    pub robustness: robustness::Robustness<'a>,
    /// The differences between sets of queries.
    pub sets: &'a [SetDifference],
    /// The scores of models on clones and bugs of programs.
    pub probe: &'a [ProbeScore],
    /// Transforms of programs, and examples of their output.
    pub programs: Programs,
    /// Texts that models did not read to their end, a sentence for each model.
    pub cuts: Vec<String>,
    /// A few queries.
    pub samples: Vec<Sample>,
    /// The queries as they were made, and the scores of each.
    pub asking: (&'a [Query], &'a [QueryScore]),
    /// The queries, for a page that is one file; `None` if they have pages of their own.
    pub queries: Option<maud::Markup>,
}

impl Facts<'_> {
    /// The address of the queries, from the page.
    pub(super) fn queries_link(&self) -> &'static str {
        if self.queries.is_some() {
            return "#all-queries";
        }
        LIST
    }
}

/// Returns headers with assumed values, with the number of units that read each, and the number of units that read any.
/// Headers that a build has made are not assumed.
pub fn assumed(units: &[Unit]) -> (BTreeMap<String, u64>, u64) {
    let (mut headers, mut any) = (BTreeMap::new(), 0);
    for unit in units {
        let of_unit = unit.closure.assumed_headers.iter();
        let of_unit: Vec<&String> = of_unit
            .filter(|at| !at.ends_with(" from the build"))
            .collect();
        any += u64::from(!of_unit.is_empty());
        for header in of_unit {
            *headers.entry(header.clone()).or_default() += 1;
        }
    }
    (headers, any)
}
