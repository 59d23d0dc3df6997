//! Language models used as encoders: Qwen 2 and 2.5, Qwen 3, Mistral, Gemma 2.
//!
//! All four have norms by the mean square before each part, turned queries and keys, heads that share keys, and a
//! gated feed-forward part. A token sees the tokens before it, unless the model was trained on to see all.
//! Differences: Qwen 2 has biases in its projections. Qwen 3 norms queries and keys head by head. Gemma 2 stores norm
//! weights less one, norms after each part too, scales embeddings by the root of the width, and presses scores below
//! a cap. Every other layer looks back only a limited distance.
//!
//! Sources: Yang et al. 2024 (Qwen 2), Yang et al. 2025 (Qwen 3), Jiang et al. 2023 (Mistral), Gemma Team 2024.

use std::sync::Arc;

use barecode_models::{ModelError, Pooling};
use serde_json::Value;

use super::{Architecture, places};
use crate::folder::Config;
use crate::layer::LayerTensors;
use crate::linear::Bias;
use crate::parts::{Attention, Embedding, FeedForward, Gate, Layer, Norm, Norms, Parts, Sight};
use crate::position::Rotary;
use crate::vector::single;
use crate::weights::Weights;

/// Tensors that change no vector: the head that predicts the next token, counted frequencies.
const HARMLESS: &[&str] = &["lm_head.", "rotary_emb.inv_freq"];

pub(super) const QWEN2: Architecture = Architecture {
    names: &["qwen2"],
    listed: "qwen2",
    alibi: false,
    network: |config, weights, both| network(config, weights, Family::Qwen2, both),
    longest,
    pooling: Pooling::Last,
    projection: None,
    head: None,
    harmless: HARMLESS,
};

pub(super) const QWEN3: Architecture = Architecture {
    names: &["qwen3"],
    listed: "qwen3",
    network: |config, weights, both| network(config, weights, Family::Qwen3, both),
    ..QWEN2
};

pub(super) const MISTRAL: Architecture = Architecture {
    names: &["mistral"],
    listed: "mistral",
    network: |config, weights, both| network(config, weights, Family::Mistral, both),
    ..QWEN2
};

/// CodeXEmbed of 2 billion parameters is Gemma 2 under a name of its own.
pub(super) const GEMMA2: Architecture = Architecture {
    names: &["gemma2", "codexembed2b"],
    listed: "gemma2",
    network: |config, weights, both| network(config, weights, Family::Gemma2, both),
    ..QWEN2
};

/// The longest text of a model. Models name up to ten times as many positions as they were trained on, and the
/// rotations of positions are in a table.
fn longest(config: &Config) -> Result<usize, ModelError> {
    Ok(places(config)?.min(1 << 15))
}

/// The members of this family.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Family {
    Qwen2,
    Qwen3,
    Mistral,
    Gemma2,
}

/// Puts the network together; `both_ways` is true if a token sees the tokens after it.
fn network(
    config: &Config,
    weights: &mut Weights,
    family: Family,
    both_ways: Option<bool>,
) -> Result<Parts, ModelError> {
    weights.set_prefix(&["", "model."], "embed_tokens.weight");
    let width = config.size("hidden_size")?;
    let vocabulary = config.size("vocab_size")?;
    let heads = config.size("num_attention_heads")?;
    let shape = Shape {
        family,
        width,
        inner: config.size("intermediate_size")?,
        heads,
        key_heads: config.size_or("num_key_value_heads", heads)?,
        size: match config.value("head_dim") {
            Some(_) => config.size("head_dim")?,
            None => config.divide(width, "num_attention_heads")?,
        },
        epsilon: config.epsilon("rms_norm_eps", 1e-6)?,
        causal: !both_ways.map_or_else(
            || {
                Ok(config.flag_or("use_bidirectional_attention", false)?
                    || !config.flag_or("is_causal", true)?)
            },
            Ok::<_, ModelError>,
        )?,
    };
    if !shape.heads.is_multiple_of(shape.key_heads) {
        let divisor = format!("a divisor of {}", shape.heads);
        return Err(config.refuse(
            "num_key_value_heads",
            &shape.key_heads.to_string(),
            &divisor,
        ));
    }
    let longest = longest(config)?;
    let theta = if family == Family::Mistral || family == Family::Gemma2 {
        10_000.0
    } else {
        1_000_000.0
    };
    let rotary = Arc::new(Rotary::from_config(
        config, None, theta, shape.size, longest,
    )?);
    let words = weights.tensor("embed_tokens.weight", &[vocabulary, width])?;
    let mut embedding = Embedding::of(words);
    embedding.factor = (family == Family::Gemma2).then(|| (width as f32).sqrt());
    let mut layers = Vec::new();
    for i in 0..config.size("num_hidden_layers")? {
        let mut layer = shape.layer(config, weights, i)?;
        layer.attention.rotary = Some(Arc::clone(&rotary));
        layers.push(layer);
    }
    let (epsilon, offset) = (shape.epsilon, shape.offset());
    let norm = Some(Norm::root_mean_square(
        weights, "norm", width, epsilon, offset,
    )?);
    Ok(Parts {
        embedding,
        layers,
        norm,
        width,
    })
}

