//! The state of a training → a folder, and back to the same bits.
//!
//! A checkpoint is `checkpoints/step-N/` with `state.json` (the progress of the training) and `state.safetensors`
//! (the numbers that are trained and the optimizer's means). It is written under another name, flushed and renamed,
//! so that a folder of that name is complete whenever the program is killed; older ones are removed after that.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use barecode_encoders::backward::{Encoder, bytes_of};
use barecode_records::Digest;
use barecode_records::guarded::{self, MOST_NUMBERS};
use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};
use serde::{Deserialize, Serialize};

use crate::TrainError;
use crate::examples::DevValue;
use crate::optimizer::Optimizer;

/// One step, as the learning curve shows it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct StepValue {
    /// The step, from 1.
    pub step: u64,
    /// The epoch, from 1.
    pub epoch: u32,
    /// The loss of its batch, before the step.
    pub loss: f64,
    /// The learning rate.
    pub rate: f64,
    /// The length of all gradients together, before it was cut.
    pub gradient: f64,
}

/// The progress of a training.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct State {
    /// The digest of its options, pairs and model.
    pub(crate) digest: String,
    /// Steps, epochs, and batches of this epoch that are done.
    pub(crate) step: u64,
    pub(crate) epoch: u32,
    pub(crate) batch: usize,
    pub(crate) curve: Vec<StepValue>,
    pub(crate) dev: Vec<DevValue>,
    /// The best dev value, and the number of values after it.
    pub(crate) best: Option<DevValue>,
    /// The digest of the file of that encoder.
    #[serde(default)]
    pub(crate) best_digest: String,
    pub(crate) misses: u32,
    pub(crate) stopped_early: bool,
    /// Negatives of this epoch, by pair.
    pub(crate) mined: Vec<Vec<usize>>,
}

/// The numbers of a tensor that was written by this file.
fn floats(view: &TensorView<'_>) -> Option<Vec<f32>> {
    let numbers = view.data().as_chunks::<4>().0.iter();
    (view.dtype() == Dtype::F32).then(|| numbers.map(|bytes| f32::from_le_bytes(*bytes)).collect())
}

/// A line of JSON, and a line with a digest of it and of the numbers beside it.
fn sealed(text: &[u8], numbers: &[u8]) -> Vec<u8> {
    let digest = Digest::new("checkpoint").field(text).field(numbers).hex();
    [text, b"\n\"", digest.as_bytes(), b"\"\n"].concat()
}

fn digest_of(bytes: &[u8]) -> String {
    Digest::new("best encoder").field(bytes).hex()
}

/// Writes a file whole or not at all.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<(), TrainError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let partial = path.with_file_name(format!(".{name}.partial"));
    flushed(&partial, bytes)?;
    fs::rename(&partial, path).map_err(TrainError::io("rename", &partial))
}

fn flushed(path: &Path, bytes: &[u8]) -> Result<(), TrainError> {
    let mut file = File::create(path).map_err(TrainError::io("write", path))?;
    file.write_all(bytes)
        .and_then(|()| file.sync_all())
        .map_err(TrainError::io("write", path))
}

/// The folder of checkpoints of a training.
pub(crate) struct Checkpoints(PathBuf);

impl Checkpoints {
    pub(crate) fn of(out: &Path) -> Self {
        Checkpoints(out.join("checkpoints"))
    }

    /// The file of the best encoder on the dev split.
    fn best(&self) -> PathBuf {
        self.0.join("best.safetensors")
    }

    /// Complete checkpoints, by step.
    fn list(&self) -> Vec<(u64, PathBuf)> {
        let entries = fs::read_dir(&self.0).into_iter().flatten().flatten();
        let mut found: Vec<(u64, PathBuf)> = entries
            .filter_map(|entry| {
                let name = entry.file_name();
                Some((
                    name.to_str()?.strip_prefix("step-")?.parse().ok()?,
                    entry.path(),
                ))
            })
            .collect();
        found.sort();
        found
    }

