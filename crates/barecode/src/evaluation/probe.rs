//! Systems on probes: how alike they find pairs of programs, and what that amounts to.
//!
//! A probe compares documents with each other, so only systems that can do that take part in it.

use std::collections::BTreeMap;

use barecode_evaluate::{Means, probe, summarize_probe};
use barecode_records::table::Table;
use barecode_records::{ProbeScore, Similarity, Stage, SubsetKind};

use super::{Evaluation, RETRIEVE_CODE, SubsetIn};
use crate::encoders::Fetch;
use crate::engine::{Key, ShardWriter, Ticket};

use super::cut::Counting;
use barecode_models::Side;

impl Evaluation<'_> {
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
        let config = &self.systems[system];
        let encoder = self.models.get(config.name());
        let encoder = encoder.map(|model| self.encoders.open(model, Fetch::Allowed));
        let encoder = encoder.transpose()?;
        let means = encoder.as_deref().map_or(Means::Nothing, Means::Encoder);
        let task = self.task(at)?;
        let probed = probe(config, &means, &task, &self.probe, self.seed)?;
        let counting = Counting::default();
        counting.add(Side::Document, probed.truncated, probed.texts);
        writer.made_from(counting.told(config.name()));
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
