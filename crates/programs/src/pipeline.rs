//! Variants of programs: pipelines of transforms as a recipe names them (`[[pipeline]]`).

use barecode_python::{BadStep, Pipeline, StepConfig};
use barecode_records::python::{Fault, Safety, VariantKind};
use serde::{Deserialize, Serialize};

/// A pipeline of transforms (`[[pipeline]]`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct PipelineConfig {
    /// Its name.
    pub name: String,
    /// The kind of its variants: clones or bugs.
    pub kind: VariantKind,
    /// Its transforms, in order; those of the paper's Figure 5 unless given.
    #[serde(default)]
    pub steps: Vec<StepConfig>,
    /// The forms of rewrites that are allowed.
    #[serde(default)]
    pub safety: Safety,
    /// Number of variants that are made of a program.
    #[serde(default = "one")]
    pub draws: u32,
    /// The fewest transforms that must have been applied to a variant (pydra: five for clones, six for bugs).
    #[serde(default = "one")]
    pub at_least: u32,
    /// The number of times that a bug that no test notices or that fails in another way, or a variant with too few
    /// transforms, is drawn again.
    #[serde(default = "tries")]
    pub tries: u32,
    /// The ways in which a bug may fail; any unless given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<Fault>,
}

fn one() -> u32 {
    1
}

fn tries() -> u32 {
    5
}

impl PipelineConfig {
    /// The pipelines of the paper's Figure 5, with the forms of rewrites that keep the meaning.
    pub fn usual() -> Vec<PipelineConfig> {
        let pipeline = |name: &str, kind: VariantKind| PipelineConfig {
            name: name.to_owned(),
            kind,
            steps: Vec::new(),
            safety: Safety::default(),
            draws: one(),
            at_least: one(),
            tries: tries(),
            faults: Vec::new(),
        };
        vec![
            pipeline("positive", VariantKind::Clone),
            pipeline("negative", VariantKind::Bug),
        ]
    }

    /// The pipeline, ready to run.
    ///
    /// # Errors
    /// A step whose options do not fit its transform.
    pub fn pipeline(&self) -> Result<Pipeline, BadStep> {
        if self.steps.is_empty() {
            let steps = match self.kind {
                VariantKind::Clone => Pipeline::paper_positive(),
                VariantKind::Bug => Pipeline::paper_negative(),
            };
            return Ok(Pipeline {
                name: self.name.clone(),
                ..steps
            });
        }
        let steps = self.steps.iter().map(StepConfig::step);
        Ok(Pipeline {
            name: self.name.clone(),
            kind: self.kind,
            steps: steps.collect::<Result<_, _>>()?,
        })
    }
}
