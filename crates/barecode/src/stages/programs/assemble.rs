//! Programs and their variants to a probe: tables are read one at a time, twice, and the probe's written.

use std::collections::BTreeSet;

use barecode_dataset::{PROBE_SUBSET, Probe, ProbeFacts, ProbeRows};
use barecode_records::python::{Program, ProgramVariant};
use barecode_records::table::Growing;
use barecode_records::{Document, ProbePair, ProbeProgram, Stage};

use crate::engine::{Finished, ShardWriter};
use crate::layout;
use crate::site::{Site, Workshop};

/// Writes the probe, and returns the facts for the card; `None` if the recipe has no programs, or none passed its
/// tests.
pub(crate) fn write(
    site: &Site,
    programs: &Finished,
    variants: &Finished,
    writer: &mut ShardWriter,
) -> anyhow::Result<Option<ProbeFacts>> {
    let layout = site.folder.layout();
    let mut probe = empty(&site.shop);
    for (file, _) in programs.of_programs() {
        for program in layout.rows::<Program>(Stage::Check, [file])? {
            probe.look_at(&program);
        }
    }
    if probe.is_empty() {
        return Ok(None);
    }
    // Tables are read one at a time, so that memory is bounded by what is written, compressed.
    let mut tables = Tables::default();
    for (file, _) in programs.of_programs() {
        for program in layout.rows::<Program>(Stage::Check, [file])? {
            tables.push(probe.add(program));
        }
    }
    for (file, _) in variants.of_programs() {
        for variant in layout.rows::<ProgramVariant>(Stage::Vary, [file])? {
            probe
                .add_variant(variant)
                .into_iter()
                .for_each(|rows| tables.push(rows));
        }
    }
    writer.table(layout::corpus_of(PROBE_SUBSET), tables.documents.end())?;
    writer.table(layout::programs_of(PROBE_SUBSET), tables.programs.end())?;
    writer.table(layout::probe_pairs_of(PROBE_SUBSET), tables.pairs.end())?;
    Ok(Some(ProbeFacts {
        python: interpreters(programs, variants),
        ..probe.facts
    }))
}

/// The tables of a probe.
#[derive(Default)]
struct Tables {
    documents: Growing<Document>,
    programs: Growing<ProbeProgram>,
    pairs: Growing<ProbePair>,
}

impl Tables {
    fn push(&mut self, rows: ProbeRows) {
        self.documents.push(rows.document);
        rows.program
            .into_iter()
            .for_each(|row| self.programs.push(row));
        rows.pair.into_iter().for_each(|row| self.pairs.push(row));
    }
}

/// Returns the rows of the probe of some programs and their variants.
pub(crate) fn rows(
    shop: &Workshop,
    programs: Vec<Program>,
    variants: Vec<ProgramVariant>,
) -> Vec<ProbeRows> {
    let mut probe = empty(shop);
    for program in &programs {
        probe.look_at(program);
    }
    let mut rows: Vec<ProbeRows> = programs.into_iter().map(|one| probe.add(one)).collect();
    rows.extend(
        variants
            .into_iter()
            .filter_map(|one| probe.add_variant(one)),
    );
    rows
}

/// A probe of the recipe's pipelines without programs.
fn empty(shop: &Workshop) -> Probe {
    let pipelines = shop.recipe.programs.pipelines.iter();
    Probe::new(pipelines.map(|config| (config.name.as_str(), config.kind, config.safety)))
}

/// Returns the interpreters of the programs and their variants, with the sandbox; several where the stages were done on
/// several machines.
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
