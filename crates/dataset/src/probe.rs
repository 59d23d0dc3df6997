//! Programs and their variants → a probe: one subset, `programs`.
//!
//! Records enter one at a time and leave as rows, so that the caller bounds the memory: first all programs are looked
//! at, because one of each problem represents it, then they are added, and then their variants.

use std::collections::BTreeMap;

use barecode_python::count_tokens;
use barecode_records::python::{Program, ProgramVariant, Safety, VariantKind};
use barecode_records::{
    Document, Facets, Id, Language, ListedSubset, Origin, ProbePair, ProbeProgram, Relation,
    Snippet, Split, Subset, SubsetKind,
};

use crate::{PipelineFacts, ProbeFacts};

/// The subset of programs.
pub const PROBE_SUBSET: &str = "programs";

/// A probe while it is made.
#[derive(Debug, Default)]
pub struct Probe {
    /// The facts of the card.
    pub facts: ProbeFacts,
    /// The program that represents a problem, by the one that represented it when it was read.
    represented: BTreeMap<Id, Id>,
    origins: BTreeMap<Id, Origin>,
}

/// The rows that something adds to the tables of a probe.
#[derive(Debug)]
pub struct ProbeRows {
    /// Of the documents.
    pub document: Document,
    /// Of the programs, if it is one.
    pub program: Option<ProbeProgram>,
    /// Of the pairs, if it is beside a program.
    pub pair: Option<ProbePair>,
}

impl Probe {
    /// Creates an empty probe; pipelines of these names, kinds and forms may make variants.
    pub fn new<'a>(pipelines: impl IntoIterator<Item = (&'a str, VariantKind, Safety)>) -> Self {
        let pipelines = pipelines.into_iter();
        let pipelines = pipelines.map(|(name, kind, safety)| facts_of(name, kind, safety));
        Probe {
            facts: ProbeFacts {
                subset: PROBE_SUBSET.to_owned(),
                pipelines: pipelines.collect(),
                ..ProbeFacts::default()
            },
            ..Probe::default()
        }
    }

    /// Looks at a program. If the one that represented a problem failed its tests, the first alternate represents it.
    pub fn look_at(&mut self, program: &Program) {
        let main = main_of(program).clone();
        if program.id == main {
            self.represented.insert(main, program.id.clone());
        } else {
            let stands = self.represented.entry(main);
            stands.or_insert_with(|| program.id.clone());
        }
    }

    /// Returns `true` if no program was looked at.
    pub fn is_empty(&self) -> bool {
        self.represented.is_empty()
    }

    /// Adds a program, once all were looked at.
    pub fn add(&mut self, program: Program) -> ProbeRows {
        count(&mut self.facts, &program.origin, 1);
        let document = document(&program.id, &program.text, &program.origin);
        let (tokens, lines) = (count_tokens(&program.text), lines(&program.text));
        let main = self.represented.get(main_of(&program));
        let pair = main
            .filter(|main| **main != program.id)
            .map(|main| ProbePair {
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
        self.facts.alternates += usize::from(pair.is_some());
        let row = ProbeProgram {
            id: program.id.clone(),
            problem: program.problem,
            tokens,
            lines,
        };
        self.origins.insert(program.id, program.origin);
        ProbeRows {
            document,
            program: Some(row),
            pair,
        }
    }

    /// Adds a variant of a program that was added; variants of other programs are ignored.
    pub fn add_variant(&mut self, variant: ProgramVariant) -> Option<ProbeRows> {
        let origin = self.origins.get(&variant.program_id)?;
        count(&mut self.facts, origin, 0);
        count_made(&mut self.facts, &variant);
        let document = document(&variant.id, &variant.text, origin);
        let pair = ProbePair {
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
        };
        Some(ProbeRows {
            document,
            program: None,
            pair: Some(pair),
        })
    }

    /// Its line in the dataset's list.
    pub fn subset() -> ListedSubset {
        let subset = Subset {
            name: PROBE_SUBSET.to_owned(),
            kind: SubsetKind::Probe,
            facets: Facets {
                group: Some(PROBE_SUBSET.to_owned()),
                language: Some(Language::PYTHON),
                ..Facets::default()
            },
        };
        ListedSubset::new(&subset, vec![Split::Test])
    }
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
        // Published bugs belong to no pipeline of the recipe.
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

/// The program that represented the problem when it was read.
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
