//! The report of a training: data, options, learning curve.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use crate::checkpoint::StepValue;
use crate::examples::DevValue;
use crate::options::Options;

/// The report of a training; `training.json` of the folder that it wrote.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The version of this crate.
    pub version: String,
    /// A digest of pairs, model and options.
    pub digest: String,
    /// The model that was trained, as its caller names it.
    pub model: String,
    /// The file or folder of pairs.
    pub data: String,
    /// The options of the training.
    pub options: Options,
    /// Pairs that were trained on, and their number by setting.
    pub pairs: u64,
    /// By setting.
    pub settings: BTreeMap<String, u64>,
    /// Pairs of the dev split.
    pub dev_pairs: u64,
    /// Texts that were longer than the model reads.
    pub truncated: u64,
    /// The pairs and negatives that were left out, by reason.
    pub left_out: BTreeMap<String, u64>,
    /// Numbers that were trained.
    pub trained: u64,
    /// Steps that were made.
    pub steps: u64,
    /// The step whose weights were exported.
    pub exported_step: u64,
    /// True if the dev split ended the training.
    pub stopped_early: bool,
    /// The loss of every step.
    pub curve: Vec<StepValue>,
    /// The dev values, the first before any step.
    pub dev: Vec<DevValue>,
}

impl Report {
    /// The learning curve as CSV: a line for each step.
    pub fn curve_csv(&self) -> String {
        let mut text =
            String::from("step,epoch,loss,learning_rate,gradient_norm,dev_ndcg10,dev_loss\n");
        let mut dev = self
            .dev
            .iter()
            .map(|value| (value.step, value))
            .collect::<BTreeMap<_, _>>();
        let mut cells = |step: u64| {
            dev.remove(&step).map_or_else(
                || ",".to_owned(),
                |value| format!("{},{}", value.ndcg, value.loss),
            )
        };
        let _ = writeln!(text, "0,0,,,,{}", cells(0));
        for row in &self.curve {
            let StepValue {
                step,
                epoch,
                loss,
                rate,
                gradient,
            } = row;
            let _ = writeln!(
                text,
                "{step},{epoch},{loss},{rate},{gradient},{}",
                cells(*step)
            );
        }
        text
    }
}
