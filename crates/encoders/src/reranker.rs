//! A local cross-encoder as a [`Reranker`]: query and text are read together, and a head gives one number.
//!
//! In come a query and texts, out comes a score a text.
//! The head differs with the architecture, whose file reads it.
//!
//! This file reads no language models that answer "yes" or "no".

use std::path::Path;

use rayon::prelude::*;

use super::engine::Engine;
use super::folder::Folder;
use super::linear::Rows;
use super::network::Buffers;
use super::parts::Head;
use super::tokens::Tokens;
use super::weights::Weights;
use super::{architecture, unusable};
use barecode_models::{ModelError, Reranker};

/// Tokens of a pair at least; up to four of them are around its texts.
const LEAST: usize = 16;

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
    /// Pairs longer than `max_length` tokens, by default the limit of the model's files, lose the end of the longer
    /// text.
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
        let head = architecture::head(&folder.config, &mut weights, loaded.parts.width)?;
        weights.finish(loaded.harmless)?;
        let most = architecture::longest(&folder.config)?;
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
            engine: Engine::new(loaded.parts, head.pooling, head.kinds),
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

    /// The number of the head, before the logistic function that some servers apply: the order is the same, and
    /// nothing is rounded to 1.
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
