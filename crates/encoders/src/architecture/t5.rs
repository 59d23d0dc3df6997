//! The encoder of T5: norms by the mean square before each part, no positions but a bias of attention by distance.
//!
//! CodeT5+ is one. Its embedding models project the first token's row and bring it to length 1; the projection is
//! a part of its own ([`projection`]) beside the encoder.
//! The one trap is that scores are not divided by the root of the head's size.
//!
//! Source: Raffel et al. 2020, section 2.1; CodeT5+: Wang et al. 2023, section 3.

use std::sync::Arc;

use barecode_models::{ModelError, Pooling};

use super::Architecture;
use crate::folder::Config;
use crate::layer::LayerTensors;
use crate::linear::Bias;
use crate::parts::{
    Attention, Embedding, FeedForward, Gate, Layer, Layout, Linear, Norm, Norms, Parts,
};
use crate::position::Distance;
use crate::vector::Activation;
use crate::weights::Weights;

/// Tensors that change no vector: the decoder, its head, copies of the embedding.
const HARMLESS: &[&str] = &[
    "decoder.",
    "lm_head.",
    "shared.weight",
    "encoder.embed_tokens.weight",
];

/// A limit against excess: positions are not learned, so a text may be as long as memory allows.
const LONGEST: usize = 1 << 20;

pub(super) const T5: Architecture = Architecture {
    names: &["t5", "codet5p", "codet5p_embedding"],
    listed: "t5, codet5p",
    alibi: false,
    network: |config, weights, _| network(config, weights),
    longest: |_| Ok(LONGEST),
    pooling: Pooling::Mean,
    projection: Some(projection),
    head: None,
    harmless: HARMLESS,
};

/// Puts the encoder together.
fn network(config: &Config, weights: &mut Weights) -> Result<Parts, ModelError> {
    weights.set_prefix(
        &["", "encoder."],
        "encoder.block.0.layer.0.SelfAttention.q.weight",
    );
    let width = config.size("d_model")?;
    let vocabulary = config.size("vocab_size")?;
    let heads = config.size("num_heads")?;
    let size = config.size("d_kv")?;
    let inner = config.size("d_ff")?;
    let epsilon = config.epsilon("layer_norm_epsilon", 1e-6)?;
    let (activation, gate) = feed_forward_kind(config)?;
    let words = if weights.has("shared.weight") {
        "shared.weight"
    } else {
        "encoder.embed_tokens.weight"
    };
    let embedding = Embedding::of(weights.tensor(words, &[vocabulary, width])?);
    let bias = Arc::new(Distance::buckets(
        weights,
        "encoder.block.0.layer.0.SelfAttention.relative_attention_bias",
        config.size_or("relative_attention_num_buckets", 32)?,
        heads,
        config.size_or("relative_attention_max_distance", 128)?,
    )?);
    let mut layers = Vec::new();
    for i in 0..config.size("num_layers")? {
        let mut layer = LayerTensors::new(weights, format!("encoder.block.{i}.layer"), epsilon);
        let parts = [
            "0.SelfAttention.q",
            "0.SelfAttention.k",
            "0.SelfAttention.v",
        ];
        let project = layer.stack(&parts.map(|part| (part, heads * size)), width, Bias::No)?;
        let output = layer.linear("0.SelfAttention.o", heads * size, width, Bias::No)?;
        let mut attention = Attention::plain(project, output, heads, size);
        attention.factor = 1.0;
        attention.distance = Some(Arc::clone(&bias));
        let up = if gate == Gate::None {
            layer.linear("1.DenseReluDense.wi", width, inner, Bias::No)?
        } else {
            let parts = ["1.DenseReluDense.wi_0", "1.DenseReluDense.wi_1"];
            layer.stack(&parts.map(|part| (part, inner)), width, Bias::No)?
        };
        layers.push(Layer {
            attention,
            attention_norms: Norms::before(layer.square_norm("0.layer_norm", width, 0.0)?),
            feed_forward: FeedForward {
                up,
                down: layer.linear("1.DenseReluDense.wo", inner, width, Bias::No)?,
                activation,
                gate,
            },
            feed_forward_norms: Norms::before(layer.square_norm("1.layer_norm", width, 0.0)?),
        });
    }
    let norm = Some(Norm::root_mean_square(
        weights,
        "encoder.final_layer_norm",
        width,
        epsilon,
        0.0,
    )?);
    Ok(Parts {
        embedding,
        layers,
        norm,
        width,
    })
}

/// The projection of CodeT5+'s embedding models, if the checkpoint has one.
fn projection(config: &Config, weights: &mut Weights) -> Result<Option<Linear>, ModelError> {
    weights.clear_prefix();
    if !weights.has("proj.weight") {
        return Ok(None);
    }
    let (inputs, outputs) = (config.size("d_model")?, config.size("embed_dim")?);
    Linear::load(weights, "proj", inputs, outputs, Bias::Yes, Layout::Outputs).map(Some)
}

fn feed_forward_kind(config: &Config) -> Result<(Activation, Gate), ModelError> {
    let kind = config.word_or("feed_forward_proj", "relu")?;
    let (name, gate) = match kind.strip_prefix("gated-") {
        // The original's `gated-gelu` is the approximation.
        Some("gelu") => ("gelu_new", Gate::First),
        Some(name) => (name, Gate::First),
        None => (kind, Gate::None),
    };
    let activation = Activation::named(name).ok_or_else(|| {
        config.refuse(
            "feed_forward_proj",
            kind,
            "relu, gelu, gated-gelu or gated-silu",
        )
    })?;
    Ok((activation, gate))
}
