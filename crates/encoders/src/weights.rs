//! The tensors of a checkpoint, by name, as they are stored in memory-mapped files.
//!
//! In comes a folder with `model.safetensors`, or the shards that `model.safetensors.index.json` names.
//! Out come tensors in 32-bit floats, each taken once. Tensors that are left over after a model was built are
//! reported, because a tensor that was never requested is a part of the model that would silently be missing. The one
//! hard thing is size: a checkpoint of 7 billion parameters does not fit into memory as 32-bit floats. So a tensor
//! can stay in the file and be converted piece by piece when it is used. This file knows no model, and it reads no
//! pickled files, which can run code.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use barecode_records::{Digest, guarded};
use half::{bf16, f16};
use memmap2::Mmap;
use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};

use super::parts::Vector;
use super::unusable;
use barecode_models::ModelError;

/// Checkpoints up to this size (as 32-bit floats) are held in memory in the layout of the products.
const HELD_BYTES: usize = 3 << 30;

/// The number type of a tensor in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Number {
    F32,
    F16,
    Bf16,
}

impl Number {
    fn bytes(self) -> usize {
        match self {
            Self::F32 => 4,
            Self::F16 | Self::Bf16 => 2,
        }
    }
}

/// A tensor in its file.
#[derive(Clone)]
pub(super) struct Tensor {
    map: Arc<Mmap>,
    start: usize,
    number: Number,
    pub(super) shape: Vec<usize>,
    /// The number of tensors of the checkpoint that were taken before it.
    pub(super) place: usize,
}

impl Tensor {
    /// Numbers in it.
    fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// All numbers.
    pub(super) fn to_vec(&self) -> Vec<f32> {
        let mut values = vec![0.0; self.len()];
        self.read(0, &mut values);
        values
    }

    /// The numbers from `start` on, in 32 bits.
    pub(super) fn read(&self, start: usize, values: &mut [f32]) {
        let size = self.number.bytes();
        let start = self.start + start * size;
        let bytes = &self.map[start..start + values.len() * size];
        match self.number {
            Number::F32 => {
                for (value, bytes) in values.iter_mut().zip(bytes.as_chunks::<4>().0) {
                    *value = f32::from_le_bytes(*bytes);
                }
            }
            Number::F16 => {
                for (value, bytes) in values.iter_mut().zip(bytes.as_chunks::<2>().0) {
                    *value = f16::from_le_bytes(*bytes).to_f32();
                }
            }
            Number::Bf16 => {
                for (value, bytes) in values.iter_mut().zip(bytes.as_chunks::<2>().0) {
                    *value = bf16::from_le_bytes(*bytes).to_f32();
                }
            }
        }
    }
}

/// A checkpoint from which tensors are taken.
pub(super) struct Weights {
    folder: PathBuf,
    tensors: BTreeMap<String, (Dtype, Option<Tensor>)>,
    /// The tensors that were taken, with their indices.
    taken: BTreeMap<String, usize>,
    stay_in_file: bool,
    prefix: String,
    maps: Vec<Arc<Mmap>>,
}

impl Weights {
    /// Opens the files of a folder.
    pub(super) fn open(folder: &Path) -> Result<Self, ModelError> {
        Self::read(folder, &files(folder)?)
    }

    /// One file only.
    pub(super) fn open_file(file: &Path) -> Result<Self, ModelError> {
        Self::read(file, &[file.to_owned()])
    }

    fn read(shown: &Path, files: &[PathBuf]) -> Result<Self, ModelError> {
        let mut tensors = BTreeMap::new();
        let maps = files
            .iter()
            .map(|file| read_file(file, &mut tensors))
            .collect::<Result<_, _>>()?;
        Ok(Weights {
            folder: shown.to_owned(),
            tensors,
            taken: BTreeMap::new(),
            stay_in_file: false,
            prefix: String::new(),
            maps,
        })
    }

    /// A digest of the files, byte by byte.
    pub(super) fn digest(&self) -> Digest {
        self.maps
            .iter()
            .fold(Digest::new("weights"), |digest, map| digest.field(&map[..]))
    }

    /// Leaves large matrices in their file, for a caller that needs their position in it.
    pub(super) fn stay_in_file(&mut self) {
        self.stay_in_file = true;
    }

