//! Measures of similarity as a recipe names them, and where their thresholds come from.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{PAPER_THRESHOLDS, SHINGLES, SHINGLES_THRESHOLD};

/// Alternates of a problem, unless a recipe sets another number: two or three solutions, as in the paper.
const MOST: u32 = 2;

/// The rules by which alternates are chosen.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Alternates {
    /// The measures by which two solutions are near-duplicates: any of these.
    #[serde(rename = "by")]
    pub measures: Vec<MeasureConfig>,
    /// The most of them that a problem has.
    pub most: u32,
}

impl Default for Alternates {
    fn default() -> Self {
        Alternates {
            measures: vec![MeasureConfig::shingles(None)],
            most: MOST,
        }
    }
}

/// The settings of a measure.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MeasureConfig {
    /// The name in records: the model without its folder.
    #[serde(skip)]
    pub name: String,
    /// [`SHINGLES`], or the model as the recipe names it.
    pub model: String,
    /// Above it two solutions are near-duplicates.
    pub threshold: Threshold,
    /// The public repository of the model, by which the paper knows it.
    #[serde(skip)]
    pub repository: Option<String>,
}

/// The similarity above which two solutions are near-duplicates.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Threshold {
    /// This one.
    At(f64),
    /// One that is found otherwise.
    Found(Way),
}

/// The way in which a threshold is found.
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

impl MeasureConfig {
    /// The shares of common shingles.
    pub fn shingles(threshold: Option<Threshold>) -> Self {
        MeasureConfig {
            name: SHINGLES.to_owned(),
            model: SHINGLES.to_owned(),
            threshold: threshold.unwrap_or(Threshold::At(SHINGLES_THRESHOLD)),
            repository: None,
        }
    }

    /// Returns `true` if a model's vectors are compared.
    pub fn is_of_model(&self) -> bool {
        self.model != SHINGLES
    }

    /// The threshold that the paper has for the model.
    pub fn of_the_paper(&self) -> Option<f64> {
        let repository = self.repository.as_deref()?;
        let is = |name: &str| repository.split('@').next() == Some(name);
        let found = PAPER_THRESHOLDS.iter().find(|(name, _)| is(name));
        found.map(|(_, threshold)| *threshold)
    }

    /// The threshold, unless it is to be calibrated.
    pub(crate) fn known(&self) -> Option<f64> {
        match self.threshold {
            Threshold::At(threshold) => Some(threshold),
            Threshold::Found(Way::Paper) => self.of_the_paper(),
            Threshold::Found(Way::Calibrated) => None,
        }
    }
}
