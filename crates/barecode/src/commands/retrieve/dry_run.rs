//! What the models of a recipe would take, before anything is sent.

use barecode_models::Estimate;
use barecode_records::Stage;
use serde_json::json;

use super::{Texts, plan};
use crate::commands::{Call, assemble};
use crate::console::grouped;
use crate::encoders::Fetch;
use crate::engine;
use crate::exit::Failure;
use crate::flow::{self, Goal, Site};
use crate::report::statistics;

/// Prints texts, tokens and dollars of the runs that are to do, and does nothing.
pub(in crate::commands) fn dry_run(call: &Call, site: &Site) -> anyhow::Result<()> {
    let walked = flow::walk(site, Goal::Look)?;
    let Some(dataset) = walked.finished.get(&Stage::Assemble) else {
        return Err(Failure::invalid(
            "the dataset is not current, so nobody knows what models would read",
        )
        .hint("run the stages up to `barecode assemble` on the recipe first: they ask no model")
        .into());
    };
    let plan = plan(site, dataset, Fetch::Never)?;
    let to_do = engine::to_do(&site.folder, &plan);
    let configurations = assemble::configurations(&site.recipe, dataset);
    let mut told: Vec<(&str, Estimate)> = Vec::new();
    for retriever in &site.recipe.retrievers {
        let Some(model) = site.recipe.models.get(retriever.name()) else {
            continue;
        };
        let texts = Texts::of(site, retriever, &configurations, &to_do)?;
        let mut sum = Estimate {
            texts: 0,
            new_texts: 0,
            tokens: 0,
            dollars: Some(0.0),
        };
        for (side, texts) in texts.sides() {
            let more = site.encoders.estimate(model, side, &texts)?;
            sum.texts += more.texts;
            sum.new_texts += more.new_texts;
            sum.tokens += more.tokens;
            sum.dollars = sum.dollars.zip(more.dollars).map(|(a, b)| a + b);
        }
        told.push((retriever.name(), sum));
    }
    if call.options.json {
        let rows = told.iter().map(|(retriever, sum)| {
            json!({
                "retriever": retriever,
                "texts": sum.texts,
                "new_texts": sum.new_texts,
                "tokens": sum.tokens,
                "dollars": sum.dollars,
            })
        });
        return Ok(call.console.json(&rows.collect())?);
    }
    let rows: Vec<(usize, Vec<String>)> = told
        .iter()
        .map(|(retriever, sum)| {
            let dollars = sum.dollars.map(|dollars| format!("{dollars:.4}"));
            let cells = vec![
                (*retriever).to_owned(),
                grouped(sum.texts as u64),
                grouped(sum.new_texts as u64),
                grouped(sum.tokens),
                dollars.unwrap_or_else(|| "unknown".to_owned()),
            ];
            (1, cells)
        })
        .collect();
    let heads = [
        "retriever",
        "texts",
        "new texts",
        "tokens (estimate)",
        "dollars",
    ];
    let (width, color) = (call.console.width(), call.console.colors_data());
    Ok(call
        .console
        .data(&statistics::table(&heads, &rows, width, color))?)
}
