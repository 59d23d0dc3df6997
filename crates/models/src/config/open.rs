//! A model's description → the model, ready for requests.
//!
//! Enters: a [`ModelSpec`] and an [`Opening`]: the network, the clock, the environment, the ledger, the cache. Leaves: an
//! encoder or a reranker with its prompts, its cache or its cassette around it. Keys are read here, from the
//! environment only, and go into requests only.
//!
//! With a cassette, no cache is read: the replay then has exactly the content of the cassette, and the recording has
//! all that was needed.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use super::{ModelSpec, Source};
use crate::cache::{Cache, Cached, CachedReranker, Progress, Scores, vector_key};
use crate::counted::Counted;
use crate::hub::Hub;
use crate::ledger::{Ledger, Price};
use crate::process::Process;
use crate::remote::{
    ANTHROPIC, Authorization, COHERE, COMPATIBLE, Caller, Cassette, ChatReranker, Endpoint, GEMINI,
    Http, JINA, Key, OPENAI, Pace, Provider, RemoteEncoder, RemoteReranker, Request, Retry, Stop,
    TEI, Transport, VOYAGE, estimated_tokens, public_address,
};
use crate::wrappers::{Prompted, prompted};
use crate::{Clock, Encoder, LocalModels, ModelError, Reranker, Side, SystemClock};
use barecode_records::guarded;

/// Returns the value of a variable of the environment.
pub type Environment = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// Receives the progress of each model: its name, and its progress.
pub type ModelListener = Arc<dyn Fn(&str, Progress) + Send + Sync>;

/// The environment in which models are opened; shared by all of them.
#[derive(Clone)]
pub struct Opening {
    /// The network.
    pub transport: Arc<dyn Transport>,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// The ledger of costs, with the budget.
    pub ledger: Arc<Ledger>,
    /// The cache of vectors; without one, equal texts of a run are still embedded once.
    pub cache: Option<Arc<Cache>>,
    /// The cassette that is recorded or replayed.
    pub cassette: Option<Arc<Cassette>>,
    /// Returns true if the user requested a stop.
    pub stop: Stop,
    /// The environment, by name.
    pub environment: Environment,
    /// The number and length of tries.
    pub retry: Retry,
    /// The loader of models from folders of this machine.
    pub local: Option<Arc<dyn LocalModels>>,
    /// Receives the progress of each model: its name, and its progress.
    pub listener: Option<ModelListener>,
}

impl Opening {
    /// The real world: the network with `SSL_CERT_FILE` and proxies honored, the machine's clock, the process's
    /// environment; an empty ledger without a budget, no cache, no cassette, no local models.
    ///
    /// ```no_run
    /// use std::sync::Arc;
    /// use barecode_models::{Budget, Cache, Encoder, Ledger, ModelSpec, Opening, Side, open_encoder};
    /// let mut opening = Opening::new()?;
    /// opening.ledger = Arc::new(Ledger::new(Budget { dollars: Some(2.0), tokens: None }));
    /// opening.cache = Some(Arc::new(Cache::open("vectors.sqlite".as_ref(), None, &*opening.clock)?));
    /// let spec: ModelSpec = "voyage:voyage-code-3".parse()?;
    /// let encoder = open_encoder(&spec, &opening)?;
    /// let vectors = encoder.encode(Side::Document, &["int main(void) { return 0; }"])?;
    /// println!("{} numbers, {:?}", vectors.dimensions, opening.ledger.usage());
    /// # Ok::<(), barecode_models::ModelError>(())
    /// ```
    ///
    /// # Errors
    /// If `SSL_CERT_FILE` names no certificates.
    pub fn new() -> Result<Self, ModelError> {
        let environment = |name: &str| std::env::var(name).ok();
        let certificates = match environment("SSL_CERT_FILE") {
            None => None,
            Some(path) => {
                let path = Path::new(&path);
                Some(guarded::text(path).map_err(ModelError::io("read", path))?)
            }
        };
        Ok(Opening {
            transport: Arc::new(Http::new(certificates.as_deref())?),
            clock: Arc::new(SystemClock::new()),
            ledger: Arc::default(),
            cache: None,
            cassette: None,
            stop: Arc::new(|| false),
            environment: Arc::new(environment),
            retry: Retry::default(),
            local: None,
            listener: None,
        })
    }

