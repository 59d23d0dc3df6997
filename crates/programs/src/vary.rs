//! Programs to clones and bugs.
//!
//! The variants of a pipeline are run with the program's tests. A clone that fails one is left out with the error:
//! under `safe` each such row is a fault of a transform. One that passes is compared with its program on inputs that
//! no test has (`differ`), and left out under `safe` if it does something else there. A bug that fails none, or in a
//! way that is not allowed, is drawn again, and left out after the last try. Bugs that the data set publishes are run
//! with the same tests, and become variants without transforms.

use std::collections::BTreeSet;

use barecode_check::{CheckError, Python, Ran};
use barecode_python::{Context, Pipeline, Rewritten};
use barecode_records::python::{
    ChangedPlace, Program, ProgramVariant, PublishedBug, PublishedKind, Safety, VariantKind,
};
use barecode_records::{Digest, Outcome, Reason, SetAside, Span, Stage};

use crate::check::failed;
use crate::differ::{Compared, Differ};
use crate::pipeline::PipelineConfig;
use crate::protected::protected_names;

/// The word for clones and bugs in the account.
pub const VARIANTS: &str = "program variants";

/// Makes the variants of programs, in their order; `done` is called with the number of tries for each.
///
/// # Errors
/// A step of a pipeline that no transform knows; an interpreter that no longer works.
pub fn vary(
    programs: &[Program],
    pipelines: &[(&PipelineConfig, Pipeline)],
    seed: u64,
    python: &Python,
    done: impl Fn(u64),
) -> Result<Outcome<Vec<ProgramVariant>>, CheckError> {
    let mut outcome = Outcome::counting([VARIANTS]);
    let draws = pipelines.iter();
    let draws: u64 = draws.map(|(config, _)| u64::from(config.draws)).sum();
    for program in programs {
        vary_one(seed, python, program, pipelines, &mut outcome)?;
        run_published(python, program, &mut outcome)?;
        done(draws);
    }
    Ok(outcome)
}

/// A variant that is not made yet.
struct Wanted<'a> {
    config: &'a PipelineConfig,
    pipeline: &'a Pipeline,
    draw: u32,
    /// The reason that the last attempt made no variant.
    last: (Reason, String),
}

