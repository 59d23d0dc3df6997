//! A `[[model]]` table as it is written: every option may be missing.
//!
//! Read, it becomes a [`ModelSpec`], or a problem with one of its options. An option that means nothing for a kind of
//! model is an error, not ignored: a prompt that is never read is a wrong score. Written, it has the specified
//! options of a model and no more, and reading it gives the same model again. Keys of providers are in no table.

use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value, json};

use super::described::Refused;
use super::short::{address, compatible, source_of};
use super::{Dtype, ModelSpec, Pooling, Source};
use crate::Similarity;
use crate::ledger::Price;

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Table {
    name: Option<String>,
    kind: String,
    model: Option<String>,
    path: Option<String>,
    url: Option<String>,
    command: Option<String>,
    file: Option<String>,
    revision: Option<String>,
    pooling: Option<Pooling>,
    normalize: Option<bool>,
    query_prompt: Option<String>,
    document_prompt: Option<String>,
    max_length: Option<NonZeroU32>,
    dimensions: Option<NonZeroU32>,
    device: Option<String>,
    dtype: Option<Dtype>,
    similarity: Option<Similarity>,
    price: Option<FromZero>,
    output_price: Option<FromZero>,
    price_per_thousand_requests: Option<FromZero>,
    key_variable: Option<String>,
    batch_texts: Option<NonZeroU32>,
    batch_tokens: Option<NonZeroU32>,
    parallel: Option<NonZeroU32>,
    requests_per_minute: Option<AboveZero>,
    tokens_per_minute: Option<AboveZero>,
    timeout: Option<AboveZero>,
    deadline: Option<AboveZero>,
}

/// A price.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(try_from = "f64")]
struct FromZero(f64);

impl TryFrom<f64> for FromZero {
    type Error = String;

    fn try_from(number: f64) -> Result<Self, String> {
        let fits = number.is_finite() && number >= 0.0;
        fits.then_some(FromZero(number))
            .ok_or_else(|| format!("{number}, expected a number from 0 up"))
    }
}

/// Seconds, or a number a minute.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(try_from = "f64")]
struct AboveZero(f64);

impl TryFrom<f64> for AboveZero {
    type Error = String;

    fn try_from(number: f64) -> Result<Self, String> {
        let fits = number.is_finite() && number > 0.0;
        fits.then_some(AboveZero(number))
            .ok_or_else(|| format!("{number}, expected a number above 0"))
    }
}

/// The model that a table describes, whose kind is known.
pub(super) fn of_model<'de, D: Deserializer<'de>, T: From<ModelSpec>>(
    table: D,
) -> Result<Result<T, Refused>, D::Error> {
    Ok(Table::deserialize(table)?.read().map(T::from))
}

impl Table {
    /// The options that are written.
    fn said(&self) -> Map<String, Value> {
        let mut said = match json!(self) {
            Value::Object(said) => said,
            _ => Map::new(),
        };
        said.retain(|_, value| !value.is_null());
        said
    }

    /// The source that the options `kind`, `model`, `path`, `url`, `command` and `file` describe together.
    fn source(&self) -> Result<Source, Refused> {
        let kind = self.kind.as_str();
        if let ("openai", Some(url)) = (kind, &self.url) {
            return compatible(url, self.model.as_deref()).map_err(|why| Refused::new("url", why));
        }
        let (key, rest) = match kind {
            "local" => ("path", &self.path),
            "tei" => ("url", &self.url),
            "process" => ("command", &self.command),
            "vectors" | "run" => ("file", &self.file),
            _ => ("model", &self.model),
        };
        let Some(rest) = rest else {
            return Err(Refused::new(key, format!("this model has no `{key}`")));
        };
        source_of(kind, rest).map_err(|why| Refused::new(key, why))
    }

    /// The model that is described.
    fn read(self) -> Result<ModelSpec, Refused> {
        let source = self.source()?;
        for key in self.said().keys() {
            if !means_something(key, &source) {
                let why = format!("a model of kind `{}` has no `{key}`", source.kind());
                return Err(Refused::new(key, why));
            }
        }
        if let Some(device) = self.device.filter(|device| device != "cpu") {
            let why = format!("`device` is `{device}`, but local models compute on the processor");
            return Err(Refused {
                hint: Some(
                    "a server computes on a card: serve the model with TEI or vLLM, and name its URL \
                     (`kind = \"tei\"` or `kind = \"openai\"`, with `url`)",
                ),
                ..Refused::new("device", why)
            });
        }
        let name = match (self.name, source.model()) {
            (Some(name), _) if name.trim().is_empty() => {
                return Err(Refused::new("name", "the name is empty"));
            }
            (Some(name), _) => name,
            (None, Some(model)) => model.to_owned(),
            (None, None) => return Err(Refused::new("name", "this model has no `name`")),
        };
        let mut spec = ModelSpec::new(&name, source);
        spec.revision = self.revision;
        spec.pooling = self.pooling;
        spec.normalize = self.normalize;
        spec.query_prompt = self.query_prompt;
        spec.document_prompt = self.document_prompt;
        spec.max_length = self.max_length.map(NonZeroU32::get);
        spec.dimensions = self.dimensions.map(NonZeroU32::get);
        spec.dtype = self.dtype;
        spec.similarity = self.similarity.unwrap_or_default();
        if let Some(FromZero(price)) = self.price {
            spec.price = Price {
                million_tokens: Some(price),
                ..Price::default()
            };
        }
        if let Some(FromZero(price)) = self.price_per_thousand_requests {
            spec.price.thousand_requests = Some(price);
        }
        if let Some(FromZero(price)) = self.output_price {
            spec.price.million_output_tokens = Some(price);
        }
        let remote = &mut spec.remote;
        let has_address = matches!(spec.source, Source::Compatible { .. } | Source::Tei(_));
        if let (Some(url), false) = (self.url, has_address) {
            remote.url = Some(address(&url).map_err(|why| Refused::new("url", why))?);
        }
        let count = |number: Option<NonZeroU32>| number.map(|number| number.get() as usize);
        remote.key_variable = self.key_variable;
        remote.batch_texts = count(self.batch_texts);
        remote.batch_tokens = self.batch_tokens.map(|number| number.get().into());
        remote.parallel = count(self.parallel);
        remote.limits.requests_per_minute = self.requests_per_minute.map(|number| number.0);
        remote.limits.tokens_per_minute = self.tokens_per_minute.map(|number| number.0);
        let seconds = |key, number: Option<AboveZero>| match number {
            None => Ok(None),
            Some(AboveZero(seconds)) => Duration::try_from_secs_f64(seconds)
                .map(Some)
                .map_err(|_| Refused::new(key, format!("{seconds} seconds are too many"))),
        };
        remote.timeout = seconds("timeout", self.timeout)?;
        remote.deadline = seconds("deadline", self.deadline)?;
        Ok(spec)
    }
}

