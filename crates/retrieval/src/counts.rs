//! Texts to counts: the number of times that each term occurs in each document.
//!
//! Enters: texts and the steps that cut them. Leaves: an inverted index that does not depend on a formula yet.
//! So a corpus is tokenized once for all settings of BM25 that share its steps.
//!
//! Documents are kept in shards of 32,768, so that a position inside a shard takes two bytes and the scores of a
//! shard stay in a processor's cache. A count takes one byte; the few above 254 are in a list of their own. A
//! term that a quarter of a shard has is kept as one count for every document of the shard, which takes about
//! the same memory and is found without searching.
//!
//! The one hard thing is to use all threads and still leave the same bytes on any number of them: each shard is
//! tokenized by one thread with its own term numbers, which are merged in the order of the shards while the
//! next shards are tokenized.

use std::collections::BTreeMap;
use std::ops::Range;

use barecode_tokens::TokenizerError;
use rayon::prelude::*;

use crate::analyzer::Analyzer;
use crate::vocabulary::Vocabulary;

/// Documents of a shard, all but the last.
pub(crate) const SHARD: usize = 1 << 15;

/// The count that represents itself and all above it.
const MANY: u8 = u8::MAX;

/// The number of times that each term is in each document.
pub struct Counts {
    analyzer: Analyzer,
    vocabulary: Vocabulary,
    /// Terms of each document, repetitions included.
    lengths: Vec<u32>,
    /// Documents that have each term.
    frequencies: Vec<u32>,
    shards: Vec<Shard>,
}

/// The counts of neighboring documents.
pub(crate) struct Shard {
    /// Index of its first document in the corpus.
    pub(crate) first: usize,
    /// Number of its documents.
    pub(crate) len: usize,
    /// Terms with a count for every document, in order of their numbers.
    dense: Vec<u32>,
    /// `len` counts for each of them.
    dense_counts: Vec<u8>,
    /// The other terms, in order of their numbers.
    sparse: Vec<u32>,
    /// The index at which the documents of each begin; one more for the end.
    starts: Vec<u32>,
    /// The index at which a search in `sparse` begins: `hints[number >> hint_bits]`.
    hints: Vec<u32>,
    hint_bits: u32,
    /// Documents that have the term, by their index in the shard.
    documents: Vec<u16>,
    /// The number of times that they have it.
    counts: Vec<u8>,
    /// The counts that a byte cannot hold, by term and document.
    many: Vec<(u32, u16, u32)>,
}

/// The location of the counts of a term in a shard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Postings {
    /// The index among the dense terms.
    Dense(usize),
    /// The index among the others.
    Sparse(usize),
}

impl Counts {
    /// Cuts all texts and counts.
    ///
    /// ```
    /// use barecode_retrieval::{Analyzer, Bm25, Counts};
    /// let counts = Counts::of(Analyzer::new(&Bm25::PLAIN), &["copy bytes", "free bytes"]).unwrap();
    /// assert_eq!((counts.documents(), counts.terms(), counts.frequency("bytes")), (2, 3, 2));
    /// ```
    ///
    /// # Errors
    /// As [`Analyzer::terms`].
    pub fn of<T: AsRef<str> + Sync>(
        analyzer: Analyzer,
        texts: &[T],
    ) -> Result<Self, TokenizerError> {
        let parts: Vec<(usize, &[T])> = texts
            .chunks(SHARD)
            .enumerate()
            .map(|(place, part)| (place * SHARD, part))
            .collect();
        let mut groups = parts.chunks(rayon::current_num_threads().max(1));
        let cut_all = |group: Option<&[(usize, &[T])]>| -> Result<Vec<Cut>, TokenizerError> {
            let group = group.unwrap_or_default();
            let cut = |&(first, part): &(usize, &[T])| Cut::of(&analyzer, first, part);
            group.par_iter().map(cut).collect()
        };
        let mut vocabulary = Vocabulary::default();
        let mut lengths = Vec::with_capacity(texts.len());
        let mut frequencies = Vec::new();
        let mut shards = Vec::with_capacity(parts.len());
        let mut waiting = cut_all(groups.next())?;
        while !waiting.is_empty() {
            let known = waiting.into_iter();
            let (numbered, next) = rayon::join(
                || {
                    known
                        .map(|cut| cut.numbered(&mut vocabulary, &mut frequencies))
                        .collect::<Vec<_>>()
                },
                || cut_all(groups.next()),
            );
            for numbered in &numbered {
                lengths.extend_from_slice(&numbered.lengths);
            }
            shards.par_extend(numbered.into_par_iter().map(Numbered::inverted));
            waiting = next?;
        }
        vocabulary.shrink();
        frequencies.shrink_to_fit();
        Ok(Counts {
            analyzer,
            vocabulary,
            lengths,
            frequencies,
            shards,
        })
    }