    /// The first of some variables that is set.
    fn key(&self, names: &[&str]) -> Option<Key> {
        names
            .iter()
            .find_map(|name| (self.environment)(name).and_then(|text| Key::new(&text)))
    }
}

/// Checks that the folder of a model exists, or its repository on the hub; loads no weights and fetches nothing.
///
/// No request is sent to other servers: their answers may be cached.
///
/// # Errors
/// [`ModelError::Unusable`] if the folder does not exist, or has no model that can be read; [`ModelError::Remote`] if
/// the hub has no such repository, or cannot be reached.
pub fn look_for(spec: &ModelSpec, opening: &Opening) -> Result<(), ModelError> {
    match (&spec.source, on_the_hub(spec, opening)) {
        (Source::Local(folder), _) => match &opening.local {
            Some(local) => local.count(folder, spec, Side::Query, &[]).map(drop),
            None => Ok(()),
        },
        (_, Some((repository, revision))) => Hub::new(opening)?.has(repository, revision),
        _ => Ok(()),
    }
}

/// The folder of a model on this machine; one of the hub is downloaded if it is missing.
///
/// # Errors
/// [`ModelError::Unusable`] if the spec is neither a folder nor of the hub; the refusals of the hub.
pub fn model_folder(spec: &ModelSpec, opening: &Opening) -> Result<PathBuf, ModelError> {
    match &spec.source {
        Source::Local(folder) => Ok(folder.clone()),
        Source::Hub(_) => hub_folder(spec, opening),
        other => Err(ModelError::without_folder(&spec.name, other.kind())),
    }
}

/// Opens an embedding model.
///
/// # Errors
/// [`ModelError::Unusable`] if the spec is not an embedding model, or something that it needs (a key, a folder) is
/// missing; [`ModelError::Remote`] if the hub or the server refuses.
pub fn open_encoder(spec: &ModelSpec, opening: &Opening) -> Result<Box<dyn Encoder>, ModelError> {
    let encoder: Box<dyn Encoder> = match &spec.source {
        Source::Local(path) => counted(local(path, spec, opening)?, spec, opening),
        Source::Hub(_) => {
            let folder = hub_folder(spec, opening)?;
            counted(local(&folder, spec, opening)?, spec, opening)
        }
        Source::Process(command) => {
            let (revision, timeout) = (spec.revision.as_deref(), spec.remote.timeout);
            counted(
                Box::new(Process::new(command, revision, timeout)),
                spec,
                opening,
            )
        }
        source if source.is_remote() => {
            let Some(api) = &provider_of(source).embedding else {
                return Err(ModelError::cannot_embed(&spec.name, spec.source.kind()));
            };
            let endpoint = endpoint(spec, opening)?;
            let (texts, tokens) = (api.limits)(&endpoint.model);
            Box::new(RemoteEncoder {
                api,
                identity: identity(spec, &endpoint),
                most_texts: spec.remote.batch_texts.unwrap_or(texts),
                most_tokens: spec.remote.batch_tokens.unwrap_or(tokens),
                parallel: spec.remote.parallel.unwrap_or(4),
                cassette: opening.cassette.clone(),
                dimensions: AtomicUsize::new(0),
                caller: caller(spec, opening, endpoint.provider),
                endpoint,
            })
        }
        _ => return Err(ModelError::cannot_embed(&spec.name, spec.source.kind())),
    };
    let cache = match (&opening.cache, &opening.cassette) {
        (Some(cache), None) => Arc::clone(cache),
        _ => Arc::new(Cache::in_memory()?),
    };
    let mut cached = Cached::new(encoder, cache, Arc::clone(&opening.ledger), &spec.name);
    if let Some(listener) = &opening.listener {
        let listener = Arc::clone(listener);
        let name = spec.name.clone();
        cached = cached.on_progress(move |progress| listener(&name, progress));
    }
    // A local model sets its own prompts, which may be those that it was published with.
    if spec.source.is_remote() || matches!(spec.source, Source::Process(_)) {
        let of = |prompt: &Option<String>| prompt.clone().unwrap_or_default();
        let (query, document) = (of(&spec.query_prompt), of(&spec.document_prompt));
        if !(query.is_empty() && document.is_empty()) {
            return Ok(Box::new(Prompted::new(cached, &query, &document)));
        }
    }
    Ok(Box::new(cached))
}

