//! `[scores]`: the options of scoring.

use std::collections::BTreeSet;

use barecode_scores::{Measure, MeasureError, Ties, TiesError};
use serde::Deserialize;
use serde_json::json;
use toml::Spanned;

use super::recipe_text::{RecipeText, nearest};
use barecode_runs::exit::Failure;

/// The measures of a recipe that names none; the first is the main one.
pub(crate) const MEASURES: [&str; 7] = ["nDCG@10", "RR@10", "AP", "R@1", "R@5", "R@10", "R@20"];

/// The means of all resamples are held in memory.
const MAX_RESAMPLES: u32 = 1_000_000;

/// `[scores]`.
#[derive(Debug, Clone)]
pub struct ScoreConfig {
    /// The measures; the first is the main one.
    pub measures: Vec<Measure>,
    /// Random signs of the tests, and resamples of intervals that need some.
    pub resamples: u32,
    /// Confidence of the intervals.
    pub confidence: f64,
    /// The rule for equal scores.
    pub ties: Ties,
}

impl ScoreConfig {
    /// With every default spelled out.
    pub fn resolved(&self) -> serde_json::Value {
        json!({
            "measures": self.measures.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "resamples": self.resamples,
            "confidence": self.confidence,
            "ties": self.ties.name(),
        })
    }
}

/// The table as in the file.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Wire {
    measures: Option<Spanned<Vec<Spanned<String>>>>,
    resamples: Option<Spanned<u32>>,
    confidence: Option<Spanned<f64>>,
    ties: Option<Spanned<String>>,
}

/// Looks at the values.
pub(super) fn check(wire: Wire, recipe: &RecipeText<'_>) -> Result<ScoreConfig, Failure> {
    let measures = match wire.measures {
        None => MEASURES
            .iter()
            .map(|name| name.parse().expect("the default measures are known"))
            .collect(),
        Some(names) => check_measures(&names, recipe)?,
    };
    let resamples = match wire.resamples {
        Some(number) if *number.get_ref() == 0 => {
            return Err(recipe.refuse(number.span(), "`resamples` is 0: no test can be made"));
        }
        number => recipe.fitting(
            number,
            |number| *number <= MAX_RESAMPLES,
            |number| format!("`resamples` = {number} is more than {MAX_RESAMPLES}"),
            Some("10000 is plenty: more only moves the last digit"),
        )?,
    };
    let confidence = recipe.fitting(
        wire.confidence,
        |share| *share > 0.0 && *share < 1.0,
        |share| format!("`confidence` = {share} is not between 0 and 1"),
        Some("95 % is written 0.95"),
    )?;
    let ties = match wire.ties {
        None => Ties::Expected,
        Some(name) => name.get_ref().parse().map_err(|error: TiesError| {
            let known = nearest(name.get_ref(), Ties::ALL.map(Ties::name));
            recipe.error(Some(name.span()), &error.to_string(), known)
        })?,
    };
    Ok(ScoreConfig {
        measures,
        resamples: resamples.unwrap_or(10_000),
        confidence: confidence.unwrap_or(0.95),
        ties,
    })
}

fn check_measures(
    names: &Spanned<Vec<Spanned<String>>>,
    recipe: &RecipeText<'_>,
) -> Result<Vec<Measure>, Failure> {
    if names.get_ref().is_empty() {
        return Err(recipe.refuse(names.span(), "`measures` is empty: nothing would be scored"));
    }
    let mut seen = BTreeSet::new();
    let mut measures = Vec::new();
    for name in names.get_ref() {
        let measure: Measure = name.get_ref().parse().map_err(|error: MeasureError| {
            let message = error.to_string();
            // The measures' own crate knows more names than the recipe's defaults.
            let known =
                nearest(name.get_ref(), MEASURES).filter(|_| !message.contains("did you mean"));
            recipe.error(Some(name.span()), &message, known)
        })?;
        if !measure.has_ceiling() {
            let message = format!(
                "the measure `{measure}` has no ceiling, and a report shows one beside every number"
            );
            return Err(recipe
                .refuse(name.span(), &message)
                .hint("`barecode score QRELS RUN` takes it"));
        }
        if !seen.insert(measure.to_string()) {
            return Err(recipe.refuse(
                name.span(),
                &format!("the measure `{measure}` occurs twice"),
            ));
        }
        measures.push(measure);
    }
    Ok(measures)
}
