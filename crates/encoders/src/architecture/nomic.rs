//! NomicBERT: BERT's order of norms with turned queries and keys and a gated feed-forward part, nearly no biases.
//!
//! nomic-embed-text-v1.5 is one. Its files come with two sets of names, that of its authors and that of
//! `transformers`, for settings and tensors alike.
//!
//! Source: Nussbaum et al. 2024, section 3.

use std::sync::Arc;

use barecode_models::{ModelError, Pooling};

use super::Architecture;
use crate::folder::Config;
use crate::layer::LayerTensors;
use crate::linear::Bias;
use crate::parts::{Attention, Embedding, FeedForward, Gate, Layer, Norm, Norms, Parts};
use crate::position::Rotary;
use crate::vector::Activation;
use crate::weights::Weights;

/// Tensors that change no vector.
const HARMLESS: &[&str] = &["pooler.", "cls.", "lm_head."];

pub(super) const NOMIC: Architecture = Architecture {
    names: &["nomic_bert"],
    listed: "nomic_bert",
    alibi: false,
    network: |config, weights, _| network(config, weights),
    longest,
    pooling: Pooling::Mean,
    projection: None,
    head: None,
    harmless: HARMLESS,
};

/// The longest text of a model. Beyond the length that it was trained on, the authors' code turns differently.
fn longest(config: &Config) -> Result<usize, ModelError> {
    match config.value("max_trained_positions") {
        Some(_) => config.size("max_trained_positions"),
        None => config.either("max_position_embeddings", "n_positions"),
    }
}

/// Puts the network together.
fn network(config: &Config, weights: &mut Weights) -> Result<Parts, ModelError> {
    weights.set_prefix(
        &["", "bert.", "model."],
        "embeddings.word_embeddings.weight",
    );
    let width = config.either("hidden_size", "n_embd")?;
    let (heads, size) = config.heads(width)?;
    let inner = config.either("intermediate_size", "n_inner")?;
    let epsilon = match config.value("layer_norm_eps") {
        Some(_) => config.epsilon("layer_norm_eps", 1e-12)?,
        None => config.epsilon("layer_norm_epsilon", 1e-12)?,
    };
    refuse_variants(config)?;
    let vocabulary = config.size("vocab_size")?;
    let kinds = config.size_or("type_vocab_size", 2)?;
    let theta = config.number_or("rotary_emb_base", 1000.0)?;
    let rotary = Arc::new(Rotary::from_config(
        config,
        None,
        theta,
        size,
        longest(config)?,
    )?);
    let authors = weights.has("encoder.layers.0.attn.Wqkv.weight");
    let norm_name = if weights.has("emb_ln.weight") {
        "emb_ln"
    } else {
        "embeddings.LayerNorm"
    };
    let words = weights.tensor("embeddings.word_embeddings.weight", &[vocabulary, width])?;
    let kinds = weights.tensor("embeddings.token_type_embeddings.weight", &[kinds, width])?;
    let mut embedding = Embedding::of(words);
    embedding.kinds = Some(kinds);
    embedding.norm = Some(Norm::layer(weights, norm_name, width, epsilon)?);
    let mut layers = Vec::new();
    for i in 0..config.either("num_hidden_layers", "n_layer")? {
        let (name, parts) = if authors {
            (format!("encoder.layers.{i}"), AUTHORS)
        } else {
            (format!("layers.{i}"), LIBRARY)
        };
        let mut layer = LayerTensors::new(weights, name, epsilon);
        let outputs = 3 * width / parts.project.len();
        let project: Vec<(&str, usize)> =
            parts.project.iter().map(|&part| (part, outputs)).collect();
        let project = layer.stack(&project, width, Bias::No)?;
        let output = layer.linear(parts.output, width, width, Bias::No)?;
        let mut attention = Attention::plain(project, output, heads, size);
        attention.rotary = Some(Arc::clone(&rotary));
        layers.push(Layer {
            attention,
            attention_norms: Norms::between(layer.norm(parts.norms[0], width)?),
            feed_forward: FeedForward {
                up: layer.stack(&parts.up.map(|part| (part, inner)), width, Bias::No)?,
                down: layer.linear(parts.down, inner, width, Bias::No)?,
                activation: Activation::Silu,
                gate: Gate::Second,
            },
            feed_forward_norms: Norms::between(layer.norm(parts.norms[1], width)?),
        });
    }
    Ok(Parts {
        embedding,
        layers,
        norm: None,
        width,
    })
}

/// The names of the tensors of a layer.
struct Names {
    project: &'static [&'static str],
    output: &'static str,
    norms: [&'static str; 2],
    /// The projection that stays as it is, then the one that is activated.
    up: [&'static str; 2],
    down: &'static str,
}

const AUTHORS: Names = Names {
    project: &["attn.Wqkv"],
    output: "attn.out_proj",
    norms: ["norm1", "norm2"],
    up: ["mlp.fc11", "mlp.fc12"],
    down: "mlp.fc2",
};

const LIBRARY: Names = Names {
    project: &["self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"],
    output: "self_attn.o_proj",
    norms: ["post_attention_layernorm", "post_mlp_layernorm"],
    up: ["mlp.up_proj", "mlp.gate_proj"],
    down: "mlp.down_proj",
};

/// Refuses variants of the authors' code that their models do not use.
fn refuse_variants(config: &Config) -> Result<(), ModelError> {
    for (key, expected) in [
        ("prenorm", false),
        ("qkv_proj_bias", false),
        ("mlp_fc1_bias", false),
        ("mlp_fc2_bias", false),
        ("rotary_emb_interleaved", false),
    ] {
        if config.flag_or(key, expected)? != expected {
            return Err(config.refuse(key, &(!expected).to_string(), &expected.to_string()));
        }
    }
    let activation = match config.value("hidden_act") {
        Some(_) => config.word_or("hidden_act", "silu")?,
        None => config.word_or("activation_function", "swiglu")?,
    };
    if !matches!(activation, "swiglu" | "silu") {
        return Err(config.refuse("activation_function", activation, "swiglu"));
    }
    let fraction = config.number_or("rotary_emb_fraction", 1.0)?;
    if (fraction - 1.0).abs() > 0.0 {
        return Err(config.refuse("rotary_emb_fraction", &fraction.to_string(), "1"));
    }
    Ok(())
}