    /// Returns `true` if matrices are held in memory: those of checkpoints up to a size.
    pub(super) fn are_held(&self) -> bool {
        let tensors = self
            .tensors
            .values()
            .filter_map(|(_, tensor)| tensor.as_ref());
        let bytes: usize = tensors.map(|tensor| 4 * tensor.len()).sum();
        !self.stay_in_file && bytes <= HELD_BYTES
    }

    /// Returns `true` if a tensor of this name exists, behind the prefix.
    pub(super) fn has(&self, name: &str) -> bool {
        self.tensors.contains_key(&format!("{}{name}", self.prefix))
    }

    /// Sets the first of these prefixes under which a tensor of this name exists; checkpoints saved from a model with
    /// a head have one.
    pub(super) fn set_prefix(&mut self, prefixes: &[&str], name: &str) {
        if let Some(prefix) = prefixes
            .iter()
            .find(|prefix| self.tensors.contains_key(&format!("{prefix}{name}")))
        {
            (*prefix).clone_into(&mut self.prefix);
        }
    }

    /// Uses names without a prefix from here on, for heads that are beside the model.
    pub(super) fn clear_prefix(&mut self) {
        self.prefix.clear();
    }

    /// A tensor of this shape.
    pub(super) fn tensor(&mut self, name: &str, shape: &[usize]) -> Result<Tensor, ModelError> {
        let name = format!("{}{name}", self.prefix);
        let Some((dtype, tensor)) = self.tensors.get(&name) else {
            return Err(unusable(
                format!(
                    "`{}` has no tensor `{name}` among its {}, which `config.json` calls for",
                    self.folder.display(),
                    self.tensors.len()
                ),
                Some(
                    "the download may be incomplete, or the weights may be of another model than `config.json`",
                ),
            ));
        };
        let Some(tensor) = tensor else {
            return Err(unusable(
                format!(
                    "tensor `{name}` of `{}` is of type {dtype:?}, expected F32, F16 or BF16",
                    self.folder.display()
                ),
                Some("quantized checkpoints are not read: take the original weights"),
            ));
        };
        if tensor.shape != shape {
            return Err(unusable(
                format!(
                    "tensor `{name}` of `{}` has shape {:?}, expected {shape:?} by `config.json`",
                    self.folder.display(),
                    tensor.shape
                ),
                Some("`config.json` and the weights are of different models"),
            ));
        }
        let next = self.taken.len();
        let place = *self.taken.entry(name).or_insert(next);
        Ok(Tensor {
            place,
            ..tensor.clone()
        })
    }

    /// The numbers of a tensor with one length.
    pub(super) fn vector(&mut self, name: &str, length: usize) -> Result<Vector, ModelError> {
        let tensor = self.tensor(name, &[length])?;
        Ok(Vector {
            place: tensor.place,
            values: tensor.to_vec(),
        })
    }

    /// The tensors that were taken, by their indices, with their names.
    pub(super) fn taken(&self) -> Vec<(&str, &Tensor)> {
        let mut taken: Vec<_> = self.taken.iter().collect();
        taken.sort_by_key(|(_, place)| **place);
        let tensors = taken.into_iter().filter_map(|(name, _)| {
            let tensor = self.tensors[name].1.as_ref()?;
            Some((name.as_str(), tensor))
        });
        tensors.collect()
    }

    /// The tensors that were not taken, of any number type.
    pub(super) fn rest(&self) -> Vec<(String, TensorView<'_>)> {
        let files = self.maps.iter();
        let parsed = files.filter_map(|map| SafeTensors::deserialize(&map[..]).ok());
        let all = parsed.flat_map(|file| file.tensors());
        all.filter(|(name, _)| !self.taken.contains_key(name))
            .collect()
    }

