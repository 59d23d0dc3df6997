//! `[[queries.write]]` and `[queries.align]`: the models that write queries, their prompts, and the requirements on
//! queries.
//!
//! A writer is a short form (`write = ["openai:gpt-4o"]`) or a table. Its name is the name of its set of queries, which
//! becomes part of the names of subsets.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;
use std::path::Path;

use barecode_models::{ModelError, Sampling, writer_identity};
use barecode_queries::{Leaking, Prompts, WrittenConfig};
use barecode_records::{Leak, Query, guarded};
use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use toml::Spanned;

use super::models::{Known, RecipeModel};
use super::recipe_text::{RecipeText, check_file_name};
use barecode_runs::exit::Failure;

/// The most tokens of a prompt for the code that the function needs, by the estimate of three bytes a token.
const CONTEXT_TOKENS: u32 = 6000;
/// Tokens at which an answer is cut: models that think need room for it.
const MAX_TOKENS: u32 = 4096;
/// Bytes of a token, as providers' tokenizers cut code.
const BYTES: usize = 3;

/// One set of written queries, checked.
#[derive(Debug, Clone)]
pub struct QueryWriter {
    /// Its configuration, with every default.
    pub config: WriterConfig,
    /// The prompts of the models.
    pub prompts: Prompts,
    /// The models that write; functions are shared out among several.
    pub models: Vec<RecipeModel>,
}

/// The configuration of a set.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct WriterConfig {
    /// The name of the set.
    pub name: String,
    models: Vec<String>,
    prompts: String,
    examples: Option<String>,
    temperature: Option<f64>,
    seed: Option<u64>,
    max_tokens: u32,
    context_tokens: u32,
    tries: u32,
    avoid: Leak,
    avoid_types: bool,
    leaking: Leaking,
    min_words: u32,
    max_words: u32,
}

impl WriterConfig {
    /// The sampling parameters of the models.
    pub fn sampling(&self) -> Sampling {
        Sampling {
            temperature: self.temperature,
            seed: self.seed,
            max_tokens: Some(self.max_tokens),
        }
    }

    /// The requirements on a query.
    pub fn wanted(&self) -> WrittenConfig {
        WrittenConfig {
            tries: self.tries,
            avoid: self.avoid,
            avoid_types: self.avoid_types,
            leaking: self.leaking,
            min_words: self.min_words,
            max_words: self.max_words,
        }
    }

    /// The most bytes of a prompt for the code that the function needs.
    pub fn context_bytes(&self) -> usize {
        self.context_tokens as usize * BYTES
    }
}

impl QueryWriter {
    /// Everything that its queries depend on but the units.
    pub fn identity(&self) -> Result<String, Failure> {
        let sampling = self.config.sampling();
        let models: Vec<String> = self
            .models
            .iter()
            .map(|model| writer_identity(&model.spec, sampling))
            .collect::<Result<_, _>>()
            .map_err(|error| Failure::invalid(error.to_string()))?;
        let config = serde_json::to_string(&self.config)
            .map_err(|error| Failure::internal(error.to_string()))?;
        Ok(format!(
            "{config} {} {}",
            self.prompts.digest(),
            models.join(" ")
        ))
    }
}

/// The table of a writer in the recipe, unchecked.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Table {
    name: Option<String>,
    model: Option<String>,
    models: Option<Vec<String>>,
    prompts: Option<String>,
    examples: Option<String>,
    temperature: Option<f64>,
    seed: Option<u64>,
    max_tokens: Option<u32>,
    context_tokens: Option<u32>,
    tries: Option<u32>,
    avoid: Option<Leak>,
    avoid_types: Option<bool>,
    leaking: Option<Leaking>,
    min_words: Option<u32>,
    max_words: Option<u32>,
}

/// A table of this form, or a model alone.
#[derive(Debug)]
pub(super) struct ModelOr<T>(pub(super) T);

/// The form of a writer in the recipe.
pub(super) type Wire = ModelOr<Table>;

impl From<String> for Table {
    fn from(model: String) -> Self {
        Table {
            model: Some(model),
            ..Table::default()
        }
    }
}

impl<'de, T: Deserialize<'de> + From<String>> Deserialize<'de> for ModelOr<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de> + From<String>> Visitor<'de> for Either<T> {
            type Value = ModelOr<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a model such as \"openai:gpt-4o\", or a table with `model`")
            }

            fn visit_str<E>(self, text: &str) -> Result<ModelOr<T>, E> {
                Ok(ModelOr(T::from(text.to_owned())))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<ModelOr<T>, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map)).map(ModelOr)
            }
        }

        deserializer.deserialize_any(Either(PhantomData))
    }
}

/// Checks all sets of a recipe.
pub(super) fn check(
    wires: Vec<Spanned<Wire>>,
    known: &mut Known,
    recipe: &RecipeText<'_>,
    base: &Path,
) -> Result<Vec<QueryWriter>, Failure> {
    let mut writers: Vec<QueryWriter> = Vec::new();
    for wire in wires {
        let span = wire.span();
        let writer = one(wire, None, known, recipe, base)?;
        let name = &writer.config.name;
        let is_taken = [Query::DOC_COMMENT, Query::CODE, Query::PERSON].contains(&name.as_str())
            || writers.iter().any(|other| other.config.name == *name);
        if is_taken {
            let message = format!("two sets of queries are named `{name}`");
            let failure = recipe.refuse(span, &message);
            return Err(failure.hint("give the set another `name`"));
        }
        writers.push(writer);
    }
    Ok(writers)
}