/// Opens a reranker: `local:` and `hf:` have cross-encoders, `tei:`, `cohere:`, `voyage:` and `jina:` have rerank models, `openai:` and `openai+URL` chat
/// models that order lists.
///
/// # Errors
/// As for [`open_encoder`].
pub fn open_reranker(spec: &ModelSpec, opening: &Opening) -> Result<Box<dyn Reranker>, ModelError> {
    let folder = match &spec.source {
        Source::Local(path) => Some(path.clone()),
        Source::Hub(_) if opening.local.is_some() => Some(hub_folder(spec, opening)?),
        _ => None,
    };
    if let (Some(folder), Some(local)) = (folder, &opening.local) {
        let reranker = Counted::new(local.reranker(&folder, spec)?, &spec.name, opening);
        return Ok(kept(Box::new(reranker), Scores::OfPairs, spec, opening));
    }
    let provider = provider_of(&spec.source);
    if !spec.source.is_remote() || (provider.rerank.is_none() && provider.chat.is_none()) {
        return Err(ModelError::cannot_rerank(&spec.name, spec.source.kind()));
    }
    let endpoint = endpoint(spec, opening)?;
    let caller = caller(spec, opening, endpoint.provider);
    let mut identity = format!("rerank {}", place(spec, &endpoint.model));
    revise(&mut identity, spec);
    if let (None, Some(api)) = (&endpoint.provider.rerank, endpoint.provider.chat) {
        // About 1,000 tokens of each of the 20 texts that the model sees at once.
        let tokens = spec.max_length.unwrap_or(1000) as usize;
        write!(identity, " windows=20/10 shown={tokens}").expect("memory takes any text");
        let reranker = ChatReranker {
            api,
            endpoint,
            caller,
            identity,
            longest_text: tokens * 3,
            cassette: opening.cassette.clone(),
        };
        return Ok(kept(Box::new(reranker), Scores::OfLists, spec, opening));
    }
    let Some(api) = &endpoint.provider.rerank else {
        return Err(ModelError::cannot_embed(&spec.name, spec.source.kind()));
    };
    let (texts, tokens) = (api.limits)(&endpoint.model);
    let reranker = RemoteReranker {
        identity,
        most_texts: spec.remote.batch_texts.unwrap_or(texts),
        most_tokens: spec.remote.batch_tokens.unwrap_or(tokens),
        cassette: opening.cassette.clone(),
        caller,
        api,
        endpoint,
    };
    Ok(kept(Box::new(reranker), Scores::OfPairs, spec, opening))
}

/// A reranker with the cache around it, if there is one.
fn kept(
    reranker: Box<dyn Reranker>,
    scores: Scores,
    spec: &ModelSpec,
    opening: &Opening,
) -> Box<dyn Reranker> {
    let (Some(cache), None) = (&opening.cache, &opening.cassette) else {
        return reranker;
    };
    Box::new(CachedReranker::new(
        reranker,
        scores,
        Arc::clone(cache),
        Arc::clone(&opening.ledger),
        &spec.name,
    ))
}

/// The estimated cost of a call, before anything is sent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// Texts of the call.
    pub texts: usize,
    /// Those of them that the model would read: not cached, each once. Cached entries are known for servers only; for
    /// a model on this machine it would need its weights.
    pub new_texts: usize,
    /// Tokens of these.
    pub tokens: u64,
    /// True if the model's own tokenizer counted the tokens, as it does for a model on this machine; otherwise they
    /// are estimated from bytes, because providers' tokenizers are not available.
    pub tokens_are_exact: bool,
    /// Dollars, if a price is known.
    pub dollars: Option<f64>,
}

