//! Runs and judgments to scores: one shard, as in `eval` ([`crate::evaluation`]).

use barecode_records::{Facets, Stage};

use super::retrieve;
use crate::engine::Plan;
use crate::look::{Before, Look};
use crate::site::Site;

/// Returns the plan of `score`.
pub(crate) fn plan<'a>(site: &'a Site, before: &'a Before, _: Look) -> anyhow::Result<Plan<'a>> {
    let [dataset, runs] = [Stage::Assemble, Stage::Retrieve].map(|stage| &before[&stage]);
    let seed = move |facets: &Facets| retrieve::bootstrap_seed(site, facets);
    Ok(retrieve::evaluation(site, dataset)?.score(runs, &site.shop.recipe.scores, seed))
}