    /// Writes the progress of the training, then removes older checkpoints.
    pub(crate) fn save(
        &self,
        state: &State,
        weights: &Encoder,
        optimizer: &Optimizer,
    ) -> Result<(), TrainError> {
        fs::create_dir_all(&self.0).map_err(TrainError::io("write", &self.0))?;
        let path = self.0.join(format!("step-{}", state.step));
        let partial = self.0.join(format!(".step-{}.partial", state.step));
        if partial.exists() {
            fs::remove_dir_all(&partial).map_err(TrainError::io("remove", &partial))?;
        }
        fs::create_dir_all(&partial).map_err(TrainError::io("write", &partial))?;
        let broken = |error| TrainError::invalid(format!("the state makes no file: {error}"), "");
        let numbers: Vec<(String, Vec<u8>, usize)> = (optimizer.state(weights).into_iter())
            .map(|(name, values)| (name, bytes_of(values), values.len()))
            .collect();
        let views = numbers.iter().map(|(name, bytes, count)| {
            Ok((name, TensorView::new(Dtype::F32, vec![*count], bytes)?))
        });
        let views = views.collect::<Result<Vec<_>, _>>().map_err(broken)?;
        let bytes = safetensors::serialize(views, None).map_err(broken)?;
        flushed(&partial.join("state.safetensors"), &bytes)?;
        let text = serde_json::to_vec(state)
            .map_err(|error| TrainError::invalid(error.to_string(), ""))?;
        let text = sealed(&text, &bytes);
        flushed(&partial.join("state.json"), &text)?;
        if path.exists() {
            // The same step of the same training: the bytes are the same.
            fs::remove_dir_all(&partial).map_err(TrainError::io("remove", &partial))?;
            // The state after the step may have changed: the end of an epoch, a dev value.
            return write(&path.join("state.json"), &text);
        }
        fs::rename(&partial, &path).map_err(TrainError::io("rename", &partial))?;
        if let Ok(folder) = File::open(&self.0) {
            // Not every file system can flush a folder.
            let _ = folder.sync_all();
        }
        for (step, older) in self.list() {
            if step < state.step {
                fs::remove_dir_all(&older).map_err(TrainError::io("remove", &older))?;
            }
        }
        Ok(())
    }

    /// The last complete checkpoint, put into weights and optimizer.
    ///
    /// # Errors
    /// One of another training, or one that is damaged.
    pub(crate) fn resume(
        &self,
        digest: &str,
        weights: &mut Encoder,
        optimizer: &mut Optimizer,
    ) -> Result<Option<State>, TrainError> {
        let Some((_, path)) = self.list().pop() else {
            return Ok(None);
        };
        let damaged = |what: &str| {
            TrainError::invalid(
                format!("checkpoint `{}` {what}", path.display()),
                "remove the folder `checkpoints` to start again",
            )
        };
        let file = path.join("state.json");
        let sealed_text = guarded::read(&file).map_err(TrainError::io("read", &file))?;
        let file = path.join("state.safetensors");
        let bytes =
            guarded::read_at_most(&file, MOST_NUMBERS).map_err(TrainError::io("read", &file))?;
        let text = sealed_text.split(|byte| *byte == b'\n').next();
        let text = text.filter(|text| sealed(text, &bytes) == sealed_text);
        let text = text.ok_or_else(|| damaged("is damaged: it is not as it was written"))?;
        let state: State = serde_json::from_slice(text)
            .map_err(|error| damaged(&format!("is damaged: {error}")))?;
        if state.digest != digest {
            return Err(TrainError::invalid(
                format!(
                    "checkpoint `{}` is of a training with other pairs, another model or other options",
                    path.display()
                ),
                "choose another folder, or remove this one to start again",
            ));
        }
        let tensors = SafeTensors::deserialize(&bytes)
            .map_err(|error| damaged(&format!("is damaged: {error}")))?;
        let find = |name: &str| tensors.tensor(name).ok().and_then(|view| floats(&view));
        if !optimizer.restore(weights, find) {
            return Err(damaged("lacks numbers"));
        }
        optimizer.steps = state.step;
        Ok(Some(state))
    }

    /// Stores an encoder as the best; returns the digest of its file.
    pub(crate) fn save_best(&self, weights: &Encoder) -> Result<String, TrainError> {
        fs::create_dir_all(&self.0).map_err(TrainError::io("write", &self.0))?;
        let bytes = weights.to_bytes()?;
        write(&self.best(), &bytes)?;
        Ok(digest_of(&bytes))
    }

    /// Puts the best encoder, whose file has this digest, into weights.
    pub(crate) fn load_best(&self, weights: &mut Encoder, digest: &str) -> Result<(), TrainError> {
        let path = self.best();
        let bytes =
            guarded::read_at_most(&path, MOST_NUMBERS).map_err(TrainError::io("read", &path))?;
        let damaged = |what: String| {
            TrainError::invalid(
                format!("`{}` is damaged: {what}", path.display()),
                "remove the folder `checkpoints` to start again",
            )
        };
        if digest_of(&bytes) != digest {
            return Err(damaged("it is not as it was written".to_owned()));
        }
        let file = SafeTensors::deserialize(&bytes).map_err(|error| damaged(error.to_string()))?;
        for tensor in &mut weights.tensors {
            let found = file
                .tensor(&tensor.name)
                .ok()
                .and_then(|view| floats(&view))
                .filter(|values| values.len() == tensor.values.len());
            tensor.values =
                found.ok_or_else(|| damaged(format!("`{}` is missing", tensor.name)))?;
        }
        Ok(())
    }

    /// Removes all of them, after the training is done.
    pub(crate) fn remove(&self) -> Result<(), TrainError> {
        if self.0.exists() {
            fs::remove_dir_all(&self.0).map_err(TrainError::io("remove", &self.0))?;
        }
        Ok(())
    }
}
