//! NomicBERT: BERT's order of norms with turned queries and keys and a gated feed-forward part, nearly no biases.
//!
//! nomic-embed-text-v1.5 is one. Its files come with two sets of names, that of its authors and that of
//! `transformers`, for settings and tensors alike.
//!
//! Source: Nussbaum et al. 2024, section 3.

use std::sync::Arc;

use super::attention::Attention;
use super::folder::Config;
use super::linear::{Bias, Layout, Linear, Part};
use super::network::{Embedding, FeedForward, Gate, Layer, Network, Norms};
use super::norm::Norm;
use super::position::Rotary;
use super::vector::Activation;
use super::weights::Weights;
use barecode_models::ModelError;

/// Tensors that change no vector.
pub(super) const HARMLESS: &[&str] = &["pooler.", "cls.", "lm_head."];

/// Puts the network together.
pub(super) fn network(config: &Config, weights: &mut Weights) -> Result<Network, ModelError> {
    weights.set_prefix(
        &["", "bert.", "model."],
        "embeddings.word_embeddings.weight",
    );
    let sized = |ours: &str, theirs: &str| {
        if config.value(ours).is_some() {
            config.size(ours)
        } else {
            config.size(theirs)
        }
    };
    let width = sized("hidden_size", "n_embd")?;
    let heads = sized("num_attention_heads", "n_head")?;
    if !width.is_multiple_of(heads) {
        return Err(config.refuse(
            "n_head",
            &heads.to_string(),
            &format!("a divisor of {width}"),
        ));
    }
    let inner = sized("intermediate_size", "n_inner")?;
    // Beyond what it was trained on, the authors' code turns differently.
    let longest = match config.value("max_trained_positions") {
        Some(_) => config.size("max_trained_positions")?,
        None => sized("max_position_embeddings", "n_positions")?,
    };
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
        width / heads,
        longest,
    )?);
    let authors = weights.has("encoder.layers.0.attn.Wqkv.weight");
    let norm_name = if weights.has("emb_ln.weight") {
        "emb_ln"
    } else {
        "embeddings.LayerNorm"
    };
    let embedding = Embedding {
        words: weights.tensor("embeddings.word_embeddings.weight", &[vocabulary, width])?,
        places: None,
        kinds: Some(weights.tensor("embeddings.token_type_embeddings.weight", &[kinds, width])?),
        factor: None,
        norm: Some(Norm::layer(weights, norm_name, width, epsilon)?),
    };
    let mut layers = Vec::new();
    for i in 0..sized("num_hidden_layers", "n_layer")? {
        let (name, parts) = if authors {
            (format!("encoder.layers.{i}"), AUTHORS)
        } else {
            (format!("layers.{i}"), LIBRARY)
        };
        let stack = |weights: &mut Weights, names: &[&str], outputs| {
            let names: Vec<String> = names.iter().map(|part| format!("{name}.{part}")).collect();
            let parts: Vec<Part> = names.iter().map(|name| Part { name, outputs }).collect();
            Linear::stack(weights, &parts, width, Bias::No, Layout::Outputs)
        };
        let linear = |weights: &mut Weights, part: &str, inputs| {
            Linear::load(
                weights,
                &format!("{name}.{part}"),
                inputs,
                width,
                Bias::No,
                Layout::Outputs,
            )
        };
        let norms = |weights: &mut Weights, part: &str| {
            let norm = Norm::layer(weights, &format!("{name}.{part}"), width, epsilon)?;
            Ok::<_, ModelError>(Norms {
                between: Some(norm),
                ..Norms::default()
            })
        };
        let project = stack(weights, parts.project, 3 * width / parts.project.len())?;
        let output = linear(weights, parts.output, width)?;
        let mut attention = Attention::plain(project, output, heads, width / heads);
        attention.rotary = Some(Arc::clone(&rotary));
        layers.push(Layer {
            attention,
            attention_norms: norms(weights, parts.norms[0])?,
            feed_forward: FeedForward {
                up: stack(weights, &parts.up, inner)?,
                down: linear(weights, parts.down, inner)?,
                activation: Activation::Silu,
                gate: Gate::Second,
            },
            feed_forward_norms: norms(weights, parts.norms[1])?,
        });
    }
    Ok(Network {
        embedding,
        layers,
        norm: None,
        width,
        vocabulary,
        longest,
    })
}

/// What the tensors of a layer are called.
struct Names {
    project: &'static [&'static str],
    output: &'static str,
    norms: [&'static str; 2],
    /// What is taken as it is, then what is activated.
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

/// The authors' code has more variants than their models use.
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