    /// Number of documents, those without any term included.
    pub fn documents(&self) -> usize {
        self.lengths.len()
    }

    /// Number of different terms.
    pub fn terms(&self) -> usize {
        self.vocabulary.len()
    }

    /// Number of documents that have the term; 0 for an unknown term.
    pub fn frequency(&self, term: &str) -> u32 {
        let number = self.vocabulary.find(term);
        number.map_or(0, |number| self.frequency_of(number))
    }

    /// Mean number of terms of a document; not a number without documents.
    pub fn mean_length(&self) -> f64 {
        let sum: u64 = self.lengths.iter().map(|&length| u64::from(length)).sum();
        sum as f64 / self.lengths.len() as f64
    }

    /// The steps that cut the texts, and will cut queries.
    pub fn analyzer(&self) -> &Analyzer {
        &self.analyzer
    }

    pub(crate) fn number(&self, term: &str) -> Option<u32> {
        self.vocabulary.find(term)
    }

    pub(crate) fn frequency_of(&self, number: u32) -> u32 {
        self.frequencies[number as usize]
    }

    pub(crate) fn shards(&self) -> &[Shard] {
        &self.shards
    }

    pub(crate) fn lengths(&self) -> &[u32] {
        &self.lengths
    }
}

impl Shard {
    /// The location of the counts of a term; `None` if no document of the shard has it.
    pub(crate) fn postings(&self, number: u32) -> Option<Postings> {
        let hint = (number >> self.hint_bits) as usize;
        // Terms that came up first in later shards have numbers beyond the last hint.
        let &[from, to] = self.hints.get(hint..hint + 2)? else {
            return None;
        };
        let near = &self.sparse[from as usize..to as usize];
        match near.binary_search(&number) {
            Ok(postings) => Some(Postings::Sparse(from as usize + postings)),
            Err(_) => self.dense.binary_search(&number).ok().map(Postings::Dense),
        }
    }

    pub(crate) fn dense_terms(&self) -> usize {
        self.dense.len()
    }

    pub(crate) fn sparse_terms(&self) -> usize {
        self.sparse.len()
    }

    /// The range of the documents of a sparse term among those of all.
    pub(crate) fn range(&self, sparse: usize) -> Range<usize> {
        self.starts[sparse] as usize..self.starts[sparse + 1] as usize
    }

    /// All documents of sparse terms, term by term.
    pub(crate) fn documents(&self) -> &[u16] {
        &self.documents
    }

    /// The range of the counts of a dense term among those of all.
    pub(crate) fn dense_range(&self, dense: usize) -> Range<usize> {
        dense * self.len..(dense + 1) * self.len
    }

    /// The number of times that a document has a term, both by their indexes; 0 if it does not have it.
    pub(crate) fn count(&self, postings: Postings, document: u16) -> u32 {
        let (number, count) = match postings {
            Postings::Dense(dense) => (
                self.dense[dense],
                self.dense_counts[dense * self.len + usize::from(document)],
            ),
            Postings::Sparse(sparse) => {
                let range = self.range(sparse);
                match self.documents[range.clone()].binary_search(&document) {
                    Ok(at) => (self.sparse[sparse], self.counts[range.start + at]),
                    Err(_) => return 0,
                }
            }
        };
        self.whole(number, document, count)
    }

