//! `demo`: the first score in a few minutes, from C code that is already here.
//!
//! The sources are the C libraries inside the Cargo packages of the nearest `Cargo.toml`, which for somebody
//! who has just built barecode is barecode's own.

use std::path::Path;

use super::build;
use crate::answer::Answer;
use crate::exit::Failure;
use crate::recipe::Recipe;
use crate::session::{Session, Spending};

const RECIPE: &str = include_str!("../../../../recipes/demo.toml");

/// Builds the demo below the current folder.
pub(super) fn run(session: &Session) -> anyhow::Result<Answer> {
    let here = std::env::current_dir()
        .map_err(|error| Failure::invalid(format!("cannot read the current folder: {error}")))?;
    if !here
        .ancestors()
        .any(|folder| folder.join("Cargo.toml").is_file())
    {
        let message = format!(
            "no Cargo.toml in `{}` or its parents, so there are no packages to mine",
            here.display()
        );
        return Err(Failure::invalid(message)
            .hint("run the demo in a checkout of barecode, or `barecode try PATH` on code of your own")
            .into());
    }
    let recipe = Recipe::parse(RECIPE, "recipes/demo.toml", Path::new("."))?;
    build::run(session, recipe, None, None, &Spending::default())
}
