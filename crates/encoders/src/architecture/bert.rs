//! BERT, RoBERTa and MPNet: learned positions, norms after each part.
//!
//! MiniLM, BGE, E5, StarEncoder are BERT; CodeBERT, GraphCodeBERT, UniXcoder are RoBERTa; multilingual E5 and BGE
//! M3 are XLM-RoBERTa, which is RoBERTa; all-mpnet-base-v2 is MPNet.
//! Differences: RoBERTa's first token has the position after its padding id (1), so 2. So has MPNet's, which has no
//! kinds of text, other names, and a learned bias of attention by distance, the same in every layer.
//!
//! Source: Devlin et al. 2019, section 3; Liu et al. 2019; Song et al. 2020, whose bias is T5's (Raffel et al. 2020,
//! section 2.1) with 32 buckets up to 128 steps.

use std::sync::Arc;

use barecode_models::{ModelError, Pooling};

use super::{Architecture, places};
use crate::folder::Config;
use crate::layer::LayerTensors;
use crate::linear::Bias;
use crate::parts::{
    Attention, Embedding, FeedForward, Gate, Head, Layer, Layout, Linear, Norm, Norms, Parts,
};
use crate::position::Distance;
use crate::vector::Activation;
use crate::weights::Weights;

/// Tensors that change no vector: the pooler of the first token, heads of pre-training, counted positions.
const HARMLESS: &[&str] = &[
    "pooler.",
    "cls.",
    "lm_head.",
    "embeddings.position_ids",
    "embeddings.token_type_ids",
];

pub(super) const BERT: Architecture = Architecture {
    names: &["bert"],
    listed: "bert (also with ALiBi)",
    alibi: false,
    network: |config, weights, _| network(config, weights, Family::Bert),
    longest: places,
    pooling: Pooling::Mean,
    projection: None,
    head: Some(head),
    harmless: HARMLESS,
};

pub(super) const ROBERTA: Architecture = Architecture {
    names: &["roberta", "xlm-roberta", "camembert"],
    listed: "roberta, xlm-roberta, camembert",
    network: |config, weights, _| network(config, weights, Family::Roberta),
    longest: |config| Ok(places(config)?.saturating_sub(config.first_place())),
    head: Some(head_of_roberta),
    ..BERT
};

pub(super) const MPNET: Architecture = Architecture {
    names: &["mpnet"],
    listed: "mpnet",
    network: |config, weights, _| network(config, weights, Family::MpNet),
    longest: |config| Ok(places(config)?.saturating_sub(2)),
    head: None,
    ..BERT
};

/// The members of BERT's family.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Family {
    Bert,
    Roberta,
    MpNet,
}