impl Estimate {
    /// No text at all.
    pub const NOTHING: Estimate = Estimate {
        texts: 0,
        new_texts: 0,
        tokens: 0,
        tokens_are_exact: true,
        dollars: Some(0.0),
    };

    /// Both together; without a price of one of them there is none.
    #[must_use]
    pub fn and(self, other: Estimate) -> Estimate {
        Estimate {
            texts: self.texts + other.texts,
            new_texts: self.new_texts + other.new_texts,
            tokens: self.tokens + other.tokens,
            tokens_are_exact: self.tokens_are_exact && other.tokens_are_exact,
            dollars: self.dollars.zip(other.dollars).map(|(a, b)| a + b),
        }
    }
}

/// The cost of embedding some texts; sends no request, needs no key, and loads no weights.
///
/// ```
/// use barecode_models::{ModelSpec, Opening, Side, estimate};
/// let spec: ModelSpec = "openai:text-embedding-3-large".parse()?;
/// let estimate = estimate(&spec, &Opening::new()?, Side::Document, &["int x;", "int x;", "int y;"])?;
/// assert_eq!((estimate.texts, estimate.new_texts, estimate.tokens), (3, 2, 4));
/// assert_eq!(estimate.dollars, Some(0.00000052));
/// # Ok::<(), barecode_models::ModelError>(())
/// ```
///
/// # Errors
/// If the cache cannot be read, or the folder of a model on this machine has no tokenizer that fits.
pub fn estimate(
    spec: &ModelSpec,
    opening: &Opening,
    side: Side,
    texts: &[&str],
) -> Result<Estimate, ModelError> {
    let counter = counter(spec, opening)?;
    let prompt = match side {
        Side::Query => spec.query_prompt.as_deref(),
        Side::Document => spec.document_prompt.as_deref(),
    };
    // A model on this machine sets its prompts itself, before it counts.
    let prompt = prompt.filter(|_| counter.is_none()).unwrap_or("");
    let mut distinct: Vec<String> = texts.iter().map(|text| format!("{prompt}{text}")).collect();
    distinct.sort_unstable();
    distinct.dedup();
    if spec.source.is_remote()
        && let (Some(cache), None) = (&opening.cache, &opening.cassette)
    {
        let identity = identity(spec, &without_key(spec, model_of(spec).unwrap_or_default()));
        let keys: Vec<_> = distinct
            .iter()
            .map(|text| vector_key(&identity, side, text))
            .collect();
        let mut kept = cache.has(&keys)?.into_iter();
        distinct.retain(|_| !kept.next().unwrap_or(false));
    }
    let tokens = match &counter {
        Some((local, folder)) => {
            let texts: Vec<&str> = distinct.iter().map(String::as_str).collect();
            local
                .count(folder, spec, side, &texts)?
                .into_iter()
                .map(u64::from)
                .sum()
        }
        None => distinct.iter().map(|text| estimated_tokens(text)).sum(),
    };
    Ok(Estimate {
        texts: texts.len(),
        new_texts: distinct.len(),
        tokens,
        tokens_are_exact: counter.is_some(),
        dollars: Price::nano_dollars(spec.price, tokens).map(|nanos| nanos as f64 / 1e9),
    })
}

fn local(path: &Path, spec: &ModelSpec, opening: &Opening) -> Result<Box<dyn Encoder>, ModelError> {
    let Some(local) = &opening.local else {
        return Err(ModelError::unusable(format!(
            "{}: nothing here loads models from folders",
            spec.name
        )));
    };
    local.encoder(path, spec)
}

/// A model that does not book its work by itself.
fn counted(inner: Box<dyn Encoder>, spec: &ModelSpec, opening: &Opening) -> Box<dyn Encoder> {
    Box::new(Counted::new(inner, &spec.name, opening))
}

/// The folder of a repository of the hub, downloaded if it is missing.
fn hub_folder(spec: &ModelSpec, opening: &Opening) -> Result<PathBuf, ModelError> {
    let Some((repository, revision)) = on_the_hub(spec, opening) else {
        return Err(ModelError::cannot_embed(&spec.name, spec.source.kind()));
    };
    Hub::new(opening)?.folder(repository, revision)
}

