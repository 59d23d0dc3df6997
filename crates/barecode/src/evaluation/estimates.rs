//! The cost of an evaluation: the texts that the models of its systems would read.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use barecode_evaluate::{System, SystemKind, prompts, rerank_estimate};
use barecode_models::Estimate;

use super::state::Evaluation;
use crate::encoders::sampling;
use crate::recipe::RecipeModel;

impl Evaluation<'_> {
    /// Returns the cost of the models for the tables that are to do; `None` represents all tables.
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

    /// Returns the cost of a reranker or a chat model for a subset.
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
