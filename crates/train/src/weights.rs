//! A folder's checkpoint → the tensors of an encoder that can be trained, and back into a file.
//!
//! In come `config.json` and `model.safetensors`; out come the tensors in 32-bit floats, in the order of [`part`], with
//! the names that the file gives them, so that an export has the same names.
//! What is in the file beside them (a pooler, counted places) is written back as it was.
//!
//! What this file does not do: it computes nothing, and it reads neither pickled weights nor weights in several files.

use std::collections::BTreeMap;
use std::path::Path;

use barecode_encoders::{LocalOptions, Usage};
use barecode_models::{ModelError, Pooling};
use half::{bf16, f16};
use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};
use serde_json::Value;

use crate::TrainError;

/// What can be trained, as messages say it.
const TRAINABLE: &str = "encoders like BERT and RoBERTa can be trained (MiniLM, BGE, E5, GTE-base, CodeBERT, UniXcoder): \
                         learned places, exact GELU, one pooling of rows";

/// Which tensor of the list is what.
pub(crate) mod part {
    /// Tensors of the embedding: words, places, kinds, weight and bias of the norm.
    pub(crate) const WORDS: usize = 0;
    pub(crate) const PLACES: usize = 1;
    pub(crate) const KINDS: usize = 2;
    pub(crate) const EMBEDDING_NORM: usize = 3;
    /// Tensors of the embedding, which stand first.
    pub(crate) const EMBEDDING: usize = 5;
    /// Tensors of a layer: each of these is a weight, and its bias follows.
    pub(crate) const QUERY: usize = 0;
    pub(crate) const KEY: usize = 2;
    pub(crate) const VALUE: usize = 4;
    pub(crate) const OUTPUT: usize = 6;
    pub(crate) const FIRST_NORM: usize = 8;
    pub(crate) const UP: usize = 10;
    pub(crate) const DOWN: usize = 12;
    pub(crate) const SECOND_NORM: usize = 14;
    /// How many a layer has.
    pub(crate) const LAYER: usize = 16;

    /// The place in the list of a layer's tensor.
    pub(crate) fn of(layer: usize, tensor: usize) -> usize {
        EMBEDDING + layer * LAYER + tensor
    }
}

/// Names of the dense layers and norms within `encoder.layer.N.`, in the order of [`part`].
const LAYER_NAMES: [&str; 8] = [
    "attention.self.query",
    "attention.self.key",
    "attention.self.value",
    "attention.output.dense",
    "attention.output.LayerNorm",
    "intermediate.dense",
    "output.dense",
    "output.LayerNorm",
];

/// Sizes of an encoder.
#[derive(Debug, Clone)]
pub(crate) struct Sizes {
    pub(crate) width: usize,
    pub(crate) heads: usize,
    pub(crate) inner: usize,
    pub(crate) layers: usize,
    pub(crate) vocabulary: usize,
    pub(crate) places: usize,
    /// The place of a text's first token.
    pub(crate) first_place: usize,
    pub(crate) kinds: usize,
    pub(crate) epsilon: f32,
    pub(crate) pooling: Pooling,
}

/// A tensor with its name in the file.
#[derive(Debug, Clone)]
pub(crate) struct Tensor {
    pub(crate) name: String,
    pub(crate) shape: Vec<usize>,
    pub(crate) values: Vec<f32>,
}

/// A tensor of the file that is not trained.
struct Other {
    name: String,
    dtype: Dtype,
    shape: Vec<usize>,
    bytes: Vec<u8>,
}

/// An encoder's numbers.
pub(crate) struct Weights {
    pub(crate) sizes: Sizes,
    pub(crate) tensors: Vec<Tensor>,
    others: Vec<Other>,
}

/// Questions to `config.json` that name the key when they fail.
struct Config<'a>(&'a Usage);

impl Config<'_> {
    fn size(&self, key: &str) -> Result<usize, TrainError> {
        self.0
            .config
            .get(key)
            .and_then(Value::as_u64)
            .and_then(|value| usize::try_from(value).ok())
            .filter(|&value| value > 0)
            .ok_or_else(|| {
                let folder = self.0.transformer.display();
                TrainError::invalid(
                    format!("`{folder}/config.json` has no whole number `{key}`"),
                    TRAINABLE,
                )
            })
    }

    fn word<'a>(&'a self, key: &str, default: &'a str) -> &'a str {
        self.0
            .config
            .get(key)
            .and_then(Value::as_str)
            .unwrap_or(default)
    }
}

