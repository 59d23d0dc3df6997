//! Jina's BERT of version 2: no positions, scores that fall with distance (ALiBi), gated feed-forward.
//!
//! Two models use it. jina-embeddings-v2-base-code norms queries and keys and has its norms in the layer;
//! jina-embeddings-v2-base-en has neither, and the norm of its feed-forward part within that part.
//!
//! Source: Günther et al. 2023, section 3.1; ALiBi: Press et al. 2022, here on both sides of a token.

use std::sync::Arc;

use barecode_models::ModelError;

use super::Architecture;
use super::bert::{self, SELF_ATTENTION, embedding};
use crate::folder::Config;
use crate::layer::LayerTensors;
use crate::linear::Bias;
use crate::parts::{Attention, FeedForward, Gate, Layer, Norms, Parts};
use crate::position::Distance;
use crate::vector::Activation;
use crate::weights::Weights;

pub(super) const JINA: Architecture = Architecture {
    names: &["bert", "jina_bert"],
    listed: "",
    alibi: true,
    network: |config, weights, _| network(config, weights),
    // Not learned, so this is the limit of its training.
    longest: |config| config.size_or("max_position_embeddings", 8192),
    ..bert::BERT
};

/// The names of the parts of a layer, and the half of the gated numbers that is activated.
struct Names {
    norms: [&'static str; 2],
    up: &'static str,
    down: &'static str,
    gate: Gate,
}

const CODE: Names = Names {
    norms: ["layer_norm_1", "layer_norm_2"],
    up: "mlp.up_gated_layer",
    down: "mlp.down_layer",
    gate: Gate::Second,
};

const ENGLISH: Names = Names {
    norms: ["attention.output.LayerNorm", "mlp.layernorm"],
    up: "mlp.gated_layers",
    down: "mlp.wo",
    gate: Gate::First,
};

/// Puts the network together.
fn network(config: &Config, weights: &mut Weights) -> Result<Parts, ModelError> {
    weights.set_prefix(&["", "bert."], "embeddings.word_embeddings.weight");
    let width = config.size("hidden_size")?;
    let epsilon = config.epsilon("layer_norm_eps", 1e-12)?;
    let size = config.divide(width, "num_attention_heads")?;
    let inner = config.size("intermediate_size")?;
    let activation = match config.word_or("feed_forward_type", "geglu")? {
        "geglu" => Activation::Gelu,
        "reglu" => Activation::Relu,
        other => return Err(config.refuse("feed_forward_type", other, "geglu or reglu")),
    };
    let slopes = Arc::new(Distance::alibi(width / size));
    let embedding = embedding(config, weights, None, true)?;
    let mut layers = Vec::new();
    for i in 0..config.size("num_hidden_layers")? {
        let mut layer = LayerTensors::new(weights, format!("encoder.layer.{i}"), epsilon);
        let project = layer.stack(&SELF_ATTENTION.map(|part| (part, width)), width, Bias::Yes)?;
        let output = layer.linear("attention.output.dense", width, width, Bias::Yes)?;
        let mut attention = Attention::plain(project, output, width / size, size);
        attention.distance = Some(Arc::clone(&slopes));
        let is_code = layer.has("layer_norm_1.weight");
        if is_code {
            attention.query_norm = Some(layer.norm("attention.self.layer_norm_q", width)?);
            attention.key_norm = Some(layer.norm("attention.self.layer_norm_k", width)?);
        }
        let names = if is_code { CODE } else { ENGLISH };
        layers.push(Layer {
            attention,
            attention_norms: Norms::between(layer.norm(names.norms[0], width)?),
            feed_forward: FeedForward {
                up: layer.linear(names.up, width, 2 * inner, Bias::No)?,
                down: layer.linear(names.down, inner, width, Bias::Yes)?,
                activation,
                gate: names.gate,
            },
            feed_forward_norms: Norms::between(layer.norm(names.norms[1], width)?),
        });
    }
    Ok(Parts {
        embedding,
        layers,
        norm: None,
        width,
    })
}
