//! `models.toml`: models by name, with everything that can be said about them.
//!
//! Every complaint names the file, the line, the column, and the nearest key that there is. An option that means
//! nothing for a kind of model is an error, not ignored: a prompt that nobody reads is a wrong score.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::time::Duration;

use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

use super::lexical::OPTIONS;
use super::short::{KINDS, address, compatible, nearest, source_of};
use super::{Dtype, Lexical, ModelSpec, Source};
use crate::{ModelError, Similarity};

const KEYS: [&str; 33] = [
    "name",
    "kind",
    "model",
    "path",
    "url",
    "command",
    "file",
    "revision",
    "pooling",
    "normalize",
    "query-prompt",
    "document-prompt",
    "max-length",
    "dimensions",
    "dtype",
    "similarity",
    "form",
    "tokenizer",
    "stop-words",
    "stemmer",
    "k1",
    "b",
    "delta",
    "price",
    "price-per-thousand-requests",
    "key-variable",
    "batch-texts",
    "batch-tokens",
    "parallel",
    "requests-per-minute",
    "tokens-per-minute",
    "timeout",
    "deadline",
];

/// Reads a file of models.
///
/// ```no_run
/// for spec in barecode_models::read_models("models.toml".as_ref())? {
///     println!("{}", spec.name);
/// }
/// # Ok::<(), barecode_models::ModelError>(())
/// ```
///
/// # Errors
/// Where the file cannot be read, or as [`parse_models`] has it.
pub fn read_models(path: &Path) -> Result<Vec<ModelSpec>, ModelError> {
    let text = std::fs::read_to_string(path).map_err(|source| ModelError::Io {
        action: "read",
        path: path.to_owned(),
        source,
    })?;
    parse_models(&path.display().to_string(), &text)
}

/// The models of a file's text, in its order; `file` stands in complaints.
///
/// ```
/// let text = r#"
///     [[model]]
///     name = "qwen"
///     kind = "openai"
///     url = "http://localhost:8000/v1"
///     model = "Qwen/Qwen3-Embedding-0.6B"
///     query-prompt = "Instruct: find code\nQuery: "
/// "#;
/// let specs = barecode_models::parse_models("models.toml", text)?;
/// assert_eq!(specs[0].name, "qwen");
/// assert_eq!(specs[0].query_prompt.as_deref(), Some("Instruct: find code\nQuery: "));
/// # Ok::<(), barecode_models::ModelError>(())
/// ```
///
/// # Errors
/// The first thing that means nothing, with its place.
pub fn parse_models(file: &str, text: &str) -> Result<Vec<ModelSpec>, ModelError> {
    models_among(file, text, |place, key| {
        let near = nearest(key.get_ref(), ["model"]);
        Err(place.complain(
            key.span(),
            &format!("`{}` means nothing here{near}", key.get_ref()),
            Some("each model is a table `[[model]]`"),
        ))
    })
}

/// The models of a file that has other things too, such as a recipe; what these mean is not looked at.
///
/// ```
/// let text = "name = \"demo\"\n[[model]]\nname = \"mini\"\nkind = \"local\"\npath = \"models/mini\"\n";
/// assert_eq!(barecode_models::models_in("recipe.toml", text)?[0].name, "mini");
/// # Ok::<(), barecode_models::ModelError>(())
/// ```
///
/// # Errors
/// The first thing of a model that means nothing, with its place.
pub fn models_in(file: &str, text: &str) -> Result<Vec<ModelSpec>, ModelError> {
    models_among(file, text, |_, _| Ok(()))
}

/// The tables `[[model]]`, and what is to be said about each other key.
fn models_among(
    file: &str,
    text: &str,
    other: impl Fn(Place<'_>, &Spanned<DeString<'_>>) -> Result<(), ModelError>,
) -> Result<Vec<ModelSpec>, ModelError> {
    let place = Place { file, text };
    let table = DeTable::parse(text).map_err(|error| {
        place.complain(
            error.span().unwrap_or(0..0),
            error.message().trim(),
            Some("the file must be TOML, with a table `[[model]]` for each model"),
        )
    })?;
    let mut specs = Vec::new();
    let mut names: BTreeMap<String, usize> = BTreeMap::new();
    for (key, value) in table.get_ref() {
        if key.get_ref() != "model" {
            other(place, key)?;
            continue;
        }
        let Some(tables) = value.get_ref().as_array() else {
            return Err(place.complain(
                value.span(),
                "`model` must be a list of tables",
                Some("write `[[model]]`, with two brackets"),
            ));
        };
        for table in tables {
            let Some(entries) = table.get_ref().as_table() else {
                return Err(place.complain(table.span(), "a model must be a table", None));
            };
            let spec = model_of(place, entries, table.span())?;
            if let Some(line) = names.insert(spec.name.clone(), place.line(table.span().start)) {
                return Err(place.complain(
                    table.span(),
                    &format!(
                        "a second model named `{}`; the first is in line {line}",
                        spec.name
                    ),
                    None,
                ));
            }
            specs.push(spec);
        }
    }
    Ok(specs)
}

