//! Token overlap: the share of the tokens of two texts that both have.
//!
//! Enters: texts of code in any language. Leaves: for two texts the Jaccard similarity of their bags of tokens, or
//! the documents with the greatest for a query. A bag counts the occurrences of each token. The similarity is the sum
//! of the smaller counts by that of the greater ones, from 0 (no token in common) to 1 (the same tokens with the same
//! counts, in any order). It uses no language, no meaning of tokens and no rarity: only the surface of a text.
//!
//! A token is a word (letters, digits, `_`) or any other character but a blank, alone: operators count.

use std::collections::BTreeMap;

use std::sync::Arc;

use barecode_records::Digest;
use foldhash::{HashMap, HashMapExt as _};
use rayon::prelude::*;

use crate::retriever::{Alike, Compares, Documents, Query, Retriever, RetrieverError, Scorer};
use crate::top::{Best, Scored};

/// Token overlap as a retriever: `jaccard`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Jaccard;

impl Retriever for Jaccard {
    fn kind(&self) -> &'static str {
        "jaccard"
    }

    fn add_to(&self, digest: Digest, _: &str) -> Digest {
        digest
    }

    fn prepare<'c>(&self, corpus: &Documents<'c>) -> Result<Box<dyn Scorer + 'c>, RetrieverError> {
        Ok(Box::new(TokenBags::of(corpus.texts)))
    }

    fn compares(self: Arc<Self>) -> Option<Arc<dyn Compares>> {
        Some(self)
    }
}

impl Scorer for TokenBags {
    fn search(
        &self,
        queries: &[Query<'_>],
        depth: usize,
    ) -> Result<Vec<Vec<Scored>>, RetrieverError> {
        let texts: Vec<&str> = queries.iter().map(|query| query.text).collect();
        Ok(self.search_all(&texts, depth))
    }
}

impl Compares for Jaccard {
    fn alike<'t>(&self, texts: &'t [&'t str]) -> Box<dyn Alike + 't> {
        Box::new(ByTokens {
            bags: TokenBags::of(texts),
            texts,
        })
    }
}

struct ByTokens<'a> {
    bags: TokenBags,
    texts: &'a [&'a str],
}

impl Alike for ByTokens<'_> {
    fn similarity(&self, first: usize, second: usize) -> f64 {
        self.bags.similarity(first, second)
    }

    fn nearest(
        &self,
        documents: &[usize],
        depth: usize,
    ) -> Result<Vec<Vec<Scored>>, RetrieverError> {
        let texts = documents.iter().map(|document| self.texts[*document]);
        let texts: Vec<&str> = texts.collect();
        Ok(TokenBags::of(&texts).search_all(&texts, depth))
    }
}

/// Texts as bags of tokens.
pub struct TokenBags {
    /// Each text's tokens by number, with their counts, in the order of numbers.
    bags: Vec<Vec<(u32, u32)>>,
    /// Number of tokens that each text has.
    sizes: Vec<u32>,
    /// The texts that have each token, with the counts, in their order.
    postings: Vec<Vec<(u32, u32)>>,
    numbers: HashMap<String, u32>,
}

impl TokenBags {
    /// Counts the tokens of texts.
    pub fn of(texts: &[&str]) -> Self {
        let mut made = TokenBags {
            bags: Vec::with_capacity(texts.len()),
            sizes: Vec::with_capacity(texts.len()),
            postings: Vec::new(),
            numbers: HashMap::new(),
        };
        for (at, text) in texts.iter().enumerate() {
            let at = u32::try_from(at).expect("fewer than 2^32 texts");
            let mut bag: Vec<(u32, u32)> = Vec::new();
            for (token, count) in counted(text) {
                let next = u32::try_from(made.postings.len()).expect("fewer than 2^32 tokens");
                let number = *made.numbers.entry(token.to_owned()).or_insert(next);
                if number == next {
                    made.postings.push(Vec::new());
                }
                made.postings[number as usize].push((at, count));
                bag.push((number, count));
            }
            bag.sort_unstable();
            made.sizes.push(bag.iter().map(|(_, count)| count).sum());
            made.bags.push(bag);
        }
        made
    }

