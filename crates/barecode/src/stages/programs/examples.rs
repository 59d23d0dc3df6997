//! The parts of the page about programs: the number of uses of each transform, and a few programs beside their
//! variants.
//!
//! Variants are read a table at a time, and only what the choice needs is remembered of each; the texts of the chosen
//! ones are read again.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use barecode_records::python::{Program, ProgramVariant, PublishedKind, Safety, VariantKind};
use barecode_records::{Id, Stage};

use crate::engine::{self, Finished};
use crate::exit::Failure;
use crate::report::programs::{Example, MOST_LINES, Made, Programs, TransformUse};
use crate::site::Site;

/// Number of programs that the page shows.
const EXAMPLES: usize = 6;

/// The parts of a variant that the choice of examples needs.
struct Light {
    id: Id,
    kind: VariantKind,
    /// The index of its pipeline in the recipe, and its draw.
    rank: (usize, u32),
    /// Its transforms, as indices.
    transforms: BTreeSet<usize>,
}

/// The parts of a program that the choice of examples needs.
#[derive(Default)]
struct Candidate {
    /// The shard that has its variants, and in `check` the program itself.
    part: PathBuf,
    /// The lines of its longest variant.
    lines: usize,
    variants: Vec<Light>,
}

/// The counts of all variants, and the examples.
pub(crate) fn programs(site: &Site, variants: &Finished) -> anyhow::Result<Programs> {
    let mut counted = Counted::new(site)?;
    let mut candidates: BTreeMap<Id, Candidate> = BTreeMap::new();
    for (part, _) in variants.of_programs() {
        let rows: Vec<ProgramVariant> = site.folder.layout().rows(Stage::Vary, [part])?;
        for variant in rows {
            let (rank, transforms) = counted.add(&variant)?;
            let candidate = candidates.entry(variant.program_id).or_default();
            candidate.part.clone_from(part);
            candidate.lines = candidate.lines.max(variant.text.lines().count());
            candidate.variants.push(Light {
                id: variant.id,
                kind: variant.kind,
                rank: (rank, variant.draw),
                transforms,
            });
        }
    }
    let examples = chosen(site, &candidates);
    let examples = examples
        .into_iter()
        .map(|(id, variants)| read(site, id, &candidates[id].part, &variants));
    Ok(Programs {
        examples: examples.collect::<anyhow::Result<_>>()?,
        made: counted.made,
        uses: counted.uses,
    })
}

/// Counts by pipeline and transform, in the order of the recipe: a transform that was never applied has a row, too.
struct Counted {
    made: Vec<Made>,
    uses: Vec<TransformUse>,
}

impl Counted {
    fn new(site: &Site) -> anyhow::Result<Self> {
        let mut counted = Self {
            made: Vec::new(),
            uses: Vec::new(),
        };
        for config in &site.shop.recipe.programs.pipelines {
            let pipeline = config.pipeline();
            let pipeline = pipeline.map_err(|error| Failure::internal(error.to_string()))?;
            let mut names: Vec<&str> = Vec::new();
            for step in &pipeline.steps {
                if !names.contains(&step.transform.name()) {
                    names.push(step.transform.name());
                }
            }
            counted
                .uses
                .extend(names.into_iter().map(|name| TransformUse {
                    pipeline: config.name.clone(),
                    transform: name.to_owned(),
                    ..TransformUse::default()
                }));
            counted.push(&config.name, config.kind, config.safety);
        }
        Ok(counted)
    }

    /// Adds a pipeline without counts.
    fn push(&mut self, pipeline: &str, kind: VariantKind, safety: Safety) {
        self.made.push(Made {
            pipeline: pipeline.to_owned(),
            kind,
            safety,
            variants: 0,
            faults: BTreeMap::new(),
            asked: 0,
            inputs: 0,
            differing: 0,
        });
    }