/// The repository of a model of the hub, and its revision: the requested one, else the one that has the weights in a
/// readable form, else `main`.
fn on_the_hub<'a>(spec: &'a ModelSpec, opening: &Opening) -> Option<(&'a str, &'a str)> {
    let Source::Hub(repository) = &spec.source else {
        return None;
    };
    let (repository, revision) = repository
        .split_once('@')
        .map_or((repository.as_str(), None), |(name, revision)| {
            (name, Some(revision))
        });
    let converted = || opening.local.as_ref()?.revision(repository);
    let revision = spec.revision.as_deref().or(revision).or_else(converted);
    Some((repository, revision.unwrap_or("main")))
}

/// The counter of a model's tokens, if it is on this machine: in its folder, or in an earlier download from the hub.
fn counter<'a>(
    spec: &ModelSpec,
    opening: &'a Opening,
) -> Result<Option<(&'a dyn LocalModels, PathBuf)>, ModelError> {
    let Some(local) = opening.local.as_deref() else {
        return Ok(None);
    };
    let folder = match (&spec.source, on_the_hub(spec, opening)) {
        (Source::Local(path), _) => path.clone(),
        (_, Some((repository, revision))) => {
            let fetched = Hub::new(opening)?.fetched(repository, revision);
            match fetched.filter(|folder| folder.join("tokenizer.json").exists()) {
                Some(folder) => folder,
                None => return Ok(None),
            }
        }
        _ => return Ok(None),
    };
    Ok(Some((local, folder)))
}

/// The provider of the server that a model is on.
pub(super) fn provider_of(source: &Source) -> &'static Provider {
    match source {
        Source::OpenAi(_) => &OPENAI,
        Source::Anthropic(_) => &ANTHROPIC,
        Source::Voyage(_) => &VOYAGE,
        Source::Cohere(_) => &COHERE,
        Source::Jina(_) => &JINA,
        Source::Gemini(_) => &GEMINI,
        Source::Tei(_) => &TEI,
        _ => &COMPATIBLE,
    }
}

/// The model's name for its server, if it is known without a request.
pub(super) fn model_of(spec: &ModelSpec) -> Option<String> {
    match &spec.source {
        Source::Compatible { model, .. } => model.clone(),
        source => Some(source.model().unwrap_or_default().to_owned()),
    }
}

/// The endpoint of a model at its provider's address or the given one, as long as no key is needed.
fn without_key(spec: &ModelSpec, model: String) -> Endpoint {
    let provider = provider_of(&spec.source);
    let own = spec.remote.url.as_deref();
    let base = match &spec.source {
        Source::Compatible { url, .. } | Source::Tei(url) => url,
        _ => own.or(provider.base).unwrap_or_default(),
    };
    Endpoint {
        provider,
        base: base.to_owned(),
        authorization: Authorization::None,
        model,
        dimensions: spec.dimensions,
        normalize: spec.normalize.unwrap_or(true),
    }
}

pub(super) fn endpoint(spec: &ModelSpec, opening: &Opening) -> Result<Endpoint, ModelError> {
    let mut endpoint = without_key(spec, String::new());
    let provider = endpoint.provider;
    let key = match &spec.remote.key_variable {
        Some(name) => opening.key(&[name]),
        None => opening.key(provider.key_names),
    };
    let is_replay = opening
        .cassette
        .as_ref()
        .is_some_and(|cassette| !cassette.is_recording());
    let is_own = spec.remote.url.is_some();
    if key.is_none()
        && !is_replay
        && (spec.remote.key_variable.is_some() || (provider.needs_key && !is_own))
    {
        let names = spec
            .remote
            .key_variable
            .clone()
            .unwrap_or_else(|| provider.key_names.join(" or "));
        return Err(
            ModelError::unusable(format!("{}: no key for {}", spec.name, provider.name))
                .with_hint(format!("set {names} in the environment")),
        );
    }
    endpoint.authorization = match (key, &spec.source) {
        (None, _) => Authorization::None,
        (Some(key), Source::Gemini(_)) => Authorization::Header("x-goog-api-key", key),
        (Some(key), Source::Anthropic(_)) => Authorization::Header("x-api-key", key),
        (Some(key), _) => Authorization::Bearer(key),
    };
    endpoint.model = match model_of(spec) {
        Some(model) => model,
        None => only_model(&endpoint.base, &endpoint.authorization, spec, opening)?,
    };
    Ok(endpoint)
}

