//! A folder's encoder as something that can be trained: its numbers, the way forward with a tape, and the way back.
//!
//! In come the parts that `architecture` puts together; out come vectors of length 1 and, for the
//! gradient of each vector, the gradients of the tensors. Tensors have the order in which the architecture requests
//! them and the names of the file, so that an export has the same names. Other tensors of the file (a pooler, counted
//! positions) are written back as they were.
//!
//! Reading order: this file (an encoder and its tensors) → `pass` (forward and back) → `rows` and `attention` (the parts).
//! The one hard thing is that gradients have the same bits on any number of threads; `rows` describes the method.
//!
//! Not in this file: dropout, and parts that no trained model had so far: [`Encoder::read`] refuses them by name.

mod attention;
mod pass;
mod rows;

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use barecode_models::{ModelError, Pooling};
use safetensors::Dtype;
use safetensors::tensor::TensorView;

use super::folder::Folder;
use super::options::LocalOptions;
use super::parts::{Attention, Gate, Layer, Layout, Linear, NormKind, Norms, Parts, Sight};
use super::vector::Activation;
use super::weights::Weights;
use super::{architecture, unusable};

pub use pass::{Gradients, Room, Tape};

/// The trainable encoders, for messages.
const TRAINABLE: &str = "encoders like BERT and RoBERTa can be trained (MiniLM, BGE, E5, GTE-base, CodeBERT, UniXcoder): \
                         learned places, exact GELU, one pooling of rows";

/// A tensor with its name in the file.
#[derive(Debug, Clone)]
pub struct Tensor {
    /// Its name.
    pub name: String,
    /// Rows and columns, or a length.
    pub shape: Vec<usize>,
    /// The numbers of all rows and columns.
    pub values: Vec<f32>,
}

/// A tensor of the file that is not trained.
struct Other {
    name: String,
    dtype: Dtype,
    shape: Vec<usize>,
    bytes: Vec<u8>,
}

/// An encoder's parts and numbers.
pub struct Encoder {
    parts: Parts,
    pooling: Pooling,
    /// The numbers, which training changes. Those of the embedding are first, then those of each layer.
    pub tensors: Vec<Tensor>,
    others: Vec<Other>,
}

impl Encoder {
    /// Reads a model's folder.
    ///
    /// # Errors
    /// As [`LocalEncoder::load`](crate::LocalEncoder::load); parts that training does not support; weights in
    /// several files.
    pub fn read(path: &Path, options: &LocalOptions) -> Result<Self, ModelError> {
        let folder = Folder::read(path)?;
        let shown = folder.transformer.display();
        let refuse = |what: &str| {
            unusable(
                format!("`{shown}` cannot be trained: {what}"),
                Some(TRAINABLE),
            )
        };
        let mut weights = Weights::open(&folder.transformer)?;
        weights.stay_in_file();
        let loaded = architecture::load(&folder.config, &mut weights, None)?;
        if let Some(part) = unknown(&loaded.parts) {
            let kind = folder.config.word_or("model_type", "")?;
            let what = format!("its architecture (`model_type`) is `{kind}`, with {part}");
            return Err(refuse(&what));
        }
        if !folder.dense.is_empty() || loaded.projection.is_some() {
            return Err(refuse("it has a dense layer behind the pooling"));
        }
        let known = options.published().map(|known| known.pooling);
        let pooling = options.pooling.or(folder.pooling).or(known);
        let pooling = pooling.unwrap_or(loaded.pooling);
        if pooling == Pooling::Max {
            return Err(refuse("its pooling is `max`"));
        }
        if !folder.transformer.join("model.safetensors").is_file() {
            return Err(unusable(
                format!("`{shown}` has no `model.safetensors`"),
                Some(
                    "load the model with `transformers` and save it with `save_pretrained(…, max_shard_size=\"20GB\")`",
                ),
            ));
        }
        let tensors = weights.taken().into_iter().map(|(name, tensor)| Tensor {
            name: name.to_owned(),
            shape: tensor.shape.clone(),
            values: tensor.to_vec(),
        });
        let others = weights.rest().into_iter().map(|(name, view)| Other {
            name,
            dtype: view.dtype(),
            shape: view.shape().to_vec(),
            bytes: view.data().to_vec(),
        });
        Ok(Encoder {
            tensors: tensors.collect(),
            others: others.collect(),
            parts: loaded.parts,
            pooling,
        })
    }