    /// Returns an error that names the tensors that were never requested, except names that are known to change no
    /// vector.
    pub(super) fn finish(&self, harmless: &[&str]) -> Result<(), ModelError> {
        let left: Vec<&str> = self
            .tensors
            .keys()
            .map(String::as_str)
            .filter(|name| !self.taken.contains_key(*name))
            .filter(|name| {
                !harmless.iter().any(|known| {
                    name.strip_prefix(self.prefix.as_str())
                        .unwrap_or(name)
                        .starts_with(known)
                        || name.starts_with(known)
                        || name.ends_with(known)
                })
            })
            .collect();
        if left.is_empty() {
            return Ok(());
        }
        let shown: Vec<String> = left
            .iter()
            .take(3)
            .map(|name| format!("`{name}`"))
            .collect();
        Err(unusable(
            format!(
                "`{}` has {} tensors that its architecture does not have: {}{}",
                self.folder.display(),
                left.len(),
                shown.join(", "),
                if left.len() > 3 { ", …" } else { "" }
            ),
            Some(
                "the model is a variant that this program does not know, and its vectors would be wrong",
            ),
        ))
    }
}

/// The weight files of a folder, in order.
fn files(folder: &Path) -> Result<Vec<PathBuf>, ModelError> {
    let single = folder.join("model.safetensors");
    if single.is_file() {
        return Ok(vec![single]);
    }
    let index = folder.join("model.safetensors.index.json");
    if !index.is_file() {
        let pickled = ["pytorch_model.bin", "pytorch_model.bin.index.json"]
            .iter()
            .any(|name| folder.join(name).is_file());
        return Err(unusable(
            format!(
                "`{}` has no weights: neither `model.safetensors` nor `model.safetensors.index.json` exists",
                folder.display()
            ),
            Some(if pickled {
                "`pytorch_model.bin` is not read, because unpickling runs code: save the model again with \
                 `save_pretrained(…, safe_serialization=True)`"
            } else {
                "name a folder as `save_pretrained` or the hub's cache lays it out"
            }),
        ));
    }
    let json = super::folder::read_json(&index)?;
    let mut names = BTreeSet::new();
    if let Some(map) = json.get("weight_map").and_then(|map| map.as_object()) {
        names.extend(map.values().filter_map(|name| name.as_str()));
    }
    if names.is_empty() {
        return Err(unusable(
            format!("`{}` names no files in `weight_map`", index.display()),
            None,
        ));
    }
    names
        .into_iter()
        .map(|name| {
            let file = folder.join(name);
            // A name is a file beside the index, never a way out of the folder.
            if name.contains(['/', '\\']) || !file.is_file() {
                return Err(unusable(
                    format!(
                        "`{}` names `{name}`, which is not in the folder",
                        index.display()
                    ),
                    Some("the download may be incomplete"),
                ));
            }
            Ok(file)
        })
        .collect()
}

#[expect(
    unsafe_code,
    reason = "mapping a file is the only way to read a part of it when it is needed"
)]
fn read_file(
    path: &Path,
    tensors: &mut BTreeMap<String, (Dtype, Option<Tensor>)>,
) -> Result<Arc<Mmap>, ModelError> {
    let file = guarded::open(path).map_err(ModelError::io("open", path))?;
    // SAFETY: the bytes are only ever read as numbers, so a file that is changed meanwhile gives other numbers; one
    // that is cut short ends the process, as with every mapped file.
    let map = Arc::new(unsafe { Mmap::map(&file) }.map_err(ModelError::io("map", path))?);
    let broken = |error: &dyn std::fmt::Display| {
        unusable(
            format!(
                "`{}` is not a complete safetensors file: {error}",
                path.display()
            ),
            Some(
                "the download may be incomplete; a file of about a hundred bytes is a pointer of Git LFS",
            ),
        )
    };
    let parsed = SafeTensors::deserialize(&map).map_err(|error| broken(&error))?;
    let base = map.as_ptr().addr();
    for (name, view) in parsed.iter() {
        let number = match view.dtype() {
            Dtype::F32 => Some(Number::F32),
            Dtype::F16 => Some(Number::F16),
            Dtype::BF16 => Some(Number::Bf16),
            _ => None,
        };
        let tensor = number.map(|number| Tensor {
            map: Arc::clone(&map),
            start: view.data().as_ptr().addr() - base,
            number,
            shape: view.shape().to_vec(),
            place: 0,
        });
        tensors.insert(name.to_owned(), (view.dtype(), tensor));
    }
    Ok(map)
}
