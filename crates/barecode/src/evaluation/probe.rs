//! Systems on probes: the similarities of pairs of programs, and the results.
//!
//! A probe compares documents with each other, so only systems that can compare them take part in it.

use std::collections::BTreeMap;

use barecode_evaluate::{Prober, System, probe, summarize_probe};
use barecode_models::Side;
use barecode_records::table::Table;
use barecode_records::{Similarity, Stage};

use super::cut::Counting;
use super::question::{How, Question, Scored};
use super::state::{Evaluation, RETRIEVE_CODE};
use super::subset::SubsetIn;
use crate::encoders::Fetch;
use crate::engine::{Key, ShardWriter, Ticket};
use crate::exit::Failure;

/// Programs are compared with each other.
pub(super) struct Probe;

impl Question for Probe {
    fn takes_part(&self, _: &Evaluation<'_>, system: &System, _: &SubsetIn<'_>) -> bool {
        Prober::of(system.kind()).is_some()
    }

    fn why_not(&self, _: &System) -> Option<&'static str> {
        Some(
            "a probe compares documents with each other, by vectors of whole texts or by `jaccard`",
        )
    }

    fn key(&self, all: &Evaluation<'_>, subset: &SubsetIn<'_>) -> Key {
        Key::new(Stage::Retrieve, RETRIEVE_CODE)
            .format::<Similarity>()
            .field(all.seed.to_le_bytes())
            .field(format!("{:?}", all.probe))
            .field(&subset.texts)
            .field(&subset.judgments)
    }

    fn work(
        &self,
        all: &Evaluation<'_>,
        system: usize,
        at: usize,
        mut writer: ShardWriter,
    ) -> anyhow::Result<Ticket> {
        let config = &all.systems[system];
        let prober = Prober::of(config.kind())
            .ok_or_else(|| Failure::internal(format!("`{}` compares nothing", config.name())))?;
        let open =
            || -> anyhow::Result<_> { Ok(all.encoders.open(all.model(config)?, Fetch::Allowed)?) };
        let task = all.task(at)?;
        let probed = probe(&prober, open, &task, &all.probe, all.seed)?;
        let counting = Counting::default();
        counting.add(Side::Document, probed.truncated, probed.texts);
        writer.made_from(counting.told(config.name()));
        writer.finish(
            all.last(system, at),
            Table::of(&probed.rows),
            BTreeMap::new(),
        )
    }

    fn score(&self, all: &Evaluation<'_>, at: usize, how: &How<'_>) -> anyhow::Result<Scored> {
        let task = all.task(at)?;
        let parts = task.probe.as_ref().expect("a probe has programs");
        let mut scores = Vec::new();
        for (system, config) in all.systems.iter().enumerate() {
            if all.takes_part(system, at) {
                let table = all.last(system, at);
                let rows = all.folder.layout().rows(Stage::Retrieve, [table])?;
                scores.extend(summarize_probe(
                    (config.name(), &task.subset.name),
                    parts,
                    &rows,
                    &all.probe,
                    how.confidence,
                ));
            }
        }
        Ok(Scored::Programs(scores))
    }
}
