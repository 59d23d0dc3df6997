//! Programs with tests: their sources, their variants, and the comparisons.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;

use barecode_check::PythonConfig;
use barecode_evaluate::ProbeConfig;
use barecode_programs::{PipelineConfig, ProgramConfig, ProgramSource};
use barecode_records::python::{PublishedKind, VariantKind};
use toml::Spanned;

use super::Wire;
use super::alternates::Alternates;
use super::recipe_text::{MAX_SEEDS, RecipeText, check_file_name};
use barecode_runs::exit::Failure;

/// Programs, and their processing.
#[derive(Debug, Clone, Default)]
pub struct Programs {
    /// Data sets.
    pub sources: Vec<ProgramSource>,
    /// The filters of programs.
    pub filters: ProgramConfig,
    /// The selection of the solutions of a problem.
    pub alternates: Alternates,
    /// The options of their interpreter.
    pub python: PythonConfig,
    /// The pipelines that make their variants.
    pub pipelines: Vec<PipelineConfig>,
    /// The comparisons.
    pub probe: ProbeConfig,
}

/// Refuses a recipe that names no programs but has options for them.
pub(super) fn refuse_idle(
    has_pipelines: bool,
    alternates: Option<Range<usize>>,
    recipe: &RecipeText<'_>,
) -> Result<(), Failure> {
    if has_pipelines {
        let message = "a `[[pipeline]]` changes programs, and no `[[programs]]` names any";
        let failure = recipe.error(None, message, None);
        return Err(
            failure.hint("add a table such as `[[programs]]` with `from = \"HumanEval.jsonl.gz\"`")
        );
    }
    let Some(span) = alternates else {
        return Ok(());
    };
    let message = "`[alternates]` chooses solutions of problems, and no `[[programs]]` names any";
    Err(recipe.refuse(span, message))
}

/// Checks the recipe's options for programs, and returns them.
pub(super) fn check(
    wire: &mut Wire,
    recipe: &RecipeText<'_>,
    base: &Path,
) -> Result<Programs, Failure> {
    let mut seen = BTreeSet::new();
    for source in &wire.programs {
        let from = base.join(&source.get_ref().from);
        if !seen.insert(from.clone()) {
            let message = format!("the programs of `{}` occur twice", source.get_ref().from);
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
        if PublishedKind::named(&config.name).is_some() {
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
        let made = made.map_err(|error| recipe.refuse(span.clone(), &error.to_string()))?;
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
            return Err(failure.hint("set `kind = \"bug\"`, or leave the transform out"));
        }
        let breaks = made
            .steps
            .iter()
            .any(|step| step.transform.kind() == VariantKind::Bug);
        if config.kind == VariantKind::Bug && !breaks {
            let message = format!("no transform of `{}` breaks a program", config.name);
            let failure = recipe.refuse(span, &message);
            return Err(
                failure.hint("set `kind = \"clone\"`, or add one such as `WrongBooleanOperator`")
            );
        }
    }
    let span = wire.probe.as_ref().map(Spanned::span);
    let probe = wire.probe.take().map(Spanned::into_inner);
    let probe = probe.unwrap_or_default();
    if probe.bins == 0 || probe.random == 0 || probe.nearest == 0 {
        let message = "`random`, `nearest` and `bins` of a probe are at least 1";
        return Err(recipe.error(span, message, None));
    }
    let pipelines = std::mem::take(&mut wire.pipelines).into_iter();
    let pipelines: Vec<PipelineConfig> = pipelines.map(Spanned::into_inner).collect();
    let sources = std::mem::take(&mut wire.programs).into_iter();
    let sources: Vec<ProgramSource> = sources.map(Spanned::into_inner).collect();
    Ok(Programs {
        pipelines: if pipelines.is_empty() && !sources.is_empty() {
            PipelineConfig::usual()
        } else {
            pipelines
        },
        sources,
        filters: std::mem::take(&mut wire.filters),
        // They name models, which are found later.
        alternates: Alternates::default(),
        python: std::mem::take(&mut wire.python),
        probe,
    })
}