/// The variants of a program, and a row for each missing one. The variants of one attempt are run together, which
/// saves starting the tests.
fn vary_one(
    seed: u64,
    python: &Python,
    program: &Program,
    made: &[(&PipelineConfig, Pipeline)],
    outcome: &mut Outcome<Vec<ProgramVariant>>,
) -> Result<(), CheckError> {
    let protected = protected_names(&program.tests);
    let draws = made.iter().flat_map(|(config, pipeline)| {
        (1..=config.draws).map(move |draw| Wanted {
            config,
            pipeline,
            draw,
            last: (Reason::NoTransform, "no node".to_owned()),
        })
    });
    let mut wanted: Vec<Wanted<'_>> = draws.collect();
    let mut kept: Vec<ProgramVariant> = Vec::new();
    let mut differ: Option<Differ<'_>> = None;
    for attempt in 1.. {
        let (now, over): (Vec<_>, Vec<_>) = wanted
            .into_iter()
            .partition(|one| attempt <= one.config.tries);
        for one in &over {
            outcome.set_aside(VARIANTS, row(program, one));
        }
        if now.is_empty() {
            break;
        }
        wanted = Vec::new();
        let mut ready = Vec::new();
        for mut one in now {
            let seed = seed_of(seed, program, &one, attempt);
            match rewrite(program, &one, &protected, seed) {
                Ok(rewritten) => ready.push((one, seed, rewritten)),
                Err(why) => {
                    one.last = why;
                    wanted.push(one);
                }
            }
        }
        let texts: Vec<&str> = ready
            .iter()
            .map(|(.., rewritten)| rewritten.text.as_str())
            .collect();
        let ran = python.run(&program.tests, &texts)?;
        for ((mut one, seed, rewritten), ran) in ready.into_iter().zip(ran) {
            match (one.config.kind, ran) {
                (VariantKind::Clone, Ran::Passed { tests }) if tests > 0 => {
                    if differ.is_none() {
                        differ = Some(Differ::of(program, python)?);
                    }
                    let differ = differ.as_ref().expect("it is there now");
                    match differ.compare(&rewritten.text)? {
                        Compared {
                            difference: Some(difference),
                            ..
                        } if one.config.safety == Safety::Safe => {
                            one.last = (Reason::CloneDiffers, after(&difference, &rewritten));
                            outcome.set_aside(VARIANTS, row(program, &one));
                        }
                        compared => kept.push(ProgramVariant {
                            agreed: compared.agreed,
                            differed: compared.differed,
                            difference: compared.difference,
                            ..variant(program, &one, seed, rewritten, None)
                        }),
                    }
                }
                (VariantKind::Clone, ran) => {
                    // Another draw would hide that a transform changed what the program does.
                    let (_, detail) = failed(Some(&ran));
                    one.last = (Reason::CloneFails, after(&detail, &rewritten));
                    outcome.set_aside(VARIANTS, row(program, &one));
                }
                (VariantKind::Bug, ran @ Ran::Failed { fault, .. })
                    if one.config.faults.is_empty() || one.config.faults.contains(&fault) =>
                {
                    kept.push(variant(program, &one, seed, rewritten, Some(ran)));
                }
                (VariantKind::Bug, ran @ Ran::Failed { .. }) => {
                    one.last = (Reason::BugOtherFault, failed(Some(&ran)).1);
                    wanted.push(one);
                }
                (VariantKind::Bug, Ran::NotSeparable { reason }) => {
                    one.last = (Reason::TestsNotSeparable, reason);
                    wanted.push(one);
                }
                (VariantKind::Bug, Ran::Passed { .. }) => {
                    let detail = format!("all tests pass, as after {attempt} tries");
                    one.last = (Reason::BugPasses, detail);
                    wanted.push(one);
                }
            }
        }
    }
    let order = |variant: &ProgramVariant| {
        let place = made
            .iter()
            .position(|(config, _)| config.name == variant.pipeline);
        (place, variant.draw)
    };
    kept.sort_by_key(order);
    for variant in kept {
        outcome.keep(VARIANTS, variant);
    }
    Ok(())
}

/// The published bugs of a program that fail a test of it, and a row for each that does not.
fn run_published(
    python: &Python,
    program: &Program,
    outcome: &mut Outcome<Vec<ProgramVariant>>,
) -> Result<(), CheckError> {
    if program.bugs.is_empty() {
        return Ok(());
    }
    let texts: Vec<&str> = program.bugs.iter().map(|bug| bug.text.as_str()).collect();
    let ran = python.run(&program.tests, &texts)?;
    for ((bug, draw), ran) in program.bugs.iter().zip(1..).zip(ran) {
        let name = bug.kind.name();
        let (reason, detail) = match ran {
            Ran::Failed {
                fault,
                test,
                message,
            } => {
                let variant = ProgramVariant {
                    id: ProgramVariant::id_of(&program.id, name, draw, &bug.text),
                    program_id: program.id.clone(),
                    kind: VariantKind::Bug,
                    clone_type: None,
                    pipeline: name.to_owned(),
                    draw,
                    seed: 0,
                    safety: Safety::default(),
                    text: bug.text.clone(),
                    applied: Vec::new(),
                    places: places(bug, &program.text),
                    fault: Some(fault),
                    failed_test: test,
                    failure: Some(message),
                    agreed: None,
                    differed: None,
                    difference: None,
                };
                outcome.keep(VARIANTS, variant);
                continue;
            }
            Ran::Passed { .. } => (Reason::BugPasses, "all tests pass".to_owned()),
            Ran::NotSeparable { reason } => (Reason::TestsNotSeparable, reason),
        };
        let row = SetAside {
            id: Some(program.id.clone()),
            origin: Some(program.origin.clone()),
            name: Some(format!("{} {name}", program.problem)),
            draw: Some(draw),
            ..SetAside::new(Stage::Vary, "program variant", reason, detail)
        };
        outcome.set_aside(VARIANTS, row);
    }
    Ok(())
}