    /// The similarity of two of the texts, by their indexes; 0 if one has no token.
    pub fn similarity(&self, first: usize, second: usize) -> f64 {
        let (mut left, mut right) = (self.bags[first].iter(), self.bags[second].iter());
        let (mut a, mut b) = (left.next(), right.next());
        let mut common = 0;
        while let (Some(&(token, count)), Some(&(other, others))) = (a, b) {
            if token == other {
                common += count.min(others);
            }
            if token <= other {
                a = left.next();
            }
            if other <= token {
                b = right.next();
            }
        }
        share(common, self.sizes[first], self.sizes[second])
    }

    /// For each query the best texts that share a token with it: `depth` of them, and all that score the same as the
    /// last.
    pub fn search_all(&self, queries: &[&str], depth: usize) -> Vec<Vec<Scored>> {
        queries
            .par_iter()
            .map(|query| self.search(query, depth))
            .collect()
    }

    fn search(&self, query: &str, depth: usize) -> Vec<Scored> {
        let mut common = vec![0_u32; self.bags.len()];
        let mut size = 0;
        for (token, count) in counted(query) {
            size += count;
            let Some(number) = self.numbers.get(token) else {
                continue;
            };
            for &(text, others) in &self.postings[*number as usize] {
                common[text as usize] += count.min(others);
            }
        }
        let mut best = Best::new(depth.max(1));
        for (document, &common) in common.iter().enumerate() {
            if common > 0 {
                let score = share(common, size, self.sizes[document]);
                best.offer(Scored { document, score });
            }
        }
        best.sorted()
    }
}

fn share(common: u32, first: u32, second: u32) -> f64 {
    match first + second - common {
        0 => 0.0,
        all => f64::from(common) / f64::from(all),
    }
}

/// The tokens of a text with their counts, in alphabetical order.
fn counted(text: &str) -> BTreeMap<&str, u32> {
    let mut counts = BTreeMap::new();
    for token in tokens(text) {
        *counts.entry(token).or_default() += 1;
    }
    counts
}

fn tokens(text: &str) -> impl Iterator<Item = &str> {
    let is_word = |letter: char| letter == '_' || letter.is_alphanumeric();
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        let first = rest.chars().next()?;
        let end = if is_word(first) {
            rest.find(|letter| !is_word(letter)).unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        let (token, after) = rest.split_at(end);
        rest = after;
        Some(token)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shown(bags: &TokenBags, first: usize, second: usize) -> String {
        format!("{:.3}", bags.similarity(first, second))
    }

    #[test]
    fn a_similarity_worked_by_hand() {
        let cut: Vec<&str> = tokens("if a_1<= b:\n\treturn ä").collect();
        assert_eq!(cut, ["if", "a_1", "<", "=", "b", ":", "return", "ä"]);
        // `a` twice of twice and thrice, `+` once of once and twice, `b` in one of them.
        let bags = TokenBags::of(&["a + a", "a + a + a", "b", ""]);
        assert_eq!(shown(&bags, 0, 1), "0.600");
        assert_eq!(shown(&bags, 0, 2), "0.000");
        assert_eq!(shown(&bags, 3, 3), "0.000");
        // The order of tokens does not count, an operator does.
        let bags = TokenBags::of(&["x < y", "y < x", "x > y"]);
        assert_eq!(shown(&bags, 0, 1), "1.000");
        assert_eq!(shown(&bags, 0, 2), "0.500");
    }

    #[test]
    fn what_shares_no_token_is_not_found_and_equal_scores_are_not_cut() {
        let bags = TokenBags::of(&["a b", "c", "b a", "a d"]);
        let found = bags.search_all(&["a b", "e"], 1);
        let found: Vec<Vec<usize>> = found
            .iter()
            .map(|list| list.iter().map(|one| one.document).collect())
            .collect();
        assert_eq!(found, [vec![0, 2], vec![]]);
    }

    proptest! {
        #[test]
        fn searching_is_comparing_with_every_text(texts in prop::collection::vec("[ab<= ]{0,8}", 1..8)) {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let bags = TokenBags::of(&texts);
            let found = bags.search_all(&texts, texts.len());
            for (first, list) in found.iter().enumerate() {
                for second in 0..texts.len() {
                    let similarity = bags.similarity(first, second);
                    prop_assert_eq!(similarity.to_bits(), bags.similarity(second, first).to_bits());
                    prop_assert!((0.0..=1.0).contains(&similarity));
                    let listed = list.iter().find(|one| one.document == second);
                    let listed = listed.map_or(0.0, |one| one.score);
                    prop_assert_eq!(listed.to_bits(), similarity.to_bits());
                }
            }
        }
    }
}
