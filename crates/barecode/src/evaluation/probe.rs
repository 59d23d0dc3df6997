//! Systems on probes: how alike they find pairs of programs, and what that amounts to.
//!
//! A probe compares vectors, so systems without a model of their own take no part in it.

use std::collections::BTreeMap;

use barecode_evaluate::{Reading, probe, summarize_probe};
use barecode_records::table::Table;
use barecode_records::{ProbeScore, Similarity, Stage, SubsetKind};

use super::{Evaluation, RETRIEVE_CODE, SubsetIn};
use crate::encoders::Fetch;
use crate::engine::{Key, ShardWriter, Ticket};
use crate::exit::Failure;

use super::cut::Counting;
use barecode_models::Side;

impl Evaluation<'_> {
    /// The subsets in which documents are ranked.
    pub(super) fn ranked(&self) -> impl Iterator<Item = usize> {
        let ranked = |at: &usize| self.subsets[*at].kind != SubsetKind::Probe;
        (0..self.subsets.len()).filter(ranked)
    }

    /// Whether a system answers what a subset asks.
    pub(super) fn takes_part(&self, system: usize, at: usize) -> bool {
        if self.subsets[at].kind != SubsetKind::Probe {
            return true;
        }
        let config = &self.systems[system];
        let is_whole = config
            .dense()
            .is_some_and(|dense| dense.reading == Reading::Whole);
        is_whole && self.models.contains_key(config.name())
    }

    pub(super) fn of_probe(&self, subset: &SubsetIn<'_>) -> Key {
        Key::new(Stage::Retrieve, RETRIEVE_CODE)
            .format::<Similarity>()
            .field(self.seed.to_le_bytes())
            .field(format!("{:?}", self.probe))
            .field(&subset.texts)
            .field(&subset.judgments)
    }

    pub(super) fn work_on_probe(
        &self,
        system: usize,
        at: usize,
        mut writer: ShardWriter,
    ) -> anyhow::Result<Ticket> {
        let name = self.systems[system].name();
        let Some(model) = self.models.get(name) else {
            let message = format!("`{name}` was asked about a probe and has no model");
            return Err(Failure::internal(message).into());
        };
        let encoder = self.encoders.open(model, Fetch::Allowed)?;
        let task = self.task(at)?;
        let probed = probe(&task, &*encoder, &self.probe, self.seed)?;
        let counting = Counting::default();
        counting.add(Side::Document, probed.truncated, probed.texts);
        writer.made_from(counting.told(name));
        writer.finish(
            self.last(system, at),
            Table::of(&probed.rows),
            BTreeMap::new(),
        )
    }

    /// The numbers of all systems on all probes; `None` without a probe.
    pub(super) fn score_probes(&self, confidence: f64) -> anyhow::Result<Option<Vec<ProbeScore>>> {
        let probes = (0..self.subsets.len())
            .filter(|at| self.subsets[*at].kind == SubsetKind::Probe)
            .collect::<Vec<_>>();
        if probes.is_empty() {
            return Ok(None);
        }
        let mut scores = Vec::new();
        for at in probes {
            let task = (self.subsets[at].load)()?;
            let Some(parts) = &task.probe else {
                continue;
            };
            for (system, config) in self.systems.iter().enumerate() {
                if !self.takes_part(system, at) {
                    continue;
                }
                let table = self.last(system, at);
                let rows = self.folder.layout().rows(Stage::Retrieve, [table])?;
                scores.extend(summarize_probe(
                    config.name(),
                    &task.subset.name,
                    &parts.programs,
                    &parts.pairs,
                    &rows,
                    &self.probe,
                    confidence,
                ));
            }
        }
        Ok(Some(scores))
    }
}
