//! The options of a training: the choices of a caller, and those of the CLARC paper.

use std::collections::BTreeMap;
use std::path::PathBuf;

use barecode_records::Digest;
use serde::{Deserialize, Serialize};

use crate::TrainError;

/// The fall of the learning rate after the warm-up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Schedule {
    /// In a straight line to 0 at the last step.
    #[default]
    Linear,
    /// Along half a cosine to 0.
    Cosine,
    /// Not at all.
    Constant,
}

/// The measure on the dev split that decides which model is better.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Criterion {
    /// nDCG@10 of each dev anchor over all dev positives; higher is better.
    #[default]
    Ndcg,
    /// The loss over batches of dev pairs; lower is better.
    Loss,
}

/// Low-rank adapters: a dense layer's matrix W becomes W + `alpha` / `rank` · B · A, and only A and B are trained.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Lora {
    /// Rows of A and columns of B.
    pub rank: usize,
    /// The factor, times the rank.
    pub alpha: f64,
    /// Ends of names of dense layers: `query`, `value`, `attention.output.dense`.
    pub layers: Vec<String>,
}

/// The options of a training.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Options {
    /// The seed of every order and draw.
    pub seed: u64,
    /// The number of times that every pair is seen.
    pub epochs: u32,
    /// Pairs of a step.
    pub batch: usize,
    /// The learning rate after the warm-up.
    pub learning_rate: f64,
    /// Weight decay of AdamW; biases and norms have none.
    pub weight_decay: f64,
    /// The part of all steps in which the learning rate rises from 0.
    pub warmup: f64,
    /// The fall of the learning rate after the warm-up.
    pub schedule: Schedule,
    /// The longest that all gradients together may be; longer ones are shortened.
    pub clip: Option<f64>,
    /// τ of the loss.
    pub temperature: f64,
    /// True if the loss is computed from documents to queries too.
    pub symmetric: bool,
    /// Tokens whose numbers are in memory at a time. Batches with more go through in chunks, by cached gradients.
    /// Without one, the number that fits into 2 GB.
    pub chunk_tokens: Option<usize>,
    /// Tokens that are read of a text; the limit of the model's files without one.
    pub max_length: Option<usize>,
    /// Negatives that are mined for every pair at the beginning of every epoch.
    pub hard_negatives: usize,
    /// True if embeddings are not trained.
    pub freeze_embeddings: bool,
    /// The number of first layers that are not trained.
    pub freeze_layers: usize,
    /// Low-rank adapters in place of training all tensors.
    pub lora: Option<Lora>,
    /// The dose of each setting when one is drawn for a pair that has several; without doses nothing is drawn and
    /// every row is used.
    pub doses: BTreeMap<String, f64>,
    /// The part of the repositories' pairs that become the dev split, if the files have none.
    pub dev_share: f64,
    /// The measure that is compared on the dev split.
    pub criterion: Criterion,
    /// The number of epochs without a better dev value that end the training.
    pub patience: Option<u32>,
    /// Steps from one checkpoint to the next.
    pub save_every: u64,
    /// An end before the last epoch, for trials.
    pub max_steps: Option<u64>,
    /// Benchmarks whose texts must not be trained on.
    pub exclude: Vec<PathBuf>,
    /// From which Jaccard similarity of token 5-grams two texts are near-duplicates.
    pub near_duplicate: f64,
    /// True if positives and negatives were described in plain words before, by
    /// [`Pairs::describe`](crate::Pairs::describe); the card names this.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub described: bool,
}

impl Default for Options {
    /// Profile `clarc`: five epochs, InfoNCE with in-batch negatives, τ = 0.05 (appendix F.4; Gao et al. 2022 for the
    /// rest).
    fn default() -> Self {
        Options {
            seed: 0,
            epochs: 5,
            batch: 32,
            learning_rate: 2e-5,
            weight_decay: 0.01,
            warmup: 0.1,
            schedule: Schedule::Linear,
            clip: Some(1.0),
            temperature: 0.05,
            symmetric: false,
            chunk_tokens: None,
            max_length: None,
            hard_negatives: 0,
            freeze_embeddings: false,
            freeze_layers: 0,
            lora: None,
            doses: BTreeMap::new(),
            dev_share: 0.0,
            criterion: Criterion::Ndcg,
            patience: None,
            save_every: 25,
            max_steps: None,
            exclude: Vec::new(),
            near_duplicate: 0.8,
            described: false,
        }
    }
}