/// The range of a mistake in a program: from the first character that differs to the last. Empty if the bug is a
/// program of its own.
fn places(bug: &PublishedBug, program: &str) -> Vec<ChangedPlace> {
    if bug.kind != PublishedKind::BuggySolution {
        return Vec::new();
    }
    let same = |(a, b): &(char, char)| a == b;
    let size = |pairs: &mut dyn Iterator<Item = (char, char)>| -> usize {
        pairs.take_while(same).map(|(a, _)| a.len_utf8()).sum()
    };
    let start = size(&mut program.chars().zip(bug.text.chars()));
    let [before, after] = [program, bug.text.as_str()].map(|text| text.split_at(start).1);
    let end = size(&mut before.chars().rev().zip(after.chars().rev()));
    let span = |text: &str| Span {
        start: u32::try_from(start).unwrap_or(u32::MAX),
        end: u32::try_from(start + text.len() - end).unwrap_or(u32::MAX),
    };
    vec![ChangedPlace {
        transform: bug.kind.name().to_owned(),
        before: span(before),
        after: span(after),
    }]
}

fn seed_of(seed: u64, program: &Program, one: &Wanted<'_>, attempt: u32) -> u64 {
    Digest::new("pipeline")
        .field(seed.to_le_bytes())
        .field(&one.config.name)
        .field(&program.id)
        .field(one.draw.to_le_bytes())
        .field(attempt.to_le_bytes())
        .seed()
}

/// The rewritten program of a pipeline, or the reason that there is none.
fn rewrite(
    program: &Program,
    one: &Wanted<'_>,
    protected: &BTreeSet<String>,
    seed: u64,
) -> Result<Rewritten, (Reason, String)> {
    let context = Context {
        safety: one.config.safety,
        protected: protected.clone(),
        covered: match one.config.kind {
            VariantKind::Bug => program.covered.iter().copied().collect(),
            VariantKind::Clone => BTreeSet::new(),
        },
    };
    let rewritten = one.pipeline.run(&program.text, &context, seed);
    let rewritten = rewritten.map_err(|error| (Reason::RewriteUnparsable, error.to_string()))?;
    let applied = rewritten.applied.len();
    if applied < one.config.at_least as usize || rewritten.text == program.text {
        let detail = format!(
            "{applied} transforms applied, {} wanted",
            one.config.at_least
        );
        return Err((Reason::NoTransform, detail));
    }
    Ok(rewritten)
}

/// A problem with a clone, with the transforms that made it.
fn after(wrong: &str, rewritten: &Rewritten) -> String {
    let names = rewritten.applied.iter().map(|one| one.transform.as_str());
    let names: Vec<&str> = names.collect();
    format!("{wrong} (after {})", names.join(", "))
}

fn row(program: &Program, one: &Wanted<'_>) -> SetAside {
    let (reason, detail) = &one.last;
    SetAside {
        id: Some(program.id.clone()),
        origin: Some(program.origin.clone()),
        name: Some(format!("{} {}", program.problem, one.config.name)),
        draw: Some(one.draw),
        ..SetAside::new(Stage::Vary, "program variant", *reason, detail)
    }
}

fn variant(
    program: &Program,
    one: &Wanted<'_>,
    seed: u64,
    rewritten: Rewritten,
    failed: Option<Ran>,
) -> ProgramVariant {
    let (config, draw) = (one.config, one.draw);
    let clone_type = (config.kind == VariantKind::Clone).then(|| rewritten.clone_type());
    let (fault, failed_test, failure) = match failed {
        Some(Ran::Failed {
            fault,
            test,
            message,
        }) => (Some(fault), test, Some(message)),
        _ => (None, None, None),
    };
    ProgramVariant {
        id: ProgramVariant::id_of(&program.id, &config.name, draw, &rewritten.text),
        program_id: program.id.clone(),
        kind: config.kind,
        clone_type,
        pipeline: config.name.clone(),
        draw,
        seed,
        safety: config.safety,
        text: rewritten.text,
        applied: rewritten.applied,
        places: rewritten.places,
        fault,
        failed_test,
        failure,
        agreed: None,
        differed: None,
        difference: None,
    }
}