struct Shape {
    family: Family,
    width: usize,
    inner: usize,
    heads: usize,
    key_heads: usize,
    size: usize,
    epsilon: f32,
    causal: bool,
}

impl Shape {
    fn layer(&self, config: &Config, weights: &mut Weights, i: usize) -> Result<Layer, ModelError> {
        let mut tensors = LayerTensors::new(weights, format!("layers.{i}"), self.epsilon);
        let default_bias = self.family == Family::Qwen2;
        let projection_bias = match self.family {
            Family::Qwen2 => Bias::Yes,
            _ => Bias::when(config.flag_or("attention_bias", default_bias)?),
        };
        let output_bias = match self.family {
            Family::Qwen2 => Bias::No,
            _ => projection_bias,
        };
        let (queries, keys) = (self.heads * self.size, self.key_heads * self.size);
        let parts = [
            ("self_attn.q_proj", queries),
            ("self_attn.k_proj", keys),
            ("self_attn.v_proj", keys),
        ];
        let project = tensors.stack(&parts, self.width, projection_bias)?;
        let output = tensors.linear("self_attn.o_proj", queries, self.width, output_bias)?;
        let mut attention = Attention::plain(project, output, self.heads, self.size);
        attention.key_heads = self.key_heads;
        attention.sight = Sight {
            causal: self.causal,
            reach: self.reach(config, i)?,
        };
        if self.family == Family::Qwen3 {
            attention.query_norm = Some(tensors.square_norm("self_attn.q_norm", self.size, 0.0)?);
            attention.key_norm = Some(tensors.square_norm("self_attn.k_norm", self.size, 0.0)?);
        }
        if self.family == Family::Gemma2 {
            let scalar = config.number_or("query_pre_attn_scalar", 256.0)?;
            attention.factor = single(1.0 / scalar.sqrt());
            attention.cap = match config.value("attn_logit_softcapping") {
                Some(_) => Some(single(config.number_or("attn_logit_softcapping", 50.0)?)),
                None => None,
            };
        }
        let parts = ["mlp.gate_proj", "mlp.up_proj"].map(|part| (part, self.inner));
        let activation = match config.value("hidden_activation") {
            Some(_) => config.activation("hidden_activation", "gelu_pytorch_tanh")?,
            None => config.activation("hidden_act", "silu")?,
        };
        let (attention_norms, feed_forward_norms) = self.norms(&mut tensors)?;
        Ok(Layer {
            attention,
            attention_norms,
            feed_forward: FeedForward {
                up: tensors.stack(&parts, self.width, Bias::No)?,
                down: tensors.linear("mlp.down_proj", self.inner, self.width, Bias::No)?,
                activation,
                gate: Gate::First,
            },
            feed_forward_norms,
        })
    }

    fn norms(&self, tensors: &mut LayerTensors<'_>) -> Result<(Norms, Norms), ModelError> {
        let mut norm = |part| tensors.square_norm(part, self.width, self.offset());
        let before = norm("input_layernorm")?;
        if self.family != Family::Gemma2 {
            let second = norm("post_attention_layernorm")?;
            return Ok((Norms::before(before), Norms::before(second)));
        }
        let attention = Norms {
            after: Some(norm("post_attention_layernorm")?),
            ..Norms::before(before)
        };
        let before = norm("pre_feedforward_layernorm")?;
        let feed_forward = Norms {
            after: Some(norm("post_feedforward_layernorm")?),
            ..Norms::before(before)
        };
        Ok((attention, feed_forward))
    }

    /// The number that is subtracted from norms' weights before they are stored.
    fn offset(&self) -> f32 {
        match self.family {
            Family::Gemma2 => 1.0,
            _ => 0.0,
        }
    }

    /// Returns the number of steps back that a token of this layer sees: less than the window, which counts the token
    /// itself.
    fn reach(&self, config: &Config, i: usize) -> Result<Option<usize>, ModelError> {
        if config
            .value("sliding_window")
            .and_then(Value::as_u64)
            .is_none()
        {
            return Ok(None);
        }
        let window = config.size("sliding_window")?;
        let near = match self.family {
            Family::Mistral => true,
            Family::Gemma2 => config.is_near(i, i.is_multiple_of(2))?,
            Family::Qwen2 | Family::Qwen3 => {
                let first = config.size_or("max_window_layers", 28)?;
                config.flag_or("use_sliding_window", false)? && config.is_near(i, i >= first)?
            }
        };
        Ok(near.then(|| window - 1))
    }
}
