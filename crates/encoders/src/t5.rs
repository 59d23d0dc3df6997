//! The encoder of T5: norms by the mean square before each part, no places but a bias of attention by distance.
//!
//! CodeT5+ is one. Its embedding models project the first token's row and bring it to length 1; the projection is
//! a head ([`head`]) beside the encoder.
//! The one trap is that scores are not divided by the root of the head's size.
//!
//! Source: Raffel et al. 2020, section 2.1; CodeT5+: Wang et al. 2023, section 3.

use std::sync::Arc;

use super::attention::Attention;
use super::folder::Config;
use super::linear::{Bias, Layout, Linear, Part};
use super::network::{Embedding, FeedForward, Gate, Layer, Network, Norms};
use super::norm::Norm;
use super::position::Distance;
use super::vector::Activation;
use super::weights::Weights;
use barecode_models::ModelError;

/// Tensors that change no vector: the decoder, its head, copies of the embedding.
pub(super) const HARMLESS: &[&str] = &[
    "decoder.",
    "lm_head.",
    "shared.weight",
    "encoder.embed_tokens.weight",
];

/// Places are not learned, so a text may be as long as memory allows; this is a limit of reason.
const LONGEST: usize = 1 << 20;

/// Puts the encoder together.
pub(super) fn network(config: &Config, weights: &mut Weights) -> Result<Network, ModelError> {
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
    let embedding = Embedding {
        words: weights.tensor(words, &[vocabulary, width])?,
        places: None,
        kinds: None,
        factor: None,
        norm: None,
    };
    let bias = Arc::new(Distance::buckets(
        weights,
        "encoder.block.0.layer.0.SelfAttention.relative_attention_bias",
        config.size_or("relative_attention_num_buckets", 32)?,
        heads,
        config.size_or("relative_attention_max_distance", 128)?,
    )?);
    let norms = |weights: &mut Weights, name: &str| {
        let norm =
            Norm::root_mean_square(weights, &format!("{name}.layer_norm"), width, epsilon, 0.0)?;
        Ok::<_, ModelError>(Norms {
            before: Some(norm),
            ..Norms::default()
        })
    };
    let mut layers = Vec::new();
    for i in 0..config.size("num_layers")? {
        let name = format!("encoder.block.{i}.layer");
        let linear = |weights: &mut Weights, part: &str, inputs, outputs| {
            Linear::load(
                weights,
                &format!("{name}.{part}"),
                inputs,
                outputs,
                Bias::No,
                Layout::Outputs,
            )
        };
        let names = ["q", "k", "v"].map(|part| format!("{name}.0.SelfAttention.{part}"));
        let parts = names.each_ref().map(|name| Part {
            name,
            outputs: heads * size,
        });
        let project = Linear::stack(weights, &parts, width, Bias::No, Layout::Outputs)?;
        let output = linear(weights, "0.SelfAttention.o", heads * size, width)?;
        let mut attention = Attention::plain(project, output, heads, size);
        attention.factor = 1.0;
        attention.distance = Some(Arc::clone(&bias));
        let up = if gate == Gate::None {
            linear(weights, "1.DenseReluDense.wi", width, inner)?
        } else {
            let names = ["wi_0", "wi_1"].map(|part| format!("{name}.1.DenseReluDense.{part}"));
            let parts = names.each_ref().map(|name| Part {
                name,
                outputs: inner,
            });
            Linear::stack(weights, &parts, width, Bias::No, Layout::Outputs)?
        };
        layers.push(Layer {
            attention,
            attention_norms: norms(weights, &format!("{name}.0"))?,
            feed_forward: FeedForward {
                up,
                down: linear(weights, "1.DenseReluDense.wo", inner, width)?,
                activation,
                gate,
            },
            feed_forward_norms: norms(weights, &format!("{name}.1"))?,
        });
    }
    let norm = Some(Norm::root_mean_square(
        weights,
        "encoder.final_layer_norm",
        width,
        epsilon,
        0.0,
    )?);
    Ok(Network {
        embedding,
        layers,
        norm,
        width,
        vocabulary,
        longest: LONGEST,
    })
}

/// The projection of CodeT5+'s embedding models, if there is one.
pub(super) fn head(config: &Config, weights: &mut Weights) -> Result<Option<Linear>, ModelError> {
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
