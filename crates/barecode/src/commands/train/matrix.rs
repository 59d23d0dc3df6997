//! Table 6 of CLARC: an encoder as it is and tuned on each setting, evaluated on each setting and group of benchmarks.
//!
//! Enters: pairs with settings, a model, benchmarks. Leaves: a tuned model for each setting in a folder of its own, an
//! evaluation as `eval` writes it, and a matrix. The matrix has intervals, and paired differences against the model as
//! it was. Training and evaluating are those of `train` and `eval`; this file computes nothing.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use barecode_train::{Model, Options, Pair, Pairs};
use serde_json::json;

use super::{finish, watched};
use crate::answer::{Answer, joined};
use crate::commands::eval;
use crate::exit::Failure;
use crate::report::{grid, training};
use crate::session::Session;

/// The name of the model as it was.
const BEFORE: &str = "zero-shot";

/// The parts of a matrix.
pub(super) struct Matrix<'a> {
    /// The short form of the model.
    pub(super) form: &'a str,
    pub(super) model: &'a Model<'a>,
    pub(super) data: &'a str,
    pub(super) options: &'a Options,
    pub(super) benchmarks: &'a [PathBuf],
    pub(super) measure: &'a str,
    pub(super) seed: u64,
    pub(super) out: &'a Path,
}

impl Matrix<'_> {
    /// Tunes on each setting, evaluates, and answers with the matrix.
    pub(super) fn run(&self, session: &Session, pairs: &Pairs) -> anyhow::Result<Answer> {
        let settings: BTreeSet<&str> = (pairs.train.iter())
            .filter_map(|pair| pair.setting.as_deref())
            .collect();
        if settings.is_empty() {
            return Err(Failure::invalid("no pair has a setting")
                .hint("a pair has its setting in the column `setting`, or in the file's name in `train/`")
                .into());
        }
        let mut models = vec![format!("{BEFORE}={}", self.form)];
        for setting in &settings {
            session.note(&format!("    train  on {setting}"));
            let of_setting = |pairs: &[Pair]| {
                let fits = |pair: &&Pair| pair.setting.as_deref().is_none_or(|own| own == *setting);
                pairs.iter().filter(fits).cloned().collect::<Vec<_>>()
            };
            let own = Pairs {
                train: of_setting(&pairs.train),
                dev: of_setting(&pairs.dev),
                left_out: pairs.left_out.clone(),
                ..Pairs::default()
            };
            let out = self.out.join(setting);
            let report = watched(session, self.model, (&own, self.data), self.options, &out)?;
            finish(&report, &out)?;
            models.push(format!("on {setting}=local:{}", out.display()));
        }
        let (mut scores, mut differences) = (Vec::new(), Vec::new());
        for (number, benchmark) in (1..).zip(self.benchmarks) {
            let out = self.out.join(format!("evaluation-{number}"));
            let found = eval::scores(session, benchmark, &models, (self.measure, self.seed), &out)?;
            scores.extend(found.0);
            differences.extend(found.1.into_iter().filter(|it| it.first == BEFORE));
        }
        scores.retain(|score| score.slice == "all");
        let account = json!({ "folder": self.out, "scores": scores, "differences": differences });
        let text = serde_json::to_string_pretty(&account)?;
        super::write(self.out, "matrix.json", &format!("{text}\n"))?;
        super::write(
            self.out,
            "matrix.html",
            &training::matrix(&scores, &differences, self.measure),
        )?;
        let text = |screen| {
            let (heads, rows) = training::values(&scores);
            let heads: Vec<&str> = heads.iter().map(String::as_str).collect();
            let changes = training::changes(&differences);
            Ok(joined([
                format!("{}, with 95 % intervals", self.measure),
                grid::table(1, &heads, rows, screen),
                training::CHANGES.to_owned(),
                grid::table(2, &training::CHANGE_HEADS, changes, screen),
            ]))
        };
        session.answer(|| account, text)
    }
}
