//! The models of a recipe's retrievers, writers and alternates, each opened when it is first needed and then kept.
//!
//! Enters: a retriever's name and its [`RecipeModel`]. Leaves: the model, or the identity that its vectors depend
//! on. The hard thing is to tell the identity without the model where that is possible: a run that is only looked at,
//! scored or reported asks for no key, and downloads nothing. A server's identity is in its description; that of
//! weights is a digest of their bytes.
//!
//! What it does not do: it embeds nothing, and it does not decide what is to do.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use barecode_evaluate::{System, SystemKind};
use barecode_models::{
    Cache, Encoder, Estimate, ModelError, ModelSpec, Opening, Prompt, Reranker, Sampling, Side,
    Source, Usage, Writer, estimate, estimate_writing, known_identity, look_for, open_encoder,
    open_reranker, open_writer, writer_identity,
};

use barecode_train::Seen;

use crate::console::Console;
use crate::exit::{Failure, classify};
use crate::look::Look;
use crate::recipe::RecipeModel;

/// Whether a model that is not here may be fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fetch {
    /// It may.
    Allowed,
    /// What is not here is missing.
    Never,
}

/// The models of a run.
pub(crate) struct Encoders {
    /// The recipe's folder.
    base: PathBuf,
    /// What they are opened with; `None` if the recipe names none.
    opening: Option<Opening>,
    embedders: Opened<dyn Encoder>,
    rerankers: Opened<dyn Reranker>,
    writers: Opened<dyn Writer>,
}

/// The models that are open, by name.
type Opened<M> = Mutex<BTreeMap<String, Arc<M>>>;

impl Encoders {
    /// None opened yet. Where vectors are not kept on the disk, they are kept in memory for all models together.
    pub(crate) fn new(base: &Path, mut opening: Option<Opening>) -> Result<Self, ModelError> {
        if let Some(opening) = &mut opening
            && opening.cache.is_none()
        {
            opening.cache = Some(Arc::new(Cache::in_memory()?));
        }
        Ok(Encoders {
            base: base.to_owned(),
            opening,
            embedders: Mutex::default(),
            rerankers: Mutex::default(),
            writers: Mutex::default(),
        })
    }

    /// Everything that the vectors or scores of a system's model depend on.
    pub(crate) fn identity(
        &self,
        system: &System,
        model: &RecipeModel,
        fetch: Fetch,
    ) -> Result<String, Failure> {
        if let SystemKind::Reranked { .. } = system.kind() {
            return Ok(self.open_reranker(model, fetch)?.identity().to_owned());
        }
        if let &SystemKind::Chat { max_tokens, .. } = system.kind() {
            let identity = writer_identity(&model.spec, sampling(max_tokens));
            return identity.map_err(|error| at(model, error));
        }
        self.identity_of_encoder(model, fetch)
    }

    /// Everything that the vectors of an embedding model depend on.
    pub(crate) fn identity_of_encoder(
        &self,
        model: &RecipeModel,
        fetch: Fetch,
    ) -> Result<String, Failure> {
        match known_identity(&model.spec).map_err(|error| at(model, error))? {
            Some(identity) => Ok(identity),
            None => Ok(self.open(model, fetch)?.identity().to_owned()),
        }
    }

    /// The model, ready to be asked.
    pub(crate) fn open(
        &self,
        model: &RecipeModel,
        fetch: Fetch,
    ) -> Result<Arc<dyn Encoder>, Failure> {
        self.opened(&self.embedders, model, fetch, open_encoder)
    }

    /// The reranker, ready to be called.
    pub(crate) fn open_reranker(
        &self,
        model: &RecipeModel,
        fetch: Fetch,
    ) -> Result<Arc<dyn Reranker>, Failure> {
        self.opened(&self.rerankers, model, fetch, open_reranker)
    }

    /// The writer, ready to be asked.
    pub(crate) fn open_writer(
        &self,
        model: &RecipeModel,
        sampling: Sampling,
    ) -> Result<Arc<dyn Writer>, Failure> {
        self.opened(&self.writers, model, Fetch::Allowed, |spec, opening| {
            open_writer(spec, sampling, opening)
        })
    }

    /// What writing would take at most; asks nobody.
    pub(crate) fn estimate_writing(
        &self,
        model: &RecipeModel,
        sampling: Sampling,
        prompts: &[Prompt],
    ) -> Result<Estimate, Failure> {
        let opening = self.opening()?;
        estimate_writing(&model.spec, sampling, opening, prompts).map_err(|error| at(model, error))
    }