/// Where complaints point to.
#[derive(Clone, Copy)]
struct Place<'a> {
    file: &'a str,
    text: &'a str,
}

impl Place<'_> {
    fn line(self, offset: usize) -> usize {
        1 + self.before(offset).matches('\n').count()
    }

    fn before(self, offset: usize) -> String {
        let bytes = self.text.as_bytes();
        String::from_utf8_lossy(&bytes[..offset.min(bytes.len())]).into_owned()
    }

    fn complain(self, span: Range<usize>, what: &str, hint: Option<&str>) -> ModelError {
        let before = self.before(span.start);
        let line = 1 + before.matches('\n').count();
        let column = 1 + before.rsplit('\n').next().unwrap_or("").chars().count();
        ModelError::Unusable {
            message: format!("{}:{line}:{column}: {what}", self.file),
            hint: hint.map(str::to_owned),
        }
    }
}

/// One table, whose keys are asked for one by one.
struct Entries<'a> {
    place: Place<'a>,
    span: Range<usize>,
    table: &'a DeTable<'a>,
}

fn model_of(
    place: Place<'_>,
    table: &DeTable<'_>,
    span: Range<usize>,
) -> Result<ModelSpec, ModelError> {
    for (key, _) in table {
        let key_text: &str = key.get_ref();
        if !KEYS.contains(&key_text) {
            // What people write for it elsewhere.
            let known = match key_text {
                "normalise" | "normalization" | "normalisation" => {
                    "; did you mean `normalize`?".to_owned()
                }
                "prompt" | "query-instruction" => "; did you mean `query-prompt`?".to_owned(),
                "device" => {
                    "; graphics cards are used through a server (TEI, vLLM, anything that speaks \
                             OpenAI's API): `kind = \"tei\"`, or `kind = \"openai\"` with a `url`"
                        .to_owned()
                }
                "api-key" | "api_key" | "key" | "token" => {
                    "; keys come from the environment only, `key-variable` names the variable"
                        .to_owned()
                }
                other => nearest(&other.replace('_', "-"), KEYS),
            };
            return Err(place.complain(
                key.span(),
                &format!("`{key_text}` is no option of a model{known}"),
                None,
            ));
        }
    }
    let entries = Entries { place, span, table };
    let source = source(&entries)?;
    let name = match entries.string("name")? {
        Some((name, span)) => {
            if name.trim().is_empty() {
                return Err(place.complain(span, "the name is empty", None));
            }
            name
        }
        None => match &source {
            Source::Compatible {
                model: Some(model), ..
            }
            | Source::OpenAi(model)
            | Source::Voyage(model)
            | Source::Cohere(model)
            | Source::Jina(model)
            | Source::Gemini(model)
            | Source::Hub(model) => model.clone(),
            _ => return Err(entries.missing("name")),
        },
    };
    let mut spec = ModelSpec::new(&name, source);
    entries.fits(&spec.source)?;
    spec.revision = entries.string("revision")?.map(|(text, _)| text);
    spec.pooling = entries
        .one_of(
            "pooling",
            &[
                "first",
                "cls",
                "mean",
                "max",
                "last",
                "mean-root",
                "weighted-mean",
            ],
        )?
        .map(|name| if name == "cls" { "first" } else { name }.to_owned());
    spec.normalize = entries.boolean("normalize")?;
    spec.query_prompt = entries.string("query-prompt")?.map(|(text, _)| text);
    spec.document_prompt = entries.string("document-prompt")?.map(|(text, _)| text);
    spec.max_length = entries.whole("max-length")?;
    spec.dimensions = entries.whole("dimensions")?;
    spec.dtype = entries
        .one_of("dtype", &["float32", "float16", "int8", "binary"])?
        .map(|name| match name {
            "float16" => Dtype::Float16,
            "int8" => Dtype::Int8,
            "binary" => Dtype::Binary,
            _ => Dtype::Float32,
        });
    spec.similarity = entries
        .one_of("similarity", &["cosine", "dot", "euclid"])?
        .map_or(Similarity::Cosine, |name| match name {
            "dot" => Similarity::Dot,
            "euclid" => Similarity::Euclid,
            _ => Similarity::Cosine,
        });
    if let Some(price) = entries.number("price", true)? {
        spec.price.million_tokens = Some(price);
        spec.price.thousand_requests = None;
    }
    if let Some(price) = entries.number("price-per-thousand-requests", true)? {
        spec.price.thousand_requests = Some(price);
    }
    if !matches!(spec.source, Source::Compatible { .. } | Source::Tei(_)) {
        spec.remote.url = entries
            .string("url")?
            .map(|(url, span)| address(&url).map_err(|why| place.complain(span, &why, None)))
            .transpose()?;
    }
    spec.remote.key_variable = entries.string("key-variable")?.map(|(text, _)| text);
    spec.remote.batch_texts = entries.whole("batch-texts")?.map(|n| n as usize);
    spec.remote.batch_tokens = entries.whole("batch-tokens")?.map(u64::from);
    spec.remote.parallel = entries.whole("parallel")?.map(|n| n as usize);
    spec.remote.limits.requests_per_minute = entries.number("requests-per-minute", false)?;
    spec.remote.limits.tokens_per_minute = entries.number("tokens-per-minute", false)?;
    let seconds = |key| -> Result<Option<Duration>, ModelError> {
        let Some(seconds) = entries.number(key, false)? else {
            return Ok(None);
        };
        Ok(Duration::try_from_secs_f64(seconds).ok())
    };
    spec.remote.timeout = seconds("timeout")?;
    spec.remote.deadline = seconds("deadline")?;
    Ok(spec)
}

