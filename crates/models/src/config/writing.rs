//! A model's description → a model that writes, ready for requests.

use std::sync::Arc;

use super::open::{Estimate, Opening, caller, endpoint, model_of, place, provider_of, revise};
use super::{ModelSpec, Source};
use crate::ModelError;
use crate::answered::{CachedWriter, answer_digest};
use crate::cache::Cache;
use crate::process::{ProcessWriter, Program};
use crate::remote::{RemoteWriter, most_tokens};
use crate::writer::{Prompt, Sampling, Writer};

/// Opens a model that writes: `openai:`, `openai+URL`, `anthropic:` or `process:`.
///
/// # Errors
/// [`ModelError::Unusable`] if the spec is not such a model, or its key is missing.
pub fn open_writer(
    spec: &ModelSpec,
    sampling: Sampling,
    opening: &Opening,
) -> Result<Box<dyn Writer>, ModelError> {
    let identity = writer_identity(spec, sampling)?;
    let inner: Box<dyn Writer> = match (&spec.source, provider_of(&spec.source).chat) {
        (Source::Process(command), _) => {
            let program = Program::new(command, spec.remote.timeout);
            let ledger = Arc::clone(&opening.ledger);
            Box::new(ProcessWriter {
                program,
                identity,
                sampling,
                ledger,
                name: spec.name.clone(),
                price: spec.price,
            })
        }
        (_, Some(api)) => {
            let endpoint = endpoint(spec, opening)?;
            Box::new(RemoteWriter {
                api,
                caller: caller(spec, opening, endpoint.provider),
                endpoint,
                identity,
                sampling,
                parallel: spec.remote.parallel.unwrap_or(4),
            })
        }
        _ => return Err(ModelError::cannot_write(&spec.name, spec.source.kind())),
    };
    let cache = match (&opening.cache, &opening.cassette) {
        (Some(cache), None) => Arc::clone(cache),
        _ => Arc::new(Cache::in_memory()?),
    };
    Ok(Box::new(CachedWriter {
        inner,
        cache,
        cassette: opening.cassette.clone(),
        ledger: Arc::clone(&opening.ledger),
        name: spec.name.clone(),
    }))
}

/// The [identity](Writer::identity) of a model that writes, without a key and without a request.
///
/// ```
/// use barecode_models::{ModelSpec, Sampling, writer_identity};
/// let spec: ModelSpec = "anthropic:claude-sonnet-4-5".parse()?;
/// let sampling = Sampling { max_tokens: Some(500), ..Sampling::default() };
/// assert_eq!(writer_identity(&spec, sampling)?, "write anthropic:claude-sonnet-4-5 max-tokens=500");
/// # Ok::<(), barecode_models::ModelError>(())
/// ```
///
/// # Errors
/// If the model writes no texts, or its server was given without the model's name.
pub fn writer_identity(spec: &ModelSpec, sampling: Sampling) -> Result<String, ModelError> {
    let place = match &spec.source {
        Source::Process(command) => format!("process:{command}"),
        source if source.is_remote() && provider_of(source).chat.is_some() => {
            let Some(model) = model_of(spec) else {
                let message = format!("{}: the server's model has no name", spec.name);
                return Err(ModelError::unusable(message).with_hint("name it: openai+URL#MODEL"));
            };
            place(spec, &model)
        }
        _ => return Err(ModelError::cannot_write(&spec.name, spec.source.kind())),
    };
    let mut identity = format!("write {place}");
    revise(&mut identity, spec);
    identity.push_str(&sampling.label());
    Ok(identity)
}

/// The largest cost of writing the answers to some prompts, with those that are cached left out; sends no request and
/// needs no key. Each answer is counted at its limit.
///
/// # Errors
/// If the model does not write, or the cache cannot be read.
pub fn estimate_writing(
    spec: &ModelSpec,
    sampling: Sampling,
    opening: &Opening,
    prompts: &[Prompt],
) -> Result<Estimate, ModelError> {
    let identity = writer_identity(spec, sampling)?;
    let mut keys: Vec<_> = prompts
        .iter()
        .map(|prompt| (answer_digest(&identity, prompt).bytes(), prompt))
        .collect();
    keys.sort_unstable_by_key(|(key, _)| *key);
    keys.dedup_by_key(|(key, _)| *key);
    if let (Some(cache), None) = (&opening.cache, &opening.cassette) {
        let asked: Vec<_> = keys.iter().map(|(key, _)| *key).collect();
        let mut kept = cache.has(&asked)?.into_iter();
        keys.retain(|_| !kept.next().unwrap_or(false));
    }
    let mut estimate = Estimate {
        texts: prompts.len(),
        new_texts: keys.len(),
        tokens_are_exact: false,
        ..Estimate::NOTHING
    };
    for (_, prompt) in keys {
        let tokens = most_tokens(&prompt.text, sampling);
        estimate.tokens += tokens.all();
        let dollars = spec
            .price
            .nano_dollars(tokens)
            .map(|nanos| nanos as f64 / 1e9);
        estimate.dollars = estimate.dollars.zip(dollars).map(|(a, b)| a + b);
    }
    Ok(estimate)
}
