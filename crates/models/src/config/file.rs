//! `models.toml`: models by name, with everything that can be said about them.
//!
//! Enters: a file's text. Leaves: its models, or an error that names the file, the line, the column and the option,
//! with the nearest one there is. Lines are not shown in errors: somebody may have written a key of a provider there.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeTable, Error};

use super::ModelSpec;
use super::short::nearest;
use super::table::Table;
use crate::ModelError;

/// A file of models.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Alone {
    #[serde(default)]
    model: Vec<Spanned<Table>>,
}

/// A file that has other things too.
#[derive(Deserialize)]
struct Among {
    #[serde(default)]
    model: Vec<Spanned<Table>>,
}

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

/// The models of a file's text, in its order; `file` stands in errors.
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
    let place = Place { file, text };
    place.specs(place.parse::<Alone>()?.model)
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
    let place = Place { file, text };
    place.specs(place.parse::<Among>()?.model)
}

/// The text of a file, for showing where something is wrong.
struct Place<'a> {
    file: &'a str,
    text: &'a str,
}

impl Place<'_> {
    fn parse<T: DeserializeOwned>(&self) -> Result<T, ModelError> {
        toml::from_str(self.text).map_err(|error| self.explain(&error))
    }

    /// The models, each under a name of its own.
    fn specs(&self, tables: Vec<Spanned<Table>>) -> Result<Vec<ModelSpec>, ModelError> {
        let mut specs: Vec<ModelSpec> = Vec::new();
        let mut lines: BTreeMap<String, usize> = BTreeMap::new();
        for (number, table) in tables.into_iter().enumerate() {
            let span = table.span();
            let spec = table.into_inner().read().map_err(|refused| {
                let key = self.key(number, &refused.key);
                self.error(&key.unwrap_or(span.clone()), refused.why, None)
            })?;
            let line = 1 + self.before(&span).matches('\n').count();
            if let Some(first) = lines.insert(spec.name.clone(), line) {
                let message = format!(
                    "a second model named `{}`; the first is in line {first}",
                    spec.name
                );
                return Err(self.error(&span, message, None));
            }
            specs.push(spec);
        }
        Ok(specs)
    }

    /// Where an option of a model is written.
    fn key(&self, model: usize, option: &str) -> Option<Range<usize>> {
        let file = DeTable::parse(self.text).ok()?;
        let models = file.get_ref().get("model")?.get_ref().as_array()?;
        let table = models.get(model)?.get_ref().as_table()?;
        let mut keys = table.keys();
        keys.find(|key| key.get_ref() == option).map(Spanned::span)
    }

    /// What TOML or serde found, in other words where these help.
    fn explain(&self, error: &Error) -> ModelError {
        let span = error.span().unwrap_or(0..0);
        let found = error.message().lines().next().unwrap_or_default();
        let mut words = found.split('`').skip(1).step_by(2);
        let word = words.next().unwrap_or_default();
        if found.starts_with("unknown field") && found.ends_with("expected `model`") {
            let message = format!("`{word}` means nothing here{}", nearest(word, ["model"]));
            return self.error(&span, message, Some("each model is a table `[[model]]`"));
        }
        if found.starts_with("unknown field") {
            let (near, hint) = match word {
                // What people write for it elsewhere.
                "normalise" | "normalization" | "normalisation" => {
                    ("; did you mean `normalize`?".to_owned(), None)
                }
                "prompt" | "query-instruction" => {
                    ("; did you mean `query-prompt`?".to_owned(), None)
                }
                "api-key" | "api_key" | "key" | "token" => (
                    "; keys come from the environment only, `key-variable` names the variable"
                        .to_owned(),
                    None,
                ),
                "device" => (
                    "; graphics cards are used through a server".to_owned(),
                    Some(
                        "start TEI, vLLM or anything that speaks OpenAI's API, then `kind = \"tei\"`, or \
                         `kind = \"openai\"`, with its `url`",
                    ),
                ),
                other => (nearest(&other.replace('_', "-"), words), None),
            };
            let message = format!("`{word}` is not an option of a model{near}");
            return self.error(&span, message, hint);
        }
        if let Some(field) = found.strip_prefix("missing field ") {
            return self.error(&span, format!("this model has no {field}"), None);
        }
        let option = self.option(&span);
        let near = if found.starts_with("unknown variant") {
            nearest(word, words)
        } else {
            String::new()
        };
        let hint = match option.as_str() {
            "" => Some("the file must be TOML, with a table `[[model]]` for each model"),
            "model" => Some("write `[[model]]`, with two brackets"),
            _ => None,
        };
        let named = if option.is_empty() {
            String::new()
        } else {
            format!("`{option}`: ")
        };
        self.error(&span, format!("{named}{found}{near}"), hint)
    }

    /// The option whose value is at a place, as it stands before it in its line.
    fn option(&self, value: &Range<usize>) -> String {
        let before = self.before(value);
        let line = before.rsplit(['\n', ',', '{']).next().unwrap_or_default();
        match line.trim_end().strip_suffix('=') {
            Some(key) => key.trim().to_owned(),
            None => String::new(),
        }
    }

    fn before(&self, span: &Range<usize>) -> &str {
        self.text.get(..span.start).unwrap_or(self.text)
    }

    fn error(
        &self,
        span: &Range<usize>,
        what: impl Into<String>,
        hint: Option<&str>,
    ) -> ModelError {
        let before = self.before(span);
        let line = 1 + before.matches('\n').count();
        let column = 1 + before.rsplit('\n').next().unwrap_or("").chars().count();
        ModelError::Unusable {
            message: format!("{}:{line}:{column}: {}", self.file, what.into()),
            hint: hint.map(str::to_owned),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::Similarity;
    use crate::config::{Dtype, Lexical, Pooling, Source};

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
        assert_eq!(specs[1].pooling, Some(Pooling::First));
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
                "m.toml:5:1: `dimension` is not an option of a model; did you mean `dimensions`?",
            ),
            (
                format!("{table}query_prompt = ''"),
                "m.toml:5:1: `query_prompt` is not an option of a model; did you mean `query-prompt`?",
            ),
            (
                format!("{table}pooling = 'mean'"),
                "m.toml:5:1: a model of kind `voyage` has no `pooling`",
            ),
            (
                format!("{table}api_key = 'sk-1'"),
                "m.toml:5:1: `api_key` is not an option of a model; keys come from the environment only",
            ),
            (
                format!("{table}device = 'gpu'"),
                "m.toml:5:1: `device` is not an option of a model; graphics cards are used through a server",
            ),
            (
                format!("{table}dimensions = 0"),
                "m.toml:5:14: `dimensions`: invalid value: integer `0`, expected a nonzero u32",
            ),
            (
                format!("{table}k1 = 1"),
                "m.toml:5:1: a model of kind `voyage` has no `k1`",
            ),
            (
                "[[model]]\nname = 'b'\nkind = 'bm25'\nb = 3".to_owned(),
                "m.toml:4:1: retriever option `b` is 3",
            ),
            (
                format!("{table}dtype = 'float8'"),
                "m.toml:5:9: `dtype`: unknown variant `float8`, expected one of `float32`, `float16`, `int8`, `binary`; did you mean",
            ),
            (
                format!("{table}price = -1"),
                "m.toml:5:9: `price`: -1, expected a number from 0 up",
            ),
            (
                "[[model]]\nkind = 'voyge'\nmodel = 'x'".to_owned(),
                "m.toml:2:1: `voyge` is not a kind of model; did you mean `voyage`?",
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
