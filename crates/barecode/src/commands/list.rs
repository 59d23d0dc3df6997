//! `list`: what `build` would do.

use std::fmt::Write as _;
use std::path::Path;

use barecode_records::Stage;
use serde_json::json;

use super::Call;
use crate::flow::{self, Goal};
use crate::recipe::Recipe;
use crate::run_folder::RunFolder;

/// Walks the flow without doing anything. What follows a stage with work to do cannot be planned, because its
/// shards depend on what that stage will find.
pub(super) fn run(call: &Call, recipe: &Path) -> anyhow::Result<()> {
    let recipe = Recipe::read(recipe)?;
    let out = call.out(&recipe);
    let site = call.site(recipe, RunFolder::look_at(&out))?;
    let walked = flow::walk(&site, Goal::Look)?;
    if call.options.json {
        let stages = Stage::ALL.map(|stage| match walked.progressed.get(&stage) {
            Some(found) => {
                json!({ "stage": stage, "current": found.current, "to_do": found.to_do })
            }
            None => json!({ "stage": stage, "current": null, "to_do": null }),
        });
        return Ok(call
            .console
            .json(&json!({ "run": out, "stages": stages }))?);
    }
    let mut text = format!("run folder: {}\n", out.display());
    for stage in Stage::ALL {
        let state = match walked.progressed.get(&stage) {
            Some(found) if found.to_do == 0 => format!("current ({} shards)", found.current),
            Some(found) => format!("{} shards to do, {} current", found.to_do, found.current),
            None => "depends on the stages before it".to_owned(),
        };
        writeln!(text, "  {:<9} {:<13} {state}", stage.verb(), stage.folder())
            .expect("memory takes any text");
    }
    Ok(call.console.data(&text)?)
}
