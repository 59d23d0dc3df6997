//! `build`: all eight stages. Also what a single verb does.

use std::path::Path;

use barecode_records::Stage;
use serde_json::{Value, json};

use super::{Call, Spending};
use crate::engine::Share;
use crate::flow::{self, Goal, Walked};
use crate::recipe::Recipe;
use crate::report;
use crate::run_folder::RunFolder;
use crate::site::Site;
use crate::stages::retrieve;

/// Does everything, and prints the table and the path of the page.
pub(super) fn run(call: &Call, recipe: Recipe, spending: &Spending) -> anyhow::Result<()> {
    if spending.dry_run {
        return dry_run(call, recipe, spending);
    }
    let folder = RunFolder::work_in(&call.out(&recipe))?;
    let site = call.site_with(recipe, folder, spending)?;
    let walked = flow::walk(&site, Goal::Everything)?;
    if !walked.worked() {
        call.console.note("nothing to do: every stage is current");
    }
    let page = site.folder.layout().page();
    if call.options.json {
        let mut value = account(&site, &walked);
        value["scores"] = serde_json::to_value(site.folder.layout().scores()?)?;
        value["report"] = json!(page);
        return Ok(call.console.json(&value)?);
    }
    print_table(call, &site)?;
    Ok(call.console.data(&format!("report: {}", page.display()))?)
}

/// Tells what models would take.
fn dry_run(call: &Call, recipe: Recipe, spending: &Spending) -> anyhow::Result<()> {
    let folder = RunFolder::look_at(&call.out(&recipe));
    let site = call.site_with(recipe, folder, spending)?;
    retrieve::dry_run(call, &site)
}

/// Does the stage that asks models, or tells what they would take.
pub(super) fn retrieve(call: &Call, recipe: &Path, spending: &Spending) -> anyhow::Result<()> {
    if spending.dry_run {
        return dry_run(call, Recipe::read(recipe)?, spending);
    }
    one_stage_with(call, recipe, Stage::Retrieve, spending)
}

/// Does one stage; those before it must be current.
pub(super) fn one_stage(call: &Call, recipe: &Path, stage: Stage) -> anyhow::Result<()> {
    one_stage_with(call, recipe, stage, &Spending::default())
}

fn one_stage_with(
    call: &Call,
    recipe: &Path,
    stage: Stage,
    spending: &Spending,
) -> anyhow::Result<()> {
    let recipe = Recipe::read(recipe)?;
    let folder = RunFolder::work_in(&call.out(&recipe))?;
    let site = call.site_with(recipe, folder, spending)?;
    let walked = flow::walk(&site, Goal::Only(stage))?;
    if !walked.worked() {
        call.console
            .note(&format!("nothing to do: `{stage}` is current"));
    }
    if call.options.json {
        let mut value = account(&site, &walked);
        if stage == Stage::Score {
            value["scores"] = serde_json::to_value(site.folder.layout().scores()?)?;
        }
        return Ok(call.console.json(&value)?);
    }
    match stage {
        Stage::Score => print_table(call, &site),
        Stage::Report => {
            let page = site.folder.layout().page();
            Ok(call.console.data(&page.display().to_string())?)
        }
        Stage::Extract
        | Stage::Check
        | Stage::Vary
        | Stage::Query
        | Stage::Assemble
        | Stage::Retrieve => Ok(()),
    }
}

/// Does a share of one stage; all stages before it must be current. The manifest is left to whoever finds the
/// stage whole.
pub(super) fn one_share(
    call: &Call,
    recipe: &Path,
    stage: Stage,
    share: Share,
    spending: &Spending,
) -> anyhow::Result<()> {
    let recipe = Recipe::read(recipe)?;
    let folder = RunFolder::work_on_share(&call.out(&recipe), share)?;
    let site = call.site_with(recipe, folder, spending)?;
    let walked = flow::walk(&site, Goal::Share(stage, share))?;
    if !walked.worked() {
        call.console.note(&format!(
            "nothing to do: share {share} of `{stage}` is current"
        ));
    }
    if call.options.json {
        return Ok(call.console.json(&account(&site, &walked))?);
    }
    Ok(())
}

fn print_table(call: &Call, site: &Site) -> anyhow::Result<()> {
    let confidence = site.recipe.scores.confidence;
    let text = report::table::terminal(
        &site.folder.layout().scores()?,
        confidence,
        call.console.width(),
        call.console.colors_data(),
    );
    Ok(call.console.data(&text)?)
}

/// What became of every stage, for a machine.
fn account(site: &Site, walked: &Walked) -> Value {
    let stages = walked.finished.iter().map(|(stage, finished)| {
        let value = json!({
            "shards": finished.shards.len(),
            "worked": finished.worked,
            "counts": finished.counts(),
        });
        (stage.verb().to_owned(), value)
    });
    json!({
        "run": site.folder.root(),
        "worked": walked.worked(),
        "stages": stages.collect::<serde_json::Map<_, _>>(),
    })
}
