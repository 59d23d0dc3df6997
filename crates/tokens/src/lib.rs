//! A `tokenizer.json`, as Hugging Face's library saves it: texts to ids.
//!
//! Enter the file and texts; leave ids, and a digest of the file to store beside every count. The truncation and
//! padding settings of the file are ignored: a caller that needs a limit sets one ([`TokenizerFile::limit`]).
//!
//! This crate makes no vocabulary and knows no model, no query and no code. It is the only crate that depends on the
//! library `tokenizers`.

use std::path::{Path, PathBuf};

use barecode_records::{Digest, guarded};
use serde_json::Value;
use tokenizers::{ModelWrapper, Tokenizer, TruncationParams, TruncationStrategy};

/// A tokenizer of a file.
#[derive(Debug)]
pub struct TokenizerFile {
    inner: Box<Tokenizer>,
    digest: String,
}

/// The ids of a text, or of a pair of texts.
#[derive(Debug, Clone)]
pub struct Ids {
    /// One for each token.
    pub ids: Vec<u32>,
    /// 0, or 1 for the tokens of the second text of a pair.
    pub kinds: Vec<u32>,
    /// True if something was cut off at the end of the text.
    pub truncated: bool,
}

impl Ids {
    /// Their number.
    pub fn count(&self) -> u32 {
        u32::try_from(self.ids.len()).unwrap_or(u32::MAX)
    }
}

/// The reason why a `tokenizer.json` cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TokenizerError {
    /// It cannot be read.
    #[error("cannot read the tokenizer `{}`: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// It is not a tokenizer.
    #[error("`{}` is not a tokenizer: {message}", path.display())]
    NotATokenizer {
        /// The file.
        path: PathBuf,
        /// The message of the library.
        message: String,
    },
    /// It does not accept a text.
    #[error("the tokenizer {name} cannot cut {text}: {message}")]
    Failed {
        /// The tokenizer.
        name: String,
        /// The text that failed: `a text`, `text 5 of this corpus`.
        text: String,
        /// The message of the library.
        message: String,
    },
}

impl TokenizerError {
    /// The advice for the user.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            TokenizerError::NotATokenizer { .. } => {
                Some("name a `tokenizer.json` as Hugging Face's `tokenizers` saves it")
            }
            TokenizerError::Unreadable { .. } | TokenizerError::Failed { .. } => None,
        }
    }
}

/// The largest growth that is accepted. No real normalizer makes a text this much longer: a blank becomes a mark of
/// three bytes.
const MOST_GROWTH: f64 = 256.0;

/// Returns the largest factor by which a normalizer may lengthen a text. Successive replacements multiply, and a text
/// that is put before every text counts for a text of a thousand bytes.
fn growth(normalizer: &Value) -> f64 {
    let length = |value: &Value| value.as_str().map_or(1, str::len).max(1) as f64;
    let times = match normalizer["type"].as_str() {
        Some("Sequence") => {
            let parts = normalizer["normalizers"].as_array();
            parts.into_iter().flatten().map(growth).product()
        }
        Some("Replace") => {
            length(&normalizer["content"]) / length(&normalizer["pattern"]["String"])
        }
        Some("Prepend") => 1.0 + length(&normalizer["prepend"]) / 1000.0,
        _ => 1.0,
    };
    times.max(1.0)
}

impl TokenizerFile {
    /// Reads a file.
    ///
    /// # Errors
    /// [`TokenizerError`] if it is missing or not a tokenizer.
    pub fn read(path: &Path) -> Result<Self, TokenizerError> {
        let bytes = guarded::read(path).map_err(|source| TokenizerError::Unreadable {
            path: path.to_owned(),
            source,
        })?;
        let no_tokenizer = |error: tokenizers::Error| TokenizerError::NotATokenizer {
            path: path.to_owned(),
            message: error.to_string(),
        };
        let json: Value = serde_json::from_slice(&bytes).unwrap_or_default();
        let times = growth(&json["normalizer"]);
        if times > MOST_GROWTH {
            let message = format!("it may make a text {times:.0} times as long before it cuts it");
            return Err(no_tokenizer(message.into()));
        }
        let mut inner = Tokenizer::from_bytes(&bytes).map_err(no_tokenizer)?;
        inner.with_truncation(None).map_err(no_tokenizer)?;
        inner.with_padding(None);
        Ok(TokenizerFile {
            inner: Box::new(inner),
            digest: Digest::new("tokenizer").field(&bytes).hex(),
        })
    }

