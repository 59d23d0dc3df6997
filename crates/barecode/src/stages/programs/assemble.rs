//! Programs and what was made of them to a probe: one subset, `programs`.

use std::collections::{BTreeMap, BTreeSet};

use barecode_dataset::{PipelineFacts, ProbeFacts};
use barecode_python::count_tokens;
use barecode_records::python::{Program, ProgramVariant, Safety, VariantKind};
use barecode_records::table::Growing;
use barecode_records::{
    Document, Facets, Id, Language, ListedSubset, Origin, ProbePair, ProbeProgram, Relation,
    Snippet, Split, Stage, Subset, SubsetKind,
};

use crate::engine::{Finished, ShardWriter};
use crate::layout;
use crate::site::Site;

/// The subset of programs.
pub(crate) const SUBSET: &str = "programs";

/// The probe that was written.
pub(crate) struct Probe {
    /// Its subset.
    pub(crate) subset: ListedSubset,
    /// What the card says of it.
    pub(crate) facts: ProbeFacts,
}

/// Writes the probe; `None` if the recipe has no programs, or none passed its tests.
pub(crate) fn write(
    site: &Site,
    programs: &Finished,
    variants: &Finished,
    writer: &mut ShardWriter,
) -> anyhow::Result<Option<Probe>> {
    let layout = site.folder.layout();
    // Where the program that stands for a problem failed its tests, the first alternate does.
    let mut represented: BTreeMap<Id, Id> = BTreeMap::new();
    for (file, _) in programs.of_programs() {
        for program in layout.rows::<Program>(Stage::Check, [file])? {
            let main = main_of(&program).clone();
            if program.id == main {
                represented.insert(main, program.id);
            } else {
                represented.entry(main).or_insert(program.id);
            }
        }
    }
    if represented.is_empty() {
        return Ok(None);
    }
    let mut facts = ProbeFacts {
        subset: SUBSET.to_owned(),
        python: interpreters(programs, variants),
        pipelines: pipelines(site),
        ..ProbeFacts::default()
    };
    // Tables are read one at a time, so that memory is bounded by what is written, compressed.
    let mut documents = Growing::default();
    let mut listed = Growing::default();
    let mut pairs = Growing::default();
    let mut origins: BTreeMap<Id, Origin> = BTreeMap::new();
    for (file, _) in programs.of_programs() {
        for program in layout.rows::<Program>(Stage::Check, [file])? {
            count(&mut facts, &program.origin, 1);
            documents.push(document(&program.id, &program.text, &program.origin));
            let (tokens, lines) = (count_tokens(&program.text), lines(&program.text));
            let main = &represented[main_of(&program)];
            if *main != program.id {
                facts.alternates += 1;
                pairs.push(ProbePair {
                    program_id: main.clone(),
                    other_id: program.id.clone(),
                    relation: Relation::Alternate,
                    clone_type: None,
                    pipeline: None,
                    draw: None,
                    transforms: Vec::new(),
                    places: 0,
                    by_tests_only: 0,
                    tokens,
                    lines,
                });
            }
            listed.push(ProbeProgram {
                id: program.id.clone(),
                problem: program.problem,
                tokens,
                lines,
            });
            origins.insert(program.id, program.origin);
        }
    }
    for (file, _) in variants.of_programs() {
        for variant in layout.rows::<ProgramVariant>(Stage::Vary, [file])? {
            let Some(origin) = origins.get(&variant.program_id) else {
                continue;
            };
            count(&mut facts, origin, 0);
            count_made(&mut facts, &variant);
            documents.push(document(&variant.id, &variant.text, origin));
            pairs.push(ProbePair {
                relation: match variant.kind {
                    VariantKind::Clone => Relation::Clone,
                    VariantKind::Bug => Relation::Bug,
                },
                places: u32::try_from(variant.places.len()).unwrap_or(u32::MAX),
                by_tests_only: variant.applied.iter().map(|one| one.by_tests_only).sum(),
                tokens: count_tokens(&variant.text),
                lines: lines(&variant.text),
                program_id: variant.program_id,
                other_id: variant.id,
                clone_type: variant.clone_type,
                pipeline: Some(variant.pipeline),
                draw: Some(variant.draw),
                transforms: variant
                    .applied
                    .into_iter()
                    .map(|one| one.transform)
                    .collect(),
            });
        }
    }
    writer.table(layout::corpus_of(SUBSET), documents.end())?;
    writer.table(layout::programs_of(SUBSET), listed.end())?;
    writer.table(layout::probe_pairs_of(SUBSET), pairs.end())?;
    let subset = Subset {
        name: SUBSET.to_owned(),
        kind: SubsetKind::Probe,
        facets: Facets {
            group: Some(SUBSET.to_owned()),
            language: Some(Language::PYTHON),
            ..Facets::default()
        },
    };
    let subset = ListedSubset::new(&subset, vec![Split::Test]);
    Ok(Some(Probe { subset, facts }))
}

