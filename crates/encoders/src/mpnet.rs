//! MPNet: RoBERTa's layers with a learned bias of attention by distance, the same in every layer.
//!
//! all-mpnet-base-v2 is one. It has no kinds of text, and the first token has the place 2.
//!
//! Source: Song et al. 2020; the bias is T5's, Raffel et al. 2020, section 2.1, with 32 buckets up to 128 steps.

use std::sync::Arc;

use super::attention::Attention;
use super::bert::projections;
use super::folder::Config;
use super::linear::{Bias, Layout, Linear};
use super::network::{Embedding, FeedForward, Gate, Layer, Network, Norms};
use super::norm::Norm;
use super::position::Distance;
use super::weights::Weights;
use barecode_models::ModelError;

/// Tensors that change no vector.
pub(super) const HARMLESS: &[&str] = &["pooler.", "lm_head.", "embeddings.position_ids"];

/// The place of the first token: behind the padding's.
const FIRST: usize = 2;

/// Puts the network together.
pub(super) fn network(config: &Config, weights: &mut Weights) -> Result<Network, ModelError> {
    weights.set_prefix(&["", "mpnet."], "embeddings.word_embeddings.weight");
    let width = config.size("hidden_size")?;
    let vocabulary = config.size("vocab_size")?;
    let table = config.size("max_position_embeddings")?;
    let epsilon = config.epsilon("layer_norm_eps", 1e-12)?;
    let size = config.divide(width, "num_attention_heads")?;
    let inner = config.size("intermediate_size")?;
    let activation = config.activation("hidden_act", "gelu")?;
    let buckets = config.size_or("relative_attention_num_buckets", 32)?;
    let bias = Distance::buckets(
        weights,
        "encoder.relative_attention_bias",
        buckets,
        width / size,
        128,
    )?;
    let bias = Arc::new(bias);
    let embedding = Embedding {
        words: weights.tensor("embeddings.word_embeddings.weight", &[vocabulary, width])?,
        places: Some((
            weights.tensor("embeddings.position_embeddings.weight", &[table, width])?,
            FIRST,
        )),
        kinds: None,
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
        let linear = |weights: &mut Weights, part: &str, inputs, outputs| {
            Linear::load(
                weights,
                &format!("{name}.{part}"),
                inputs,
                outputs,
                Bias::Yes,
                Layout::Outputs,
            )
        };
        let norms = |weights: &mut Weights, part: &str| {
            Ok::<_, ModelError>(Norms {
                between: Some(Norm::layer(
                    weights,
                    &format!("{name}.{part}"),
                    width,
                    epsilon,
                )?),
                ..Norms::default()
            })
        };
        let project = projections(
            weights,
            [&format!("{name}.attention.attn"), "q", "k", "v"],
            width,
        )?;
        let output = linear(weights, "attention.attn.o", width, width)?;
        let mut attention = Attention::plain(project, output, width / size, size);
        attention.distance = Some(Arc::clone(&bias));
        layers.push(Layer {
            attention,
            attention_norms: norms(weights, "attention.LayerNorm")?,
            feed_forward: FeedForward {
                up: linear(weights, "intermediate.dense", width, inner)?,
                down: linear(weights, "output.dense", inner, width)?,
                activation,
                gate: Gate::None,
            },
            feed_forward_norms: norms(weights, "output.LayerNorm")?,
        });
    }
    let longest = table.saturating_sub(FIRST);
    Ok(Network {
        embedding,
        layers,
        norm: None,
        width,
        vocabulary,
        longest,
    })
}
