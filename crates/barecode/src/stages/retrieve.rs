//! Dataset and retrievers to runs: a shard for each retriever and subset, as in `eval` ([`crate::evaluation`]).

use std::sync::Arc;

use barecode_records::{Facets, Stage};

use super::assemble;
use crate::engine::{Finished, Plan};
use crate::evaluation::{Evaluation, SubsetIn};
use crate::exit::Failure;
use crate::look::{Before, Look};
use crate::recipe::RecipeModel;
use crate::site::Site;

/// Returns the plan of `retrieve`. Models are opened only as far as needed to find out if their runs are current. If
/// none may be fetched, the runs of a model that is not on this machine are to do.
pub(crate) fn plan<'a>(site: &'a Site, before: &'a Before, look: Look) -> anyhow::Result<Plan<'a>> {
    if site.shop.recipe.retrievers.is_empty() {
        return Err(Failure::invalid("the recipe has no `[[retriever]]`")
            .hint("add a table with `name = \"bm25\"` and `kind = \"bm25\"`")
            .into());
    }
    evaluation(site, &before[&Stage::Assemble])?.retrieve(look)
}

/// The retrievers of a recipe on the subsets of its dataset.
pub(crate) fn evaluation<'a>(
    site: &'a Site,
    dataset: &Finished,
) -> anyhow::Result<Arc<Evaluation<'a>>> {
    let recipe = &site.shop.recipe;
    let named = |(name, model): (&String, &RecipeModel)| {
        let config = recipe.retrievers.iter().find(|one| one.name() == name);
        let as_written = config.and_then(|config| config.model());
        (
            model.spec.name.clone(),
            as_written.unwrap_or(name).to_owned(),
        )
    };
    let subsets = assemble::subsets(site)?.into_iter();
    Ok(Evaluation::new(
        &site.folder,
        site.shop.console,
        &site.shop.encoders,
        (&recipe.retrievers, &recipe.models),
        recipe.seed,
    )
    .of_recipe(&recipe.base, recipe.models.iter().map(named).collect())
    .probing(recipe.programs.probe)
    .on(subsets.map(|subset| SubsetIn::of_run(&site.folder, dataset, subset, recipe.retrieve))))
}

/// The draws of the bootstrap are those of the group.
pub(super) fn bootstrap_seed(site: &Site, facets: &Facets) -> u64 {
    site.shop
        .seed("bootstrap", facets.group.as_deref().unwrap_or_default())
}