/// What the keys `kind`, `model`, `path`, `url`, `command` and `file` mean together.
fn source(entries: &Entries<'_>) -> Result<Source, ModelError> {
    let (kind, kind_span) = entries
        .string("kind")?
        .ok_or_else(|| entries.missing("kind"))?;
    if kind == "bm25" {
        return lexical(entries).map(Source::Bm25);
    }
    if !KINDS.contains(&kind.as_str()) {
        let near = nearest(&kind, KINDS);
        return Err(entries.place.complain(
            kind_span,
            &format!("`{kind}` is no kind of model{near}"),
            Some(&format!("kinds are {}", KINDS.join(", "))),
        ));
    }
    if kind == "openai"
        && let Some((url, span)) = entries.string("url")?
    {
        let model = entries.string("model")?.map(|(model, _)| model);
        return compatible(&url, model.as_deref())
            .map_err(|why| entries.place.complain(span, &why, None));
    }
    let key = match kind.as_str() {
        "local" => "path",
        "tei" => "url",
        "process" => "command",
        "vectors" | "run" => "file",
        _ => "model",
    };
    let (rest, span) = entries.string(key)?.ok_or_else(|| entries.missing(key))?;
    source_of(&kind, &rest).map_err(|why| entries.place.complain(span, &why, None))
}

/// The options of BM25.
fn lexical(entries: &Entries<'_>) -> Result<Lexical, ModelError> {
    let mut lexical = Lexical::default();
    for key in OPTIONS {
        let Some(value) = entries.get(key) else {
            continue;
        };
        let written = match value.get_ref() {
            DeValue::String(text) => text.to_string(),
            DeValue::Integer(number) => number.as_str().to_owned(),
            DeValue::Float(number) => number.as_str().to_owned(),
            _ => return Err(entries.wrong(value, key, "a string or a number")),
        };
        lexical
            .set(key, &written)
            .map_err(|why| entries.place.complain(value.span(), &why, None))?;
    }
    Ok(lexical)
}

