//! The models of a recipe's retrievers, writers and alternates, each opened when it is first needed and then kept.
//!
//! Enters: a retriever's name and its [`RecipeModel`]. Leaves: the model, or the identity that its vectors depend on.
//! The hard thing is to find the identity without the model where that is possible: a run that is only planned, scored
//! or reported needs no key, and downloads nothing. A server's identity is in its description; that of weights is a
//! digest of their bytes.
//!
//! It embeds nothing, and it does not decide which texts are embedded.

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

/// The permission to fetch a model that is not on this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fetch {
    /// It may.
    Allowed,
    /// A model that is not on this machine is missing.
    Never,
}

/// The models of a run.
pub(crate) struct Encoders {
    /// The recipe's folder.
    base: PathBuf,
    /// The means to open them; `None` if the recipe names no models.
    opening: Option<Opening>,
    embedders: Opened<dyn Encoder>,
    rerankers: Opened<dyn Reranker>,
    writers: Opened<dyn Writer>,
}

/// The models that are open, by name.
type Opened<M> = Mutex<BTreeMap<String, Arc<M>>>;

impl Encoders {
    /// Creates it without open models. Where vectors are not stored on the disk, they are stored in memory for all
    /// models together.
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

    /// Returns the model, ready for requests.
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

    /// Returns the writer, ready for requests.
    pub(crate) fn open_writer(
        &self,
        model: &RecipeModel,
        sampling: Sampling,
    ) -> Result<Arc<dyn Writer>, Failure> {
        self.opened(&self.writers, model, Fetch::Allowed, |spec, opening| {
            open_writer(spec, sampling, opening)
        })
    }

    /// Returns the maximum cost of writing; makes no requests.
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

    /// Checks that each model's folder or repository exists; nothing is fetched.
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

    /// Returns the cost of embedding some texts; opens nothing.
    pub(crate) fn estimate(
        &self,
        model: &RecipeModel,
        side: Side,
        texts: &[&str],
    ) -> Result<Estimate, Failure> {
        let spec = self.described(&model.spec);
        estimate(&spec, self.opening()?, side, texts).map_err(|error| at(model, error))
    }

    /// Returns the training data of a model, if it was trained by this program.
    pub(crate) fn seen(&self, model: &RecipeModel) -> Option<Seen> {
        match self.described(&model.spec).source {
            Source::Local(folder) => Seen::read(&folder),
            _ => None,
        }
    }

    /// Returns the usage of each model so far, by the name of its retriever.
    pub(crate) fn usage(&self) -> BTreeMap<String, Usage> {
        let usage = self.opening.as_ref().map(|opening| opening.ledger.usage());
        usage.unwrap_or_default()
    }

    fn opening(&self) -> Result<&Opening, Failure> {
        let none = || Failure::internal("a recipe with models was read without what opens them");
        self.opening.as_ref().ok_or_else(none)
    }

    /// Returns the description with the path of its folder.
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

/// Returns the identity that was found. If a model may not be fetched and is not on this machine, returns one that no
/// run has.
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

/// Returns the same means, without requests to the hub.
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

/// Returns an error with the position in the recipe that names the model.
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

/// Returns the sampling of chat models: their provider's defaults, except for the length of an answer (appendix A.3).
pub(crate) fn sampling(max_tokens: u32) -> Sampling {
    Sampling {
        max_tokens: Some(max_tokens),
        ..Sampling::default()
    }
}
