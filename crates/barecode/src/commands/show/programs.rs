//! A program with its tests and its variants.

use std::fmt::Write as _;

use barecode_records::python::{Program, ProgramVariant};
use barecode_records::{SetAside, Stage};
use serde_json::json;

use super::{describe_aside, indented, tame};
use crate::answer::Answer;
use crate::console::Screen;
use crate::exit::Failure;
use crate::report::diff;
use crate::report::programs::{label, on_inputs};
use crate::run_folder::RunFolder;
use crate::session::Session;

/// Returns `true` if an id is that of a program or of a variant of one.
pub(super) fn is_meant(id: &str) -> bool {
    id.starts_with("p-") || id.starts_with("w-")
}

/// Shows the line of a program; with `diff`, the program beside a variant.
pub(super) fn show(
    session: &Session,
    folder: &RunFolder,
    id: &str,
    diff: Option<&str>,
) -> anyhow::Result<Answer> {
    let layout = folder.layout();
    let variants = layout.program_variants()?;
    let meant = variants.iter().find(|variant| variant.id.as_str() == id);
    let program_id = meant
        .map_or(id, |variant| variant.program_id.as_str())
        .to_owned();
    let mut programs = layout.programs(Stage::Check)?;
    for stage in [Stage::Choose, Stage::Extract] {
        programs.extend(layout.programs(stage)?);
    }
    let program = programs
        .into_iter()
        .find(|program| program.id.as_str() == program_id);
    let mut set_aside = Vec::new();
    for stage in [Stage::Extract, Stage::Choose, Stage::Check, Stage::Vary] {
        let rows = layout.set_aside(stage)?.into_iter();
        set_aside
            .extend(rows.filter(|row| row.id.as_ref().is_some_and(|id| id.as_str() == program_id)));
    }
    let Some(program) = program else {
        if let Some(row) = set_aside.first() {
            let message = format!(
                "`{id}` was set aside in {}: {}, {}",
                row.stage, row.reason, row.detail
            );
            return Err(Failure::invalid(message).into());
        }
        let message = format!("no record `{id}` in `{}`", folder.root().display());
        let hint = "find ids in the tables of `programs` and on the report page";
        return Err(Failure::invalid(message).hint(hint).into());
    };
    let of_program = |variant: &ProgramVariant| variant.program_id.as_str() == program_id;
    let variants: Vec<ProgramVariant> = variants.into_iter().filter(of_program).collect();
    if let Some(label) = diff {
        return beside(session, &program, &variants, label);
    }
    session.answer(
        || json!({ "program": program, "variants": variants, "set_aside": set_aside }),
        |_| Ok(describe(&program, &variants, &set_aside)?),
    )
}

fn beside(
    session: &Session,
    program: &Program,
    variants: &[ProgramVariant],
    wanted: &str,
) -> anyhow::Result<Answer> {
    let Some(variant) = variants.iter().find(|variant| label(variant) == wanted) else {
        let known: Vec<String> = variants.iter().map(label).collect();
        let failure = Failure::invalid(format!("the program has no variant `{wanted}`"));
        let hint = match known.as_slice() {
            [] => "it has none; `barecode show` without --diff prints the reason".to_owned(),
            known => format!("it has {}", known.join(", ")),
        };
        return Err(failure.hint(hint).into());
    };
    session.answer(
        || json!({ "before": program.text, "variant": variant }),
        |Screen { width, color }| {
            let sides = diff::sides_of_places(&program.text, &variant.text, &variant.places);
            Ok(diff::terminal(&sides, width.min(200), color))
        },
    )
}

fn describe(
    program: &Program,
    variants: &[ProgramVariant],
    set_aside: &[SetAside],
) -> Result<String, std::fmt::Error> {
    let mut out = String::new();
    let (origin, tests) = (&program.origin, &program.tests);
    writeln!(out, "program {}  {}", program.id, program.problem)?;
    writeln!(out, "  {} {}", origin.source, origin.place())?;
    let cases = match tests.cases.len() {
        0 => String::new(),
        cases => format!(", {cases} cases"),
    };
    writeln!(
        out,
        "  tests: {}{cases}; they run {} of {} lines",
        tests.kind.name(),
        program.covered.len(),
        program.text.lines().count()
    )?;
    if !program.normalized.is_empty() {
        writeln!(out, "  normalized: {}", program.normalized.join(", "))?;
    }
    writeln!(out, "{}", indented(&tame(&program.text)))?;
    for variant in variants {
        let kind = match variant.clone_type {
            Some(kind) => format!("clone of type {kind:?}"),
            None => "bug".to_owned(),
        };
        writeln!(
            out,
            "\n{}  {}: {kind}, {} changes",
            variant.id,
            label(variant),
            variant.places.len()
        )?;
        for applied in &variant.applied {
            let by_tests = match applied.by_tests_only {
                0 => String::new(),
                n => format!(", {n} verified by tests only"),
            };
            writeln!(
                out,
                "  {}: {} of {} nodes{by_tests}",
                applied.transform, applied.applied, applied.nodes
            )?;
        }
        if let Some(fault) = variant.fault {
            let test = variant
                .failed_test
                .map_or_else(String::new, |test| format!(" in test {test}"));
            let failure = variant.failure.as_deref().unwrap_or_default();
            writeln!(out, "  fails by {}{test}: {}", fault.name(), tame(failure))?;
        }
        if let Some(said) = on_inputs(variant) {
            writeln!(out, "  {}", tame(&said))?;
        }
        writeln!(out, "{}", indented(&tame(&variant.text)))?;
    }
    for row in set_aside {
        let name = row.name.as_deref().unwrap_or_default();
        describe_aside(&mut out, row, &format!(" ({name})"))?;
    }
    Ok(out)
}