/// The names of the tensors of attention.
struct Names {
    project: [&'static str; 3],
    output: &'static str,
    norm: &'static str,
}

/// The names of queries, keys and values in most of BERT's descendants.
pub(super) const SELF_ATTENTION: [&str; 3] = [
    "attention.self.query",
    "attention.self.key",
    "attention.self.value",
];

const NAMES: Names = Names {
    project: SELF_ATTENTION,
    output: "attention.output.dense",
    norm: "attention.output.LayerNorm",
};

const NAMES_OF_MPNET: Names = Names {
    project: ["attention.attn.q", "attention.attn.k", "attention.attn.v"],
    output: "attention.attn.o",
    norm: "attention.LayerNorm",
};

/// Puts the network together.
fn network(config: &Config, weights: &mut Weights, family: Family) -> Result<Parts, ModelError> {
    let positions = config.word_or("position_embedding_type", "absolute")?;
    if family != Family::MpNet && positions != "absolute" {
        return Err(config.refuse("position_embedding_type", positions, "`absolute`"));
    }
    weights.set_prefix(
        &["", "bert.", "roberta.", "mpnet.", "model."],
        "embeddings.word_embeddings.weight",
    );
    let width = config.size("hidden_size")?;
    let epsilon = config.epsilon("layer_norm_eps", 1e-12)?;
    let size = config.divide(width, "num_attention_heads")?;
    let inner = config.size("intermediate_size")?;
    let activation = config.activation("hidden_act", "gelu")?;
    let first = match family {
        Family::Bert => 0,
        Family::Roberta => config.first_place(),
        Family::MpNet => 2,
    };
    let table = config.size("max_position_embeddings")?;
    let embedding = embedding(
        config,
        weights,
        Some((table, first)),
        family != Family::MpNet,
    )?;
    let (names, distance) = if family == Family::MpNet {
        let buckets = config.size_or("relative_attention_num_buckets", 32)?;
        let name = "encoder.relative_attention_bias";
        let bias = Distance::buckets(weights, name, buckets, width / size, 128)?;
        (NAMES_OF_MPNET, Some(Arc::new(bias)))
    } else {
        (NAMES, None)
    };
    let mut layers = Vec::new();
    for i in 0..config.size("num_hidden_layers")? {
        let mut layer = LayerTensors::new(weights, format!("encoder.layer.{i}"), epsilon);
        let project = layer.stack(&names.project.map(|part| (part, width)), width, Bias::Yes)?;
        let output = layer.linear(names.output, width, width, Bias::Yes)?;
        let mut attention = Attention::plain(project, output, width / size, size);
        attention.distance.clone_from(&distance);
        layers.push(Layer {
            attention,
            attention_norms: Norms::between(layer.norm(names.norm, width)?),
            feed_forward: FeedForward {
                up: layer.linear("intermediate.dense", width, inner, Bias::Yes)?,
                down: layer.linear("output.dense", inner, width, Bias::Yes)?,
                activation,
                gate: Gate::None,
            },
            feed_forward_norms: Norms::between(layer.norm("output.LayerNorm", width)?),
        });
    }
    Ok(Parts {
        embedding,
        layers,
        norm: None,
        width,
    })
}

/// The embedding under the names of BERT's descendants: words, `places` positions, the position of the first token,
/// kinds and their norm.
pub(super) fn embedding(
    config: &Config,
    weights: &mut Weights,
    places: Option<(usize, usize)>,
    with_kinds: bool,
) -> Result<Embedding, ModelError> {
    let width = config.size("hidden_size")?;
    let vocabulary = config.size("vocab_size")?;
    let epsilon = config.epsilon("layer_norm_eps", 1e-12)?;
    let words = weights.tensor("embeddings.word_embeddings.weight", &[vocabulary, width])?;
    let mut embedding = Embedding::of(words);
    if let Some((table, first)) = places {
        let places = weights.tensor("embeddings.position_embeddings.weight", &[table, width])?;
        embedding.places = Some((places, first));
    }
    if with_kinds {
        let kinds = config.size_or("type_vocab_size", 2)?;
        let table = weights.tensor("embeddings.token_type_embeddings.weight", &[kinds, width])?;
        embedding.kinds = Some(table);
    }
    let norm = Norm::layer(weights, "embeddings.LayerNorm", width, epsilon)?;
    embedding.norm = Some(norm);
    Ok(embedding)
}

/// The pooler of pre-training and one layer.
pub(super) fn head(
    config: &Config,
    weights: &mut Weights,
    width: usize,
) -> Result<Head, ModelError> {
    let pooler = dense(weights, "pooler.dense", width, width)?;
    weights.clear_prefix();
    Ok(Head {
        kinds: config.size_or("type_vocab_size", 2)? > 1,
        pooling: Pooling::First,
        dense: pooler,
        activation: Activation::Tanh,
        norm: None,
        output: dense(weights, "classifier", width, 1)?,
    })
}

/// Two layers of its own.
fn head_of_roberta(_: &Config, weights: &mut Weights, width: usize) -> Result<Head, ModelError> {
    weights.clear_prefix();
    Ok(Head {
        kinds: false,
        pooling: Pooling::First,
        dense: dense(weights, "classifier.dense", width, width)?,
        activation: Activation::Tanh,
        norm: None,
        output: dense(weights, "classifier.out_proj", width, 1)?,
    })
}

fn dense(
    weights: &mut Weights,
    name: &str,
    width: usize,
    outputs: usize,
) -> Result<Linear, ModelError> {
    Linear::load(weights, name, width, outputs, Bias::Yes, Layout::Outputs)
}