/// Checks the model that rewrites queries of human authors in one style.
pub(super) fn check_alignment(
    wire: Spanned<Wire>,
    known: &mut Known,
    recipe: &RecipeText<'_>,
    base: &Path,
) -> Result<QueryWriter, Failure> {
    let span = wire.span();
    let aligner = one(wire, Some(Query::PERSON), known, recipe, base)?;
    if !aligner.prompts.can_align() {
        let message = format!(
            "the prompts `{}` have no `alignment.txt`",
            aligner.config.prompts
        );
        return Err(recipe
            .refuse(span, &message)
            .hint("`default` and `clarc` have one"));
    }
    let missing = aligner.prompts.missing_examples();
    if missing > 0 {
        let message = format!(
            "the prompt for alignment lacks {missing} examples of the style that is wanted"
        );
        return Err(recipe
            .refuse(span, &message)
            .hint("name a file with `examples = \"examples.toml\"`; it has tables `[[example]]` with `function` and `query`"));
    }
    Ok(aligner)
}

fn one(
    wire: Spanned<Wire>,
    name: Option<&str>,
    known: &mut Known,
    recipe: &RecipeText<'_>,
    base: &Path,
) -> Result<QueryWriter, Failure> {
    let span = wire.span();
    let refuse = |message: &str| recipe.refuse(span.clone(), message);
    let ModelOr(table) = wire.into_inner();
    let named = match (table.model, table.models) {
        (Some(model), None) => vec![model],
        (None, Some(models)) if !models.is_empty() => models,
        _ => {
            return Err(refuse("the writer needs `model` or `models`")
                .hint("`model = \"openai:gpt-4o\"`, or a list in `models`: functions are shared out among them"));
        }
    };
    let usual = WrittenConfig::default();
    let config = WriterConfig {
        name: match (name.map(str::to_owned).or(table.name), named.as_slice()) {
            (Some(name), _) => name,
            (None, [one]) => short_name(one),
            (None, _) => "models".to_owned(),
        },
        prompts: table.prompts.unwrap_or_else(|| "default".to_owned()),
        examples: table.examples,
        temperature: table.temperature,
        seed: table.seed,
        max_tokens: table.max_tokens.unwrap_or(MAX_TOKENS),
        context_tokens: table.context_tokens.unwrap_or(CONTEXT_TOKENS),
        tries: table.tries.unwrap_or(usual.tries),
        avoid: table.avoid.unwrap_or(usual.avoid),
        avoid_types: table.avoid_types.unwrap_or(usual.avoid_types),
        leaking: table.leaking.unwrap_or(usual.leaking),
        min_words: table.min_words.unwrap_or(usual.min_words),
        max_words: table.max_words.unwrap_or(usual.max_words),
        models: named,
    };
    check_file_name("name", &config.name, span.clone(), recipe)?;
    if config.name != config.name.to_lowercase() {
        let message = format!(
            "the name `{}` of a set of queries is not lower case",
            config.name
        );
        return Err(refuse(&message).hint("it becomes part of the names of subsets"));
    }
    if config.tries == 0 || config.max_tokens == 0 {
        return Err(refuse("`tries` and `max-tokens` are at least 1"));
    }
    let examples = match &config.examples {
        None => Vec::new(),
        Some(file) => {
            let text = guarded::text(base.join(file)).map_err(|error| {
                refuse(&format!("cannot read the examples in `{file}`: {error}"))
            })?;
            Prompts::examples(&text).map_err(|why| {
                refuse(&format!("`{file}`: {why}"))
                    .hint("it has tables `[[example]]` with `function` and `query`")
            })?
        }
    };
    let prompts = Prompts::of(&config.prompts, base, examples).map_err(|why| refuse(&why))?;
    let mut models = Vec::new();
    for model in &config.models {
        let mut found = writing_model(model, config.sampling(), known, recipe, &span)?;
        found.spec.name = format!("{} ({model})", config.name);
        models.push(found);
    }
    Ok(QueryWriter {
        config,
        prompts,
        models,
    })
}

/// The model of this name, if it is one that writes in this way.
pub(super) fn writing_model(
    model: &str,
    sampling: Sampling,
    known: &mut Known,
    recipe: &RecipeText<'_>,
    span: &Range<usize>,
) -> Result<RecipeModel, Failure> {
    if let Some(temperature) = sampling.temperature
        && !(0.0..=2.0).contains(&temperature)
    {
        let message = format!("`temperature` = {temperature} is not a number from 0 to 2");
        return Err(recipe.refuse(span.clone(), &message));
    }
    let spec = known
        .find(model, recipe, span)?
        .model(ModelError::cannot_write);
    let written = spec.and_then(|spec| writer_identity(&spec, sampling).map(|_| spec));
    let spec = written.map_err(|error| {
        let failure = recipe.refuse(span.clone(), &error.to_string());
        match error.hint() {
            Some(hint) => failure.hint(hint),
            None => failure,
        }
    })?;
    Ok(RecipeModel {
        spec,
        position: recipe.of(span),
    })
}

/// `gpt-4o`, of `openai:gpt-4o` and of `openai+http://localhost/v1#gpt-4o`.
fn short_name(model: &str) -> String {
    let last = model.rsplit(['#', ':', '/']).next().unwrap_or(model);
    let fits = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let name: String = last
        .to_lowercase()
        .chars()
        .map(|c| if fits(c) { c } else { '-' })
        .collect();
    name.trim_matches(['-', '.']).chars().take(40).collect()
}
