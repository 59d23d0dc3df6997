//! The shards of `retrieve`: each system on each subset whose question it answers.

use std::sync::Arc;

use barecode_evaluate::PoolConfig;
use barecode_records::Stage;

use super::keys::Outside;
use super::state::Evaluation;
use crate::engine::{Plan, Shard};
use crate::look::Look;

impl<'a> Evaluation<'a> {
    /// Returns the shards of `retrieve`. Models are opened only as far as needed to find out if their runs are current.
    pub(crate) fn retrieve(self: &Arc<Self>, look: Look) -> anyhow::Result<Plan<'a>> {
        let mut shards = Vec::new();
        for at in self.drawn_from() {
            shards.push(self.candidates(at, look)?);
        }
        for system in 0..self.systems.len() {
            let outside = self.outside(system, look)?;
            for at in 0..self.subsets.len() {
                if self.takes_part(system, at) {
                    shards.push(self.shard(system, at, &outside, look)?);
                } else if look == Look::Fetch
                    && let Some(why) = self.why_not(system, at)
                {
                    let (name, subset) = (self.systems[system].name(), &self.subsets[at].file);
                    self.console.note(&format!(
                        "note: `{name}` takes no part in `{subset}`: {why}"
                    ));
                }
            }
        }
        let this = Arc::clone(self);
        Ok(Plan {
            stage: Stage::Retrieve,
            noun: "queries",
            shards,
            prepare: Some(Box::new(move |to_do| this.prepare(to_do))),
            pulse: None,
        })
    }

    /// The shard of a system on a subset.
    fn shard(
        self: &Arc<Self>,
        system: usize,
        at: usize,
        outside: &Outside,
        look: Look,
    ) -> anyhow::Result<Shard<'a>> {
        let subset = &self.subsets[at];
        let question = subset.question();
        let key = question.key(self, subset);
        let this = Arc::clone(self);
        Ok(Shard {
            key: self.add_outside(key, at, outside, look)?,
            last: self.last(system, at),
            items: subset.queries,
            work: Box::new(move |writer| question.work(&this, system, at, writer)),
        })
    }

    pub(super) fn takes_part(&self, system: usize, at: usize) -> bool {
        let subset = &self.subsets[at];
        (subset.question()).takes_part(self, &self.systems[system], subset)
    }

    /// Returns the reason why a system does not take part, where a reader would not expect it.
    fn why_not(&self, system: usize, at: usize) -> Option<&'static str> {
        let (system, subset) = (&self.systems[system], &self.subsets[at]);
        let is_asked = !subset.trains && !system.is_chance();
        is_asked.then(|| subset.question().why_not(system))?
    }

    /// The subsets whose candidates are drawn.
    pub(super) fn drawn_from(&self) -> impl Iterator<Item = usize> {
        let drawn = |at: &usize| self.subsets[*at].retrieve.pool != PoolConfig::Everyone;
        (0..self.subsets.len()).filter(drawn)
    }
}
