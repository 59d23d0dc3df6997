//! `build`: all eight stages. Also what a single verb does.

use std::path::Path;

use barecode_queries::query;
use barecode_records::{Stage, Unit};
use serde_json::{Value, json};

use super::call::{Call, Spending};
use crate::ahead::Ahead;
use crate::engine;
use crate::evaluation::cut;
use crate::exit::Failure;
use crate::flow::{self, Goal, Walked};
use crate::journal;
use crate::look::Look;
use crate::own::OwnQueries;
use crate::recipe::Recipe;
use crate::report::{self, estimates};
use crate::run_folder::RunFolder;
use crate::share::Share;
use crate::site::Site;
use crate::stages::programs::alternates;
use crate::stages::query::{classifying, writing};
use crate::stages::retrieve;

/// Does everything, and prints the table and the path of the page.
pub(super) fn run(call: &Call, recipe: Recipe, spending: &Spending) -> anyhow::Result<()> {
    if spending.dry_run {
        return dry_run(call, recipe, spending);
    }
    let folder = RunFolder::work_in(&call.out(&recipe))?;
    let site = call.site(recipe, folder, spending)?;
    let walked = flow::walk_telling(&site, Goal::Everything, |finished| {
        match Ahead::of(&site, finished)? {
            Some(ahead) if finished.worked => ahead.tell(call.console),
            _ => {}
        }
        Ok(())
    })?;
    if !walked.worked() {
        call.console.note("nothing to do: every stage is current");
    }
    let page = site.folder.layout().page();
    if call.options.json {
        let mut value = account(&site, &walked);
        value["scores"] = serde_json::to_value(site.folder.layout().scores()?)?;
        value["probe"] = serde_json::to_value(site.folder.layout().probe_scores()?)?;
        value["report"] = json!(page);
        value["cut"] = json!(cut::cuts(&walked.finished[&Stage::Retrieve]));
        value["own_queries"] = json!(OwnQueries::of(&site)?);
        value["writing"] = json!(journal::taken(&site.folder)?);
        return call.console.json(&value);
    }
    print_table(call, &site)?;
    let own = OwnQueries::of(&site)?;
    for sentence in own.iter().flat_map(OwnQueries::sentences) {
        call.console.data(&sentence)?;
    }
    for sentence in journal::sentences(&journal::taken(&site.folder)?) {
        call.console.data(&sentence)?;
    }
    for sentence in cut::sentences(&cut::cuts(&walked.finished[&Stage::Retrieve])) {
        call.console.data(&sentence)?;
    }
    call.console.data(&format!("report: {}", page.display()))
}

/// Prints texts, tokens and dollars of the runs that are to do, and does nothing.
fn dry_run(call: &Call, recipe: Recipe, spending: &Spending) -> anyhow::Result<()> {
    let folder = RunFolder::look_at(&call.out(&recipe));
    let site = call.site(recipe, folder, spending)?;
    let walked = flow::walk(&site, Goal::Look(Look::Folder))?;
    let writes = !site.recipe.writers.is_empty() || site.recipe.classifier.is_some();
    let is_asked = !walked.finished.contains_key(&Stage::Query) && writes;
    if is_asked && let Some(units) = walked.finished.get(&Stage::Check) {
        let units: Vec<Unit> = site.folder.layout().rows(Stage::Check, units.parts())?;
        let mut estimates = Vec::new();
        for set in &site.recipe.writers {
            estimates.extend(writing::estimate(&site, set, &units)?);
        }
        if let Some(classifier) = &site.recipe.classifier {
            let queries = query(&units, &site.recipe.queries).kept;
            let texts: Vec<&str> = queries.iter().map(|query| query.text.as_str()).collect();
            let estimate = classifying::estimate(&site, classifier, &texts)?;
            estimates.push((classifier.model.spec.name.clone(), estimate));
        }
        if !site.recipe.writers.is_empty() {
            call.console.note(
                "at most, for the first try of each function; answers that are sent back cost more",
            );
        }
        return estimates::print(call.console, call.options.json, "writer", &estimates);
    }
    let chooses = site.recipe.programs.alternates.models().next().is_some();
    if chooses && !walked.finished.contains_key(&Stage::Extract) {
        let estimates = alternates::estimates(&site)?;
        return estimates::print(call.console, call.options.json, "alternates", &estimates);
    }
    let Some(dataset) = walked.finished.get(&Stage::Assemble) else {
        return Err(Failure::invalid(
            "the dataset is not current, so it is unknown what models would read",
        )
        .hint("run the stages up to `barecode assemble` on the recipe first")
        .into());
    };
    let plan = retrieve::plan(&site, &walked.finished, Look::Around)?;
    let to_do = engine::to_do(&site.folder, &plan);
    let estimates = retrieve::evaluation(&site, dataset)?.estimates(Some(&to_do))?;
    estimates::print(call.console, call.options.json, "retriever", &estimates)
}

/// Does one stage or a share of it, or says what its models would take; the stages before it must be current. After a
/// share, the manifest is left to whoever finds the stage whole.
pub(super) fn one_stage(
    call: &Call,
    recipe: &Path,
    stage: Stage,
    share: Option<Share>,
    spending: &Spending,
) -> anyhow::Result<()> {
    let recipe = Recipe::read(recipe)?;
    if spending.dry_run {
        return dry_run(call, recipe, spending);
    }
    let out = call.out(&recipe);
    let (folder, goal, what) = match share {
        None => (
            RunFolder::work_in(&out)?,
            Goal::Only(stage),
            format!("`{stage}`"),
        ),
        Some(share) => (
            RunFolder::work_on_share(&out, share)?,
            Goal::Share(stage, share),
            format!("share {share} of `{stage}`"),
        ),
    };
    let site = call.site(recipe, folder, spending)?;
    let walked = flow::walk(&site, goal)?;
    if !walked.worked() {
        let text = format!("nothing to do: {what} is current");
        call.console.note(&text);
    }
    if call.options.json {
        let mut value = account(&site, &walked);
        if stage == Stage::Score {
            let layout = site.folder.layout();
            value["scores"] = serde_json::to_value(layout.scores()?)?;
            value["probe"] = serde_json::to_value(layout.probe_scores()?)?;
        }
        if stage == Stage::Query {
            value["writing"] = json!(journal::taken(&site.folder)?);
        }
        return call.console.json(&value);
    }
    match stage {
        Stage::Score => print_table(call, &site),
        Stage::Report => {
            let page = site.folder.layout().page();
            call.console.data(&page.display().to_string())
        }
        Stage::Query => {
            for sentence in journal::sentences(&journal::taken(&site.folder)?) {
                call.console.data(&sentence)?;
            }
            Ok(())
        }
        Stage::Extract | Stage::Check | Stage::Vary | Stage::Assemble | Stage::Retrieve => Ok(()),
    }
}

fn print_table(call: &Call, site: &Site) -> anyhow::Result<()> {
    let confidence = site.recipe.scores.confidence;
    let layout = site.folder.layout();
    let (scores, drops, differences) = (layout.scores()?, layout.drops()?, layout.differences()?);
    let screen = call.console.screen();
    // A run of programs alone ranks nothing.
    if !site.recipe.sources.is_empty() {
        let text = report::table::terminal(&scores, &drops, &differences, confidence, screen);
        call.console.data(&text)?;
    }
    let sets = report::sets::terminal(&layout.sets()?, screen);
    let probe = report::probe::terminal(&layout.probe_scores()?, confidence, screen);
    for text in [sets, probe].into_iter().flatten() {
        call.console.data(&text)?;
    }
    Ok(())
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