    /// The number of times that each of some documents, from first to last, has a sparse term.
    pub(crate) fn each_count(
        &self,
        sparse: usize,
        documents: impl Iterator<Item = u16>,
    ) -> impl Iterator<Item = u32> {
        let range = self.range(sparse);
        let (all, counts) = (&self.documents[range.clone()], &self.counts[range]);
        let mut from = 0;
        documents.map(move |document| {
            // The next one is mostly near, and comparing sixteen at once is as fast as comparing one.
            let one_more = |n: u16, &other: &u16| n.wrapping_add(u16::from(other < document));
            while let Some(window) = all[from..].first_chunk::<16>() {
                let n_before = usize::from(window.iter().fold(0, one_more));
                from += n_before;
                if n_before < window.len() {
                    break;
                }
            }
            while all.get(from).is_some_and(|&other| other < document) {
                from += 1;
            }
            if all.get(from) == Some(&document) {
                self.whole(self.sparse[sparse], document, counts[from])
            } else {
                0
            }
        })
    }

    /// The count for each document of a dense term.
    pub(crate) fn dense_counts(&self, dense: usize) -> impl Iterator<Item = u32> {
        let counts = &self.dense_counts[self.dense_range(dense)];
        (0_u16..)
            .zip(counts)
            .map(move |(document, &count)| self.whole(self.dense[dense], document, count))
    }

    /// The documents of a sparse term with their counts.
    pub(crate) fn sparse_counts(&self, sparse: usize) -> impl Iterator<Item = (u16, u32)> {
        let range = self.range(sparse);
        let pairs = self.documents[range.clone()]
            .iter()
            .zip(&self.counts[range]);
        pairs.map(move |(&document, &count)| {
            (document, self.whole(self.sparse[sparse], document, count))
        })
    }

    fn whole(&self, number: u32, document: u16, count: u8) -> u32 {
        if count < MANY {
            return u32::from(count);
        }
        let key = (number, document);
        let found = self.many.binary_search_by_key(&key, |&(n, d, _)| (n, d));
        self.many[found.expect("every large count is listed")].2
    }
}

/// The terms of a shard, in numbers of its own.
struct Cut {
    first: usize,
    vocabulary: Vocabulary,
    /// All terms of all documents, in their order.
    stream: Vec<u32>,
    lengths: Vec<u32>,
    /// Documents that have each term.
    frequencies: Vec<u32>,
}

impl Cut {
    fn of<T: AsRef<str>>(
        analyzer: &Analyzer,
        first: usize,
        texts: &[T],
    ) -> Result<Self, TokenizerError> {
        let mut cut = Cut {
            first,
            vocabulary: Vocabulary::default(),
            stream: Vec::new(),
            lengths: Vec::with_capacity(texts.len()),
            frequencies: Vec::new(),
        };
        // One-based index of the document that had each term last.
        let mut last = Vec::new();
        let mut buffer = String::new();
        for (place, text) in (1_u32..).zip(texts) {
            let before = cut.stream.len();
            let at = first + place as usize - 1;
            analyzer.each(at, text.as_ref(), &mut buffer, |term| {
                let number = cut.vocabulary.number(term);
                let index = number as usize;
                if index == last.len() {
                    last.push(0);
                    cut.frequencies.push(0);
                }
                if last[index] != place {
                    last[index] = place;
                    cut.frequencies[index] += 1;
                }
                cut.stream.push(number);
            })?;
            let length = u32::try_from(cut.stream.len() - before);
            cut.lengths
                .push(length.expect("a text has fewer than 2^32 terms"));
        }
        Ok(cut)
    }

    /// Makes the numbers those of the whole corpus.
    fn numbered(self, vocabulary: &mut Vocabulary, frequencies: &mut Vec<u32>) -> Numbered {
        let count = u32::try_from(self.vocabulary.len()).expect("terms are numbered in 32 bits");
        let mut numbers = Vec::with_capacity(count as usize);
        for (own, frequency) in (0..count).zip(&self.frequencies) {
            let number = vocabulary.number(self.vocabulary.term(own));
            if number as usize == frequencies.len() {
                frequencies.push(0);
            }
            frequencies[number as usize] += frequency;
            numbers.push(number);
        }
        Numbered {
            first: self.first,
            numbers,
            stream: self.stream,
            lengths: self.lengths,
            frequencies: self.frequencies,
        }
    }
}

