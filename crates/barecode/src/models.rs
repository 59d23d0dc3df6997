//! How every command opens models: the network, the vectors that are kept between calls, the budget, the ledger.
//!
//! In come a command's options, out comes an [`Opening`] that each model is opened with. Keys stay in the environment.
//! What this does not do: open a model; [`barecode_models::open_encoder`] does.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use barecode_encoders::Local;
use barecode_models::{
    Budget, Cache, Cassette, Ledger, ModelError, ModelSpec, Opening, read_models,
};
use clap::Args;

use crate::console::Console;
use crate::interrupt;

/// The room that vectors may take on the disk; the least recently used are dropped first.
pub(crate) const CACHE_BYTES: u64 = 20 << 30;

/// What a command says of money and of answers that are recorded.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct Means {
    /// Stop before this call spends more dollars than this; what was paid for is kept. Without it, the `budget` of the
    /// recipe counts, where there is one.
    #[arg(long, value_name = "DOLLARS")]
    pub(crate) budget: Option<f64>,
    /// Keep the answers of servers in this file, or take them from it where they are in it.
    #[arg(long, value_name = "FILE")]
    cassette: Option<PathBuf>,
    /// Take the answers from the cassette only; needs neither network nor key.
    #[arg(long, requires = "cassette")]
    replay: bool,
}

/// The models that were asked for, by their names in the file of models or by short form.
pub(crate) fn specs(names: &[String], file: Option<&Path>) -> Result<Vec<ModelSpec>, ModelError> {
    let known = match file {
        Some(path) => read_models(path)?,
        None => Vec::new(),
    };
    let spec = |name: &String| match known.iter().find(|spec| spec.name == *name) {
        Some(spec) => Ok(spec.clone()),
        None => name.parse(),
    };
    names.iter().map(spec).collect()
}

/// Everything that models are opened with; vectors are kept in the folder `cache`, which is there.
pub(crate) fn opening(
    console: Console,
    cache: Option<&Path>,
    means: &Means,
) -> anyhow::Result<Opening> {
    let mut opening = Opening::new()?;
    opening.ledger = Arc::new(Ledger::new(Budget {
        dollars: means.budget,
        tokens: None,
    }));
    opening.stop = Arc::new(interrupt::asked);
    if let Some(folder) = cache {
        let path = folder.join("vectors.sqlite");
        opening.cache = Some(Arc::new(Cache::open(
            &path,
            Some(CACHE_BYTES),
            &*opening.clock,
        )?));
    }
    if let Some(path) = &means.cassette {
        let cassette = if means.replay {
            Cassette::replay(path)?
        } else {
            Cassette::record(path)?
        };
        opening.cassette = Some(Arc::new(cassette));
    }
    opening.local = Some(Arc::new(Local));
    let bar = console.working("embed", "texts");
    opening.listener = Some(Arc::new(move |model, progress| {
        bar.tell(model, progress.done as u64, progress.total as u64);
    }));
    Ok(opening)
}
