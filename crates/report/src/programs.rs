//! Programs on the page: the number of uses of each transform, and a few programs beside their clones and bugs.

use std::collections::BTreeMap;

use barecode_records::python::{Program, ProgramVariant, PublishedKind, Safety, VariantKind};
use maud::{Markup, html};

use super::{diff, markup};
use barecode_runs::console::grouped;

/// The most lines of a variant in an example.
pub const MOST_LINES: usize = 20;

/// The number of examples that are open.
const SHOWN: usize = 2;

/// The part of the page about programs.
#[derive(Default)]
pub struct Programs {
    /// Programs with their variants.
    pub examples: Vec<Example>,
    /// The output of each pipeline.
    pub made: Vec<Made>,
    /// The number of uses of each transform in each pipeline.
    pub uses: Vec<TransformUse>,
}

/// A program with a clone and a bug, as far as the recipe makes both.
pub struct Example {
    /// The program.
    pub program: Program,
    /// The variants of it, clones first.
    pub variants: Vec<ProgramVariant>,
}

/// The output of a pipeline.
pub struct Made {
    /// The pipeline.
    pub pipeline: String,
    /// The kind of its variants.
    pub kind: VariantKind,
    /// Which forms of rewrites are allowed.
    pub safety: Safety,
    /// Variants that were kept.
    pub variants: u64,
    /// The number of bugs among them by kind of failure.
    pub faults: BTreeMap<&'static str, u64>,
    /// Clones that were compared with their programs on made-up inputs.
    pub asked: u64,
    /// These inputs, over all of them.
    pub inputs: u64,
    /// Those among them that do something else on one.
    pub differing: u64,
}

/// The uses of a transform in a pipeline, over the variants that were kept.
#[derive(Default)]
pub struct TransformUse {
    /// The pipeline.
    pub pipeline: String,
    /// The transform.
    pub transform: String,
    /// Variants that it changed.
    pub variants: u64,
    /// The nodes in these that it could be applied to.
    pub nodes: u64,
    /// The nodes that it was applied to.
    pub applied: u64,
    /// Those among them for which only the tests show that the meaning is preserved.
    pub by_tests_only: u64,
}

/// The section; empty without variants of programs.
pub(super) fn section(programs: &Programs) -> Markup {
    let (first, others) = programs
        .examples
        .split_at(programs.examples.len().min(SHOWN));
    html! {
        @if !programs.made.is_empty() {
            h2 #transforms { "Transforms" }
            ul {
                @for made in &programs.made { li { (sentence(made)) } }
            }
            (uses(programs))
        }
        @if !programs.examples.is_empty() {
            h2 #programs { "Programs beside their clones and bugs" }
            p.note {
                "Drawn with the run’s seed, not chosen: of programs whose clones and bugs have at most " (MOST_LINES)
                " lines (or the shortest, if none is so short), in the order of the draw, each that shows a transform that none before it shows. "
                "Changes are marked."
            }
            @for example in first { (article(example)) }
            @if !others.is_empty() {
                details {
                    summary { (others.len()) " more" }
                    @for example in others { (article(example)) }
                }
            }
        }
    }
}

fn sentence(made: &Made) -> Markup {
    let what = match made.kind {
        VariantKind::Clone => "clones",
        VariantKind::Bug => "bugs",
    };
    let faults = made.faults.iter();
    let faults: Vec<String> = faults
        .map(|(fault, count)| format!("{} by {fault}", grouped(*count)))
        .collect();
    html! {
        code { (made.pipeline) } ": " (grouped(made.variants)) " " (what)
        @if PublishedKind::named(&made.pipeline).is_some() { " that their data set publishes" }
        @if made.kind == VariantKind::Clone {
            @match made.safety {
                Safety::Safe => ", rewritten where types, effects and scopes show that the meaning stays, or only an unknown type leaves a doubt",
                Safety::Paper => ", rewritten in pydra’s looser forms, too",
            }
        }
        @if !faults.is_empty() { "; they fail " (faults.join(", ")) }
        @if made.kind == VariantKind::Clone {
            @if made.asked == 0 {
                "; none was compared with its program beyond the tests"
            } @else {
                "; " (grouped(made.asked)) " of them were compared with their programs on " (grouped(made.inputs))
                " made-up inputs in all, and "
                @if made.differing == 0 { "none does anything else" } @else { (grouped(made.differing)) " do something else on one" }
            }
        }
    }
}