/// The terms of a shard, with the number that each has in the whole corpus.
struct Numbered {
    first: usize,
    numbers: Vec<u32>,
    stream: Vec<u32>,
    lengths: Vec<u32>,
    frequencies: Vec<u32>,
}

impl Numbered {
    /// By term instead of by document.
    fn inverted(self) -> Shard {
        let len = self.lengths.len();
        let mut order: Vec<(u32, u32)> = self.numbers.iter().copied().zip(0..).collect();
        order.sort_unstable();
        let is_dense = |own: u32| self.frequencies[own as usize] as usize * 4 > len.max(SHARD / 4);
        let (dense, sparse): (Vec<_>, Vec<_>) =
            order.into_iter().partition(|&(_, own)| is_dense(own));
        // The index for the next count of each term: among the dense from the top down, to distinguish them.
        let mut next = vec![0_u32; self.numbers.len()];
        for (place, &(_, own)) in (0_u32..).zip(&dense) {
            next[own as usize] = u32::MAX - place;
        }
        let least_dense =
            u32::MAX - u32::try_from(dense.len()).expect("terms are numbered in 32 bits");
        let mut starts = Vec::with_capacity(sparse.len() + 1);
        let mut end = 0_u32;
        for &(_, own) in &sparse {
            starts.push(end);
            next[own as usize] = end;
            end = end
                .checked_add(self.frequencies[own as usize])
                .filter(|&end| end < least_dense)
                .expect("a shard has fewer than 2^31 pairs of a document and its term");
        }
        starts.push(end);
        let mut dense_counts = vec![0_u8; dense.len() * len];
        let mut documents = vec![0_u16; end as usize];
        let mut counts = vec![0_u8; end as usize];
        let mut many: BTreeMap<(u32, u16), u32> = BTreeMap::new();
        // One-based index of the document that had each term last.
        let mut last = vec![0_u32; self.numbers.len()];
        let mut stream = self.stream.iter();
        for (place, &length) in (1_u32..).zip(&self.lengths) {
            let document = u16::try_from(place - 1).expect("a shard has 2^15 documents");
            for &own in stream.by_ref().take(length as usize) {
                let own = own as usize;
                let count = if next[own] > least_dense {
                    let row = (u32::MAX - next[own]) as usize;
                    &mut dense_counts[row * len + usize::from(document)]
                } else {
                    if last[own] != place {
                        last[own] = place;
                        documents[next[own] as usize] = document;
                        next[own] += 1;
                    }
                    &mut counts[next[own] as usize - 1]
                };
                if *count < MANY - 1 {
                    *count += 1;
                } else {
                    *count = MANY;
                    *many
                        .entry((self.numbers[own], document))
                        .or_insert(u32::from(MANY) - 1) += 1;
                }
            }
        }
        let terms = |list: Vec<(u32, u32)>| list.into_iter().map(|(number, _)| number).collect();
        let sparse: Vec<u32> = terms(sparse);
        let dense: Vec<u32> = terms(dense);
        let (hints, hint_bits) = hints(&sparse, dense.last().copied());
        Shard {
            first: self.first,
            len,
            dense,
            dense_counts,
            sparse,
            starts,
            hints,
            hint_bits,
            documents,
            counts,
            many: many.into_iter().map(|((n, d), c)| (n, d, c)).collect(),
        }
    }
}

