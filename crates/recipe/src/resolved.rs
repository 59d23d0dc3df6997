//! The recipe with every default spelled out: for the manifest, and as a recipe again.

use std::path::Path;

use barecode_evaluate::Choice;
use barecode_runs::exit::Failure;
use serde_json::json;

use super::Recipe;

impl Recipe {
    /// The recipe with every default spelled out, for the manifest. The run folder is not part of it: the
    /// same recipe makes the same benchmark anywhere.
    pub fn resolved(&self) -> serde_json::Value {
        let mut resolved = json!({
            "name": self.name,
            "seed": self.seed,
            "source": self.sources,
            "extract": self.extract,
            "check": self.check,
            "settings": {
                "names": self.settings,
                "randomized-seeds": self.randomized_seeds,
            },
            "queries": self.queries,
            "dataset": self.dataset,
            "retriever": self.retrievers,
            "retrieve": {
                "pool": self.retrieve.pool.to_string(),
                "draws": self.retrieve.draws,
            },
            "scores": self.scores.resolved(),
        });
        if !self.programs.sources.is_empty() {
            resolved["programs"] = json!(self.programs.sources);
            resolved["filters"] = json!(self.programs.filters);
            resolved["alternates"] = json!(self.programs.alternates.config);
            resolved["python"] = json!(self.programs.python);
            resolved["pipeline"] = json!(self.programs.pipelines);
            resolved["probe"] = json!(self.programs.probe);
        }
        if !self.writers.is_empty() {
            let writers = self.writers.iter().map(|writer| json!(writer.config));
            resolved["queries"]["write"] = writers.collect();
        }
        if let Some(aligner) = &self.aligner {
            let mut config = json!(aligner.config);
            config.as_object_mut().map(|config| config.remove("name"));
            resolved["queries"]["align"] = config;
        }
        if let Some(classifier) = &self.classifier {
            resolved["queries"]["classify"] = json!(classifier.config());
        }
        if !self.tables.is_empty() {
            let tables = self.tables.iter().map(Choice::to_table);
            resolved["model"] = tables.collect();
        }
        resolved
    }

    /// Reads a recipe with every default spelled out, as a manifest has it, without its queries: their files are not
    /// read again, and may be elsewhere. `file` is the name of the recipe in errors.
    ///
    /// # Errors
    /// It is not the recipe of this version of barecode.
    pub fn of_resolved(resolved: &serde_json::Value, file: &str) -> Result<Self, Failure> {
        let mut value = resolved.clone();
        drop_nulls(&mut value);
        value.as_object_mut().map(|tables| tables.remove("queries"));
        let text = toml::to_string(&value).map_err(|error| Failure::invalid(error.to_string()))?;
        Recipe::parse(&text, file, Path::new("."))
    }

    /// The resolved recipe as a recipe: the input for another user to make the same benchmark.
    pub fn to_toml(&self) -> String {
        let mut value = self.resolved();
        drop_nulls(&mut value);
        toml::to_string(&value).expect("a recipe that was read can be written")
    }
}

/// TOML has no null: values that are not given are left out.
fn drop_nulls(value: &mut serde_json::Value) {
    match value {
        serde_json::Value::Object(fields) => {
            fields.retain(|_, field| !field.is_null());
            fields.values_mut().for_each(drop_nulls);
        }
        serde_json::Value::Array(items) => items.iter_mut().for_each(drop_nulls),
        _ => {}
    }
}
