//! `models.toml`: models by name, with all their options.
//!
//! Enters: a file's text. Leaves: its models, or an error that names the file, the line, the column and the option,
//! with the nearest known one. Lines are not shown in errors: they may contain a provider's key.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use barecode_records::guarded;
use serde::Deserialize;
use serde::de::IgnoredAny;
use toml::Spanned;
use toml::de::{DeTable, DeValue, Error, ValueDeserializer};

use super::described::Described;
use super::short::{KINDS, nearest};
use super::table;
use crate::ModelError;

/// Reads a file of models.
///
/// ```no_run
/// use barecode_models::{ModelSpec, read_models};
/// for spec in read_models::<ModelSpec>("models.toml".as_ref())? {
///     println!("{}", spec.name);
/// }
/// # Ok::<(), barecode_models::ModelError>(())
/// ```
///
/// # Errors
/// If the file cannot be read, or as for [`parse_models`].
pub fn read_models<T: Described>(path: &Path) -> Result<Vec<T>, ModelError> {
    let text = guarded::text(path).map_err(ModelError::io("read", path))?;
    parse_models(&path.display().to_string(), &text)
}

/// The models of a file's text, in its order; `file` is its name in errors.
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
/// let specs: Vec<barecode_models::ModelSpec> = barecode_models::parse_models("models.toml", text)?;
/// assert_eq!(specs[0].name, "qwen");
/// assert_eq!(specs[0].query_prompt.as_deref(), Some("Instruct: find code\nQuery: "));
/// # Ok::<(), barecode_models::ModelError>(())
/// ```
///
/// # Errors
/// The first item without a meaning, with its position.
pub fn parse_models<T: Described>(file: &str, text: &str) -> Result<Vec<T>, ModelError> {
    Place { file, text }.all(true)
}

/// The models of a file that has other tables too, such as a recipe; the meaning of these is not checked.
///
/// ```
/// let text = "name = \"demo\"\n[[model]]\nname = \"mini\"\nkind = \"local\"\npath = \"models/mini\"\n";
/// let specs: Vec<barecode_models::ModelSpec> = barecode_models::models_in("recipe.toml", text)?;
/// assert_eq!(specs[0].name, "mini");
/// # Ok::<(), barecode_models::ModelError>(())
/// ```
///
/// # Errors
/// The first item of a model without a meaning, with its position.
pub fn models_in<T: Described>(file: &str, text: &str) -> Result<Vec<T>, ModelError> {
    Place { file, text }.all(false)
}

/// The text of a file, to show the position of an error.
struct Place<'a> {
    file: &'a str,
    text: &'a str,
}

impl<'a> Place<'a> {
    /// All tables; with `alone` the file has nothing else.
    fn all<T: Described>(&self, alone: bool) -> Result<Vec<T>, ModelError> {
        let file = DeTable::parse(self.text).map_err(|error| self.explain(&error))?;
        let mut all = Vec::new();
        for (key, value) in file.into_inner() {
            if key.get_ref() == "model" {
                all = self.described(value)?;
            } else if alone {
                let key = (key.span(), key.into_inner());
                let message = format!(
                    "`{}` means nothing here{}",
                    key.1,
                    nearest(&key.1, ["model"])
                );
                return Err(self.error(&key.0, message, Some("each model is a table `[[model]]`")));
            }
        }
        Ok(all)
    }

    /// The items that the tables describe, each under a name of its own.
    fn described<T: Described>(&self, tables: Spanned<DeValue<'a>>) -> Result<Vec<T>, ModelError> {
        let span = tables.span();
        let tables = match tables.into_inner() {
            DeValue::Array(tables) => tables,
            other => {
                let other = ValueDeserializer::from(Spanned::new(span.clone(), other));
                let error = Vec::<IgnoredAny>::deserialize(other).err();
                return Err(error.map_or_else(
                    || self.error(&span, "expected tables", None),
                    |error| self.explain(&error),
                ));
            }
        };
        let mut all: Vec<T> = Vec::new();
        let mut lines: BTreeMap<String, usize> = BTreeMap::new();
        for table in tables {
            let span = table.span();
            let one: T = self.one(table)?;
            let line = 1 + self.before(&span).matches('\n').count();
            if let Some(first) = lines.insert(one.name().to_owned(), line) {
                let message = format!(
                    "a second model named `{}`; the first is in line {first}",
                    one.name()
                );
                return Err(self.error(&span, message, None));
            }
            all.push(one);
        }
        Ok(all)
    }

    /// The item that one table describes.
    fn one<T: Described>(&self, table: Spanned<DeValue<'a>>) -> Result<T, ModelError> {
        let span = table.span();
        let keys: Vec<(String, Range<usize>)> = table
            .get_ref()
            .as_table()
            .into_iter()
            .flat_map(|table| table.keys())
            .map(|key| (key.get_ref().to_string(), key.span()))
            .collect();
        let place = |option: &str| {
            let key = keys.iter().find(|(key, _)| key == option);
            key.map_or(&span, |(_, span)| span)
        };
        let kind = table.get_ref().get("kind");
        let kind = kind.and_then(|kind| kind.get_ref().as_str().map(str::to_owned));
        let is_other = match &kind {
            None => false,
            Some(kind) if KINDS.contains(&kind.as_str()) => false,
            Some(kind) if T::kinds().contains(&kind.as_str()) => true,
            Some(kind) => {
                let known = KINDS.into_iter().chain(T::kinds().iter().copied());
                let near = nearest(kind, known);
                let message = format!("`{kind}` is not a kind of model{near}");
                return Err(self.error(place("kind"), message, None));
            }
        };
        let foreign = keys
            .iter()
            .find(|(key, _)| T::options().contains(&key.as_str()));
        if let (Some(kind), Some((key, span)), false) = (&kind, foreign, is_other) {
            let message = format!("a model of kind `{kind}` has no `{key}`");
            return Err(self.error(span, message, None));
        }
        let table = ValueDeserializer::from(table);
        let read = if is_other {
            T::of_table(table)
        } else {
            table::of_model(table)
        };
        let read = read.map_err(|error| self.explain(&error))?;
        read.map_err(|refused| self.error(place(&refused.key), refused.why, refused.hint))
    }

    /// The error of TOML or serde, in other words if these help.
    fn explain(&self, error: &Error) -> ModelError {
        let span = error.span().unwrap_or(0..0);
        let found = error.message().lines().next().unwrap_or_default();
        let mut words = found.split('`').skip(1).step_by(2);
        let word = words.next().unwrap_or_default();
        if found.starts_with("unknown field") {
            let (near, hint) = match word {
                // The spellings of other tools.
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

    /// The option whose value is in a range, as it is written before it in its line.
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
