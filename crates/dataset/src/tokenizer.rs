//! What counts tokens: barecode's own lexer, or any `tokenizer.json`.
//!
//! CLARC's tables count tokens without naming what counted them, and two tokenizers differ by a factor; so a
//! count never leaves here without the tokenizer's name.

use std::fs;
use std::path::{Path, PathBuf};

use barecode_corpus::measure;
use barecode_records::Digest;

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
        inner: Box<tokenizers::Tokenizer>,
    },
}

/// Why a `tokenizer.json` cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TokenizerError {
    /// It cannot be read.
    #[error("cannot read the tokenizer `{}`: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// It is not a tokenizer.
    #[error(
        "`{}` is not a tokenizer: {message}",
        path.display()
    )]
    NotATokenizer {
        /// The file.
        path: PathBuf,
        /// What the library said.
        message: String,
    },
    /// It does not take a text.
    #[error("the tokenizer {name} cannot cut a text: {message}")]
    Failed {
        /// The tokenizer.
        name: String,
        /// What the library said.
        message: String,
    },
}

impl TokenizerError {
    /// What to do about it.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            TokenizerError::NotATokenizer { .. } => {
                Some("name a `tokenizer.json` as Hugging Face's `tokenizers` saves it")
            }
            TokenizerError::Unreadable { .. } | TokenizerError::Failed { .. } => None,
        }
    }
}

impl Tokenizer {
    /// Reads a `tokenizer.json`. What it says of truncation and padding is ignored: the whole text counts.
    ///
    /// # Errors
    /// [`TokenizerError`] if the file is missing or no tokenizer.
    pub fn read(path: &Path) -> Result<Self, TokenizerError> {
        let bytes = fs::read(path).map_err(|source| TokenizerError::Unreadable {
            path: path.to_owned(),
            source,
        })?;
        let not_a_tokenizer = |message: String| TokenizerError::NotATokenizer {
            path: path.to_owned(),
            message,
        };
        let mut inner = tokenizers::Tokenizer::from_bytes(&bytes)
            .map_err(|error| not_a_tokenizer(error.to_string()))?;
        inner
            .with_truncation(None)
            .map_err(|error| not_a_tokenizer(error.to_string()))?;
        inner.with_padding(None);
        let kind = match inner.get_model() {
            tokenizers::ModelWrapper::BPE(_) => "BPE",
            tokenizers::ModelWrapper::WordPiece(_) => "WordPiece",
            tokenizers::ModelWrapper::WordLevel(_) => "WordLevel",
            tokenizers::ModelWrapper::Unigram(_) => "Unigram",
        };
        let digest: String = Digest::new("tokenizer")
            .field(&bytes)
            .hex()
            .chars()
            .take(16)
            .collect();
        Ok(Tokenizer::Json {
            name: format!("{kind}-{digest}"),
            inner: Box::new(inner),
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
    /// [`TokenizerError::Failed`] if a `tokenizer.json` does not take the text.
    pub fn code(&self, text: &str) -> Result<u32, TokenizerError> {
        match self {
            Tokenizer::CTokens => Ok(measure::tokens(text)),
            Tokenizer::Words => Ok(words_and_marks(text)),
            Tokenizer::Json { name, inner } => encoded(name, inner, text),
        }
    }

    /// Tokens of a query.
    ///
    /// # Errors
    /// As [`Tokenizer::code`].
    pub fn query(&self, text: &str) -> Result<u32, TokenizerError> {
        match self {
            Tokenizer::CTokens | Tokenizer::Words => Ok(words_and_marks(text)),
            Tokenizer::Json { name, inner } => encoded(name, inner, text),
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
            Tokenizer::Json { name, inner } => {
                // A fast encoding has the numbers of tokens, and not their texts.
                let encoding = encoding(name, inner, text)?;
                for id in encoding.get_ids() {
                    each(&id.to_string());
                }
            }
        }
        Ok(())
    }
}

/// Tokens without those that a model wants around every text.
fn encoded(name: &str, inner: &tokenizers::Tokenizer, text: &str) -> Result<u32, TokenizerError> {
    let encoding = encoding(name, inner, text)?;
    Ok(u32::try_from(encoding.len()).unwrap_or(u32::MAX))
}

fn encoding(
    name: &str,
    inner: &tokenizers::Tokenizer,
    text: &str,
) -> Result<tokenizers::Encoding, TokenizerError> {
    let failed = |message: String| TokenizerError::Failed {
        name: name.to_owned(),
        message,
    };
    inner
        .encode_fast(text, false)
        .map_err(|error| failed(error.to_string()))
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