    fn opened<M: ?Sized>(
        &self,
        opened: &Opened<M>,
        model: &RecipeModel,
        fetch: Fetch,
        open: impl Fn(&ModelSpec, &Opening) -> Result<Box<M>, ModelError>,
    ) -> Result<Arc<M>, Failure> {
        let opened = || opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = opened().get(&model.spec.name) {
            return Ok(Arc::clone(found));
        }
        let opening = self.opening()?;
        let spec = self.described(&model.spec);
        let found = match fetch {
            Fetch::Allowed => open(&spec, opening),
            Fetch::Never => open(&spec, &without_network(opening)),
        };
        let found: Arc<M> = found.map_err(|error| at(model, error))?.into();
        opened().insert(spec.name, Arc::clone(&found));
        Ok(found)
    }

    /// Whether each model's folder or repository is there; nothing is fetched.
    pub(crate) fn look_for<'m>(
        &self,
        models: impl IntoIterator<Item = &'m RecipeModel>,
    ) -> Result<(), Failure> {
        for model in models {
            let spec = self.described(&model.spec);
            look_for(&spec, self.opening()?).map_err(|error| at(model, error))?;
        }
        Ok(())
    }

    /// What embedding some texts would take; opens nothing.
    pub(crate) fn estimate(
        &self,
        model: &RecipeModel,
        side: Side,
        texts: &[&str],
    ) -> Result<Estimate, Failure> {
        let spec = self.described(&model.spec);
        estimate(&spec, self.opening()?, side, texts).map_err(|error| at(model, error))
    }

    /// What a model was trained on here, if it was.
    pub(crate) fn seen(&self, model: &RecipeModel) -> Option<Seen> {
        match self.described(&model.spec).source {
            Source::Local(folder) => Seen::read(&folder),
            _ => None,
        }
    }

    /// What each model was asked so far, by the name of its retriever.
    pub(crate) fn usage(&self) -> BTreeMap<String, Usage> {
        let usage = self.opening.as_ref().map(|opening| opening.ledger.usage());
        usage.unwrap_or_default()
    }

    fn opening(&self) -> Result<&Opening, Failure> {
        let none = || Failure::internal("a recipe with models was read without what opens them");
        self.opening.as_ref().ok_or_else(none)
    }

    /// The description with its folder where it is.
    fn described(&self, spec: &ModelSpec) -> ModelSpec {
        let mut spec = spec.clone();
        if let Source::Local(path) = &mut spec.source
            && self.base != Path::new(".")
        {
            *path = self.base.join(&*path);
        }
        spec
    }
}

impl From<Look> for Fetch {
    fn from(look: Look) -> Self {
        match look {
            Look::Fetch => Fetch::Allowed,
            Look::Around | Look::Folder => Fetch::Never,
        }
    }
}

/// The identity that was found; of a model that may not be fetched and is not here, one that no run has.
pub(crate) fn identity_or_absent(
    found: Result<String, Failure>,
    fetch: Fetch,
    name: &str,
    console: Console,
) -> Result<String, Failure> {
    match (found, fetch) {
        (Err(Failure { message, .. }), Fetch::Never) => {
            console.note(&format!("`{name}` cannot be looked at: {message}"));
            Ok("not here".to_owned())
        }
        (found, _) => found,
    }
}

/// The same means, but the hub is not asked.
fn without_network(opening: &Opening) -> Opening {
    let outer = Arc::clone(&opening.environment);
    Opening {
        environment: Arc::new(move |name| match name {
            "HF_HUB_OFFLINE" => Some("1".to_owned()),
            name => outer(name),
        }),
        ..opening.clone()
    }
}

/// An error with the place in the recipe that names the model.
fn at(model: &RecipeModel, error: ModelError) -> Failure {
    let failure = classify(&error.into());
    // A model of the command line is named by the message already.
    if model.position.is_empty() {
        return failure;
    }
    Failure {
        message: format!("{}: {}", model.position, failure.message),
        ..failure
    }
}

/// How chat models are asked: with their provider's defaults, except for the length of an answer (appendix A.3).
pub(crate) fn sampling(max_tokens: u32) -> Sampling {
    Sampling {
        max_tokens: Some(max_tokens),
        ..Sampling::default()
    }
}