impl Sizes {
    /// Reads them, and refuses what cannot be trained here.
    fn read(usage: &Usage) -> Result<Self, TrainError> {
        let refuse = |what: String| {
            let folder = usage.transformer.display();
            TrainError::invalid(format!("`{folder}` cannot be trained: {what}"), TRAINABLE)
        };
        let config = Config(usage);
        let kind = config.word("model_type", "").to_lowercase();
        let is_roberta = ["roberta", "xlm-roberta", "camembert"].contains(&kind.as_str());
        if kind != "bert" && !is_roberta {
            return Err(refuse(format!(
                "its architecture (`model_type`) is `{kind}`"
            )));
        }
        let places = config.word("position_embedding_type", "absolute");
        if places != "absolute" {
            return Err(refuse(format!(
                "its `position_embedding_type` is `{places}`"
            )));
        }
        let activation = config.word("hidden_act", "gelu");
        if activation != "gelu" && activation != "gelu_python" {
            return Err(refuse(format!("its `hidden_act` is `{activation}`")));
        }
        if usage.dense_layers > 0 {
            return Err(refuse("it has a dense layer behind the pooling".to_owned()));
        }
        let pooling = usage.pooling.unwrap_or(Pooling::Mean);
        if pooling == Pooling::Max {
            return Err(refuse("its pooling is `max`".to_owned()));
        }
        let width = config.size("hidden_size")?;
        let heads = config.size("num_attention_heads")?;
        if !width.is_multiple_of(heads) {
            return Err(refuse(format!(
                "{heads} heads do not divide a width of {width}"
            )));
        }
        let first_place = if is_roberta {
            usage
                .config
                .get("pad_token_id")
                .and_then(Value::as_u64)
                .map_or(Ok(2), |id| usize::try_from(id).map(|id| id + 1))
                .map_err(|_| refuse("its `pad_token_id` is too large".to_owned()))?
        } else {
            0
        };
        #[expect(
            clippy::cast_possible_truncation,
            reason = "a number near zero, in 32 bits as the network computes"
        )]
        let epsilon = usage
            .config
            .get("layer_norm_eps")
            .and_then(Value::as_f64)
            .unwrap_or(1e-12) as f32;
        Ok(Sizes {
            width,
            heads,
            inner: config.size("intermediate_size")?,
            layers: config.size("num_hidden_layers")?,
            vocabulary: config.size("vocab_size")?,
            places: config.size("max_position_embeddings")?,
            first_place,
            kinds: usage
                .config
                .get("type_vocab_size")
                .and_then(Value::as_u64)
                .and_then(|kinds| usize::try_from(kinds).ok())
                .unwrap_or(2),
            epsilon,
            pooling,
        })
    }

    /// Names without a prefix, and shapes, in the order of [`part`].
    fn list(&self) -> Vec<(String, Vec<usize>)> {
        let (width, inner) = (self.width, self.inner);
        let mut list = vec![
            (
                "embeddings.word_embeddings.weight".to_owned(),
                vec![self.vocabulary, width],
            ),
            (
                "embeddings.position_embeddings.weight".to_owned(),
                vec![self.places, width],
            ),
            (
                "embeddings.token_type_embeddings.weight".to_owned(),
                vec![self.kinds, width],
            ),
            ("embeddings.LayerNorm.weight".to_owned(), vec![width]),
            ("embeddings.LayerNorm.bias".to_owned(), vec![width]),
        ];
        for layer in 0..self.layers {
            for name in LAYER_NAMES {
                let shape = match name {
                    "intermediate.dense" => vec![inner, width],
                    "output.dense" => vec![width, inner],
                    name if name.ends_with("LayerNorm") => vec![width],
                    _ => vec![width, width],
                };
                let bias = vec![shape[0]];
                list.push((format!("encoder.layer.{layer}.{name}.weight"), shape));
                list.push((format!("encoder.layer.{layer}.{name}.bias"), bias));
            }
        }
        list
    }
}

