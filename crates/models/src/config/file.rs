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
    let text = std::fs::read_to_string(path).map_err(ModelError::io("read", path))?;
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
                self.error(&key.unwrap_or(span.clone()), refused.why, refused.hint)
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
        let hint = if found.ends_with("expected a sequence") {
            Some("write `[[model]]`, with two brackets")
        } else if option.is_empty() {
            Some("the file must be TOML, with a table `[[model]]` for each model")
        } else {
            None
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
