//! How many tokens texts have for a model on this machine, before it is loaded.
//!
//! In come a model's folder and how it shall be used, out come the counts that [`LocalEncoder`](super::LocalEncoder)
//! would tell of the same texts: prompts, lower case, the tokens around a text and the cut at the maximum length are
//! all in them.
//! The one hard thing is the maximum length, which networks tell once their weights are there: here it is read from
//! `config.json` alone, by the same keys, and the tests hold both against each other for every architecture.
//!
//! What this file does not do: it opens no weights, so it does not notice that they are missing or do not fit.

use std::path::Path;

use rayon::prelude::*;

use super::encoder::LocalOptions;
use super::folder::{Config, Folder};
use super::published::published;
use super::tokens::Tokens;
use barecode_models::{ModelError, Side};

/// The tokenizer of a local model, set up as the model uses it.
pub struct LocalTokens {
    tokens: Tokens,
    lower_case: bool,
    query_prompt: String,
    document_prompt: String,
}

impl LocalTokens {
    /// Reads a folder's `tokenizer.json` and configuration.
    ///
    /// ```no_run
    /// use barecode_encoders::{LocalOptions, LocalTokens};
    /// use barecode_models::Side;
    /// let tokens = LocalTokens::load("models/all-MiniLM-L6-v2".as_ref(), &LocalOptions::default())?;
    /// // The first and the last token stand around every text.
    /// assert_eq!(tokens.count(Side::Document, &["int x;", ""])?, [5, 2]);
    /// # Ok::<(), barecode_models::ModelError>(())
    /// ```
    ///
    /// # Errors
    /// A file that is missing or broken, a tokenizer with more ids than the model has tokens.
    pub fn load(path: &Path, options: &LocalOptions) -> Result<Self, ModelError> {
        let folder = Folder::read(path)?;
        let known = options.name.as_deref().and_then(published);
        let most = longest(&folder.config)?;
        let longest = options
            .max_length
            .or(folder.max_length)
            .or(known.map(|known| known.max_length))
            .unwrap_or(most)
            .min(most);
        let start = known.map_or(&[][..], |known| known.start);
        let end = options.end.as_deref().or(known.and_then(|known| known.end));
        let vocabulary = folder.config.size("vocab_size")?;
        let tokens = Tokens::read(&folder.transformer, vocabulary, longest, start, end)?;
        let prompt = |own: &Option<String>, file: Option<String>, known: Option<&str>| {
            let known = known.map(str::to_owned);
            own.clone().or(file).or(known).unwrap_or_default()
        };
        Ok(LocalTokens {
            tokens,
            lower_case: folder.lower_case,
            query_prompt: prompt(
                &options.query_prompt,
                folder.query_prompt,
                known.map(|known| known.query_prompt),
            ),
            document_prompt: prompt(
                &options.document_prompt,
                folder.document_prompt,
                known.map(|known| known.document_prompt),
            ),
        })
    }

    /// Tokens of each text that the model would read; what is cut off is not among them.
    ///
    /// # Errors
    /// Where the tokenizer has no token for something.
    pub fn count(&self, side: Side, texts: &[&str]) -> Result<Vec<u32>, ModelError> {
        let prompt = match side {
            Side::Query => &self.query_prompt,
            Side::Document => &self.document_prompt,
        };
        let count = |text: &&str| {
            let mut text = format!("{prompt}{text}");
            if self.lower_case {
                text = text.to_lowercase();
            }
            let ids = self.tokens.ids(&text)?.ids.len();
            Ok(u32::try_from(ids).unwrap_or(u32::MAX))
        };
        texts.par_iter().map(count).collect()
    }
}

/// The most tokens that a network has places for.
fn longest(config: &Config) -> Result<usize, ModelError> {
    let places = || config.size("max_position_embeddings");
    let either = |key: &str, other: &str| match config.value(key) {
        Some(_) => config.size(key),
        None => config.size(other),
    };
    let alibi = config.word_or("position_embedding_type", "absolute")? == "alibi";
    match config.word_or("model_type", "")?.to_lowercase().as_str() {
        "bert" | "jina_bert" if alibi => config.size_or("max_position_embeddings", 8192),
        "roberta" | "xlm-roberta" | "camembert" => {
            let padding = config
                .value("pad_token_id")
                .and_then(serde_json::Value::as_u64)
                .and_then(|id| usize::try_from(id).ok());
            let first = padding.map_or(2, |id| id.saturating_add(1));
            Ok(places()?.saturating_sub(first))
        }
        "mpnet" => Ok(places()?.saturating_sub(2)),
        "t5" | "codet5p" | "codet5p_embedding" => Ok(1 << 20),
        "nomic_bert" if config.value("max_trained_positions").is_some() => {
            config.size("max_trained_positions")
        }
        "nomic_bert" | "codesage" | "gpt_bigcode" => {
            either("max_position_embeddings", "n_positions")
        }
        "qwen2" | "qwen3" | "mistral" | "gemma2" => Ok(places()?.min(1 << 15)),
        _ => places(),
    }
}
