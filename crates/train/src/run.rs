//! A model, pairs and options → a folder with the trained model.
//!
//! The loop of epochs and steps. Everything that it draws is derived from the seed, the epoch and the texts, so a state
//! between two steps is a step's number and the optimizer's numbers. A killed run goes on from its last checkpoint to
//! the same bits.

use std::collections::BTreeMap;
use std::path::Path;

use barecode_encoders::backward::{Encoder, Gradients, Room, bytes_of};
use barecode_encoders::{LocalOptions, LocalTokens, Usage, published};
use barecode_records::guarded;

use crate::TrainError;
use crate::batches::Batches;
use crate::checkpoint::{Checkpoints, State, StepValue};
use crate::examples::{DevValue, Examples};
use crate::export::{Export, REPORT};
use crate::loss::InfoNce;

use crate::optimizer::Optimizer;
use crate::options::{Criterion, Options};
use crate::pairs::{Pair, Pairs};
use crate::report::Report;
use crate::seen::Seen;
use crate::step;

/// The news for a caller while a training runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Progress {
    /// Everything is read.
    Started {
        /// The most steps that will be made.
        steps: u64,
        /// Steps that were done before, by a run that ended early.
        done: u64,
        /// Numbers that are trained.
        trained: u64,
    },
    /// Hard negatives were mined for an epoch.
    Mined {
        /// The epoch, from 1.
        epoch: u32,
        /// Negatives that were found.
        negatives: u64,
    },
    /// A step was done.
    Step(StepValue),
    /// The encoder was judged on the dev split.
    Dev(DevValue),
}

/// A model to train.
#[derive(Debug, Clone)]
pub struct Model<'a> {
    /// Its folder.
    pub folder: &'a Path,
    /// Its name, for the card.
    pub name: &'a str,
    /// Its use: pooling, prompts and limits.
    pub options: LocalOptions,
}

/// The caller's side of a running training: progress and stop.
pub struct Watch<'a> {
    /// Receives each [`Progress`].
    pub progress: &'a mut (dyn FnMut(Progress) + Send),
    /// Called before each step; a training that is stopped writes a checkpoint and ends.
    pub stop: &'a (dyn Fn() -> bool + Sync),
}

/// Trains a model on pairs, and writes it as a folder.
///
/// A folder that already holds the same training is not touched, and its report is returned; one with checkpoints of
/// the same training is gone on with.
///
/// # Errors
/// Pairs, models and options that cannot be used, a loss that is not a number, files that cannot be written, a request to
/// stop.
pub fn train(
    model: &Model,
    (pairs, data): (&Pairs, &str),
    options: &Options,
    out: &Path,
    watch: &mut Watch,
) -> Result<Report, TrainError> {
    options.check()?;
    let local = LocalOptions {
        max_length: options.max_length.or(model.options.max_length),
        ..model.options.clone()
    };
    can_be_written(model.name, &local)?;
    let usage = Usage::read(model.folder)?;
    let mut weights = Encoder::read(model.folder, &local)?;
    let tokens = LocalTokens::load(model.folder, &local)?;
    let digest = digest(options, pairs, &weights, &tokens);
    if let Some(report) = finished(out, &digest)? {
        return Ok(report);
    }
    let batches = Batches::new(&pairs.train, options)?;
    if options.patience.is_some() && pairs.dev.is_empty() {
        return Err(TrainError::invalid(
            "early stopping needs a dev split",
            "give a folder with `dev.parquet`, or set its share of the repositories",
        ));
    }
    let train = Examples::new(&pairs.train, &tokens)?;
    let dev = Examples::new(&pairs.dev, &tokens)?;
    let mut optimizer = Optimizer::new(&weights, options)?;
    let longest = train.longest();
    let most = step::chunk_tokens(&weights, longest, options.chunk_tokens);
    step::check_memory(&weights, optimizer.count(), longest, most)?;
    let checkpoints = Checkpoints::of(out);
    let mut state = checkpoints
        .resume(&digest, &mut weights, &mut optimizer)?
        .unwrap_or_else(|| State {
            digest: digest.clone(),
            ..State::default()
        });
    let (mut lengths, mut alone) = (0, 0);
    for batches in (0..options.epochs).map(|epoch| batches.alone(epoch)) {
        lengths += batches.0;
        alone += batches.1;
    }
    let mut left_out = pairs.left_out.clone();
    if alone > 0 {
        let reason = "a pair without negatives, in all epochs together";
        left_out.insert(reason.to_owned(), alone);
    }
    let steps = options.max_steps.unwrap_or(lengths).min(lengths);
    let trained = optimizer.count() as u64;
    (watch.progress)(Progress::Started {
        steps,
        done: state.step,
        trained,
    });
    let mut run = Run {
        options,
        steps,
        most,
        loss: InfoNce {
            temperature: options.temperature,
            symmetric: options.symmetric,
        },
        gradients: Gradients::new(&weights, |tensor| optimizer.trains(tensor)),
        room: Room::default(),
        checkpoints: &checkpoints,
    };
    run.all(
        &mut weights,
        &mut optimizer,
        &mut state,
        [&train, &dev],
        &batches,
        watch,
    )?;
    let mut exported_step = state.step;
    if let Some(best) = state.best {
        checkpoints.load_best(&mut weights, &state.best_digest)?;
        exported_step = best.step;
    }
    let report = Report {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        digest,
        model: model.name.to_owned(),
        data: data.to_owned(),
        options: options.clone(),
        pairs: pairs.train.len() as u64,
        settings: settings(&pairs.train),
        dev_pairs: pairs.dev.len() as u64,
        truncated: train.truncated + dev.truncated,
        left_out,
        trained,
        steps: state.step,
        exported_step,
        stopped_early: state.stopped_early,
        curve: state.curve,
        dev: state.dev,
    };
    Export {
        model: model.folder,
        usage: &usage,
        tokens: &tokens,
        weights: &weights,
        report: &report,
        seen: pairs
            .read
            .clone()
            .unwrap_or_else(|| Seen::of(pairs))
            .and(Seen::read(model.folder)),
    }
    .write(out)?;
    checkpoints.remove()?;
    Ok(report)
}

