//! Texts to token ids, never more of them than the model reads.
//!
//! In comes a text, out come ids and a flag for a text that was cut off at its end. The one hard thing is a text of
//! 10 MB for a model that reads 512 tokens. Only a beginning that surely holds enough tokens is tokenized, cut at a
//! blank after a word, so that the tokens before the cut are those of the whole text. If it held fewer, a beginning
//! four times as long is used.
//!
//! This file does not read `tokenizer.json`; `barecode-tokens` does.

use std::path::Path;

use barecode_models::ModelError;
use barecode_tokens::{Ids, TokenizerError, TokenizerFile};

use super::unusable;

/// Bytes of a text that are tokenized at first, for every token that the model reads.
const BYTES_A_TOKEN: usize = 32;

/// A tokenizer with a limit.
pub(super) struct Tokens {
    file: TokenizerFile,
    longest: usize,
    /// Ids behind the first one of every text, which the tokenizer does not set.
    start: Vec<u32>,
    /// An id that ends every text, if the tokenizer does not set it itself.
    end: Option<u32>,
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
        let mut file = TokenizerFile::read(&path).map_err(|error| match error {
            TokenizerError::Unreadable { source, .. }
                if source.kind() == std::io::ErrorKind::NotFound =>
            {
                unusable(
                    format!("`{}` has no `tokenizer.json`", folder.display()),
                    Some("load the model's tokenizer with `AutoTokenizer` (fast) and `save_pretrained` it there"),
                )
            }
            TokenizerError::Unreadable { source, .. } => ModelError::io("read", &path)(source),
            TokenizerError::NotATokenizer { message, .. }
            | TokenizerError::Failed { message, .. } => unusable(
                format!("`{}` is not a tokenizer: {message}", path.display()),
                None,
            ),
        })?;
        let largest = file.largest_id();
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
            file.id(token).ok_or_else(|| {
                unusable(
                    format!(
                        "`{}` has no token `{token}`, which the model needs around every text",
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
        let empty = file.ids_of_model("", None).map_err(|message| {
            unusable(
                format!("`{}` does not work: {message}", path.display()),
                None,
            )
        })?;
        // Some checkpoints of a model end texts by themselves, and others do not.
        let end = end.filter(|end| empty.ids.last() != Some(end));
        let around = start.len() + usize::from(end.is_some());
        let least = empty.ids.len() + around;
        if longest <= least {
            return Err(unusable(
                format!(
                    "a maximum length of {longest} has no room for a token beside the {least} around every text"
                ),
                Some("raise the maximum length"),
            ));
        }
        file.limit(longest - around).map_err(|message| {
            unusable(
                format!("a text cannot be cut to {longest} tokens: {message}"),
                None,
            )
        })?;
        Ok(Tokens {
            file,
            longest,
            start,
            end,
        })
    }

    /// A digest of the tokenizer's file.
    pub(super) fn digest(&self) -> &str {
        self.file.digest()
    }

    /// The ids of a text.
    pub(super) fn ids(&self, text: &str) -> Result<Ids, ModelError> {
        self.read_beginnings(text, |text| self.file.ids_of_model(text, None))
    }

    /// The ids of a pair, the longer of both cut first.
    pub(super) fn pair(&self, one: &str, two: &str) -> Result<Ids, ModelError> {
        // Both are cut to the same surely long enough beginning; the first is a query and seldom long.
        let one = beginning(one, self.longest * BYTES_A_TOKEN * 16);
        self.read_beginnings(two, |two| self.file.ids_of_model(one, Some(two)))
    }

    fn read_beginnings(
        &self,
        text: &str,
        ids: impl Fn(&str) -> Result<Ids, String>,
    ) -> Result<Ids, ModelError> {
        let mut bytes = (self.longest * BYTES_A_TOKEN).max(4096);
        loop {
            let part = beginning(text, bytes);
            let mut read = ids(part)
                .map_err(|message| unusable(format!("a text has no tokens: {message}"), None))?;
            if read.truncated || part.len() == text.len() {
                let Ids { ids, kinds, .. } = &mut read;
                for (place, &token) in (1..).zip(&self.start) {
                    ids.insert(place.min(ids.len()), token);
                    kinds.insert(place.min(kinds.len()), 0);
                }
                if let Some(end) = self.end {
                    ids.push(end);
                    kinds.push(0);
                }
                return Ok(read);
            }
            bytes *= 4;
        }
    }
}

/// At least `bytes` bytes of a text, up to a blank after a word; all of it if there is no such blank.
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
