//! Programs with tests: where they are from, what is made of them, what is compared.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use barecode_check::PythonConfig;
use barecode_evaluate::ProbeConfig;
use barecode_programs::ProgramConfig;
use barecode_programs::read::Format;
use barecode_python::{Pipeline, StepConfig};
use barecode_records::python::{PublishedKind, Safety, VariantKind};
use serde::{Deserialize, Serialize};
use toml::Spanned;

use super::alternates::Alternates;
use super::recipe_text::{MAX_SEEDS, RecipeText, check_file_name};
use barecode_runs::exit::Failure;

/// Programs, and what is done with them.
#[derive(Debug, Clone, Default)]
pub struct Programs {
    /// Data sets.
    pub sources: Vec<ProgramSource>,
    /// Which programs take part.
    pub filters: ProgramConfig,
    /// Which solutions of a problem take part.
    pub alternates: Alternates,
    /// How they are run.
    pub python: PythonConfig,
    /// What is made of them.
    pub pipelines: Vec<PipelineConfig>,
    /// What is compared.
    pub probe: ProbeConfig,
}

/// A data set of programs (`[[programs]]`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ProgramSource {
    /// A file or folder, relative to the recipe's.
    pub from: String,
    /// Its format; found by name and content unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<Format>,
    /// Its license, as an SPDX expression.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub license: Option<String>,
    /// The most programs that are taken from it, drawn by the seed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// The most bugs of a problem that are taken of those that the data set publishes, drawn by the seed.
    #[serde(default = "one")]
    pub bugs: u32,
}

impl ProgramSource {
    /// Where its programs lie; `base` is the folder of the recipe.
    pub fn path(&self, base: &Path) -> PathBuf {
        base.join(self.from.strip_prefix("path:").unwrap_or(&self.from))
    }
}

/// A pipeline of transforms (`[[pipeline]]`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct PipelineConfig {
    /// Its name.
    pub name: String,
    /// What it makes: clones or bugs.
    pub kind: VariantKind,
    /// Its transforms, in order; those of the paper's Figure 5 unless given.
    #[serde(default)]
    pub steps: Vec<StepConfig>,
    /// Which forms of rewrites are allowed.
    #[serde(default)]
    pub safety: Safety,
    /// How many variants are made of a program.
    #[serde(default = "one")]
    pub draws: u32,
    /// The fewest transforms that must have been applied to a variant (pydra: five for clones, six for bugs).
    #[serde(default = "one")]
    pub at_least: u32,
    /// How often a bug that no test notices, or a variant with too few transforms, is drawn again.
    #[serde(default = "tries")]
    pub tries: u32,
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
        };
        vec![
            pipeline("positive", VariantKind::Clone),
            pipeline("negative", VariantKind::Bug),
        ]
    }

    /// The pipeline, ready to run.
    pub fn pipeline(&self) -> Result<Pipeline, String> {
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
        let steps = self
            .steps
            .iter()
            .map(|step| step.step().map_err(|error| error.to_string()));
        Ok(Pipeline {
            name: self.name.clone(),
            kind: self.kind,
            steps: steps.collect::<Result<_, _>>()?,
        })
    }
}

/// What the recipe says, before it is looked at.
pub(super) struct Wire {
    pub(super) sources: Vec<Spanned<ProgramSource>>,
    pub(super) filters: ProgramConfig,
    pub(super) python: PythonConfig,
    pub(super) pipelines: Vec<Spanned<PipelineConfig>>,
    pub(super) probe: Option<Spanned<ProbeConfig>>,
}

/// Looks at the values.
pub(super) fn check(wire: Wire, recipe: &RecipeText<'_>, base: &Path) -> Result<Programs, Failure> {
    let mut seen = BTreeSet::new();
    for source in &wire.sources {
        let from = base.join(&source.get_ref().from);
        if !seen.insert(from.clone()) {
            let message = format!("the programs of `{}` stand twice", source.get_ref().from);
            return Err(recipe.refuse(source.span(), &message).hint("leave one out"));
        }
        if source.get_ref().limit == Some(0) {
            return Err(recipe.refuse(source.span(), "`limit` is 0: nothing would be read"));
        }
    }
    let mut names = BTreeSet::new();
    for pipeline in &wire.pipelines {
        let (config, span) = (pipeline.get_ref(), pipeline.span());
        check_file_name("pipeline", &config.name, span.clone(), recipe)?;
        if PublishedKind::of(&config.name).is_some() {
            let message = format!("`{}` is what published bugs are called", config.name);
            return Err(recipe
                .refuse(span, &message)
                .hint("give the pipeline another name"));
        }
        if !names.insert(config.name.to_lowercase()) {
            let message = format!("two pipelines are named `{}`", config.name);
            let failure = recipe.refuse(span, &message);
            return Err(failure.hint("give each a name of its own"));
        }
        for (what, number) in [("draws", config.draws), ("tries", config.tries)] {
            if !(1..=MAX_SEEDS).contains(&number) {
                let message = format!("`{what}` = {number} is not a number from 1 to {MAX_SEEDS}");
                return Err(recipe.refuse(span, &message));
            }
        }
        let made = config.pipeline();
        let made = made.map_err(|message| recipe.refuse(span.clone(), &message))?;
        let other = made.steps.iter().find(|step| {
            let kind = step.transform.kind();
            config.kind == VariantKind::Clone && kind == VariantKind::Bug
        });
        if let Some(step) = other {
            let message = format!(
                "`{}` breaks programs, and `{}` makes clones",
                step.transform.name(),
                config.name
            );
            let failure = recipe.refuse(span, &message);
            return Err(failure.hint("say `kind = \"bug\"`, or leave the transform out"));
        }
        let breaks = made
            .steps
            .iter()
            .any(|step| step.transform.kind() == VariantKind::Bug);
        if config.kind == VariantKind::Bug && !breaks {
            let message = format!("no transform of `{}` breaks a program", config.name);
            let failure = recipe.refuse(span, &message);
            return Err(
                failure.hint("say `kind = \"clone\"`, or add one such as `WrongBooleanOperator`")
            );
        }
    }
    let span = wire.probe.as_ref().map(Spanned::span);
    let probe = wire.probe.map(Spanned::into_inner).unwrap_or_default();
    if probe.bins == 0 || probe.random == 0 || probe.nearest == 0 {
        let message = "`random`, `nearest` and `bins` of a probe are at least 1";
        return Err(recipe.error(span, message, None));
    }
    let pipelines: Vec<PipelineConfig> = wire
        .pipelines
        .into_iter()
        .map(Spanned::into_inner)
        .collect();
    if wire.sources.is_empty() && !pipelines.is_empty() {
        return Err(recipe
            .error(
                None,
                "a `[[pipeline]]` changes programs, and no `[[programs]]` names any",
                None,
            )
            .hint("add a table such as `[[programs]]` with `from = \"HumanEval.jsonl.gz\"`"));
    }
    Ok(Programs {
        pipelines: if pipelines.is_empty() && !wire.sources.is_empty() {
            PipelineConfig::usual()
        } else {
            pipelines
        },
        sources: wire.sources.into_iter().map(Spanned::into_inner).collect(),
        filters: wire.filters,
        // They name models, which are found later.
        alternates: Alternates::default(),
        python: wire.python,
        probe,
    })
}
