//! The means of every command to open models: the network, the cache of vectors, the budget, the ledger.
//!
//! Enters: a command's options. Leaves: an [`Opening`] that each model is opened with. Keys stay in the environment. It
//! does not open a model; [`barecode_models::open_encoder`] does.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use barecode_encoders::Local;
use barecode_evaluate::Choice;
use barecode_models::{
    Budget, Cache, Cassette, Ledger, ModelError, ModelSpec, Opening, Source, read_models,
};
use clap::Args;

use crate::console::Console;
use crate::recipe::trial::aliased;

/// The space that vectors may occupy on the disk; the least recently used are dropped first.
pub(crate) const CACHE_BYTES: u64 = 20 << 30;

/// What a command says of money and of answers that are recorded.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct Means {
    /// Stop before the estimated cost of this command exceeds DOLLARS. The bill can be slightly higher, because costs
    /// are estimates. Paid answers are cached. Without it, the `budget` of the recipe applies, if any.
    #[arg(long, value_name = "DOLLARS")]
    pub(crate) budget: Option<f64>,
    /// Record answers of servers in this file, and replay those that are in it.
    #[arg(long, value_name = "FILE")]
    pub(crate) cassette: Option<PathBuf>,
    /// Use answers of the cassette only, without network and key.
    #[arg(long, requires = "cassette")]
    pub(crate) replay: bool,
}

/// Returns the requested models: by their names in the file of models, or by short form, optionally after `NAME=`. A
/// model on this machine is named by the last part of its path, where that names only one.
pub(crate) fn choices(names: &[String], file: Option<&Path>) -> Result<Vec<Choice>, ModelError> {
    let known: Vec<Choice> = match file {
        Some(path) => read_models(path)?,
        None => Vec::new(),
    };
    let choice = |text: &str| match known.iter().find(|choice| choice.name() == text) {
        Some(choice) => Ok(choice.clone()),
        None => text.parse::<Choice>(),
    };
    let mut choices = Vec::new();
    let mut short: Vec<Option<String>> = Vec::new();
    for text in names {
        if let Some((name, form)) = aliased(text) {
            choices.push(choice(form)?.renamed(name));
            short.push(None);
        } else {
            let choice = choice(text)?;
            short.push(last_part(&choice));
            choices.push(choice);
        }
    }
    for (at, name) in short.iter().enumerate() {
        let others = short.iter().enumerate().filter(|(other, _)| *other != at);
        if let Some(name) = name
            && others
                .into_iter()
                .all(|(_, other)| other.as_ref() != Some(name))
            && choices.iter().all(|choice| choice.name() != name)
        {
            choices[at] = choices[at].clone().renamed(name);
        }
    }
    Ok(choices)
}

/// Returns the one requested model, where only a model is accepted; `cannot` refuses a retriever.
pub(crate) fn model(
    name: &str,
    file: Option<&Path>,
    cannot: fn(&str, &str) -> ModelError,
) -> Result<ModelSpec, ModelError> {
    choices(&[name.to_owned()], file)?.remove(0).model(cannot)
}

/// `local:MiniLM`, of `local:/some/folder/MiniLM`; `None` for models that are not paths, and for those of a file of models.
fn last_part(choice: &Choice) -> Option<String> {
    let Choice::Model(spec) = choice else {
        return None;
    };
    let (kind, path) = match &spec.source {
        Source::Local(path) => ("local", path),
        Source::Vectors(path) => ("vectors", path),
        Source::Run(path) => ("run", path),
        _ => return None,
    };
    let last = path.file_name()?.to_string_lossy();
    spec.name
        .starts_with(&format!("{kind}:"))
        .then(|| format!("{kind}:{last}"))
}

/// Everything that models are opened with; vectors are cached in the folder `cache`, which exists.
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
    opening.stop = Arc::new(move || console.is_stopped());
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

#[cfg(test)]
mod tests {
    use super::*;

    fn named(forms: &[&str]) -> Vec<String> {
        let forms: Vec<String> = forms.iter().map(|form| (*form).to_owned()).collect();
        let choices = choices(&forms, None).unwrap_or_default();
        let names = choices.iter().map(|choice| choice.name().to_owned());
        names.collect()
    }

    #[test]
    fn models_go_by_a_name_of_their_own_or_by_the_end_of_their_path() {
        assert_eq!(
            named(&["fast=local:/a/b", "local:/c/d", "bm25:k1=0.9", "hf:e/f"]),
            ["fast", "local:d", "bm25:k1=0.9", "hf:e/f"]
        );
        // Where the end names two, the whole path distinguishes them.
        assert_eq!(
            named(&["local:/a/d", "local:/c/d", "run:/c/d", "local:e"]),
            ["local:/a/d", "local:/c/d", "run:d", "local:e"]
        );
    }
}