/// For each range of numbers, the index at which it begins in the list: some eight terms to search through each time.
fn hints(sparse: &[u32], last_dense: Option<u32>) -> (Vec<u32>, u32) {
    let most = sparse.last().copied().max(last_dense).unwrap_or(0);
    let wanted = u32::try_from(sparse.len() / 8).unwrap_or(u32::MAX).max(1);
    let mut bits = 0;
    while (most >> bits) / 2 >= wanted {
        bits += 1;
    }
    let mut hints = vec![0; (most >> bits) as usize + 2];
    for &number in sparse {
        hints[(number >> bits) as usize + 1] += 1;
    }
    let mut sum = 0;
    for hint in &mut hints {
        sum += *hint;
        *hint = sum;
    }
    (hints, bits)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::options::Bm25;

    fn counts(texts: &[String]) -> Counts {
        Counts::of(Analyzer::new(&Bm25::PLAIN), texts).unwrap()
    }

    /// Every count that the index knows, term by term.
    fn all(counts: &Counts) -> BTreeMap<(String, usize), u32> {
        let mut all = BTreeMap::new();
        for number in 0..u32::try_from(counts.terms()).unwrap() {
            let term = counts.vocabulary.term(number).to_owned();
            for shard in counts.shards() {
                let Some(postings) = shard.postings(number) else {
                    continue;
                };
                let documents = 0..u16::try_from(shard.len).unwrap();
                let one_by_one: Vec<u32> = documents
                    .clone()
                    .map(|document| shard.count(postings, document))
                    .collect();
                if let Postings::Sparse(sparse) = postings {
                    for apart in [1, 3, 50] {
                        let some = documents.clone().step_by(apart);
                        let found = shard.each_count(sparse, some);
                        assert!(found.eq(one_by_one.iter().copied().step_by(apart)));
                    }
                }
                for (document, count) in one_by_one.into_iter().enumerate() {
                    if count > 0 {
                        all.insert((term.clone(), shard.first + document), count);
                    }
                }
            }
        }
        all
    }

    fn naive(texts: &[String]) -> BTreeMap<(String, usize), u32> {
        let mut all = BTreeMap::new();
        for (document, text) in texts.iter().enumerate() {
            for term in text.split(' ').filter(|term| term.len() > 1) {
                *all.entry((term.to_owned(), document)).or_default() += 1;
            }
        }
        all
    }

    #[test]
    fn counts_beyond_a_byte_are_whole() {
        let repeated = |n: usize| vec!["aa"; n].join(" ");
        let texts = [254, 255, 256, 1000, 1].map(repeated);
        assert_eq!(all(&counts(&texts)), naive(&texts));
    }

    #[test]
    fn shards_join_to_one_corpus_on_any_number_of_threads() {
        // Three shards; a term of nearly all documents, one of every fifth, one of its own for each.
        let text = |i: usize| {
            let common = if i.is_multiple_of(7) {
                ""
            } else {
                "common common"
            };
            let fifth = if i.is_multiple_of(5) { "fifth" } else { "" };
            format!("{common} {fifth} own{i}")
        };
        let texts: Vec<String> = (0..2 * SHARD + 100).map(text).collect();
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            pool.install(|| counts(&texts))
        };
        let (one, three) = (on(1), on(3));
        assert_eq!(one.shards.len(), 3);
        assert!(one.shards[0].dense_terms() == 1 && one.shards[0].sparse_terms() == SHARD + 1);
        let n_common = texts.len() - texts.len().div_ceil(7);
        assert_eq!(one.frequency("common") as usize, n_common);
        assert_eq!(one.frequency("fifth") as usize, texts.len().div_ceil(5));
        for (i, text) in texts.iter().enumerate().step_by(997) {
            let number = one.number(&format!("own{i}")).unwrap();
            assert_eq!(one.frequency_of(number), 1);
            let shard = &one.shards[i / SHARD];
            let postings = shard.postings(number).unwrap();
            let document = u16::try_from(i - shard.first).unwrap();
            assert_eq!(shard.count(postings, document), 1);
            let elsewhere = &one.shards[(i / SHARD + 1) % 3];
            assert_eq!(elsewhere.postings(number), None);
            let length = u32::try_from(text.split_whitespace().count()).unwrap();
            assert_eq!(one.lengths[i], length);
        }
        assert_eq!(one.frequencies, three.frequencies);
        for (a, b) in one.shards.iter().zip(&three.shards) {
            assert!(a.sparse == b.sparse && a.documents == b.documents && a.counts == b.counts);
            assert!(a.dense == b.dense && a.dense_counts == b.dense_counts);
        }
    }

    proptest! {
        #[test]
        fn counts_are_those_of_counting(texts in prop::collection::vec("([a-d]{2} ){0,30}", 0..20)) {
            let counts = counts(&texts);
            prop_assert_eq!(all(&counts), naive(&texts));
            for term in ["aa", "bc", "dd"] {
                let df = texts.iter().filter(|text| text.split(' ').any(|word| word == term)).count();
                prop_assert_eq!(counts.frequency(term) as usize, df);
            }
        }
    }
}
