//! `[queries.classify]`: the model that puts comments in classes, and its prompt.
//!
//! The short form is a model alone: `classify = "openai:gpt-3.5-turbo"`.

use std::path::Path;

use barecode_models::{Sampling, writer_identity};
use barecode_queries::{CLASS_PROMPT, Classes};
use serde::{Deserialize, Serialize};
use toml::Spanned;

use super::models::{Known, RecipeModel};
use super::recipe_text::RecipeText;
use super::writers::{ModelOr, writing_model};
use barecode_runs::exit::Failure;

/// Tokens at which an answer is cut (appendix A.3 of the paper).
pub const ANSWER_TOKENS: u32 = 10;

/// The checked classifier of comments.
#[derive(Debug, Clone)]
pub struct Classifier {
    /// The classes, and the prompt for them.
    pub classes: Classes,
    /// The model that classifies.
    pub model: RecipeModel,
    /// The parameters of its answers.
    pub sampling: Sampling,
    config: ClassifyConfig,
}

/// Its configuration, with every default; a model is set by then.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct ClassifyConfig {
    model: Option<String>,
    prompt: String,
    temperature: Option<f64>,
    seed: Option<u64>,
    max_tokens: u32,
}

impl Classifier {
    /// Everything that its answers depend on but the comments.
    pub fn identity(&self) -> Result<String, Failure> {
        let model = writer_identity(&self.model.spec, self.sampling)
            .map_err(|error| Failure::invalid(error.to_string()))?;
        Ok(format!("{model} {}", self.classes.digest()))
    }

    /// Its configuration, for the resolved recipe.
    pub fn config(&self) -> &ClassifyConfig {
        &self.config
    }
}

impl Default for ClassifyConfig {
    fn default() -> Self {
        ClassifyConfig {
            model: None,
            prompt: CLASS_PROMPT.to_owned(),
            temperature: None,
            seed: None,
            max_tokens: ANSWER_TOKENS,
        }
    }
}

impl From<String> for ClassifyConfig {
    fn from(model: String) -> Self {
        ClassifyConfig {
            model: Some(model),
            ..ClassifyConfig::default()
        }
    }
}

/// Its form in the recipe.
pub(super) type Wire = ModelOr<ClassifyConfig>;

/// Looks at the values, and finds the model.
pub(super) fn check(
    wire: Spanned<Wire>,
    known: &mut Known,
    recipe: &RecipeText<'_>,
    base: &Path,
) -> Result<Classifier, Failure> {
    let span = wire.span();
    let refuse = |message: &str| recipe.refuse(span.clone(), message);
    let ModelOr(config) = wire.into_inner();
    let Some(named) = &config.model else {
        return Err(refuse("`classify` needs a `model`").hint("such as `openai:gpt-3.5-turbo`"));
    };
    if config.max_tokens == 0 {
        return Err(refuse("`max-tokens` is at least 1"));
    }
    let sampling = Sampling {
        temperature: config.temperature,
        seed: config.seed,
        max_tokens: Some(config.max_tokens),
    };
    let mut model = writing_model(named, sampling, known, recipe, &span)?;
    model.spec.name = format!("classify ({named})");
    Ok(Classifier {
        classes: Classes::of(&config.prompt, base).map_err(|why| refuse(&why))?,
        model,
        sampling,
        config,
    })
}