impl Weights {
    /// Reads a model's folder.
    pub(crate) fn read(folder: &Path, options: &LocalOptions) -> Result<Self, TrainError> {
        let usage = Usage::read(folder, options)?;
        let sizes = Sizes::read(&usage)?;
        let path = usage.transformer.join("model.safetensors");
        if !path.is_file() {
            return Err(TrainError::invalid(
                format!(
                    "`{}` has no `model.safetensors`",
                    usage.transformer.display()
                ),
                "load the model with `transformers` and save it with `save_pretrained(…, max_shard_size=\"20GB\")`",
            ));
        }
        let bytes = std::fs::read(&path).map_err(ModelError::io("read", &path))?;
        let file = SafeTensors::deserialize(&bytes).map_err(|error| {
            let message = format!("`{}` is not a file of tensors: {error}", path.display());
            TrainError::invalid(message, "the download may be incomplete")
        })?;
        let mut found: BTreeMap<String, TensorView<'_>> = file
            .iter()
            .map(|(name, view)| (name.to_owned(), view))
            .collect();
        let known = |prefix: &&&str| {
            found.contains_key(&format!("{prefix}embeddings.word_embeddings.weight"))
        };
        let prefix = ["", "bert.", "roberta.", "model."]
            .iter()
            .find(known)
            .copied()
            .unwrap_or("");
        let mut tensors = Vec::new();
        for (name, shape) in sizes.list() {
            let name = format!("{prefix}{name}");
            let wrong = |what: String| {
                TrainError::invalid(
                    format!("`{}`: tensor `{name}` {what}", path.display()),
                    "the weights and `config.json` are of different models",
                )
            };
            let view = found
                .remove(&name)
                .ok_or_else(|| wrong("is missing".to_owned()))?;
            if view.shape() != shape {
                return Err(wrong(format!(
                    "has the shape {:?}, expected {shape:?}",
                    view.shape()
                )));
            }
            let values = floats(&view)
                .ok_or_else(|| wrong(format!("has numbers of type {:?}", view.dtype())))?;
            tensors.push(Tensor {
                name,
                shape,
                values,
            });
        }
        let others = found.iter().map(|(name, view)| Other {
            name: name.clone(),
            dtype: view.dtype(),
            shape: view.shape().to_vec(),
            bytes: view.data().to_vec(),
        });
        Ok(Weights {
            others: others.collect(),
            sizes,
            tensors,
        })
    }

    /// The bytes of `model.safetensors`: all tensors of the file that was read, in their names' order.
    pub(crate) fn to_bytes(&self) -> Result<Vec<u8>, TrainError> {
        let numbers: Vec<Vec<u8>> = self
            .tensors
            .iter()
            .map(|tensor| bytes_of(&tensor.values))
            .collect();
        let mut views = BTreeMap::new();
        let broken = |error| TrainError::invalid(format!("the tensors make no file: {error}"), "");
        for (tensor, bytes) in self.tensors.iter().zip(&numbers) {
            let view = TensorView::new(Dtype::F32, tensor.shape.clone(), bytes).map_err(broken)?;
            views.insert(tensor.name.as_str(), view);
        }
        for other in &self.others {
            let view =
                TensorView::new(other.dtype, other.shape.clone(), &other.bytes).map_err(broken)?;
            views.insert(other.name.as_str(), view);
        }
        // `transformers` asks for this word.
        let about = std::collections::HashMap::from([("format".to_owned(), "pt".to_owned())]);
        safetensors::serialize(views, Some(about)).map_err(broken)
    }
}

/// Numbers as little-endian bytes.
pub(crate) fn bytes_of(values: &[f32]) -> Vec<u8> {
    values
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect()
}

/// A tensor in 32-bit floats; `None` if it holds other numbers than floats.
pub(crate) fn floats(view: &TensorView<'_>) -> Option<Vec<f32>> {
    let bytes = view.data();
    match view.dtype() {
        Dtype::F32 => Some(
            bytes
                .as_chunks::<4>()
                .0
                .iter()
                .map(|bytes| f32::from_le_bytes(*bytes))
                .collect(),
        ),
        Dtype::F16 => Some(
            bytes
                .as_chunks::<2>()
                .0
                .iter()
                .map(|bytes| f16::from_le_bytes(*bytes).to_f32())
                .collect(),
        ),
        Dtype::BF16 => Some(
            bytes
                .as_chunks::<2>()
                .0
                .iter()
                .map(|bytes| bf16::from_le_bytes(*bytes).to_f32())
                .collect(),
        ),
        _ => None,
    }
}
