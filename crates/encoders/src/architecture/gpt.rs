//! Networks in the order of GPT-2: learned positions, norms before each part, one projection for queries, keys and
//! values: CodeSage, which sees both ways, and GPT-BigCode, which looks back.
//!
//! CodeSage's matrices are stored input by input. GPT-BigCode's heads share one head of keys and values, or else its
//! projection is stored head by head and is put into order here. StarEncoder, by the same authors, is a BERT.
//!
//! Sources: Zhang et al. 2024 (CodeSage), section 3; Ben Allal et al. 2023 (SantaCoder), section 4.

use barecode_models::{ModelError, Pooling};

use super::Architecture;
use crate::folder::Config;
use crate::layer::LayerTensors;
use crate::linear::Bias;
use crate::parts::{
    Attention, Embedding, FeedForward, Gate, Layer, Layout, Norm, Norms, Parts, Sight,
};
use crate::weights::Weights;

/// Tensors that change no vector: the head that predicts tokens, masks.
const HARMLESS: &[&str] = &["lm_head.", "attn.bias", "attn.masked_bias"];

pub(super) const CODESAGE: Architecture = Architecture {
    names: &["codesage"],
    listed: "codesage",
    alibi: false,
    network: |config, weights, both| network(config, weights, Family::CodeSage, both),
    longest,
    pooling: Pooling::Mean,
    projection: None,
    head: None,
    harmless: HARMLESS,
};

pub(super) const BIGCODE: Architecture = Architecture {
    names: &["gpt_bigcode"],
    listed: "gpt_bigcode",
    network: |config, weights, both| network(config, weights, Family::BigCode, both),
    pooling: Pooling::Last,
    ..CODESAGE
};

fn longest(config: &Config) -> Result<usize, ModelError> {
    config.either("max_position_embeddings", "n_positions")
}

/// The members of this family.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Family {
    CodeSage,
    BigCode,
}

/// Puts the network together.
fn network(
    config: &Config,
    weights: &mut Weights,
    family: Family,
    both_ways: Option<bool>,
) -> Result<Parts, ModelError> {
    weights.set_prefix(&["", "transformer."], "wte.weight");
    let width = config.either("hidden_size", "n_embd")?;
    let (heads, size) = config.heads(width)?;
    let longest = longest(config)?;
    let inner_key = if config.value("intermediate_size").is_some() {
        "intermediate_size"
    } else {
        "n_inner"
    };
    let inner = config.size_or(inner_key, 4 * width)?;
    let vocabulary = config.size("vocab_size")?;
    let epsilon = config.epsilon("layer_norm_epsilon", 1e-5)?;
    let activation = config.activation("activation_function", "gelu_new")?;
    let shared = family == Family::BigCode && config.flag_or("multi_query", true)?;
    let key_heads = if shared { 1 } else { heads };
    let layout = match family {
        Family::CodeSage => Layout::Inputs,
        Family::BigCode => Layout::Outputs,
    };
    let scaled = family == Family::CodeSage || config.flag_or("scale_attn_weights", true)?;
    let causal = !both_ways.unwrap_or(family == Family::CodeSage);
    let mut embedding = Embedding::of(weights.tensor("wte.weight", &[vocabulary, width])?);
    embedding.places = Some((weights.tensor("wpe.weight", &[longest, width])?, 0));
    let mut layers = Vec::new();
    for i in 0..config.either("num_hidden_layers", "n_layer")? {
        let mut layer = LayerTensors::new(weights, format!("h.{i}"), epsilon).laid_out(layout);
        let outputs = width + 2 * key_heads * size;
        let mut project = layer.linear("attn.c_attn", width, outputs, Bias::Yes)?;
        if family == Family::BigCode && !shared {
            // Head by head: query, key, value.
            let order: Vec<usize> = (0..3)
                .flat_map(|part| {
                    (0..heads)
                        .flat_map(move |head| (0..size).map(move |i| (3 * head + part) * size + i))
                })
                .collect();
            project.reorder(&order);
        }
        let output = layer.linear("attn.c_proj", width, width, Bias::Yes)?;
        let mut attention = Attention::plain(project, output, heads, size);
        attention.key_heads = key_heads;
        attention.sight = Sight {
            causal,
            reach: None,
        };
        if !scaled {
            attention.factor = 1.0;
        }
        layers.push(Layer {
            attention,
            attention_norms: Norms::before(layer.norm("ln_1", width)?),
            feed_forward: FeedForward {
                up: layer.linear("mlp.c_fc", width, inner, Bias::Yes)?,
                down: layer.linear("mlp.c_proj", inner, width, Bias::Yes)?,
                activation,
                gate: Gate::None,
            },
            feed_forward_norms: Norms::before(layer.norm("ln_2", width)?),
        });
    }
    let norm = Some(Norm::layer(weights, "ln_f", width, epsilon)?);
    Ok(Parts {
        embedding,
        layers,
        norm,
        width,
    })
}
