//! Systems on pairs: thresholds from the training set, accuracy query by query, and other numbers about the pairs.

use std::collections::BTreeMap;

use barecode_evaluate::{
    Decision, Matched, SubsetFacts, System, decision, fitted, matching_values,
};
use barecode_records::SubsetKind;

use super::question::{How, Question, Scored};
use super::state::Evaluation;
use super::subset::SubsetIn;

/// Pairs are judged: do they match?
pub(super) struct Matching;

impl Question for Matching {
    fn takes_part(&self, all: &Evaluation<'_>, system: &System, subset: &SubsetIn<'_>) -> bool {
        match decision(system) {
            None => false,
            Some(Decision::Own) => !subset.trains,
            Some(Decision::Threshold) => all.subsets.iter().any(|it| it.trains),
        }
    }

    fn why_not(&self, system: &System) -> Option<&'static str> {
        match decision(system) {
            None => Some("its scores of two queries cannot be compared with one threshold"),
            Some(Decision::Threshold) => {
                Some("no training set to fit its threshold on; name one with --train")
            }
            // A system with its own decision needs no training set.
            Some(Decision::Own) => None,
        }
    }

    /// The share of pairs that systems judge rightly, a row for each query and draw.
    fn score(&self, all: &Evaluation<'_>, at: usize, how: &How<'_>) -> anyhow::Result<Scored> {
        let task = all.task_as_drawn(at)?;
        let mut rows = Vec::new();
        for (system, config) in all.systems.iter().enumerate() {
            if all.takes_part(system, at) {
                let lists = all.done(system, at, &task)?;
                let threshold = how.thresholds.get(&system).copied();
                rows.extend(matching_values(config.name(), &task, &lists, threshold));
            }
        }
        Ok(Scored::Queries(SubsetFacts::of(&task), rows))
    }
}

impl Evaluation<'_> {
    /// The thresholds of systems that need one, fitted on the training set, by the number of the system.
    pub(super) fn thresholds(&self) -> anyhow::Result<BTreeMap<usize, f64>> {
        let mut thresholds = BTreeMap::new();
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

    /// Returns the decisions of systems on the pairs of each subset that is scored.
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