/// What ran the programs and their variants, with its sandbox; several where the stages were done on several machines.
fn interpreters(programs: &Finished, variants: &Finished) -> Vec<String> {
    let made_from = [programs, variants]
        .into_iter()
        .flat_map(Finished::made_from);
    let described = made_from.filter_map(|made_from| {
        let text = |key: &str| made_from.get(key).and_then(serde_json::Value::as_str);
        let (python, sandbox) = (text("python")?, text("sandbox")?);
        Some(format!("CPython {python} ({sandbox})"))
    });
    let described: BTreeSet<String> = described.collect();
    described.into_iter().collect()
}

fn pipelines(site: &Site) -> Vec<PipelineFacts> {
    let pipelines = site.shop.recipe.programs.pipelines.iter();
    let facts = pipelines.map(|config| facts_of(&config.name, config.kind, config.safety));
    facts.collect()
}

fn facts_of(name: &str, kind: VariantKind, safety: Safety) -> PipelineFacts {
    PipelineFacts {
        name: name.to_owned(),
        kind,
        safety,
        pairs: 0,
        clone_types: BTreeMap::new(),
        by_tests_only: 0,
        faults: BTreeMap::new(),
    }
}

/// Counts a document, and the program that it is, if it is one.
fn count(facts: &mut ProbeFacts, origin: &Origin, programs: usize) {
    let key = (origin.source.clone(), origin.license.clone());
    let source = facts.sources.entry(key).or_default();
    source.programs += programs;
    source.documents += 1;
}

fn count_made(facts: &mut ProbeFacts, variant: &ProgramVariant) {
    let named = |facts: &PipelineFacts| facts.name == variant.pipeline;
    let index = facts.pipelines.iter().position(named);
    let index = index.unwrap_or_else(|| {
        // Published bugs have none of the recipe's pipelines.
        let facts_of = facts_of(&variant.pipeline, variant.kind, variant.safety);
        facts.pipelines.push(facts_of);
        facts.pipelines.len() - 1
    });
    let facts = &mut facts.pipelines[index];
    facts.pairs += 1;
    if let Some(kind) = variant.clone_type {
        *facts.clone_types.entry(kind).or_default() += 1;
    }
    if let Some(fault) = variant.fault {
        *facts.faults.entry(fault.name()).or_default() += 1;
    }
    let by_tests = variant.applied.iter().any(|one| one.by_tests_only > 0);
    facts.by_tests_only += usize::from(by_tests);
}

/// The program that stood for the problem when it was read.
fn main_of(program: &Program) -> &Id {
    program.alternate_of.as_ref().unwrap_or(&program.id)
}

fn document(id: &Id, text: &str, origin: &Origin) -> Document {
    let snippet = Snippet {
        id,
        text,
        language: Language::PYTHON,
        origin,
    };
    snippet.document()
}

fn lines(text: &str) -> u32 {
    u32::try_from(text.lines().count()).unwrap_or(u32::MAX)
}
