//! `[alternates]`: which solutions of a problem stay beside the one that stands for it (pydra, appendix B.3).
//!
//! A measure is `"shingles"`, a model (`by = ["hf:ORG/NAME"]`), or a table that says its threshold, too.

use std::fmt;

use barecode_evaluate::label_of_model;
use barecode_programs::alternates::{PAPER_THRESHOLDS, SHINGLES, SHINGLES_THRESHOLD};
use serde::{Deserialize, Serialize};
use toml::Spanned;

use super::models::{Known, RecipeModel, suited};
use super::recipe_text::RecipeText;
use super::writers::ModelOr;
use barecode_runs::exit::Failure;

/// Alternates of a problem, unless the recipe says otherwise: two or three solutions, as in the paper.
const MOST: u32 = 2;

/// The most that a recipe may ask for.
const MOST_ALLOWED: u32 = 100;

/// How alternates are chosen, checked.
#[derive(Debug, Clone)]
pub struct Alternates {
    /// The most of them that a problem has.
    pub most: u32,
    /// What makes two solutions near-duplicates: any of these.
    pub by: Vec<By>,
}

/// A measure of similarity.
#[derive(Debug, Clone)]
pub struct By {
    /// What records call it: the model without its folder.
    pub name: String,
    /// What the recipe says of it, with every default.
    pub config: ByConfig,
    /// The model; `None` for shingles.
    pub model: Option<RecipeModel>,
}

/// What is said of a measure.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ByConfig {
    /// `shingles`, or the model as the recipe names it.
    pub model: String,
    /// Above it two solutions are near-duplicates.
    pub threshold: Threshold,
}

/// Above which similarity two solutions are near-duplicates.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Threshold {
    /// This one.
    At(f64),
    /// One that is found otherwise.
    Found(Way),
}

/// How a threshold is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Way {
    /// From the similarity of unrelated programs on, it is relaxed until problems have too many alternates.
    Calibrated,
    /// The paper's for this model.
    Paper,
}

impl fmt::Display for Threshold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Threshold::At(_) => "recipe",
            Threshold::Found(Way::Calibrated) => "calibrated",
            Threshold::Found(Way::Paper) => "paper",
        })
    }
}

impl Default for Alternates {
    fn default() -> Self {
        Alternates {
            most: MOST,
            by: vec![By::shingles(None)],
        }
    }
}

impl By {
    fn shingles(threshold: Option<Threshold>) -> Self {
        By {
            name: SHINGLES.to_owned(),
            config: ByConfig {
                model: SHINGLES.to_owned(),
                threshold: threshold.unwrap_or(Threshold::At(SHINGLES_THRESHOLD)),
            },
            model: None,
        }
    }

    /// The threshold that the paper has for the model.
    pub fn of_the_paper(&self) -> Option<f64> {
        let spec = &self.model.as_ref()?.spec;
        let repository = spec.source.repository()?;
        let is = |name: &str| repository.split('@').next() == Some(name);
        let found = PAPER_THRESHOLDS.iter().find(|(name, _)| is(name));
        found.map(|(_, threshold)| *threshold)
    }
}

impl Alternates {
    /// The models among the measures.
    pub fn models(&self) -> impl Iterator<Item = &RecipeModel> {
        self.by.iter().filter_map(|by| by.model.as_ref())
    }

    /// What the recipe says, with every default.
    pub fn resolved(&self) -> serde_json::Value {
        let by: Vec<&ByConfig> = self.by.iter().map(|by| &by.config).collect();
        serde_json::json!({ "most": self.most, "by": by })
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
    has_programs: bool,
    known: &mut Known,
    recipe: &RecipeText<'_>,
) -> Result<Alternates, Failure> {
    let Some(wire) = wire else {
        return Ok(Alternates::default());
    };
    if !has_programs {
        let message =
            "`[alternates]` chooses solutions of problems, and no `[[programs]]` names any";
        return Err(recipe.refuse(wire.span(), message));
    }
    let Wire { most, by } = wire.into_inner();
    let mut alternates = Alternates::default();
    if let Some(most) = most {
        if *most.get_ref() > MOST_ALLOWED {
            let message = format!("`most` = {} is more than {MOST_ALLOWED}", most.get_ref());
            return Err(recipe.refuse(most.span(), &message));
        }
        alternates.most = most.into_inner();
    }
    if let Some(by) = by {
        if by.get_ref().is_empty() {
            let message = "`by` is empty: nothing would say which solutions are alike";
            let failure = recipe.refuse(by.span(), message);
            return Err(failure.hint("name a model, or `\"shingles\"`"));
        }
        alternates.by = Vec::new();
        for one in by.into_inner() {
            let span = one.span();
            let by = measure(one, known, recipe)?;
            let name = &by.name;
            if alternates.by.iter().any(|other| other.name == *name) {
                let message = format!("two measures of `by` are named `{name}`");
                let failure = recipe.refuse(span, &message);
                return Err(failure.hint("leave one out, or name it in a `[[model]]`"));
            }
            alternates.by.push(by);
        }
    }
    Ok(alternates)
}

fn measure(
    one: Spanned<ModelOr<Table>>,
    known: &mut Known,
    recipe: &RecipeText<'_>,
) -> Result<By, Failure> {
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
    let by = if named == SHINGLES {
        By::shingles(threshold)
    } else {
        let mut spec = suited(known.find(&named, recipe, &span)?, recipe, &span)?;
        let name = label_of_model(&spec.name);
        spec.name = format!("alternates ({name})");
        By {
            name,
            config: ByConfig {
                model: named,
                threshold: threshold.unwrap_or(Threshold::Found(Way::Calibrated)),
            },
            model: Some(RecipeModel {
                spec,
                position: recipe.of(&span),
            }),
        }
    };
    if by.config.threshold == Threshold::Found(Way::Paper) && by.of_the_paper().is_none() {
        let message = format!("the paper has no threshold for `{}`", by.config.model);
        let names: Vec<&str> = PAPER_THRESHOLDS.iter().map(|(name, _)| *name).collect();
        return Err(refuse(&message).hint(format!("it has those of {}", names.join(", "))));
    }
    Ok(by)
}
