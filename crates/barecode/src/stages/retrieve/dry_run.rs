//! What the models of a recipe would take, before anything is sent.

use barecode_models::Estimate;
use barecode_records::Stage;

use super::{Texts, plan};
use crate::commands::Call;
use crate::engine;
use crate::exit::Failure;
use crate::flow::{self, Goal, Look};
use crate::report::estimates;
use crate::site::Site;
use crate::stages::assemble;

/// Prints texts, tokens and dollars of the runs that are to do, and does nothing.
pub(crate) fn dry_run(call: &Call, site: &Site) -> anyhow::Result<()> {
    let walked = flow::walk(site, Goal::Look(Look::Folder))?;
    let Some(dataset) = walked.finished.get(&Stage::Assemble) else {
        return Err(Failure::invalid(
            "the dataset is not current, so nobody knows what models would read",
        )
        .hint("run the stages up to `barecode assemble` on the recipe first: they ask no model")
        .into());
    };
    let plan = plan(site, &walked.finished, Look::Around)?;
    let to_do = engine::to_do(&site.folder, &plan);
    let configurations = assemble::configurations(site)?;
    let mut told: Vec<(String, Estimate)> = Vec::new();
    for retriever in &site.recipe.retrievers {
        let Some(model) = site.recipe.models.get(retriever.name()) else {
            continue;
        };
        let texts = Texts::of(site, retriever, &configurations, &to_do)?;
        let mut sum = Estimate::NOTHING;
        for (side, texts) in texts.sides() {
            sum = sum.and(site.encoders.estimate(model, side, &texts)?);
        }
        told.push((retriever.name().to_owned(), sum));
    }
    estimates::tell(call.console, call.options.json, "retriever", &told)
}