impl Entries<'_> {
    fn get(&self, key: &str) -> Option<&Spanned<DeValue<'_>>> {
        self.table
            .iter()
            .find(|(name, _)| name.get_ref() == key)
            .map(|(_, value)| value)
    }

    fn missing(&self, key: &str) -> ModelError {
        self.place.complain(
            self.span.clone(),
            &format!("this model has no `{key}`"),
            None,
        )
    }

    fn wrong(&self, value: &Spanned<DeValue<'_>>, key: &str, expected: &str) -> ModelError {
        let written: String = self
            .place
            .text
            .get(value.span())
            .unwrap_or("")
            .chars()
            .take(40)
            .collect();
        self.place.complain(
            value.span(),
            &format!("`{key}` is {written}, expected {expected}"),
            None,
        )
    }

    /// Refuses options that mean nothing for the kind.
    fn fits(&self, source: &Source) -> Result<(), ModelError> {
        const ASKED: [&str; 8] = [
            "key-variable",
            "batch-texts",
            "batch-tokens",
            "parallel",
            "requests-per-minute",
            "tokens-per-minute",
            "timeout",
            "price-per-thousand-requests",
        ];
        for (key, _) in self.table {
            let name: &str = key.get_ref();
            let fits = match name {
                "model" => matches!(
                    source,
                    Source::Hub(_)
                        | Source::OpenAi(_)
                        | Source::Compatible { .. }
                        | Source::Voyage(_)
                        | Source::Cohere(_)
                        | Source::Jina(_)
                        | Source::Gemini(_)
                ),
                "path" => matches!(source, Source::Local(_)),
                "command" => matches!(source, Source::Process(_)),
                "file" => matches!(source, Source::Vectors(_) | Source::Run(_)),
                "url" | "deadline" => source.is_remote(),
                "pooling" => matches!(source, Source::Local(_) | Source::Hub(_)),
                "normalize" => {
                    matches!(source, Source::Local(_) | Source::Hub(_) | Source::Tei(_))
                }
                // A chat model that reranks is shown so much of a text.
                "max-length" => matches!(
                    source,
                    Source::Local(_)
                        | Source::Hub(_)
                        | Source::OpenAi(_)
                        | Source::Compatible { .. }
                ),
                "dimensions" if matches!(source, Source::Vectors(_)) => true,
                "query-prompt" | "document-prompt" | "dimensions" => {
                    source.is_remote()
                        || matches!(
                            source,
                            Source::Local(_) | Source::Hub(_) | Source::Process(_)
                        )
                }
                "dtype" | "similarity" | "revision" => {
                    !matches!(source, Source::Bm25(_) | Source::Run(_))
                }
                "price" => !matches!(
                    source,
                    Source::Bm25(_) | Source::Vectors(_) | Source::Run(_)
                ),
                name if OPTIONS.contains(&name) => matches!(source, Source::Bm25(_)),
                name if ASKED.contains(&name) => {
                    source.is_remote()
                        || (name == "timeout" && matches!(source, Source::Process(_)))
                }
                _ => true,
            };
            if !fits {
                return Err(self.place.complain(
                    key.span(),
                    &format!("a model of kind `{}` has no `{name}`", source.kind()),
                    None,
                ));
            }
        }
        Ok(())
    }

    fn string(&self, key: &str) -> Result<Option<(String, Range<usize>)>, ModelError> {
        let Some(value) = self.get(key) else {
            return Ok(None);
        };
        let text = value
            .get_ref()
            .as_str()
            .ok_or_else(|| self.wrong(value, key, "a string"))?;
        Ok(Some((text.to_owned(), value.span())))
    }

    fn one_of(
        &self,
        key: &str,
        known: &[&'static str],
    ) -> Result<Option<&'static str>, ModelError> {
        let Some((text, span)) = self.string(key)? else {
            return Ok(None);
        };
        match known.iter().find(|name| **name == text) {
            Some(name) => Ok(Some(*name)),
            None => Err(self.place.complain(
                span,
                &format!(
                    "`{key}` is `{text}`, expected one of {}{}",
                    known.join(", "),
                    nearest(&text, known.iter().copied())
                ),
                None,
            )),
        }
    }

    fn boolean(&self, key: &str) -> Result<Option<bool>, ModelError> {
        let Some(value) = self.get(key) else {
            return Ok(None);
        };
        value
            .get_ref()
            .as_bool()
            .map(Some)
            .ok_or_else(|| self.wrong(value, key, "true or false"))
    }

    /// A whole number from 1 up.
    fn whole(&self, key: &str) -> Result<Option<u32>, ModelError> {
        let Some(value) = self.get(key) else {
            return Ok(None);
        };
        value
            .get_ref()
            .as_integer()
            .and_then(|number| u32::from_str_radix(number.as_str(), number.radix()).ok())
            .filter(|&number| number > 0)
            .map(Some)
            .ok_or_else(|| self.wrong(value, key, "a whole number from 1 up"))
    }

    /// A number above zero, or from zero up.
    fn number(&self, key: &str, or_zero: bool) -> Result<Option<f64>, ModelError> {
        let Some(value) = self.get(key) else {
            return Ok(None);
        };
        let text = match value.get_ref() {
            DeValue::Integer(number) => Some(number.as_str()),
            DeValue::Float(number) => Some(number.as_str()),
            _ => None,
        };
        let expected = if or_zero {
            "a number from 0 up"
        } else {
            "a number above 0"
        };
        text.and_then(|text| text.replace('_', "").parse::<f64>().ok())
            .filter(|number| number.is_finite() && (*number > 0.0 || (or_zero && *number == 0.0)))
            .map(Some)
            .ok_or_else(|| self.wrong(value, key, expected))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<ModelSpec>, String> {
        parse_models("m.toml", text).map_err(|error| error.to_string())
    }

    #[test]
    fn everything_that_can_be_said_is_read() {
        let specs = read(
            r#"
            [[model]]
            name = "code"
            kind = "voyage"
            model = "voyage-code-3"
            dimensions = 256
            price = 0.2
            batch-texts = 100
            batch-tokens = 50_000
            parallel = 2
            requests-per-minute = 300
            tokens-per-minute = 1e6
            timeout = 30
            key-variable = "MY_VOYAGE"
            dtype = "int8"

            [[model]]
            name = "mini"
            kind = "local"
            path = "models/mini"
            pooling = "cls"
            normalize = false
            max-length = 256

            [[model]]
            kind = "hf"
            model = "intfloat/e5-base-v2"
            revision = "main"
            query-prompt = "query: "
            document-prompt = "passage: "
            similarity = "dot"

            [[model]]
            name = "words"
            kind = "bm25"
            tokenizer = "code"
            k1 = 1.2
            "#,
        )
        .unwrap();
        assert_eq!(specs.len(), 4);
        let code = &specs[0];
        assert_eq!(code.source, Source::Voyage("voyage-code-3".to_owned()));
        assert_eq!(code.price.million_tokens, Some(0.2));
        assert_eq!(code.dtype, Some(Dtype::Int8));
        assert_eq!(code.remote.batch_tokens, Some(50_000));
        assert_eq!(code.remote.limits.tokens_per_minute, Some(1e6));
        assert_eq!(code.remote.timeout, Some(Duration::from_secs(30)));
        assert_eq!(specs[1].pooling.as_deref(), Some("first"));
        assert_eq!(specs[1].price, crate::Price::FREE);
        assert_eq!(specs[2].name, "intfloat/e5-base-v2");
        assert_eq!(specs[2].similarity, Similarity::Dot);
        let words = Lexical::read("tokenizer=code,k1=1.2").unwrap();
        assert_eq!(specs[3].source, Source::Bm25(words));
    }

    #[test]
    fn complaints_name_the_place_and_the_nearest_word() {
        let table = "[[model]]\nname = 'a'\nkind = 'voyage'\nmodel = 'v'\n";
        for (text, expected) in [
            (
                format!("{table}dimension = 3"),
                "m.toml:5:1: `dimension` is no option of a model; did you mean `dimensions`?",
            ),
            (
                format!("{table}query_prompt = ''"),
                "m.toml:5:1: `query_prompt` is no option of a model; did you mean `query-prompt`?",
            ),
            (
                format!("{table}pooling = 'mean'"),
                "m.toml:5:1: a model of kind `voyage` has no `pooling`",
            ),
            (
                format!("{table}api_key = 'sk-1'"),
                "m.toml:5:1: `api_key` is no option of a model; keys come from the environment only",
            ),
            (
                format!("{table}device = 'gpu'"),
                "m.toml:5:1: `device` is no option of a model; graphics cards are used through a server",
            ),
            (
                format!("{table}dimensions = 0"),
                "m.toml:5:14: `dimensions` is 0, expected a whole number from 1 up",
            ),
            (
                format!("{table}k1 = 1"),
                "m.toml:5:1: a model of kind `voyage` has no `k1`",
            ),
            (
                "[[model]]\nname = 'b'\nkind = 'bm25'\nb = 3".to_owned(),
                "m.toml:4:5: retriever option `b` is 3",
            ),
            (
                format!("{table}dtype = 'float8'"),
                "m.toml:5:9: `dtype` is `float8`, expected one of float32, float16, int8, binary; did you mean",
            ),
            (
                format!("{table}price = -1"),
                "m.toml:5:9: `price` is -1, expected a number from 0 up",
            ),
            (
                "[[model]]\nkind = 'voyge'\nmodel = 'x'".to_owned(),
                "m.toml:2:8: `voyge` is no kind of model; did you mean `voyage`?",
            ),
            (
                "[[model]]\nkind = 'tei'".to_owned(),
                "m.toml:1:1: this model has no `url`",
            ),
            (
                "[[models]]\nkind = 'tei'".to_owned(),
                "m.toml:1:3: `models` means nothing here; did you mean `model`?",
            ),
            (
                format!("{table}{table}"),
                "m.toml:5:1: a second model named `a`; the first is in line 1",
            ),
            ("[[model]\n".to_owned(), "m.toml:1:"),
        ] {
            let error = read(&text).unwrap_err();
            assert!(error.starts_with(expected), "{error}\nexpected {expected}");
            assert!(!error.contains("sk-1"), "{error}");
        }
    }
}
