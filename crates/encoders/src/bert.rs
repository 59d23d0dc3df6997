//! BERT and RoBERTa: learned places, norms after each part.
//!
//! MiniLM, BGE, E5, StarEncoder are BERT; CodeBERT, GraphCodeBERT, UniXcoder are RoBERTa; multilingual E5 and BGE
//! M3 are XLM-RoBERTa, which is RoBERTa.
//! The one difference in use: RoBERTa's first token has the place after its padding id (1), so 2.
//!
//! Source: Devlin et al. 2019, section 3; Liu et al. 2019.

use super::attention::Attention;
use super::folder::Config;
use super::linear::{Bias, Layout, Linear, Part};
use super::network::{Embedding, FeedForward, Gate, Layer, Network, Norms};
use super::norm::Norm;
use super::weights::Weights;
use barecode_models::ModelError;

/// Tensors that change no vector: the pooler of the first token, heads of pre-training, counted places.
pub(super) const HARMLESS: &[&str] = &[
    "pooler.",
    "cls.",
    "lm_head.",
    "embeddings.position_ids",
    "embeddings.token_type_ids",
];

/// Which of the two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Family {
    Bert,
    Roberta,
}

/// Puts the network together.
pub(super) fn network(
    config: &Config,
    weights: &mut Weights,
    family: Family,
) -> Result<Network, ModelError> {
    let positions = config.word_or("position_embedding_type", "absolute")?;
    if positions != "absolute" {
        return Err(config.refuse("position_embedding_type", positions, "`absolute`"));
    }
    weights.set_prefix(
        &["", "bert.", "roberta.", "model."],
        "embeddings.word_embeddings.weight",
    );
    let width = config.size("hidden_size")?;
    let vocabulary = config.size("vocab_size")?;
    let table = config.size("max_position_embeddings")?;
    let epsilon = config.epsilon("layer_norm_eps", 1e-12)?;
    let first = match family {
        Family::Bert => 0,
        Family::Roberta => config
            .value("pad_token_id")
            .and_then(serde_json::Value::as_u64)
            .and_then(|id| usize::try_from(id).ok())
            .map_or(2, |id| id.saturating_add(1)),
    };
    let kinds = config.size_or("type_vocab_size", 2)?;
    let embedding = Embedding {
        words: weights.tensor("embeddings.word_embeddings.weight", &[vocabulary, width])?,
        places: Some((
            weights.tensor("embeddings.position_embeddings.weight", &[table, width])?,
            first,
        )),
        kinds: Some(weights.tensor("embeddings.token_type_embeddings.weight", &[kinds, width])?),
        factor: None,
        norm: Some(Norm::layer(
            weights,
            "embeddings.LayerNorm",
            width,
            epsilon,
        )?),
    };
    let layers = (0..config.size("num_hidden_layers")?)
        .map(|i| {
            layer(
                config,
                weights,
                &format!("encoder.layer.{i}"),
                width,
                epsilon,
            )
        })
        .collect::<Result<_, _>>()?;
    Ok(Network {
        embedding,
        layers,
        norm: None,
        width,
        vocabulary,
        longest: table.saturating_sub(first),
    })
}

fn layer(
    config: &Config,
    weights: &mut Weights,
    name: &str,
    width: usize,
    epsilon: f32,
) -> Result<Layer, ModelError> {
    let size = config.divide(width, "num_attention_heads")?;
    let inner = config.size("intermediate_size")?;
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
    let norm = |weights: &mut Weights, part: &str| {
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
    Ok(Layer {
        attention: Attention::plain(
            projections(
                weights,
                [&format!("{name}.attention.self"), "query", "key", "value"],
                width,
            )?,
            linear(weights, "attention.output.dense", width, width)?,
            width / size,
            size,
        ),
        attention_norms: norm(weights, "attention.output.LayerNorm")?,
        feed_forward: FeedForward {
            up: linear(weights, "intermediate.dense", width, inner)?,
            down: linear(weights, "output.dense", inner, width)?,
            activation: config.activation("hidden_act", "gelu")?,
            gate: Gate::None,
        },
        feed_forward_norms: norm(weights, "output.LayerNorm")?,
    })
}

/// Queries, keys and values of `NAME.query`, `NAME.key`, `NAME.value`, or whatever the three are called.
pub(super) fn projections(
    weights: &mut Weights,
    [name, query, key, value]: [&str; 4],
    width: usize,
) -> Result<Linear, ModelError> {
    let names = [query, key, value].map(|part| format!("{name}.{part}"));
    let parts = names.each_ref().map(|name| Part {
        name,
        outputs: width,
    });
    Linear::stack(weights, &parts, width, Bias::Yes, Layout::Outputs)
}
