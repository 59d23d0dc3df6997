//! `[queries.classify]`: which model puts comments in classes, and how it is asked.
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

/// Who puts comments in classes, checked.
#[derive(Debug, Clone)]
pub struct Classifier {
    /// The classes, and how they are asked for.
    pub classes: Classes,
    /// Who is asked.
    pub model: RecipeModel,
    /// How it answers.
    pub sampling: Sampling,
    config: ClassifyConfig,
}

/// What is said of it, with every default; a model is said by then.
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

    /// What the recipe says, for the resolved recipe.
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

/// What the recipe says of it.
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
