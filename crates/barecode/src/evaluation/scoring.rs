//! Lists to scores: one shard, so that all systems and settings of a group share the draws of the bootstrap.

use std::collections::BTreeMap;
use std::sync::Arc;

use barecode_evaluate::{MATCHING_ACCURACY, Scoring, System, summarize};
use barecode_records::table::Table;
use barecode_records::{
    Difference, Facets, ProbeScore, QueryScore, Score, SettingDrop, Stage, SubsetKind,
};
use barecode_scores::{Bootstrap, Measure};
use rayon::prelude::*;

use super::question::{How, Scored};
use super::state::Evaluation;
use crate::engine::{Finished, Key, Plan, Shard, ShardWriter, Ticket};
use crate::layout;
use crate::recipe::ScoreConfig;

/// A change of what `score` leaves for the same input is a new version.
const SCORE_CODE: u32 = 7;

impl<'a> Evaluation<'a> {
    /// Returns the plan of `score`; `seed` is that of the bootstrap of some facets.
    pub(crate) fn score(
        self: &Arc<Self>,
        runs: &Finished,
        config: &'a ScoreConfig,
        seed: impl Fn(&Facets) -> u64 + Send + Sync + 'a,
    ) -> Plan<'a> {
        let mut key = Key::new(Stage::Score, SCORE_CODE)
            .format::<QueryScore>()
            .format::<Score>()
            .format::<SettingDrop>()
            .format::<Difference>()
            .format::<ProbeScore>()
            .field(config.resolved().to_string())
            .field(self.seed.to_le_bytes())
            .field(format!("{:?}", self.probe))
            .fields(self.systems.iter().map(System::name));
        for subset in &self.subsets {
            key = key
                .field(&subset.file)
                .field(&subset.texts)
                .field(&subset.judgments)
                .field([u8::from(subset.trains)]);
        }
        let files = runs.shards.iter().flat_map(|(_, ticket)| &ticket.files);
        key = key
            .fields(files.map(|(file, content)| format!("{} {}", file.display(), content.digest)));
        let this = Arc::clone(self);
        let shard = Shard {
            key,
            last: layout::SCORES.into(),
            items: (self.subsets.len() * self.systems.len()) as u64,
            work: Box::new(move |writer| this.score_all(config, &seed, writer)),
        };
        Plan::new(Stage::Score, "runs", [shard])
    }

    fn score_all(
        &self,
        config: &ScoreConfig,
        seed: &(dyn Fn(&Facets) -> u64 + Send + Sync),
        mut writer: ShardWriter,
    ) -> anyhow::Result<Ticket> {
        let how = How {
            scoring: Scoring {
                measures: &config.measures,
                ties: config.ties,
            },
            confidence: config.confidence,
            thresholds: self.thresholds()?,
        };
        let scored: Vec<Scored> = (0..self.subsets.len())
            .into_par_iter()
            .with_max_len(1)
            .filter(|at| !self.subsets[*at].trains)
            .map(|at| self.subsets[at].question().score(self, at, &how))
            .collect::<anyhow::Result<_>>()?;
        let (mut facts, mut rows, mut probe) = (Vec::new(), Vec::new(), None);
        for one in scored {
            match one {
                Scored::Queries(of, values) => {
                    facts.push(of);
                    rows.extend(values);
                }
                Scored::Programs(values) => probe.get_or_insert_with(Vec::new).extend(values),
            }
        }
        let measures: Vec<String> = config.measures.iter().map(Measure::to_string).collect();
        let mut measures: Vec<&str> = measures.iter().map(String::as_str).collect();
        let mut kinds = self.subsets.iter().map(|it| it.kind);
        if kinds.any(|kind| kind == SubsetKind::Matching) {
            measures.push(MATCHING_ACCURACY);
        }
        let systems: Vec<&str> = self.systems.iter().map(System::name).collect();
        let bootstrap = |facets: &Facets| Bootstrap {
            resamples: config.resamples,
            confidence: config.confidence,
            seed: seed(facets),
        };
        let summary = summarize(&rows, &systems, &measures, &facts, &bootstrap)?;
        writer.table(layout::QUERY_SCORES, Table::of(&rows))?;
        writer.table(layout::DROPS, Table::of(&summary.drops))?;
        writer.table(layout::DIFFERENCES, Table::of(&summary.differences))?;
        writer.table(layout::SETS, Table::of(&summary.sets))?;
        if let Some(scores) = probe {
            writer.table(layout::PROBE, Table::of(&scores))?;
        }
        writer.finish(layout::SCORES, Table::of(&summary.scores), BTreeMap::new())
    }
}
