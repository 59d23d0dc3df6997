//! The counters of tokens: barecode's own lexer, or any `tokenizer.json`.
//!
//! CLARC's tables count tokens without naming the tokenizer, and two tokenizers differ by a factor; so a count is
//! never returned without the tokenizer's name.

use std::path::Path;

use barecode_corpus::measure;
use barecode_tokens::{TokenizerError, TokenizerFile};

/// A tokenizer for queries and code.
#[derive(Debug)]
pub enum Tokenizer {
    /// `c-tokens`: the preprocessing tokens of code; of a query, words (runs of letters, digits and `_`) and
    /// every other character that is not a blank.
    CTokens,
    /// `words`: of any text words (runs of letters, digits and `_`) and every other character that is not a blank.
    Words,
    /// A tokenizer as Hugging Face's library saves it.
    Json {
        /// Its kind and the start of its file's digest: `BPE-0123456789abcdef`.
        name: String,
        /// It.
        file: TokenizerFile,
    },
}

impl Tokenizer {
    /// Reads a `tokenizer.json`. Its settings of truncation and padding are ignored: the whole text counts.
    ///
    /// # Errors
    /// [`TokenizerError`] if the file is missing or no tokenizer.
    pub fn read(path: &Path) -> Result<Self, TokenizerError> {
        let file = TokenizerFile::read(path)?;
        Ok(Tokenizer::Json {
            name: file.named(file.kind()),
            file,
        })
    }

    /// Its name, to be beside every count.
    pub fn name(&self) -> &str {
        match self {
            Tokenizer::CTokens => "c-tokens",
            Tokenizer::Words => "words",
            Tokenizer::Json { name, .. } => name,
        }
    }

    /// Tokens of code.
    ///
    /// # Errors
    /// [`TokenizerError::Failed`] if a `tokenizer.json` does not accept the text.
    pub fn code(&self, text: &str) -> Result<u32, TokenizerError> {
        match self {
            Tokenizer::CTokens => Ok(measure::tokens(text)),
            Tokenizer::Words => Ok(words_and_marks(text)),
            Tokenizer::Json { name, file } => Ok(count(&ids(name, file, text)?)),
        }
    }

    /// Tokens of a query.
    ///
    /// # Errors
    /// As [`Tokenizer::code`].
    pub fn query(&self, text: &str) -> Result<u32, TokenizerError> {
        match self {
            Tokenizer::CTokens | Tokenizer::Words => Ok(words_and_marks(text)),
            Tokenizer::Json { name, file } => Ok(count(&ids(name, file, text)?)),
        }
    }

    /// Hands over the tokens of any text, one after another: barecode's own, words and marks, as they are, and those of a
    /// `tokenizer.json` as their numbers.
    ///
    /// # Errors
    /// As [`Tokenizer::code`].
    pub fn each(&self, text: &str, each: &mut dyn FnMut(&str)) -> Result<(), TokenizerError> {
        match self {
            Tokenizer::CTokens | Tokenizer::Words => each_word_and_mark(text, each),
            Tokenizer::Json { name, file } => {
                for id in ids(name, file, text)? {
                    each(&id.to_string());
                }
            }
        }
        Ok(())
    }
}

/// Tokens without those that a model needs around every text.
fn ids(name: &str, file: &TokenizerFile, text: &str) -> Result<Vec<u32>, TokenizerError> {
    file.ids(text).map_err(|message| TokenizerError::Failed {
        name: name.to_owned(),
        text: "a text".to_owned(),
        message,
    })
}

fn count(ids: &[u32]) -> u32 {
    u32::try_from(ids.len()).unwrap_or(u32::MAX)
}

fn words_and_marks(text: &str) -> u32 {
    let mut count = 0_u32;
    each_word_and_mark(text, &mut |_| count += 1);
    count
}

fn each_word_and_mark(text: &str, each: &mut dyn FnMut(&str)) {
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
        let end = if is_word(letter) {
            rest.find(|letter| !is_word(letter)).unwrap_or(rest.len())
        } else {
            letter.len_utf8()
        };
        let (token, behind) = rest.split_at(end);
        if !letter.is_whitespace() {
            each(token);
        }
        rest = behind;
    }
}
