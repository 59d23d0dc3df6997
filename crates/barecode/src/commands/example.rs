//! `sources`: how many sources a recipe names. The example of CONTRIBUTING.md, which is compiled by the tests.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use crate::answer::Answer;
use crate::recipe::Recipe;
use crate::session::Session;

/// Count the sources of a recipe.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  barecode sources recipes/demo.toml")]
pub(super) struct Request {
    /// The recipe, a TOML file.
    recipe: PathBuf,
}

/// Counts.
pub(super) fn run(session: &Session, request: &Request) -> anyhow::Result<Answer> {
    let sources = Recipe::read(&request.recipe)?.sources.len();
    session.answer(
        || json!({ "sources": sources }),
        |_| Ok(format!("{sources} sources")),
    )
}