impl Options {
    /// Refuses what makes no sense.
    pub(crate) fn check(&self) -> Result<(), TrainError> {
        let is_share = |value: f64| (0.0..1.0).contains(&value);
        let is_positive = |value: f64| value.is_finite() && value > 0.0;
        let wrong = |name: &str, value: &dyn std::fmt::Display, expected: &str| {
            Err(TrainError::invalid(
                format!("`{name}` is {value}, expected {expected}"),
                "",
            ))
        };
        if self.epochs == 0 {
            return wrong("epochs", &self.epochs, "1 or more");
        }
        if self.batch == 0 {
            return wrong("batch", &self.batch, "1 or more");
        }
        if !is_positive(self.learning_rate) {
            return wrong("learning_rate", &self.learning_rate, "a number above 0");
        }
        if !self.weight_decay.is_finite() || self.weight_decay < 0.0 {
            return wrong("weight_decay", &self.weight_decay, "0 or more");
        }
        if !is_share(self.warmup) {
            return wrong("warmup", &self.warmup, "0 up to below 1");
        }
        if !is_share(self.dev_share) {
            return wrong("dev_share", &self.dev_share, "0 up to below 1");
        }
        if !is_positive(self.temperature) {
            return wrong("temperature", &self.temperature, "a number above 0");
        }
        if self.clip.is_some_and(|clip| !is_positive(clip)) {
            return wrong("clip", &self.clip.unwrap_or_default(), "a number above 0");
        }
        if self.save_every == 0 {
            return wrong("save_every", &self.save_every, "1 or more");
        }
        if !is_positive(self.near_duplicate) || self.near_duplicate > 1.0 {
            return wrong(
                "near_duplicate",
                &self.near_duplicate,
                "above 0 and up to 1",
            );
        }
        if let Some((setting, dose)) = self
            .doses
            .iter()
            .find(|(_, dose)| !dose.is_finite() || **dose < 0.0)
        {
            return wrong(&format!("dose of {setting}"), dose, "0 or more");
        }
        match &self.lora {
            Some(lora) if lora.rank == 0 => wrong("rank", &lora.rank, "1 or more"),
            Some(lora) if lora.layers.is_empty() => wrong(
                "layers of LoRA",
                &"nothing",
                "names such as `query` and `value`",
            ),
            _ => Ok(()),
        }
    }

    /// A digest of the options that a checkpoint must agree with: everything but the steps between checkpoints.
    pub(crate) fn digest(&self) -> Digest {
        let same = Options {
            save_every: 1,
            ..self.clone()
        };
        let text = serde_json::to_string(&same).unwrap_or_default();
        Digest::new("training options").field(text)
    }

    /// The learning rate of a step, from 0, of `steps` steps.
    pub(crate) fn rate(&self, step: u64, steps: u64) -> f64 {
        let (step, steps) = (step as f64, steps as f64);
        let warm = (self.warmup * steps).ceil();
        if step < warm {
            return self.learning_rate * step / warm;
        }
        let left = (steps - step) / (steps - warm).max(1.0);
        self.learning_rate
            * match self.schedule {
                Schedule::Linear => left,
                Schedule::Cosine => 0.5 * (1.0 + ((1.0 - left) * std::f64::consts::PI).cos()),
                Schedule::Constant => 1.0,
            }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_asked_for_is_not_part_of_a_training() {
        let text = |described| {
            serde_json::to_string(&Options {
                described,
                ..Options::default()
            })
            .unwrap()
        };
        // A training that was begun before the option existed is gone on with.
        assert!(!text(false).contains("described"));
        assert!(text(true).contains("described"));
        let read: Options = serde_json::from_str(&text(false)).unwrap();
        assert!(!read.described);
    }

    #[test]
    fn the_rate_rises_and_falls() {
        let options = Options {
            learning_rate: 1.0,
            ..Options::default()
        };
        let rate = |step| options.rate(step, 20);
        for (step, expected) in [(0, 0.0), (1, 0.5), (2, 1.0), (11, 0.5)] {
            assert!((rate(step) - expected).abs() < 1e-12, "{step}");
        }
        assert!(rate(19) > 0.0);
        let cosine = Options {
            schedule: Schedule::Cosine,
            ..options.clone()
        };
        assert!((cosine.rate(11, 20) - 0.5).abs() < 1e-12);
        assert!(cosine.rate(5, 20) > rate(5));
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let with = |change: fn(&mut Options)| {
            let mut options = Options::default();
            change(&mut options);
            options.check().map_err(|error| error.to_string())
        };
        assert!(with(|_| ()).is_ok());
        assert_eq!(
            with(|options| options.temperature = 0.0),
            Err("`temperature` is 0, expected a number above 0".to_owned())
        );
        assert!(with(|options| options.epochs = 0).is_err());
        assert!(with(|options| options.clip = Some(f64::NAN)).is_err());
    }
}