/// Refuses a model that no folder can describe.
fn can_be_written(name: &str, local: &LocalOptions) -> Result<(), TrainError> {
    let known = local.name.as_deref().and_then(published);
    if known.is_none_or(|known| known.start.is_empty()) {
        return Ok(());
    }
    Err(TrainError::invalid(
        format!(
            "`{name}` cannot be trained: it needs tokens around a text that no file of a folder can express"
        ),
        "name its folder with `local:` to train it without these tokens",
    ))
}

/// The constants of a running training, and buffers.
struct Run<'a> {
    options: &'a Options,
    steps: u64,
    most: usize,
    loss: InfoNce,
    gradients: Gradients,
    room: Room,
    checkpoints: &'a Checkpoints,
}

impl Run<'_> {
    fn all(
        &mut self,
        weights: &mut Encoder,
        optimizer: &mut Optimizer,
        state: &mut State,
        [train, dev]: [&Examples; 2],
        batches: &Batches,
        watch: &mut Watch,
    ) -> Result<(), TrainError> {
        if state.dev.is_empty() && !dev.pairs.is_empty() {
            // Before any step, to compare with; it is never exported as the best.
            self.judge(weights, state, dev, watch);
        }
        while state.epoch < self.options.epochs && state.step < self.steps && !state.stopped_early {
            let epoch = batches.epoch(state.epoch);
            if state.batch == 0 && self.options.hard_negatives > 0 {
                state.mined = train.mine(weights, self.options, &mut self.room)?;
                let negatives = state.mined.iter().map(Vec::len).sum::<usize>() as u64;
                (watch.progress)(Progress::Mined {
                    epoch: state.epoch + 1,
                    negatives,
                });
            }
            for batch in epoch.iter().skip(state.batch) {
                if (watch.stop)() {
                    self.checkpoints.save(state, weights, optimizer)?;
                    return Err(TrainError::Interrupted);
                }
                if state.step == self.steps {
                    break;
                }
                self.step(weights, optimizer, state, train, batch, watch)?;
                if state.step.is_multiple_of(self.options.save_every) {
                    self.checkpoints.save(state, weights, optimizer)?;
                }
            }
            state.epoch += 1;
            state.batch = 0;
            if !dev.pairs.is_empty() {
                self.end_epoch(weights, state, dev, watch)?;
            }
            self.checkpoints.save(state, weights, optimizer)?;
        }
        Ok(())
    }

    fn step(
        &mut self,
        weights: &mut Encoder,
        optimizer: &mut Optimizer,
        state: &mut State,
        train: &Examples,
        batch: &[usize],
        watch: &mut Watch,
    ) -> Result<(), TrainError> {
        let rate = self.options.rate(state.step, self.steps);
        let step = state.step + 1;
        let stop = |what, value| {
            let rows = batch
                .iter()
                .take(3)
                .map(|&pair| train.pairs[pair].row.clone())
                .collect();
            TrainError::NotFinite {
                what,
                step,
                value,
                rows,
            }
        };
        self.gradients.clear();
        let loss = train.learn(
            weights,
            batch,
            &state.mined,
            (self.loss, self.most),
            &mut self.gradients,
            &mut self.room,
        );
        if !loss.is_finite() {
            return Err(stop("loss", loss));
        }
        let gradient = optimizer.step(weights, &self.gradients, rate);
        if !gradient.is_finite() {
            return Err(stop("gradient", gradient));
        }
        state.step = step;
        state.batch += 1;
        let value = StepValue {
            step,
            epoch: state.epoch + 1,
            loss,
            rate,
            gradient,
        };
        state.curve.push(value);
        (watch.progress)(Progress::Step(value));
        Ok(())
    }

    fn judge(
        &mut self,
        weights: &Encoder,
        state: &mut State,
        dev: &Examples,
        watch: &mut Watch,
    ) -> DevValue {
        let value = dev.value(
            weights,
            (self.loss, self.options.batch.max(2)),
            &mut self.room,
        );
        let value = DevValue {
            step: state.step,
            epoch: state.epoch,
            ..value
        };
        state.dev.push(value);
        (watch.progress)(Progress::Dev(value));
        value
    }

    fn end_epoch(
        &mut self,
        weights: &Encoder,
        state: &mut State,
        dev: &Examples,
        watch: &mut Watch,
    ) -> Result<(), TrainError> {
        let value = self.judge(weights, state, dev, watch);
        let is_better = state.best.is_none_or(|best| match self.options.criterion {
            Criterion::Ndcg => value.ndcg > best.ndcg,
            Criterion::Loss => value.loss < best.loss,
        });
        if is_better {
            state.best_digest = self.checkpoints.save_best(weights)?;
            state.best = Some(value);
            state.misses = 0;
        } else {
            state.misses += 1;
            state.stopped_early = self
                .options
                .patience
                .is_some_and(|patience| state.misses >= patience);
        }
        Ok(())
    }
}

