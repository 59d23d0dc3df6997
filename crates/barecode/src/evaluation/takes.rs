//! What an evaluation would take: which systems take part in which subsets, and what their models would read.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use barecode_evaluate::{
    Decision, PoolConfig, System, SystemKind, can_probe, decision, prompts, rerank_estimate,
};
use barecode_models::Estimate;
use barecode_records::SubsetKind;

use super::matching::sampling;
use super::{Evaluation, SubsetIn};
use crate::recipe::RecipeModel;

impl SubsetIn<'_> {
    /// How often its candidates are drawn.
    pub(super) fn n_draws(&self) -> u32 {
        self.retrieve.pool.draws(self.retrieve.draws)
    }
}

impl Evaluation<'_> {
    /// The subsets in which documents are ranked or pairs are judged.
    pub(super) fn ranked(&self) -> impl Iterator<Item = usize> {
        let ranked = |at: &usize| self.subsets[*at].kind != SubsetKind::Probe;
        (0..self.subsets.len()).filter(ranked)
    }

    /// Those of them whose candidates are drawn.
    pub(super) fn drawn_from(&self) -> impl Iterator<Item = usize> {
        let drawn = |at: &usize| self.subsets[*at].retrieve.pool != PoolConfig::Everyone;
        self.ranked().filter(drawn)
    }

    /// Whether a system answers what a subset asks.
    pub(super) fn takes_part(&self, system: usize, at: usize) -> bool {
        let config = &self.systems[system];
        match self.subsets[at].kind {
            SubsetKind::Probe => can_probe(config),
            SubsetKind::Retrieval => decision(config) != Some(Decision::Own),
            SubsetKind::Matching => match decision(config) {
                None => false,
                Some(Decision::Own) => !self.subsets[at].trains,
                Some(Decision::Threshold) => self.subsets.iter().any(|it| it.trains),
            },
        }
    }

    /// Why a system takes no part, where a reader would not expect it.
    pub(super) fn why_not(&self, system: usize, at: usize) -> Option<&'static str> {
        if self.subsets[at].trains || *self.systems[system].kind() == SystemKind::Random {
            return None;
        }
        match (self.subsets[at].kind, decision(&self.systems[system])) {
            (SubsetKind::Probe, _) => Some(
                "a probe compares documents with each other, by vectors of whole texts or by `jaccard`",
            ),
            (SubsetKind::Matching, None) => {
                Some("its scores of two queries cannot be compared with one threshold")
            }
            (SubsetKind::Matching, Some(Decision::Threshold)) => {
                Some("there is no training set to fit its threshold on; name one with --train")
            }
            // Who decides by itself needs no training set and ranks nothing.
            (SubsetKind::Matching | SubsetKind::Retrieval, _) => None,
        }
    }

    /// What the models would take for the tables that are to do; `None` stands for all tables.
    pub(crate) fn estimates(
        &self,
        to_do: Option<&[&Path]>,
    ) -> anyhow::Result<Vec<(String, Estimate)>> {
        let all: Vec<PathBuf> = (0..self.systems.len())
            .flat_map(|system| (0..self.subsets.len()).map(move |at| (system, at)))
            .filter(|&(system, at)| self.takes_part(system, at))
            .map(|(system, at)| self.last(system, at))
            .collect();
        let all: Vec<&Path> = all.iter().map(PathBuf::as_path).collect();
        let to_do = to_do.unwrap_or(&all);
        let mut estimates: Vec<(String, Estimate)> = Vec::new();
        let found = self.texts(to_do)?;
        let mut asked: BTreeSet<&str> = BTreeSet::new();
        for (system, config) in self.systems.iter().enumerate() {
            let Some(model) = self.models.get(config.name()) else {
                continue;
            };
            let name = &model.spec.name;
            if config.dense().is_some() {
                if !asked.insert(name) {
                    continue;
                }
                let mut sum = Estimate::NOTHING;
                let texts = found.iter().find(|(of, _)| *of == system);
                for (side, texts) in texts.iter().flat_map(|(_, texts)| texts.sides()) {
                    sum = sum.and(self.encoders.estimate(model, side, &texts)?);
                }
                estimates.push((name.clone(), sum));
            } else {
                let mut sum = Estimate::NOTHING;
                for at in 0..self.subsets.len() {
                    if to_do.contains(&&*self.last(system, at)) {
                        sum = sum.and(self.estimate(config, model, at)?);
                    }
                }
                match estimates.iter_mut().find(|(other, _)| other == name) {
                    Some((_, before)) => *before = before.and(sum),
                    None => estimates.push((name.clone(), sum)),
                }
            }
        }
        Ok(estimates)
    }

    /// What a reranker or a chat model would take for a subset.
    fn estimate(
        &self,
        config: &System,
        model: &RecipeModel,
        at: usize,
    ) -> anyhow::Result<Estimate> {
        if let &SystemKind::Chat { max_tokens, .. } = config.kind() {
            let prompts = prompts(&*self.task(at)?);
            let sampling = sampling(max_tokens);
            return Ok(self.encoders.estimate_writing(model, sampling, &prompts)?);
        }
        let task = (self.subsets[at].load)()?;
        let draws = self.subsets[at].n_draws() as usize;
        let depth = config.depth();
        Ok(rerank_estimate(&model.spec, [&*task], depth, draws))
    }
}
