//! `[retrieve]`: which documents compete.

use barecode_evaluate::PoolConfig;
use serde::Deserialize;
use toml::Spanned;

use super::recipe_text::{MAX_SEEDS, RecipeText};
use barecode_runs::exit::Failure;

/// `[retrieve]`.
#[derive(Debug, Clone, Copy)]
pub struct RetrieveConfig {
    /// The candidates of a query.
    pub pool: PoolConfig,
    /// The number of draws of a pool that depends on a seed.
    pub draws: u32,
}

impl RetrieveConfig {
    /// All documents compete.
    pub const EVERYONE: RetrieveConfig = RetrieveConfig {
        pool: PoolConfig::Everyone,
        draws: 1,
    };
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Wire {
    pub(super) pool: Option<Spanned<String>>,
    pub(super) draws: Option<Spanned<u32>>,
}

/// Checks the values; a value that is not set has its default.
pub(super) fn check(
    wire: Wire,
    usual: RetrieveConfig,
    recipe: &RecipeText<'_>,
) -> Result<RetrieveConfig, Failure> {
    let pool = match wire.pool {
        None => usual.pool,
        Some(pool) => {
            let read: Result<PoolConfig, String> = pool.get_ref().parse();
            read.map_err(|message| recipe.refuse(pool.span(), &message))?
        }
    };
    let draws = recipe.fitting(
        wire.draws,
        |draws| (1..=MAX_SEEDS).contains(draws),
        |_| format!("`draws` is not a number from 1 to {MAX_SEEDS}"),
        None,
    )?;
    Ok(RetrieveConfig {
        pool,
        draws: draws.unwrap_or(usual.draws),
    })
}