fn uses(programs: &Programs) -> Markup {
    let of = |pipeline: &str| {
        let mut made = programs.made.iter();
        made.find(|made| made.pipeline == pipeline)
            .map_or(0, |made| made.variants)
    };
    markup::scroll(
        "Transforms",
        html! {
            table {
                caption { "Applications of each transform " small { "in the variants that were kept" } }
                (markup::heads(&["Pipeline", "Transform"], &["Variants", "Nodes", "Changed", "By tests only"]))
                tbody {
                    @for one in &programs.uses {
                        tr {
                            td { (one.pipeline) }
                            th scope="row" { (one.transform) }
                            td.num { (grouped(one.variants)) small { "of " (grouped(of(&one.pipeline))) } }
                            td.num { (grouped(one.nodes)) }
                            td.num { (grouped(one.applied)) }
                            td.num { (grouped(one.by_tests_only)) }
                        }
                    }
                }
            }
            p.note { "Nodes: nodes that the transform applies to, in the variants that it changed. By tests only: changed nodes of clones for which only the tests show that the meaning stays." }
        },
    )
}

fn article(example: &Example) -> Markup {
    let Example { program, variants } = example;
    html! {
        article.query {
            h3 { (program.problem) }
            p.note { (program.origin.source) " " code { (program.origin.place()) } "; " code { (program.id) } }
            @for variant in variants {
                (diff::page(
                    ["program", &title(variant)],
                    &diff::sides_of_places(&program.text, &variant.text, &variant.places),
                ))
                p.note { (account(variant)) }
            }
        }
    }
}

/// `positive`, and `positive-2` for its second draw.
pub fn label(variant: &ProgramVariant) -> String {
    match variant.draw {
        1 => variant.pipeline.clone(),
        draw => format!("{}-{draw}", variant.pipeline),
    }
}

/// `clone of type III by positive`.
fn title(variant: &ProgramVariant) -> String {
    let kind = match variant.clone_type {
        Some(kind) => format!("clone of type {kind:?}"),
        None => "bug".to_owned(),
    };
    format!("{kind} by {}", label(variant))
}

/// The transforms, and the failure of a bug.
fn account(variant: &ProgramVariant) -> Markup {
    let applied = variant.applied.iter().map(|one| {
        let by_tests = match one.by_tests_only {
            0 => String::new(),
            n => format!(", {n} verified by tests only"),
        };
        format!(
            "{} ({} of {} nodes{by_tests})",
            one.transform, one.applied, one.nodes
        )
    });
    let applied: Vec<String> = applied.collect();
    html! {
        @if applied.is_empty() { "Published with its program." } @else { (applied.join(", ")) "." }
        @if let Some(fault) = variant.fault {
            " Fails by " (fault.name())
            @if let Some(test) = variant.failed_test { " in test " (test) }
            @if let Some(failure) = &variant.failure { ": " code { (failure) } }
            "."
        }
        @if let Some(said) = on_inputs(variant) { " It " (said) "." }
    }
}

/// The behavior of a clone on made-up inputs, after its name: `does the same on 50 made-up inputs`.
pub fn on_inputs(variant: &ProgramVariant) -> Option<String> {
    let (agreed, differed) = (variant.agreed?, variant.differed?);
    Some(match &variant.difference {
        None => format!("does the same on {agreed} made-up inputs"),
        Some(difference) => format!(
            "does something else on {differed} of {} made-up inputs: {difference}",
            agreed + differed
        ),
    })
}
