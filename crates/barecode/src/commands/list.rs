//! `list`: what `build` would do.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use barecode_records::Stage;
use clap::Args;
use serde_json::json;

use crate::answer::Answer;
use crate::console::counted;
use crate::exit::Exit;
use crate::flow::{self, Goal, Walked};
use crate::look::Look;
use crate::recipe::Recipe;
use crate::run_folder::RunFolder;
use crate::session::{Session, Spending};

/// List the work that `build` would do, without doing it.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  barecode list recipes/demo.toml\n  barecode list recipes/demo.toml --full"
)]
pub(super) struct Request {
    /// The recipe, a TOML file.
    recipe: PathBuf,
    /// Look at sources, compilers and models too, as `build` does: resolve and read every source, and ask the compilers.
    #[arg(long)]
    full: bool,
}

/// Walks the flow without doing anything. The stages after one with work to do cannot be planned, because their shards
/// depend on its results. Recipes that `build` would refuse are refused, after the known stages are reported.
pub(super) fn run(session: &Session, arguments: &Request) -> anyhow::Result<Answer> {
    let recipe = Recipe::read(&arguments.recipe)?;
    let out = session.out(&recipe);
    let site = session.site(recipe, RunFolder::look_at(&out), &Spending::default())?;
    let look = if arguments.full {
        Look::Around
    } else {
        Look::Folder
    };
    let walked = flow::walk(&site, Goal::Look(look))?;
    // Refuse as `build` would at its start, if it has something to do.
    let to_do = |stage: Stage| {
        let found = walked.progressed.get(&stage);
        found.is_none_or(|found| found.to_do > 0)
    };
    let mut refused = Ok(());
    if to_do(Stage::Extract) {
        refused = refused
            .and_then(|()| site.shop.look_for_sources())
            .and_then(|()| site.shop.look_for_programs());
    }
    if to_do(Stage::Choose) {
        refused = refused.and_then(|()| site.shop.look_for_alternates());
    }
    if to_do(Stage::Retrieve) {
        refused = refused.and_then(|()| site.shop.look_for_models());
    }
    let stages: Vec<Stage> = flow::stages(&site.shop.recipe).collect();
    Ok(show(session, &out, &stages, &walked)?.ending(refused.map(|()| Exit::Done)))
}

fn show(
    session: &Session,
    out: &Path,
    stages: &[Stage],
    walked: &Walked,
) -> anyhow::Result<Answer> {
    let data = || {
        let stages = stages.iter().map(|stage| match walked.progressed.get(stage) {
            Some(found) => {
                let looked = !walked.unseen.contains_key(stage);
                json!({ "stage": stage, "current": found.current, "to_do": found.to_do, "looked": looked })
            }
            None => json!({ "stage": stage, "current": null, "to_do": null }),
        });
        json!({ "run": out, "stages": stages.collect::<Vec<_>>() })
    };
    session.answer(data, |_| {
            let mut text = format!("run folder: {}\n", out.display());
            for stage in stages {
                let state = match walked.progressed.get(stage) {
                    Some(found) if found.to_do == 0 => {
                        let by = if walked.unseen.contains_key(stage) {
                            ", by what is in the folder"
                        } else {
                            ""
                        };
                        format!("current ({}{by})", counted(found.current as u64, "shards"))
                    }
                    Some(found) => format!(
                        "{} to do, {} current",
                        counted(found.to_do as u64, "shards"),
                        found.current
                    ),
                    None => "depends on the stages before it".to_owned(),
                };
                writeln!(text, "  {:<9} {:<13} {state}", stage.name(), stage.folder())?;
            }
        if let Some(unseen) = walked.unseen() {
            session.note(&format!(
                "{unseen} were not looked at: `barecode list --full` looks, and so does `barecode build`"
            ));
        }
        Ok(text)
    })
}
