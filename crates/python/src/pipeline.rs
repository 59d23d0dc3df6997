//! Transforms one after the other (pydra, Figure 5).

use barecode_records::Digest;
use barecode_records::python::{Applied, ChangedPlace, CloneType, VariantKind};

use crate::apply::{Draws, one};
use crate::edit::{Moved, span};
use crate::transforms::COMMENT_DELETION;
use crate::{Applying, Context, Transform, Unparsable};

/// A transform of a pipeline.
#[derive(Debug)]
pub struct Step {
    /// The transform.
    pub transform: Box<dyn Transform + Send>,
    /// The probability of each node to be changed, with a floor of one node.
    pub sample_p: f64,
    /// The probability of the transform to be applied at all.
    pub p: f64,
}

/// Transforms that are applied one after the other.
#[derive(Debug)]
pub struct Pipeline {
    /// Its name.
    pub name: String,
    /// The kind of the variants that it makes.
    pub kind: VariantKind,
    /// Its transforms, in order.
    pub steps: Vec<Step>,
}

/// The result of a pipeline for a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rewritten {
    /// The text.
    pub text: String,
    /// The transforms that were applied, in their order; those without a node, and those that were not drawn, are
    /// not among them.
    pub applied: Vec<Applied>,
    /// The changed ranges.
    pub places: Vec<ChangedPlace>,
}

impl Rewritten {
    /// The type of clone that it is, if it is one: by names only, or by more (pydra, section 3.1).
    pub fn clone_type(&self) -> CloneType {
        let mut transforms = self
            .applied
            .iter()
            .map(|applied| applied.transform.as_str());
        if transforms
            .clone()
            .any(|name| name != crate::transforms::CHANGE_NAMES && name != COMMENT_DELETION)
        {
            CloneType::III
        } else if transforms.any(|name| name == crate::transforms::CHANGE_NAMES) {
            CloneType::II
        } else {
            CloneType::I
        }
    }
}

impl Pipeline {
    /// Applies the transforms to a text. `seed` is all that the draws depend on; each transform has draws of its own, so
    /// leaving one out does not change what the others do first.
    pub fn run(&self, text: &str, context: &Context, seed: u64) -> Result<Rewritten, Unparsable> {
        let mut made = Rewritten {
            text: text.to_owned(),
            applied: Vec::new(),
            places: Vec::new(),
        };
        let mut moves: Vec<Moved> = Vec::new();
        // Lines that tests run are lines of the text that entered.
        let mut context = context.clone();
        for (number, step) in self.steps.iter().enumerate() {
            let seed = Digest::new("step")
                .field(seed.to_le_bytes())
                .field(step.transform.name())
                .field((number as u64).to_le_bytes())
                .seed();
            let mut draws = Draws::new(seed);
            if !draws.chance(step.p) {
                continue;
            }
            let applying = Applying {
                sample_p: step.sample_p,
                seed,
            };
            let before = made.text;
            let Some(round) = one(step.transform.as_ref(), &before, &context, applying)? else {
                made.text = before;
                continue;
            };
            if !context.covered.is_empty() {
                context.covered = lines_moved(&context.covered, &before, &round.text, &round.moved);
            }
            for place in &mut made.places {
                let after = (place.after.start, place.after.end);
                place.after = span(
                    round
                        .moved
                        .iter()
                        .fold(after, |range, moved| moved.forth(range)),
                );
            }
            for place in round.places {
                let before = (place.before.start, place.before.end);
                let before = moves
                    .iter()
                    .rev()
                    .fold(before, |range, moved| moved.back(range));
                made.places.push(ChangedPlace {
                    before: span(before),
                    ..place
                });
            }
            moves.extend(round.moved);
            made.text = round.text;
            made.applied.push(round.applied);
        }
        made.places.sort_by_key(|place| (place.after, place.before));
        Ok(made)
    }
}

/// The lines of a rewritten text that correspond to these lines.
fn lines_moved(
    lines: &std::collections::BTreeSet<u32>,
    before: &str,
    after: &str,
    moves: &[Moved],
) -> std::collections::BTreeSet<u32> {
    let starts = |text: &str| {
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let next = ends.map(|(at, _)| u32::try_from(at + 1).unwrap_or(u32::MAX));
        std::iter::once(0).chain(next).collect::<Vec<u32>>()
    };
    let (old, new) = (starts(before), starts(after));
    let mut moved = std::collections::BTreeSet::new();
    for line in lines {
        let index = *line as usize;
        let (Some(start), length) = (old.get(index - 1), before.len()) else {
            continue;
        };
        let end = old
            .get(index)
            .copied()
            .unwrap_or_else(|| u32::try_from(length).unwrap_or(u32::MAX));
        let range = moves
            .iter()
            .fold((*start, end), |range, moved| moved.forth(range));
        let first = new.partition_point(|start| *start <= range.0);
        let last = new.partition_point(|start| *start < range.1.max(range.0 + 1));
        moved.extend((first..=last.max(first)).map(|line| u32::try_from(line).unwrap_or(u32::MAX)));
    }
    moved
}
