//! `[alternates]`: the solutions of a problem that stay beside its representative (pydra, appendix B.3).
//!
//! A measure is `"shingles"`, a model (`by = ["hf:ORG/NAME"]`), or a table with its threshold, too.

use barecode_evaluate::label_of_model;
use barecode_programs::alternates::{
    self, MeasureConfig, PAPER_THRESHOLDS, SHINGLES, Threshold, Way,
};
use serde::Deserialize;
use toml::Spanned;

use super::models::{Known, RecipeModel, suited};
use super::recipe_text::RecipeText;
use super::writers::ModelOr;
use barecode_runs::exit::Failure;

/// The most alternates that a recipe may request.
const MOST_ALLOWED: u32 = 100;

/// The checked configuration by which alternates are chosen.
#[derive(Debug, Clone, Default)]
pub struct Alternates {
    /// The configuration.
    pub config: alternates::Alternates,
    /// The model of each measure; `None` if it has none.
    models: Vec<Option<RecipeModel>>,
}

impl Alternates {
    /// The models among the measures.
    pub fn models(&self) -> impl Iterator<Item = &RecipeModel> {
        self.models.iter().flatten()
    }

    /// The measures, each with its model if it has one.
    pub fn measures(&self) -> impl Iterator<Item = (&MeasureConfig, Option<&RecipeModel>)> {
        let models = self.models.iter().map(Option::as_ref);
        let models = models.chain(std::iter::repeat(None));
        self.config.measures.iter().zip(models)
    }
}

/// The table in the recipe, unchecked.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Wire {
    most: Option<Spanned<u32>>,
    by: Option<Spanned<Vec<Spanned<ModelOr<Table>>>>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Table {
    model: Option<String>,
    threshold: Option<Threshold>,
}

impl From<String> for Table {
    fn from(model: String) -> Self {
        Table {
            model: Some(model),
            ..Table::default()
        }
    }
}

/// Looks at the values, and finds the models.
pub(super) fn check(
    wire: Option<Spanned<Wire>>,
    known: &mut Known,
    recipe: &RecipeText<'_>,
) -> Result<Alternates, Failure> {
    let Some(wire) = wire else {
        return Ok(Alternates::default());
    };
    let Wire { most, by } = wire.into_inner();
    let mut alternates = Alternates::default();
    if let Some(most) = most {
        if *most.get_ref() > MOST_ALLOWED {
            let message = format!("`most` = {} is more than {MOST_ALLOWED}", most.get_ref());
            return Err(recipe.refuse(most.span(), &message));
        }
        alternates.config.most = most.into_inner();
    }
    if let Some(by) = by {
        if by.get_ref().is_empty() {
            let message = "`by` is empty: it needs at least one measure of similarity";
            let failure = recipe.refuse(by.span(), message);
            return Err(failure.hint("name a model, or `\"shingles\"`"));
        }
        alternates.config.measures = Vec::new();
        for one in by.into_inner() {
            let span = one.span();
            let (config, model) = measure(one, known, recipe)?;
            let (name, mut others) = (&config.name, alternates.config.measures.iter());
            if others.any(|other| other.name == *name) {
                let message = format!("two measures of `by` are named `{name}`");
                let failure = recipe.refuse(span, &message);
                return Err(failure.hint("leave one out, or name it in a `[[model]]`"));
            }
            alternates.config.measures.push(config);
            alternates.models.push(model);
        }
    }
    Ok(alternates)
}

fn measure(
    one: Spanned<ModelOr<Table>>,
    known: &mut Known,
    recipe: &RecipeText<'_>,
) -> Result<(MeasureConfig, Option<RecipeModel>), Failure> {
    let span = one.span();
    let ModelOr(Table { model, threshold }) = one.into_inner();
    let refuse = |message: &str| recipe.refuse(span.clone(), message);
    let Some(named) = model else {
        return Err(refuse("a measure needs a `model`").hint("a model, or `\"shingles\"`"));
    };
    if let Some(Threshold::At(number)) = threshold
        && !(-1.0..=1.0).contains(&number)
    {
        let message = format!("`threshold` = {number} is not a similarity, a number from -1 to 1");
        return Err(refuse(&message).hint("or leave it out: it is calibrated then"));
    }
    let (config, model) = if named == SHINGLES {
        (MeasureConfig::shingles(threshold), None)
    } else {
        let mut spec = suited(known.find(&named, recipe, &span)?, recipe, &span)?;
        let name = label_of_model(&spec.name);
        spec.name = format!("alternates ({name})");
        let config = MeasureConfig {
            name,
            model: named,
            threshold: threshold.unwrap_or(Threshold::Found(Way::Calibrated)),
            repository: spec.source.repository().map(str::to_owned),
        };
        let model = RecipeModel {
            spec,
            position: recipe.of(&span),
        };
        (config, Some(model))
    };
    if config.threshold == Threshold::Found(Way::Paper) && config.of_the_paper().is_none() {
        let message = format!("the paper has no threshold for `{}`", config.model);
        let names: Vec<&str> = PAPER_THRESHOLDS.iter().map(|(name, _)| *name).collect();
        return Err(refuse(&message).hint(format!("it has those of {}", names.join(", "))));
    }
    Ok((config, model))
}
