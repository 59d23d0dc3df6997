//! The frequency of each token in texts, and the distance of two such distributions: `GenCodeSearchNet`'s Table 1.

use std::collections::BTreeMap;

use rayon::prelude::*;

use crate::{Tokenizer, TokenizerError};

/// Texts that are counted at a time.
const CHUNK: usize = 256;

/// The frequency of each token in texts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TokenCounts {
    of_token: BTreeMap<String, u64>,
    tokens: u64,
    texts: u64,
}

impl TokenCounts {
    /// Counts the tokens of texts.
    ///
    /// # Errors
    /// If the tokenizer does not accept a text.
    pub fn of(texts: &[&str], tokenizer: &Tokenizer) -> Result<Self, TokenizerError> {
        let chunk = |texts: &[&str]| {
            let mut counts = TokenCounts::default();
            for text in texts {
                counts.texts += 1;
                tokenizer.each(text, &mut |token| {
                    counts.tokens += 1;
                    match counts.of_token.get_mut(token) {
                        Some(count) => *count += 1,
                        None => drop(counts.of_token.insert(token.to_owned(), 1)),
                    }
                })?;
            }
            Ok(counts)
        };
        let chunks = texts.par_chunks(CHUNK).map(chunk);
        chunks.try_reduce(TokenCounts::default, |a, b| Ok(a.and(b)))
    }

    fn and(mut self, other: Self) -> Self {
        self.tokens += other.tokens;
        self.texts += other.texts;
        for (token, count) in other.of_token {
            *self.of_token.entry(token).or_default() += count;
        }
        self
    }

    /// Tokens of a text, on average; 0 without texts.
    pub fn mean(&self) -> f64 {
        match self.texts {
            0 => 0.0,
            texts => self.tokens as f64 / texts as f64,
        }
    }

    /// The total variation distance of the distributions of tokens: half the sum, over all tokens of either, of the
    /// difference of their shares. From 0 (the same shares) to 1 (no token in common); `None` if one of the two has no
    /// token.
    ///
    /// Source: Goldenberg and Webb, *Survey of distance measures for quantifying concept drift and shift in numeric data*,
    /// 2019; `GenCodeSearchNet`, section 3.
    pub fn distance(&self, other: &Self) -> Option<f64> {
        if self.tokens == 0 || other.tokens == 0 {
            return None;
        }
        let share = |counts: &Self, token: &str| {
            let count = counts.of_token.get(token).copied().unwrap_or(0);
            count as f64 / counts.tokens as f64
        };
        let mine = self.of_token.keys();
        let differences = mine.map(|token| (share(self, token) - share(other, token)).abs());
        let only = other.of_token.keys();
        let only = only.filter(|token| !self.of_token.contains_key(*token));
        let rest: f64 = only.map(|token| share(other, token)).sum();
        let sum: f64 = differences.sum::<f64>() + rest;
        Some((0.5 * sum).min(1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(texts: &[&str]) -> TokenCounts {
        TokenCounts::of(texts, &Tokenizer::Words).unwrap()
    }

    #[test]
    fn tokens_are_words_and_marks() {
        let counts = counts(&["x = f(x_1, 2)", "x"]);
        // x, =, f, (, x_1, the comma, 2, ) and x.
        assert_eq!((counts.tokens, counts.texts), (9, 2));
        assert_eq!(counts.of_token["x"], 2);
        assert!((counts.mean() - 4.5).abs() < 1e-12);
    }

    #[test]
    fn tokens_of_a_file_are_told_apart() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let json = r#"{"version": "1.0", "truncation": null, "padding": null, "added_tokens": [], "normalizer": null,
            "pre_tokenizer": {"type": "Whitespace"}, "post_processor": null, "decoder": null,
            "model": {"type": "WordLevel", "vocab": {"[UNK]": 0, "a": 1, "b": 2, "c": 3, "d": 4}, "unk_token": "[UNK]"}}"#;
        std::fs::write(file.path(), json).unwrap();
        let tokenizer = Tokenizer::read(file.path()).unwrap();
        let counts = |text| TokenCounts::of(&[text], &tokenizer).unwrap();
        let (a, b) = (counts("a a b c"), counts("a b b d"));
        assert!((a.mean() - 4.0).abs() < 1e-12);
        assert!((a.distance(&b).unwrap() - 0.5).abs() < 1e-12);
    }

    #[test]
    fn the_distance_is_half_of_what_the_shares_differ_by() {
        let (a, b) = (counts(&["a a b c"]), counts(&["a b b d"]));
        // Shares 1/2, 1/4, 1/4, 0 and 1/4, 1/2, 0, 1/4.
        assert!((a.distance(&b).unwrap() - 0.5).abs() < 1e-12);
        assert_eq!(a.distance(&b), b.distance(&a));
        assert!(a.distance(&a).unwrap().abs() < 1e-12);
        assert!((a.distance(&counts(&["x y"])).unwrap() - 1.0).abs() < 1e-12);
        assert_eq!(a.distance(&counts(&[" "])), None);
        // Only shares matter.
        assert!(a.distance(&counts(&["a a b c", "c b a a"])).unwrap().abs() < 1e-12);
    }

    #[test]
    fn many_texts_are_counted_as_one_by_one() {
        let texts: Vec<String> = (0..1000).map(|at| format!("t{} shared", at % 7)).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let all = counts(&texts);
        let parts = texts
            .iter()
            .fold(TokenCounts::default(), |sum, text| sum.and(counts(&[text])));
        assert_eq!(all, parts);
    }
}
