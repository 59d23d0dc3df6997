//! Systems on pairs: thresholds from the training set, accuracy query by query, and what else is said of the pairs.

use std::collections::BTreeMap;

use barecode_evaluate::{Decision, Matched, Task, decision, fitted, matching_values};
use barecode_models::Sampling;
use barecode_records::{QueryScore, SubsetKind};

use super::Evaluation;

/// What was fitted, by the number of the system.
pub(super) type Thresholds = BTreeMap<usize, f64>;

/// How chat models are asked: with their provider's defaults, except for the length of an answer (appendix A.3).
pub(crate) fn sampling(max_tokens: u32) -> Sampling {
    Sampling {
        max_tokens: Some(max_tokens),
        ..Sampling::default()
    }
}

impl Evaluation<'_> {
    /// The thresholds of systems that need one, fitted on the training set.
    pub(super) fn thresholds(&self) -> anyhow::Result<Thresholds> {
        let mut thresholds = Thresholds::new();
        let Some(at) = (0..self.subsets.len()).find(|at| self.subsets[*at].trains) else {
            return Ok(thresholds);
        };
        let task = self.task_as_drawn(at)?;
        for (system, config) in self.systems.iter().enumerate() {
            if decision(config) == Some(Decision::Threshold) {
                let lists = self.done(system, at, &task)?;
                let fitted = fitted(&task, &lists);
                thresholds.extend(fitted.map(|threshold| (system, threshold)));
            }
        }
        Ok(thresholds)
    }

    /// The share of pairs that systems judge rightly, a row for each query and draw.
    pub(super) fn score_pairs(
        &self,
        at: usize,
        task: &Task,
        thresholds: &Thresholds,
    ) -> anyhow::Result<Vec<QueryScore>> {
        let mut rows = Vec::new();
        for (system, config) in self.systems.iter().enumerate() {
            if self.takes_part(system, at) {
                let lists = self.done(system, at, task)?;
                let threshold = thresholds.get(&system).copied();
                rows.extend(matching_values(config.name(), task, &lists, threshold));
            }
        }
        Ok(rows)
    }

    /// What systems said of the pairs of each subset that is scored.
    pub(crate) fn matched(&self) -> anyhow::Result<Vec<Matched>> {
        let thresholds = self.thresholds()?;
        let mut all = Vec::new();
        for (at, subset) in self.subsets.iter().enumerate() {
            if subset.kind != SubsetKind::Matching || subset.trains {
                continue;
            }
            let task = self.task_as_drawn(at)?;
            for (system, config) in self.systems.iter().enumerate() {
                if self.takes_part(system, at) {
                    let lists = self.done(system, at, &task)?;
                    let threshold = thresholds.get(&system).copied();
                    all.push(Matched::of(config, &task, &lists, threshold));
                }
            }
        }
        Ok(all)
    }
}
