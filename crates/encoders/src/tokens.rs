//! Texts to token ids, never more of them than the model reads.
//!
//! In comes a text, out come ids and whether something was cut off at its end.
//! The one hard thing is a text of 10 MB for a model that reads 512 tokens: only so much of its beginning is
//! tokenized as surely holds as many tokens, cut where a blank follows a word, so that the tokens before the cut
//! are those of the whole text; where it held fewer, four times as much is taken.
//!
//! What this file does not do: it pads nothing, and it makes no vocabulary; `tokenizer.json` has all of it.

use std::path::Path;

use barecode_records::Digest;
use tokenizers::{Encoding, TruncationParams, TruncationStrategy};

use super::unusable;
use barecode_models::ModelError;

/// Bytes of a text that are tokenized at first, for every token that the model reads.
const BYTES_A_TOKEN: usize = 32;

/// A tokenizer with a limit.
pub(super) struct Tokens {
    inner: Box<tokenizers::Tokenizer>,
    longest: usize,
    /// Ids behind the first one of every text, which the tokenizer does not set.
    start: Vec<u32>,
    /// An id that ends every text, where the tokenizer does not set it itself.
    end: Option<u32>,
    digest: String,
}

/// A text's ids.
#[derive(Debug, Clone)]
pub struct Ids {
    /// One for each token.
    pub ids: Vec<u32>,
    /// 0, or 1 for what belongs to the second text of a pair.
    pub kinds: Vec<u32>,
    /// Whether something was cut off at the end of the text.
    pub truncated: bool,
}

impl Ids {
    /// Their number.
    pub fn count(&self) -> u32 {
        u32::try_from(self.ids.len()).unwrap_or(u32::MAX)
    }
}

impl Tokens {
    /// Reads `tokenizer.json` of a folder; ids must be below `vocabulary`, texts have at most `longest` of them.
    pub(super) fn read(
        folder: &Path,
        vocabulary: usize,
        longest: usize,
        start: &[&str],
        end: Option<&str>,
    ) -> Result<Self, ModelError> {
        let path = folder.join("tokenizer.json");
        let bytes = std::fs::read(&path).map_err(|source| {
            if source.kind() == std::io::ErrorKind::NotFound {
                return unusable(
                    format!("`{}` has no `tokenizer.json`", folder.display()),
                    Some("load the model's tokenizer with `AutoTokenizer` (fast) and `save_pretrained` it there"),
                );
            }
            ModelError::io("read", &path)(source)
        })?;
        let mut inner = tokenizers::Tokenizer::from_bytes(&bytes).map_err(|error| {
            unusable(
                format!("`{}` is no tokenizer: {error}", path.display()),
                None,
            )
        })?;
        let largest = inner.get_vocab(true).into_values().max().unwrap_or(0);
        if largest as usize >= vocabulary {
            return Err(unusable(
                format!(
                    "`{}` has ids up to {largest}, but the model knows {vocabulary} tokens",
                    path.display()
                ),
                Some("tokenizer and weights are of different models"),
            ));
        }
        let id = |token: &str| {
            inner.token_to_id(token).ok_or_else(|| {
                unusable(
                    format!(
                        "`{}` has no token `{token}`, which the model wants around every text",
                        path.display()
                    ),
                    Some("tokenizer and model are of different models"),
                )
            })
        };
        let start = start
            .iter()
            .map(|token| id(token))
            .collect::<Result<Vec<_>, _>>()?;
        let end = end.map(id).transpose()?;
        inner.with_padding(None);
        let failed = |error: tokenizers::Error| {
            unusable(format!("`{}` does not work: {error}", path.display()), None)
        };
        inner.with_truncation(None).map_err(failed)?;
        let empty = inner.encode("", true).map_err(failed)?;
        // Some checkpoints of a model end texts by themselves, and others do not.
        let end = end.filter(|end| empty.get_ids().last() != Some(end));
        let around = start.len() + usize::from(end.is_some());
        let least = empty.len() + around;
        if longest <= least {
            return Err(unusable(
                format!(
                    "a maximum length of {longest} has no room for a token beside the {least} around every text"
                ),
                Some("raise the maximum length"),
            ));
        }
        let room = longest - around;
        inner
            .with_truncation(Some(TruncationParams {
                max_length: room,
                strategy: TruncationStrategy::LongestFirst,
                ..TruncationParams::default()
            }))
            .map_err(|error| {
                unusable(
                    format!("a text cannot be cut to {longest} tokens: {error}"),
                    None,
                )
            })?;
        let digest = Digest::new("tokenizer").field(&bytes).hex();
        let tokens = Tokens {
            inner: Box::new(inner),
            longest,
            start,
            end,
            digest,
        };
        Ok(tokens)
    }

