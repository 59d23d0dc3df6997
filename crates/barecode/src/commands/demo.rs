//! `demo`: the first score in a few minutes, from C code that is already here.
//!
//! The sources are the C libraries inside the Cargo packages of the nearest `Cargo.toml`, which for somebody
//! who has just built barecode is barecode's own.

use std::path::Path;

use super::build;
use super::call::{Call, Spending};
use crate::exit::Failure;
use crate::recipe::Recipe;

const RECIPE: &str = include_str!("../../../../recipes/demo.toml");

/// Builds the demo below the current folder.
pub(super) fn run(call: &Call) -> anyhow::Result<()> {
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
    build::run(
        call,
        Recipe::parse(RECIPE, "recipes/demo.toml", Path::new("."))?,
        &Spending::default(),
    )
}