/// Everything that the result depends on.
fn digest(options: &Options, pairs: &Pairs, weights: &Encoder, tokens: &LocalTokens) -> String {
    let mut digest = options.digest().field(env!("CARGO_PKG_VERSION"));
    for (name, pairs) in [("train", &pairs.train), ("dev", &pairs.dev)] {
        digest = digest.field(name).field(pairs.len().to_le_bytes());
        for pair in pairs {
            let Pair {
                anchor,
                positive,
                negatives,
                setting,
                repository,
                language: _,
                row: _,
            } = pair;
            digest = digest
                .field(anchor)
                .field(positive)
                .fields(negatives)
                .field(setting.as_deref().unwrap_or_default())
                .field(repository.as_deref().unwrap_or_default());
        }
    }
    for tensor in &weights.tensors {
        digest = digest.field(&tensor.name).field(bytes_of(&tensor.values));
    }
    let [query, document] = tokens.prompts();
    digest
        .field(query)
        .field(document)
        .field(tokens.longest().to_le_bytes())
        .field(weights.pooling().name())
        .hex()
}

/// The report of a folder that holds this training; an error if it holds something else.
fn finished(out: &Path, digest: &str) -> Result<Option<Report>, TrainError> {
    let path = out.join(REPORT);
    if let Ok(bytes) = guarded::read(&path) {
        let report: Option<Report> = serde_json::from_slice(&bytes).ok();
        return match report {
            Some(report) if report.digest == digest => Ok(Some(report)),
            _ => Err(TrainError::invalid(
                format!("`{}` holds a model of another training", out.display()),
                "choose another folder, or remove this one",
            )),
        };
    }
    let is_foreign = out.join("config.json").exists() && !out.join("checkpoints").exists();
    if is_foreign || out.is_file() {
        return Err(TrainError::invalid(
            format!("`{}` exists and holds something else", out.display()),
            "choose another folder",
        ));
    }
    Ok(None)
}

fn settings(pairs: &[Pair]) -> BTreeMap<String, u64> {
    let mut settings = BTreeMap::new();
    for setting in pairs.iter().filter_map(|pair| pair.setting.clone()) {
        *settings.entry(setting).or_default() += 1;
    }
    settings
}