    /// A digest of the file.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// A name with the start of the file's digest, to be stored beside every count: `BPE-0123456789abcdef`.
    pub fn named(&self, kind: &str) -> String {
        format!("{kind}-{:.16}", self.digest)
    }

    /// The kind of its model: `BPE`, `WordPiece`, `WordLevel` or `Unigram`.
    pub fn kind(&self) -> &'static str {
        match self.inner.get_model() {
            ModelWrapper::BPE(_) => "BPE",
            ModelWrapper::WordPiece(_) => "WordPiece",
            ModelWrapper::WordLevel(_) => "WordLevel",
            ModelWrapper::Unigram(_) => "Unigram",
        }
    }

    /// The largest id of its vocabulary.
    pub fn largest_id(&self) -> u32 {
        let vocabulary = self.inner.get_vocab(true);
        vocabulary.into_values().max().unwrap_or(0)
    }

    /// The id of a token.
    pub fn id(&self, token: &str) -> Option<u32> {
        self.inner.token_to_id(token)
    }

    /// The token of an id.
    pub fn token(&self, id: u32) -> Option<String> {
        self.inner.id_to_token(id)
    }

    /// The ids of a text, without those that a model needs around every text.
    ///
    /// # Errors
    /// The message of the library about the text.
    pub fn ids(&self, text: &str) -> Result<Vec<u32>, String> {
        // The fast way leaves the texts of tokens out, and their ids in.
        let encoding = self.inner.encode_fast(text, false);
        let encoding = encoding.map_err(|error| error.to_string())?;
        Ok(encoding.get_ids().to_vec())
    }

    /// The ids of a text, or of a pair, with those that a model needs around them, and cut if there is a limit.
    ///
    /// # Errors
    /// The message of the library about the text.
    pub fn ids_of_model(&self, text: &str, second: Option<&str>) -> Result<Ids, String> {
        let encoding = match second {
            Some(second) => self.inner.encode((text, second), true),
            None => self.inner.encode(text, true),
        };
        let encoding = encoding.map_err(|error| error.to_string())?;
        Ok(Ids {
            ids: encoding.get_ids().to_vec(),
            kinds: encoding.get_type_ids().to_vec(),
            truncated: !encoding.get_overflowing().is_empty(),
        })
    }

    /// Cuts later texts to at most `most` ids, of a pair the longer text first.
    ///
    /// # Errors
    /// The message of the library about the number.
    pub fn limit(&mut self, most: usize) -> Result<(), String> {
        let limit = TruncationParams {
            max_length: most,
            strategy: TruncationStrategy::LongestFirst,
            ..TruncationParams::default()
        };
        let limited = self.inner.with_truncation(Some(limit));
        limited.map(drop).map_err(|error| error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_normalizer_that_blows_texts_up_is_refused() {
        let replace = |from: &str, to: &str| json!({ "type": "Replace", "pattern": { "String": from }, "content": to });
        let usual = json!({ "type": "Sequence", "normalizers": [
            { "type": "Prepend", "prepend": "▁" }, replace(" ", "▁"), { "type": "Lowercase" },
        ] });
        assert!((3.0..4.0).contains(&growth(&usual)));
        assert!((growth(&Value::Null) - 1.0).abs() < 1e-9);
        let long = replace("a", &"a".repeat(1_000_000));
        let doubled = json!({ "type": "Sequence", "normalizers": vec![replace("a", "aa"); 30] });
        let before = json!({ "type": "Prepend", "prepend": "a".repeat(1_000_000) });
        let folder = std::env::temp_dir().join(format!("barecode-tokens-{}", std::process::id()));
        for bomb in [long, doubled, before] {
            let file = json!({ "version": "1.0", "normalizer": bomb,
                "model": { "type": "WordLevel", "vocab": { "[UNK]": 0 }, "unk_token": "[UNK]" } });
            std::fs::write(&folder, file.to_string()).unwrap();
            let error = TokenizerFile::read(&folder).unwrap_err().to_string();
            assert!(error.contains("times as long"), "{error}");
        }
        std::fs::remove_file(&folder).unwrap();
    }
}
