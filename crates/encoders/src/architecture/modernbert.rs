//! ModernBERT: norms before each part, turned queries and keys, and most layers looking 64 steps to each side.
//!
//! Every third layer sees the whole text and turns slower.
//!
//! Source: Warner et al. 2024, section 2.1.

use std::sync::Arc;

use barecode_models::{ModelError, Pooling};

use super::{Architecture, places};
use crate::folder::Config;
use crate::layer::LayerTensors;
use crate::linear::Bias;
use crate::parts::{
    Attention, Embedding, FeedForward, Gate, Head, Layer, Layout, Linear, Norm, Norms, Parts, Sight,
};
use crate::pooling;
use crate::position::Rotary;
use crate::weights::Weights;

/// Tensors that change no vector: heads of pre-training.
const HARMLESS: &[&str] = &["head.", "decoder."];

pub(super) const MODERNBERT: Architecture = Architecture {
    names: &["modernbert"],
    listed: "modernbert",
    alibi: false,
    network: |config, weights, _| network(config, weights),
    longest: places,
    pooling: Pooling::First,
    projection: None,
    head: Some(head),
    harmless: HARMLESS,
};

/// Puts the network together.
fn network(config: &Config, weights: &mut Weights) -> Result<Parts, ModelError> {
    weights.set_prefix(&["", "model."], "embeddings.tok_embeddings.weight");
    let width = config.size("hidden_size")?;
    let vocabulary = config.size("vocab_size")?;
    let epsilon = config.epsilon("norm_eps", 1e-5)?;
    let size = config.divide(width, "num_attention_heads")?;
    let inner = config.size("intermediate_size")?;
    let longest = places(config)?;
    let (attention_bias, inner_bias) = (
        Bias::when(config.flag_or("attention_bias", false)?),
        Bias::when(config.flag_or("mlp_bias", false)?),
    );
    let norm = |weights: &mut Weights, name: &str| norm(config, weights, name, width);
    let (all, near) = rotations(config, size, longest)?;
    let (all, near) = (Arc::new(all), Arc::new(near));
    let reach = config.size_or("local_attention", 128)? / 2;
    let words = weights.tensor("embeddings.tok_embeddings.weight", &[vocabulary, width])?;
    let mut embedding = Embedding::of(words);
    embedding.norm = Some(norm(weights, "embeddings.norm")?);
    let mut layers = Vec::new();
    for i in 0..config.size("num_hidden_layers")? {
        let name = format!("layers.{i}");
        let mut layer = LayerTensors::new(weights, name.clone(), epsilon);
        let project = layer.linear("attn.Wqkv", width, 3 * width, attention_bias)?;
        let output = layer.linear("attn.Wo", width, width, attention_bias)?;
        let up = layer.linear("mlp.Wi", width, 2 * inner, inner_bias)?;
        let down = layer.linear("mlp.Wo", inner, width, inner_bias)?;
        let mut attention = Attention::plain(project, output, width / size, size);
        if config.is_near(i, i % config.size_or("global_attn_every_n_layers", 3)? != 0)? {
            attention.sight = Sight {
                causal: false,
                reach: Some(reach),
            };
            attention.rotary = Some(Arc::clone(&near));
        } else {
            attention.rotary = Some(Arc::clone(&all));
        }
        // The embedding's norm replaces the first layer's.
        let attention_norms = if i == 0 {
            Norms::default()
        } else {
            Norms::before(norm(weights, &format!("{name}.attn_norm"))?)
        };
        layers.push(Layer {
            attention,
            attention_norms,
            feed_forward: FeedForward {
                up,
                down,
                activation: config.activation("hidden_activation", "gelu")?,
                gate: Gate::First,
            },
            feed_forward_norms: Norms::before(norm(weights, &format!("{name}.mlp_norm"))?),
        });
    }
    let norm = Some(norm(weights, "final_norm")?);
    Ok(Parts {
        embedding,
        layers,
        norm,
        width,
    })
}

/// The rotations of layers that see all of a text, and of those that see only near tokens.
fn rotations(config: &Config, size: usize, longest: usize) -> Result<(Rotary, Rotary), ModelError> {
    let theta = |key, default| config.number_or(key, default);
    Ok((
        Rotary::from_config(
            config,
            Some("full_attention"),
            theta("global_rope_theta", 160_000.0)?,
            size,
            longest,
        )?,
        Rotary::from_config(
            config,
            Some("sliding_attention"),
            theta("local_rope_theta", 10_000.0)?,
            size,
            longest,
        )?,
    ))
}

/// A layer, a norm and a layer.
fn head(config: &Config, weights: &mut Weights, width: usize) -> Result<Head, ModelError> {
    weights.clear_prefix();
    let bias = Bias::when(config.flag_or("classifier_bias", false)?);
    let name = config.word_or("classifier_pooling", "cls")?;
    let pooling = pooling::named(name)
        .ok_or_else(|| config.refuse("classifier_pooling", name, "cls or mean"))?;
    let mut dense =
        |name, outputs, bias| Linear::load(weights, name, width, outputs, bias, Layout::Outputs);
    Ok(Head {
        kinds: false,
        pooling,
        dense: dense("head.dense", width, bias)?,
        activation: config.activation("classifier_activation", "gelu")?,
        output: dense("classifier", 1, Bias::Yes)?,
        norm: Some(norm(config, weights, "head.norm", width)?),
    })
}

/// A norm by mean and variance, with a bias only if the configuration requests it.
fn norm(
    config: &Config,
    weights: &mut Weights,
    name: &str,
    width: usize,
) -> Result<Norm, ModelError> {
    let epsilon = config.epsilon("norm_eps", 1e-5)?;
    if config.flag_or("norm_bias", false)? {
        Norm::layer(weights, name, width, epsilon)
    } else {
        Norm::layer_without_bias(weights, name, width, epsilon)
    }
}