    /// A digest of the tokenizer's file.
    pub(super) fn digest(&self) -> &str {
        &self.digest
    }

    /// The ids of a text.
    pub(super) fn ids(&self, text: &str) -> Result<Ids, ModelError> {
        self.read_beginnings(text, |text| self.encode(text))
    }

    /// The ids of a pair, the longer of both cut first.
    pub(super) fn pair(&self, one: &str, two: &str) -> Result<Ids, ModelError> {
        // Both are cut to the same surely long enough beginning; the first is a query and seldom long.
        let one = beginning(one, self.longest * BYTES_A_TOKEN * 16);
        self.read_beginnings(two, |two| self.encode((one, two)))
    }

    fn read_beginnings(
        &self,
        text: &str,
        encode: impl Fn(&str) -> Result<Encoding, ModelError>,
    ) -> Result<Ids, ModelError> {
        let mut bytes = (self.longest * BYTES_A_TOKEN).max(4096);
        loop {
            let part = beginning(text, bytes);
            let encoding = encode(part)?;
            let truncated = !encoding.get_overflowing().is_empty();
            if truncated || part.len() == text.len() {
                let mut ids = encoding.get_ids().to_vec();
                let mut kinds = encoding.get_type_ids().to_vec();
                for (place, &token) in (1..).zip(&self.start) {
                    ids.insert(place.min(ids.len()), token);
                    kinds.insert(place.min(kinds.len()), 0);
                }
                if let Some(end) = self.end {
                    ids.push(end);
                    kinds.push(0);
                }
                return Ok(Ids {
                    ids,
                    kinds,
                    truncated,
                });
            }
            bytes *= 4;
        }
    }

    fn encode<'s>(
        &self,
        input: impl Into<tokenizers::EncodeInput<'s>>,
    ) -> Result<Encoding, ModelError> {
        self.inner
            .encode(input, true)
            .map_err(|error| unusable(format!("a text has no tokens: {error}"), None))
    }
}

/// At least so many bytes of a text, up to where a blank follows a word; all of it where there is no such place.
fn beginning(text: &str, bytes: usize) -> &str {
    let mut before = ' ';
    for (place, c) in text.char_indices() {
        if place >= bytes && c.is_whitespace() && !before.is_whitespace() {
            return text.get(..place).unwrap_or(text);
        }
        before = c;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_ends_once() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/checkpoints/bert");
        let ids = |end| {
            let tokens = Tokens::read(&folder, 1 << 20, 64, &[], end).unwrap();
            tokens.ids("int x").unwrap().ids
        };
        let plain = ids(None);
        assert_eq!(ids(Some("</s>")), plain, "the tokenizer ends texts itself");
        let other = ids(Some("<s>"));
        assert_eq!(other.len(), plain.len() + 1);
        assert_eq!(other.last(), plain.first());
    }

    #[test]
    fn a_beginning_ends_with_a_word() {
        assert_eq!(beginning("ab cd  ef", 0), "ab");
        assert_eq!(beginning("ab cd  ef", 3), "ab cd");
        assert_eq!(beginning("ab cd  ef", 6), "ab cd  ef");
        assert_eq!(beginning("äöü ß", 1), "äöü");
        assert_eq!(beginning("", 9), "");
    }
}