/// The name of the only model that a server has.
fn only_model(
    base: &str,
    authorization: &Authorization,
    spec: &ModelSpec,
    opening: &Opening,
) -> Result<String, ModelError> {
    let request = Request::get(&format!("{base}/models"), authorization);
    let unusable = |why: &str| {
        ModelError::unusable(authorization.scrub(&format!(
            "{} at {}: {why}",
            spec.name,
            public_address(&request.url)
        )))
        .with_hint("name the model: openai+URL#MODEL")
    };
    let response = opening
        .transport
        .send(&request)
        .map_err(|broken| unusable(&broken.to_string()))?;
    let body: serde_json::Value = serde_json::from_slice(&response.body)
        .map_err(|_| unusable(&format!("status {} and no JSON", response.status)))?;
    let ids: Vec<&str> = body
        .get("data")
        .and_then(serde_json::Value::as_array)
        .map(|models| {
            models
                .iter()
                .filter_map(|model| model.get("id").and_then(serde_json::Value::as_str))
                .collect()
        })
        .unwrap_or_default();
    match ids.as_slice() {
        [one] => Ok((*one).to_owned()),
        [] => Err(unusable("the server lists no models")),
        several => Err(unusable(&format!(
            "the server has several models: {}",
            several.join(", ")
        ))),
    }
}

/// The model and its location, as identities begin; a provider's own address is left out.
pub(super) fn place(spec: &ModelSpec, model: &str) -> String {
    match (&spec.source, &spec.remote.url) {
        (Source::Compatible { url, .. }, _) => format!("openai+{}#{model}", public_address(url)),
        (Source::Tei(url), _) => format!("tei:{}", public_address(url)),
        (source, None) => format!("{}:{model}", source.kind()),
        (source, Some(url)) => format!("{}+{}#{model}", source.kind(), public_address(url)),
    }
}

fn identity(spec: &ModelSpec, endpoint: &Endpoint) -> String {
    let mut identity = place(spec, &endpoint.model);
    revise(&mut identity, spec);
    if let Some(dimensions) = spec.dimensions {
        write!(identity, " dimensions={dimensions}").expect("memory takes any text");
    }
    let embedding = &endpoint.provider.embedding;
    let variant = embedding.as_ref().map_or("", |api| (api.variant)(endpoint));
    if !variant.is_empty() {
        identity.push(' ');
        identity.push_str(variant);
    }
    identity
}

/// The [identity](Encoder::identity) of a server's model, without a key and without a request. `None` if it needs
/// more than its description: weights, or the name of a server's only model.
///
/// ```
/// let spec: barecode_models::ModelSpec = "voyage:voyage-code-3".parse()?;
/// let identity = barecode_models::known_identity(&spec)?.unwrap();
/// assert!(identity.starts_with("voyage:voyage-code-3"), "{identity}");
/// # Ok::<(), barecode_models::ModelError>(())
/// ```
///
/// # Errors
/// If the model embeds no texts.
pub fn known_identity(spec: &ModelSpec) -> Result<Option<String>, ModelError> {
    if !spec.source.is_remote() {
        return Ok(None);
    }
    let Some(model) = model_of(spec) else {
        return Ok(None);
    };
    let identity = identity(spec, &without_key(spec, model));
    let of = |prompt: &Option<String>| prompt.clone().unwrap_or_default();
    let (query, document) = (of(&spec.query_prompt), of(&spec.document_prompt));
    Ok(Some(prompted(&identity, &query, &document)))
}

