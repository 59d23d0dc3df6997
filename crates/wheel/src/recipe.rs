//! Recipes of dictionaries and files, as the text that the program reads.

use std::path::PathBuf;

use barecode::Failure;
use barecode_records::guarded;
use pyo3::prelude::*;
use toml::{Table, Value};

use crate::error::{invalid, raised};

/// Returns a recipe in TOML: that of a file, and over it the sections of a document of JSON. A file without changes
/// stays as it is, so that errors name its lines.
#[pyfunction]
#[pyo3(signature = (path, changes))]
fn recipe_text(py: Python<'_>, path: Option<PathBuf>, changes: &str) -> PyResult<String> {
    text(path, changes).map_err(|failure| raised(py, &failure))
}

fn text(path: Option<PathBuf>, changes: &str) -> Result<String, Failure> {
    let text = match &path {
        None => String::new(),
        Some(path) => guarded::text(path).map_err(|error| {
            let message = format!("cannot read the recipe `{}`: {error}", path.display());
            invalid(message, None)
        })?,
    };
    let unfit = |error: String| {
        let hint =
            "a recipe has texts, numbers, true and false, lists and tables; leave out what is None";
        invalid(
            format!("the recipe cannot be written as TOML: {error}"),
            Some(hint),
        )
    };
    let changes: Table = serde_json::from_str(changes).map_err(|error| unfit(error.to_string()))?;
    if changes.is_empty() && path.is_some() {
        return Ok(text);
    }
    let mut recipe: Table = text.parse().map_err(|error: toml::de::Error| {
        let file = path.unwrap_or_default();
        invalid(format!("{}: {error}", file.display()), None)
    })?;
    recipe.extend(changes);
    let name = || Value::String("python".to_owned());
    recipe.entry("name").or_insert_with(name);
    toml::to_string(&recipe).map_err(|error| unfit(error.to_string()))
}

pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(recipe_text, module)?)
}
