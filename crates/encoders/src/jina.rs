//! Jina's BERT of version 2: no places, scores that fall with distance (ALiBi), gated feed-forward.
//!
//! There are two of them. jina-embeddings-v2-base-code norms queries and keys and has its norms in the layer;
//! jina-embeddings-v2-base-en has neither, and the norm of its feed-forward part within that part.
//!
//! Source: Günther et al. 2023, section 3.1; ALiBi: Press et al. 2022, here on both sides of a token.

use std::sync::Arc;

use super::attention::Attention;
use super::bert::projections;
use super::folder::Config;
use super::linear::{Bias, Layout, Linear};
use super::network::{Embedding, FeedForward, Gate, Layer, Network, Norms};
use super::norm::Norm;
use super::position::Distance;
use super::vector::Activation;
use super::weights::Weights;
use barecode_models::ModelError;

/// Puts the network together.
pub(super) fn network(config: &Config, weights: &mut Weights) -> Result<Network, ModelError> {
    weights.set_prefix(&["", "bert."], "embeddings.word_embeddings.weight");
    let width = config.size("hidden_size")?;
    let vocabulary = config.size("vocab_size")?;
    let epsilon = config.epsilon("layer_norm_eps", 1e-12)?;
    let size = config.divide(width, "num_attention_heads")?;
    let kinds = config.size_or("type_vocab_size", 2)?;
    let slopes = Arc::new(Distance::alibi(width / size));
    let embedding = Embedding {
        words: weights.tensor("embeddings.word_embeddings.weight", &[vocabulary, width])?,
        places: None,
        kinds: Some(weights.tensor("embeddings.token_type_embeddings.weight", &[kinds, width])?),
        factor: None,
        norm: Some(Norm::layer(
            weights,
            "embeddings.LayerNorm",
            width,
            epsilon,
        )?),
    };
    let mut layers = Vec::new();
    for i in 0..config.size("num_hidden_layers")? {
        let name = format!("encoder.layer.{i}");
        let project = projections(
            weights,
            [&format!("{name}.attention.self"), "query", "key", "value"],
            width,
        )?;
        let output = linear(
            weights,
            &format!("{name}.attention.output.dense"),
            width,
            width,
            Bias::Yes,
        )?;
        let mut attention = Attention::plain(project, output, width / size, size);
        attention.distance = Some(Arc::clone(&slopes));
        let parts = if weights.has(&format!("{name}.layer_norm_1.weight")) {
            let within = format!("{name}.attention.self.layer_norm");
            attention.query_norm = Some(Norm::layer(
                weights,
                &format!("{within}_q"),
                width,
                epsilon,
            )?);
            attention.key_norm = Some(Norm::layer(
                weights,
                &format!("{within}_k"),
                width,
                epsilon,
            )?);
            Parts {
                one: "layer_norm_1",
                two: "layer_norm_2",
                up: "mlp.up_gated_layer",
                down: "mlp.down_layer",
                gate: Gate::Second,
            }
        } else {
            Parts {
                one: "attention.output.LayerNorm",
                two: "mlp.layernorm",
                up: "mlp.gated_layers",
                down: "mlp.wo",
                gate: Gate::First,
            }
        };
        layers.push(layer(config, weights, &name, &parts, attention, epsilon)?);
    }
    // Not learned, so a limit of what it was trained for.
    let longest = config.size_or("max_position_embeddings", 8192)?;
    Ok(Network {
        embedding,
        layers,
        norm: None,
        width,
        vocabulary,
        longest,
    })
}

/// What the parts of a layer are called, and which half of the gated numbers is activated.
struct Parts {
    one: &'static str,
    two: &'static str,
    up: &'static str,
    down: &'static str,
    gate: Gate,
}

fn layer(
    config: &Config,
    weights: &mut Weights,
    name: &str,
    parts: &Parts,
    attention: Attention,
    epsilon: f32,
) -> Result<Layer, ModelError> {
    let width = config.size("hidden_size")?;
    let inner = config.size("intermediate_size")?;
    let norms = |weights: &mut Weights, part: &str| {
        let norm = Norm::layer(weights, &format!("{name}.{part}"), width, epsilon)?;
        Ok::<_, ModelError>(Norms {
            between: Some(norm),
            ..Norms::default()
        })
    };
    let kind = config.word_or("feed_forward_type", "geglu")?;
    let activation = match kind {
        "geglu" => Activation::Gelu,
        "reglu" => Activation::Relu,
        other => return Err(config.refuse("feed_forward_type", other, "geglu or reglu")),
    };
    Ok(Layer {
        attention,
        attention_norms: norms(weights, parts.one)?,
        feed_forward: FeedForward {
            up: linear(
                weights,
                &format!("{name}.{}", parts.up),
                width,
                2 * inner,
                Bias::No,
            )?,
            down: linear(
                weights,
                &format!("{name}.{}", parts.down),
                inner,
                width,
                Bias::Yes,
            )?,
            activation,
            gate: parts.gate,
        },
        feed_forward_norms: norms(weights, parts.two)?,
    })
}

fn linear(
    weights: &mut Weights,
    name: &str,
    inputs: usize,
    outputs: usize,
    bias: Bias,
) -> Result<Linear, ModelError> {
    Linear::load(weights, name, inputs, outputs, bias, Layout::Outputs)
}