    /// Length of every vector.
    pub fn width(&self) -> usize {
        self.parts.width
    }

    /// The pooling of rows into a vector.
    pub fn pooling(&self) -> Pooling {
        self.pooling
    }

    /// The number of layers.
    pub fn layers(&self) -> usize {
        self.parts.layers.len()
    }

    /// The index of a layer's first tensor; behind the last layer, the number of tensors.
    pub fn first_of(&self, layer: usize) -> usize {
        let layer = self.parts.layers.get(layer);
        layer.map_or(self.tensors.len(), |layer| {
            layer.attention.project.pieces[0].weight.place
        })
    }

    /// The bytes of `model.safetensors`: all tensors of the file that was read, in their names' order.
    ///
    /// # Errors
    /// If the tensors cannot be written as a file, which is a defect.
    pub fn to_bytes(&self) -> Result<Vec<u8>, ModelError> {
        let broken = |error| unusable(format!("the tensors make no file: {error}"), None);
        let numbers: Vec<Vec<u8>> = (self.tensors.iter())
            .map(|tensor| bytes_of(&tensor.values))
            .collect();
        let mut views = BTreeMap::new();
        for (tensor, bytes) in self.tensors.iter().zip(&numbers) {
            let view = TensorView::new(Dtype::F32, tensor.shape.clone(), bytes).map_err(broken)?;
            views.insert(tensor.name.as_str(), view);
        }
        for other in &self.others {
            let view =
                TensorView::new(other.dtype, other.shape.clone(), &other.bytes).map_err(broken)?;
            views.insert(other.name.as_str(), view);
        }
        // `transformers` requires this word.
        let about = HashMap::from([("format".to_owned(), "pt".to_owned())]);
        safetensors::serialize(views, Some(about)).map_err(broken)
    }
}

/// Numbers as little-endian bytes.
pub fn bytes_of(values: &[f32]) -> Vec<u8> {
    values
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect()
}

/// The name of a part of a network that training does not support.
fn unknown(parts: &Parts) -> Option<&'static str> {
    let Parts {
        embedding,
        layers,
        norm,
        width: _,
    } = parts;
    let found = layers.iter().find_map(unknown_in);
    if embedding.factor.is_some() || embedding.norm.is_none() || embedding.places.is_none() {
        found.or(Some("an embedding without positions and a norm"))
    } else if norm.is_some() {
        found.or(Some("a norm behind the last layer"))
    } else {
        found
    }
}

fn unknown_in(layer: &Layer) -> Option<&'static str> {
    let Layer {
        attention,
        attention_norms,
        feed_forward,
        feed_forward_norms,
    } = layer;
    let Attention {
        project,
        output,
        heads,
        key_heads,
        size: _,
        factor: _,
        sight,
        cap,
        rotary,
        distance,
        query_norm,
        key_norm,
    } = attention;
    let linear = [project, output, &feed_forward.up, &feed_forward.down];
    if feed_forward.gate != Gate::None {
        Some("a gated feed-forward part")
    } else if feed_forward.activation != Activation::Gelu {
        Some("another activation than exact GELU (`hidden_act`)")
    } else if *sight != Sight::ALL || heads != key_heads || cap.is_some() {
        Some("tokens that do not see all of their text with as many heads of keys as of queries")
    } else if rotary.is_some() || distance.is_some() {
        Some("attention that depends on distance (`position_embedding_type`)")
    } else if query_norm.is_some() || key_norm.is_some() {
        Some("norms of queries and keys")
    } else if !is_between(attention_norms) || !is_between(feed_forward_norms) {
        Some("other norms than one behind each part")
    } else if !linear.into_iter().all(is_plain) {
        Some("dense layers without a bias, or with another order of numbers")
    } else {
        None
    }
}

fn is_between(norms: &Norms) -> bool {
    let between = norms.between.as_ref();
    norms.before.is_none()
        && norms.after.is_none()
        && between.is_some_and(|norm| norm.kind == NormKind::Layer && norm.bias.is_some())
}

fn is_plain(linear: &Linear) -> bool {
    linear.layout == Layout::Outputs && linear.pieces.iter().all(|piece| piece.bias.is_some())
}