/// Returns `true` if an option means something for a model.
fn means_something(option: &str, source: &Source) -> bool {
    let is_folder = matches!(source, Source::Local(_) | Source::Hub(_));
    let is_process = matches!(source, Source::Process(_));
    let is_anthropic = matches!(source, Source::Anthropic(_));
    let is_openai = matches!(source, Source::OpenAi(_) | Source::Compatible { .. });
    match option {
        "name" | "kind" => true,
        "model" => source.model().is_some() || is_openai,
        "path" => matches!(source, Source::Local(_)),
        "command" => is_process,
        "file" => matches!(source, Source::Vectors(_) | Source::Run(_)),
        "pooling" | "device" => is_folder,
        "normalize" => is_folder || matches!(source, Source::Tei(_)),
        // A chat model that reranks is shown this much of a text.
        "max-length" => is_folder || is_openai || is_anthropic,
        "dimensions" if matches!(source, Source::Vectors(_)) => true,
        "query-prompt" | "document-prompt" | "dimensions" => {
            source.is_remote() && !is_anthropic || is_folder || is_process
        }
        "output-price" => is_openai || is_anthropic || is_process,
        "dtype" | "similarity" | "revision" => {
            source.embeds() || matches!(source, Source::Vectors(_))
        }
        "price" => source.is_remote() || is_folder || is_process,
        "timeout" => source.is_remote() || is_process,
        _ => source.is_remote(),
    }
}

impl ModelSpec {
    /// The model as a table of `models.toml`, so that a recipe can be written out whole.
    ///
    /// ```
    /// let spec: barecode_models::ModelSpec = "hf:intfloat/e5-base-v2".parse()?;
    /// let table = spec.to_table();
    /// assert_eq!(table["kind"], "hf");
    /// assert_eq!(table["model"], "intfloat/e5-base-v2");
    /// # Ok::<(), barecode_models::ModelError>(())
    /// ```
    pub fn to_table(&self) -> Map<String, Value> {
        let spec = self.clone();
        let number = |number: Option<u32>| number.and_then(NonZeroU32::new);
        let count = |number: Option<usize>| {
            number.and_then(|number| NonZeroU32::new(u32::try_from(number).ok()?))
        };
        let seconds = |time: Option<Duration>| time.map(|time| AboveZero(time.as_secs_f64()));
        // A free model does not need a price, and some kinds have none.
        let is_usual = spec.price == ModelSpec::new(&spec.name, spec.source.clone()).price;
        let price = |dollars: Option<f64>| dollars.filter(|_| !is_usual).map(FromZero);
        let mut table = Table {
            name: Some(spec.name),
            kind: spec.source.kind().to_owned(),
            model: spec.source.model().map(str::to_owned),
            url: spec.remote.url,
            revision: spec.revision,
            pooling: spec.pooling,
            normalize: spec.normalize,
            query_prompt: spec.query_prompt,
            document_prompt: spec.document_prompt,
            max_length: number(spec.max_length),
            dimensions: number(spec.dimensions),
            dtype: spec.dtype,
            similarity: Some(spec.similarity).filter(|it| *it != Similarity::Cosine),
            price: price(spec.price.million_tokens),
            output_price: price(spec.price.million_output_tokens),
            price_per_thousand_requests: price(spec.price.thousand_requests),
            key_variable: spec.remote.key_variable,
            batch_texts: count(spec.remote.batch_texts),
            batch_tokens: count(
                spec.remote
                    .batch_tokens
                    .and_then(|n| usize::try_from(n).ok()),
            ),
            parallel: count(spec.remote.parallel),
            requests_per_minute: spec.remote.limits.requests_per_minute.map(AboveZero),
            tokens_per_minute: spec.remote.limits.tokens_per_minute.map(AboveZero),
            timeout: seconds(spec.remote.timeout),
            deadline: seconds(spec.remote.deadline),
            ..Table::default()
        };
        let text = |path: PathBuf| Some(path.display().to_string());
        match spec.source {
            Source::Compatible { url, .. } | Source::Tei(url) => table.url = Some(url),
            Source::Local(path) => table.path = text(path),
            Source::Process(command) => table.command = Some(command),
            Source::Vectors(file) | Source::Run(file) => table.file = text(file),
            _ => {}
        }
        table.said()
    }
}
