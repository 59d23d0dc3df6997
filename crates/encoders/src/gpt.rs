//! Networks in the order of GPT-2: learned places, norms before each part, one projection for queries, keys and
//! values: CodeSage, which sees both ways, and GPT-BigCode, which looks back.
//!
//! CodeSage's matrices lie input by input. GPT-BigCode's heads share one head of keys and values, or else its
//! projection lies head by head and is put into order here.
//! StarEncoder, by the same authors, is a BERT.
//!
//! Sources: Zhang et al. 2024 (CodeSage), section 3; Ben Allal et al. 2023 (SantaCoder), section 4.

use super::attention::{Attention, Sight};
use super::folder::Config;
use super::linear::{Bias, Layout, Linear};
use super::network::{Embedding, FeedForward, Gate, Layer, Network, Norms};
use super::norm::Norm;
use super::weights::Weights;
use barecode_models::ModelError;

/// Tensors that change no vector: the head that predicts tokens, masks.
pub(super) const HARMLESS: &[&str] = &["lm_head.", "attn.bias", "attn.masked_bias"];

/// Which of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Family {
    CodeSage,
    BigCode,
}

/// Puts the network together.
pub(super) fn network(
    config: &Config,
    weights: &mut Weights,
    family: Family,
    both_ways: Option<bool>,
) -> Result<Network, ModelError> {
    weights.set_prefix(&["", "transformer."], "wte.weight");
    let either = |one: &str, other: &str| {
        if config.value(one).is_some() {
            config.size(one)
        } else {
            config.size(other)
        }
    };
    let width = either("hidden_size", "n_embd")?;
    let heads = either("num_attention_heads", "n_head")?;
    if !width.is_multiple_of(heads) {
        return Err(config.refuse(
            "n_head",
            &heads.to_string(),
            &format!("a divisor of {width}"),
        ));
    }
    let size = width / heads;
    let longest = either("max_position_embeddings", "n_positions")?;
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
    let embedding = Embedding {
        words: weights.tensor("wte.weight", &[vocabulary, width])?,
        places: Some((weights.tensor("wpe.weight", &[longest, width])?, 0)),
        kinds: None,
        factor: None,
        norm: None,
    };
    let mut layers = Vec::new();
    for i in 0..either("num_hidden_layers", "n_layer")? {
        let linear = |weights: &mut Weights, part: &str, inputs, outputs| {
            Linear::load(
                weights,
                &format!("h.{i}.{part}"),
                inputs,
                outputs,
                Bias::Yes,
                layout,
            )
        };
        let norms = |weights: &mut Weights, part: &str| {
            let norm = Norm::layer(weights, &format!("h.{i}.{part}"), width, epsilon)?;
            Ok::<_, ModelError>(Norms {
                before: Some(norm),
                ..Norms::default()
            })
        };
        let mut project = linear(weights, "attn.c_attn", width, width + 2 * key_heads * size)?;
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
        let output = linear(weights, "attn.c_proj", width, width)?;
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
            attention_norms: norms(weights, "ln_1")?,
            feed_forward: FeedForward {
                up: linear(weights, "mlp.c_fc", width, inner)?,
                down: linear(weights, "mlp.c_proj", inner, width)?,
                activation,
                gate: Gate::None,
            },
            feed_forward_norms: norms(weights, "ln_2")?,
        });
    }
    let norm = Some(Norm::layer(weights, "ln_f", width, epsilon)?);
    Ok(Network {
        embedding,
        layers,
        norm,
        width,
        vocabulary,
        longest,
    })
}
