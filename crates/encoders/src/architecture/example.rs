//! The architecture that CONTRIBUTING.md shows: the rows of words, and a norm.

use barecode_models::{ModelError, Pooling};

use super::{Architecture, places};
use crate::folder::Config;
use crate::parts::{Embedding, Norm, Parts};
use crate::weights::Weights;

pub(super) const STATIC: Architecture = Architecture {
    names: &["static"],
    listed: "static",
    alibi: false,
    network: |config, weights, _| network(config, weights),
    longest: places,
    pooling: Pooling::Mean,
    projection: None,
    head: None,
    harmless: &["pooler."],
};

fn network(config: &Config, weights: &mut Weights) -> Result<Parts, ModelError> {
    weights.set_prefix(&["", "bert."], "embeddings.word_embeddings.weight");
    let (vocabulary, width) = (config.size("vocab_size")?, config.size("hidden_size")?);
    let words = weights.tensor("embeddings.word_embeddings.weight", &[vocabulary, width])?;
    let epsilon = config.epsilon("layer_norm_eps", 1e-12)?;
    Ok(Parts {
        embedding: Embedding::of(words),
        layers: Vec::new(),
        norm: Some(Norm::layer(
            weights,
            "embeddings.LayerNorm",
            width,
            epsilon,
        )?),
        width,
    })
}
