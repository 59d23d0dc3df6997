//! A local cross-encoder as a [`Reranker`]: query and text are read together, and a head gives one number.
//!
//! In come a query and texts, out comes a score a text.
//! The hard thing is only that the head differs with the architecture: BERT has a pooler and a layer, RoBERTa two
//! layers of its own, ModernBERT a layer, a norm and a layer.
//!
//! What this file does not do: it reads no language models that answer "yes" or "no".

use std::path::Path;

use rayon::prelude::*;

use super::engine::Engine;
use super::folder::{Config, Folder};
use super::linear::{Bias, Layout, Linear, Rows};
use super::longest::longest;
use super::network::Buffers;
use super::norm::Norm;
use super::pooling;
use super::tokens::Tokens;
use super::vector::Activation;
use super::weights::Weights;
use super::{architecture, unusable};
use barecode_models::{ModelError, Pooling, Reranker};

/// Tokens of a pair at least; up to four of them stand around its texts.
const LEAST: usize = 16;

/// What makes a score of the rows of a pair.
struct Head {
    /// Whether the model tells the second text of a pair by the kind of its tokens.
    kinds: bool,
    pooling: Pooling,
    dense: Linear,
    activation: Activation,
    norm: Option<Norm>,
    output: Linear,
}

/// A cross-encoder with weights from a folder, computing in 32-bit floats.
pub struct LocalReranker {
    identity: String,
    tokens: Tokens,
    engine: Engine,
    head: Head,
}

impl LocalReranker {
    /// Loads a model for the classification of pairs with one label, such as `BAAI/bge-reranker-base`.
    ///
    /// Pairs longer than `max_length` tokens, by default as many as the model's files say, lose the end of the
    /// longer text.
    ///
    /// ```no_run
    /// use barecode_encoders::LocalReranker;
    /// use barecode_models::Reranker;
    /// let reranker = LocalReranker::load("models/bge-reranker-base".as_ref(), None)?;
    /// let scores = reranker.score("add two numbers", &["a + b", "a - b"])?;
    /// assert_eq!(scores.len(), 2);
    /// # Ok::<(), barecode_models::ModelError>(())
    /// ```
    ///
    /// # Errors
    /// As [`LocalEncoder::load`](crate::LocalEncoder::load), and for an architecture without such a head.
    pub fn load(path: &Path, max_length: Option<usize>) -> Result<Self, ModelError> {
        let folder = Folder::read(path)?;
        let mut weights = Weights::open(&folder.transformer)?;
        let loaded = architecture::load(&folder.config, &mut weights, None)?;
        let head = Head::load(&folder.config, &mut weights, loaded.network.width)?;
        weights.finish(loaded.harmless)?;
        let network = loaded.network;
        let most = longest(&folder.config)?;
        let longest = max_length.or(folder.max_length).unwrap_or(most).min(most);
        let vocabulary = folder.config.size("vocab_size")?;
        if longest < LEAST {
            return Err(unusable(
                format!(
                    "a maximum length of {longest} is too short for a pair, expected {LEAST} at least"
                ),
                None,
            ));
        }
        let tokens = Tokens::read(&folder.transformer, vocabulary, longest, &[], None)?;
        let digest = weights
            .digest()
            .field(tokens.digest())
            .field(longest.to_le_bytes())
            .hex();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let short: String = digest.chars().take(16).collect();
        Ok(LocalReranker {
            identity: format!("local-reranker:{name} weights={short} tokens={longest} f32"),
            tokens,
            engine: Engine::new(network, head.pooling, head.kinds),
            head,
        })
    }

    /// The scores of some pairs, of their pooled rows.
    fn finish(&self, pooled: &Rows, buffers: &mut Buffers) -> Vec<f32> {
        let head = &self.head;
        let (mut dense, mut scores) = (Rows::default(), Rows::default());
        head.dense.apply(pooled, &mut dense, &mut buffers.band);
        head.activation.apply(dense.all_mut());
        if let Some(norm) = &head.norm {
            norm.apply(dense.all_mut());
        }
        head.output.apply(&dense, &mut scores, &mut buffers.band);
        scores.all().to_vec()
    }
}

impl Reranker for LocalReranker {
    fn identity(&self) -> &str {
        &self.identity
    }

    /// The head's number itself, before the logistic function that some servers put behind it: the order is the
    /// same, and nothing is rounded to 1.
    fn score(&self, query: &str, texts: &[&str]) -> Result<Vec<f32>, ModelError> {
        let ids = texts
            .par_iter()
            .map(|text| self.tokens.pair(query, text))
            .collect::<Result<Vec<_>, _>>()?;
        Ok(self
            .engine
            .run(&ids, 1, |pooled, buffers| self.finish(&pooled, buffers)))
    }
}

impl Head {
    fn load(config: &Config, weights: &mut Weights, width: usize) -> Result<Self, ModelError> {
        let linear = |weights: &mut Weights, name: &str, outputs, bias| {
            Linear::load(weights, name, width, outputs, bias, Layout::Outputs)
        };
        let kind = config.word_or("model_type", "")?;
        match kind {
            "bert" => {
                let dense = linear(weights, "pooler.dense", width, Bias::Yes)?;
                weights.clear_prefix();
                Ok(Head {
                    kinds: config.size_or("type_vocab_size", 2)? > 1,
                    pooling: Pooling::First,
                    dense,
                    activation: Activation::Tanh,
                    norm: None,
                    output: linear(weights, "classifier", 1, Bias::Yes)?,
                })
            }
            "roberta" | "xlm-roberta" | "camembert" => {
                weights.clear_prefix();
                Ok(Head {
                    kinds: false,
                    pooling: Pooling::First,
                    dense: linear(weights, "classifier.dense", width, Bias::Yes)?,
                    activation: Activation::Tanh,
                    norm: None,
                    output: linear(weights, "classifier.out_proj", 1, Bias::Yes)?,
                })
            }
            "modernbert" => {
                weights.clear_prefix();
                let bias = Bias::when(config.flag_or("classifier_bias", false)?);
                let epsilon = config.epsilon("norm_eps", 1e-5)?;
                let name = config.word_or("classifier_pooling", "cls")?;
                Ok(Head {
                    kinds: false,
                    pooling: pooling::named(name)
                        .ok_or_else(|| config.refuse("classifier_pooling", name, "cls or mean"))?,
                    dense: linear(weights, "head.dense", width, bias)?,
                    activation: config.activation("classifier_activation", "gelu")?,
                    norm: Some(if config.flag_or("norm_bias", false)? {
                        Norm::layer(weights, "head.norm", width, epsilon)?
                    } else {
                        Norm::layer_without_bias(weights, "head.norm", width, epsilon)?
                    }),
                    output: linear(weights, "classifier", 1, Bias::Yes)?,
                })
            }
            other => Err(unusable(
                format!(
                    "`model_type` in `{}` is `{other}`, which has no head that scores pairs",
                    config.path().display()
                ),
                Some("rerankers are read of bert, roberta, xlm-roberta, camembert and modernbert"),
            )),
        }
    }
}
