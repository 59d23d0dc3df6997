//! Texts to ids as a model reads them: its prompts, lower case, the tokens around a text, the cut at the maximum length.
//!
//! In come a model's folder and its options, out come ids, or only their number, which is known before weights are
//! loaded.
//!
//! This file opens no weights, so it does not notice that they are missing or do not fit.

use std::path::Path;

use barecode_models::{ModelError, Side};
use barecode_tokens::Ids;
use rayon::prelude::*;

use super::architecture;
use super::folder::Folder;
use super::options::LocalOptions;
use super::tokens::Tokens;

/// The tokenizer of a local model, set up as the model uses it.
pub struct LocalTokens {
    pub(super) tokens: Tokens,
    /// Tokens that are read of a text.
    pub(super) longest: usize,
    pub(super) lower_case: bool,
    pub(super) query_prompt: String,
    pub(super) document_prompt: String,
    /// The tokens that the authors put around a text, for the identity.
    pub(super) around: String,
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
        Self::of(&Folder::read(path)?, options)
    }

    pub(super) fn of(folder: &Folder, options: &LocalOptions) -> Result<Self, ModelError> {
        let known = options.published();
        let most = architecture::longest(&folder.config)?;
        let longest = options
            .max_length
            .or(folder.max_length)
            .or(known.map(|known| known.max_length))
            .unwrap_or(most)
            .min(most);
        let start = known.map_or(&[][..], |known| known.start);
        let end = options.end.as_deref().or(known.and_then(|known| known.end));
        let vocabulary = folder.config.size("vocab_size")?;
        let prompt = |own: &Option<String>, file: &Option<String>, known: Option<&str>| {
            let said = own.as_deref().or(file.as_deref()).or(known);
            said.unwrap_or_default().to_owned()
        };
        Ok(LocalTokens {
            tokens: Tokens::read(&folder.transformer, vocabulary, longest, start, end)?,
            longest,
            lower_case: folder.lower_case,
            query_prompt: prompt(
                &options.query_prompt,
                &folder.query_prompt,
                known.map(|known| known.query_prompt),
            ),
            document_prompt: prompt(
                &options.document_prompt,
                &folder.document_prompt,
                known.map(|known| known.document_prompt),
            ),
            around: format!("{start:?} {end:?}"),
        })
    }

    /// The ids of every text, behind its prompt.
    ///
    /// # Errors
    /// If the tokenizer has no token for something.
    pub fn ids(&self, side: Side, texts: &[&str]) -> Result<Vec<Ids>, ModelError> {
        let prompt = match side {
            Side::Query => &self.query_prompt,
            Side::Document => &self.document_prompt,
        };
        let ids = |text: &&str| {
            if prompt.is_empty() && !self.lower_case {
                return self.tokens.ids(text);
            }
            let text = format!("{prompt}{text}");
            if self.lower_case {
                self.tokens.ids(&text.to_lowercase())
            } else {
                self.tokens.ids(&text)
            }
        };
        texts.par_iter().map(ids).collect()
    }

    /// The most tokens that are read of a text, with those around it.
    pub fn longest(&self) -> usize {
        self.longest
    }

    /// The texts before a query and before a document; empty if there is none.
    pub fn prompts(&self) -> [&str; 2] {
        [&self.query_prompt, &self.document_prompt]
    }

    /// Tokens of each text that the model would read; those that are cut off do not count.
    ///
    /// # Errors
    /// If the tokenizer has no token for something.
    pub fn count(&self, side: Side, texts: &[&str]) -> Result<Vec<u32>, ModelError> {
        let ids = self.ids(side, texts)?;
        Ok(ids.iter().map(Ids::count).collect())
    }
}