pub(super) fn revise(identity: &mut String, spec: &ModelSpec) {
    if let Some(revision) = &spec.revision {
        write!(identity, " revision={revision}").expect("memory takes any text");
    }
}

pub(super) fn caller(spec: &ModelSpec, opening: &Opening, provider: &Provider) -> Caller {
    let mut retry = opening.retry;
    if let Some(timeout) = spec.remote.timeout {
        retry.timeout = timeout;
    }
    retry.deadline = spec.remote.deadline.or(retry.deadline);
    Caller {
        model: spec.name.clone(),
        transport: Arc::clone(&opening.transport),
        clock: Arc::clone(&opening.clock),
        ledger: Arc::clone(&opening.ledger),
        price: spec.price,
        pace: Pace::new(spec.remote.limits),
        retry,
        stop: Arc::clone(&opening.stop),
        key_names: provider.key_names,
        started: opening.clock.elapsed(),
        reached: std::sync::atomic::AtomicBool::new(false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_models;

    /// Knows one repository whose weights are in another revision.
    struct Converted;

    impl LocalModels for Converted {
        fn encoder(&self, _: &Path, spec: &ModelSpec) -> Result<Box<dyn Encoder>, ModelError> {
            Err(ModelError::cannot_embed(&spec.name, spec.source.kind()))
        }

        fn reranker(&self, _: &Path, spec: &ModelSpec) -> Result<Box<dyn Reranker>, ModelError> {
            Err(ModelError::cannot_embed(&spec.name, spec.source.kind()))
        }

        fn count(
            &self,
            _: &Path,
            _: &ModelSpec,
            _: Side,
            texts: &[&str],
        ) -> Result<Vec<u32>, ModelError> {
            Ok(vec![1; texts.len()])
        }

        fn revision(&self, repository: &str) -> Option<&'static str> {
            (repository == "codesage/codesage-large").then_some("refs/pr/5")
        }
    }

    #[test]
    fn weights_are_looked_for_where_they_are_in_a_form_that_is_read() {
        let mut opening = Opening::new().unwrap();
        opening.local = Some(Arc::new(Converted));
        let at = |form: &str| {
            let mut spec: ModelSpec = form.parse().unwrap();
            let short = on_the_hub(&spec, &opening).unwrap().1.to_owned();
            spec.revision = Some("v9".to_owned());
            assert_eq!(on_the_hub(&spec, &opening).unwrap().1, "v9");
            short
        };
        assert_eq!(at("hf:intfloat/e5-base-v2"), "main");
        assert_eq!(at("hf:codesage/codesage-large"), "refs/pr/5");
        assert_eq!(at("hf:codesage/codesage-large@main"), "main");
    }

    #[test]
    fn an_identity_that_is_known_without_a_key_is_that_of_the_model() {
        let mut specs: Vec<ModelSpec> = [
            "openai:text-embedding-3-small",
            "voyage:voyage-code-3",
            "cohere:embed-v4.0",
            "jina:jina-embeddings-v3",
            "gemini:gemini-embedding-001",
            "tei:http://localhost:1",
            "openai+http://localhost:1/v1#bge-m3",
        ]
        .map(|name| name.parse().unwrap())
        .to_vec();
        let table = "[[model]]\nname = 'a'\nkind = 'voyage'\nmodel = 'v'\nurl = 'http://localhost:1'\ndimensions = 8\n\
                     revision = '1'\nquery-prompt = 'q: '\n";
        specs.extend(parse_models("m.toml", table).unwrap());
        let mut opening = Opening::new().unwrap();
        opening.environment = Arc::new(|name| name.ends_with("_KEY").then(|| "k".to_owned()));
        for spec in &specs {
            let encoder = open_encoder(spec, &opening).unwrap();
            let known = known_identity(spec).unwrap().unwrap();
            assert_eq!(known, encoder.identity(), "{}", spec.name);
        }
        for unknown in ["local:here", "hf:a/b", "openai+http://localhost:1/v1"] {
            let spec: ModelSpec = unknown.parse().unwrap();
            assert_eq!(known_identity(&spec).unwrap(), None, "{unknown}");
        }
    }
}