    /// The index of the variant's pipeline, and those of its transforms among all.
    fn add(&mut self, variant: &ProgramVariant) -> anyhow::Result<(usize, BTreeSet<usize>)> {
        let unknown = |what: &str| {
            let message = format!(
                "`{}` is made by {what} that is not in the recipe",
                variant.id
            );
            Failure::internal(message)
        };
        let mut made = self.made.iter();
        let rank = made.position(|made| made.pipeline == variant.pipeline);
        let rank = match rank {
            None if PublishedKind::named(&variant.pipeline).is_some() => {
                self.push(&variant.pipeline, variant.kind, variant.safety);
                self.made.len() - 1
            }
            found => found.ok_or_else(|| unknown("a pipeline"))?,
        };
        self.made[rank].variants += 1;
        if let Some(fault) = variant.fault {
            *self.made[rank].faults.entry(fault.name()).or_default() += 1;
        }
        if let (Some(agreed), Some(differed)) = (variant.agreed, variant.differed) {
            self.made[rank].asked += 1;
            self.made[rank].inputs += u64::from(agreed + differed);
            self.made[rank].differing += u64::from(differed > 0);
        }
        let mut transforms = BTreeSet::new();
        for applied in &variant.applied {
            let mut uses = self.uses.iter();
            let index = uses.position(|one| {
                (&one.pipeline, &one.transform) == (&variant.pipeline, &applied.transform)
            });
            let index = index.ok_or_else(|| unknown("a transform"))?;
            let one = &mut self.uses[index];
            // A transform may appear twice in a pipeline.
            one.variants += u64::from(transforms.insert(index));
            one.nodes += u64::from(applied.nodes);
            one.applied += u64::from(applied.applied);
            one.by_tests_only += u64::from(applied.by_tests_only);
        }
        Ok((rank, transforms))
    }
}

/// Returns, in the order of a draw, each program that shows a transform that none before it shows. It needs a clone and
/// a bug (or those of the two that the recipe makes). Only short ones take part, or the shortest, if none is short.
fn chosen<'a>(site: &Site, candidates: &'a BTreeMap<Id, Candidate>) -> Vec<(&'a Id, Vec<&'a Id>)> {
    let pipelines = site.shop.recipe.programs.pipelines.iter();
    let kinds: BTreeSet<VariantKind> = pipelines.map(|config| config.kind).collect();
    let mut whole: Vec<(&Id, &Candidate)> = candidates
        .iter()
        .filter(|(_, candidate)| {
            let variants = candidate.variants.iter();
            let found: BTreeSet<VariantKind> = variants.map(|variant| variant.kind).collect();
            found.is_superset(&kinds)
        })
        .collect();
    whole.sort_by_cached_key(|(id, _)| site.shop.seed("example", id.as_str()));
    let shortest = whole.iter().map(|(_, candidate)| candidate.lines).min();
    let most = shortest.unwrap_or_default().max(MOST_LINES);
    let mut shown: BTreeSet<usize> = BTreeSet::new();
    let mut examples = Vec::new();
    for (id, candidate) in whole {
        if candidate.lines > most {
            continue;
        }
        // One of each kind: the one with the most that is new, and of these the first of the recipe.
        let best = |kind: &VariantKind| {
            let variants = candidate.variants.iter();
            let of_kind = variants.filter(|variant| variant.kind == *kind);
            of_kind.min_by_key(|variant| {
                let new = variant.transforms.difference(&shown).count();
                (std::cmp::Reverse(new), variant.rank)
            })
        };
        let best: Vec<&Light> = kinds.iter().filter_map(best).collect();
        let before = shown.len();
        shown.extend(best.iter().flat_map(|variant| &variant.transforms));
        if shown.len() > before {
            examples.push((id, best.iter().map(|variant| &variant.id).collect()));
        }
        if examples.len() == EXAMPLES {
            break;
        }
    }
    examples
}

fn read(site: &Site, id: &Id, part: &PathBuf, chosen: &[&Id]) -> anyhow::Result<Example> {
    let layout = site.folder.layout();
    let mut programs: Vec<Program> = layout.rows(Stage::Check, [part])?;
    programs.retain(|program| program.id == *id);
    let mut variants: Vec<ProgramVariant> = layout.rows(Stage::Vary, [part])?;
    variants.retain(|variant| chosen.contains(&&variant.id));
    variants.sort_by_key(|variant| variant.kind);
    engine::agree("programs of an example", 1, programs.len())?;
    engine::agree(
        "variants of an example",
        chosen.len() as u64,
        variants.len(),
    )?;
    Ok(Example {
        program: programs.remove(0),
        variants,
    })
}
