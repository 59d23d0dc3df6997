//! The task of a subset for systems: to rank documents, to judge pairs, or to compare programs with each other.
//!
//! All differences between the three are behind one trait, so that no other code of an evaluation depends on the kind
//! of a subset.

use std::collections::BTreeMap;

use barecode_evaluate::{Bounds, Decision, Scoring, SubsetFacts, System, decision, values};
use barecode_records::{ProbeScore, QueryScore, SubsetKind};

use super::matching::Matching;
use super::probe::Probe;
use super::state::Evaluation;
use super::subset::SubsetIn;
use crate::engine::{Key, ShardWriter, Ticket};

/// A question.
pub(super) trait Question: Send + Sync {
    /// Returns `true` if a system answers it.
    fn takes_part(&self, all: &Evaluation<'_>, system: &System, subset: &SubsetIn<'_>) -> bool;

    /// Returns the reason why a system does not take part, where a reader would not expect it.
    fn why_not(&self, system: &System) -> Option<&'static str>;

    /// Returns the key of a shard, without the systems.
    fn key(&self, all: &Evaluation<'_>, subset: &SubsetIn<'_>) -> Key {
        all.key_of_lists(subset)
    }

    /// Makes the shard of a system.
    fn work(
        &self,
        all: &Evaluation<'_>,
        system: usize,
        at: usize,
        writer: ShardWriter,
    ) -> anyhow::Result<Ticket> {
        all.list(system, at, writer)
    }

    /// Scores all systems.
    fn score(&self, all: &Evaluation<'_>, at: usize, how: &How<'_>) -> anyhow::Result<Scored>;
}

/// The options of scoring a subset.
pub(super) struct How<'a> {
    pub(super) scoring: Scoring<'a>,
    pub(super) confidence: f64,
    /// The fitted thresholds, by the number of the system.
    pub(super) thresholds: BTreeMap<usize, f64>,
}

/// The result of scoring a subset.
pub(super) enum Scored {
    /// A row for each system, query, measure and draw.
    Queries(SubsetFacts, Vec<QueryScore>),
    /// The numbers of a probe.
    Programs(Vec<ProbeScore>),
}

impl SubsetIn<'_> {
    /// Returns its question.
    pub(super) fn question(&self) -> &'static dyn Question {
        match self.kind {
            SubsetKind::Retrieval => &Ranking,
            SubsetKind::Matching => &Matching,
            SubsetKind::Probe => &Probe,
        }
    }
}

/// Documents are ranked for each query.
struct Ranking;

impl Question for Ranking {
    fn takes_part(&self, _: &Evaluation<'_>, system: &System, _: &SubsetIn<'_>) -> bool {
        decision(system) != Some(Decision::Own)
    }

    /// A system with its own decision makes no rankings.
    fn why_not(&self, _: &System) -> Option<&'static str> {
        None
    }

    fn score(&self, all: &Evaluation<'_>, at: usize, how: &How<'_>) -> anyhow::Result<Scored> {
        let task = all.task_as_drawn(at)?;
        let bounds = Bounds::of(&task, how.scoring);
        let mut rows = Vec::new();
        for (system, config) in all.systems.iter().enumerate() {
            // A system that cannot read the documents has lists, but no meaningful score.
            if all.takes_part(system, at) && config.reads_some_of(&task) {
                let lists = all.done(system, at, &task)?;
                rows.extend(values(config.name(), &task, &lists, &bounds, how.scoring)?);
            }
        }
        Ok(Scored::Queries(SubsetFacts::of(&task), rows))
    }
}
