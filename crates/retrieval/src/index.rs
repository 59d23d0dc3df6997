//! Counts and a form of BM25 to ranked lists.
//!
//! Enters: [`Counts`] and the options of a form. Leaves: for each query the exact best documents of the corpus,
//! never cut between equal scores. Scores are sums in 64 bits, the terms of a query in alphabetical order, so
//! documents with the same terms have the same score to the last bit, on any machine and any number of threads.
//!
//! The one hard thing is to be fast without being approximate. Beside each count is a byte that bounds the gain of
//! the count from above ([`Bounds`]). A query is searched in two steps:
//!
//! 1. Shard after shard, bounds are summed in 16 bits. Kept are the documents whose sum is not below the last of the
//!    best by more than sums can be wrong. Common terms come last, the strongest first, and a block of documents is
//!    given up as soon as the terms that are left cannot lift any of them that far. Where all common terms together
//!    cannot, and the others have few documents, only these documents are searched (`MaxScore`: Turtle and Flood,
//!    *Query evaluation: strategies and optimizations*, 1995, section 4). A shard that has too little for any
//!    document is passed over.
//! 2. The documents that are left, hardly more than the list has in the end, are scored exactly.
//!
//! Many queries go through a shard together, a part of its documents after the other, so that the bounds of a
//! part are read from memory once for all of them.
//!
//! The error of sums is counted in their own units. With n terms, the unit is so large that no sum overflows, and the
//! step of a term is the value of 1 in its bounds. A bound is at most a step too high, and each product and each
//! weight is rounded by less than a unit. So a document of sum s scores at most s + n units, and at least s - 2n
//! units less all steps. A test compares with scoring everything.
//!
//! A term whose idf is 0 has no weight and is left out of the query: a document is retrieved if it shares a term with
//! a weight.

use std::borrow::Borrow;
use std::collections::BTreeMap;

use barecode_tokens::TokenizerError;
use rayon::prelude::*;

use crate::bm25::Formula;
use crate::bounds::{Bounded, Bounds, Scale};
use crate::counts::{Counts, Postings, SHARD, Shard};
use crate::options::Bm25;
use crate::sums::{self, BLOCK, Row};
use crate::top::{Best, Scored};

/// A corpus made ready for one form of BM25; it owns its counts, or borrows them.
pub struct Bm25Index<C> {
    counts: C,
    formula: Formula,
    scale: Scale,
    bounds: Vec<Bounds>,
}

/// Queries that go through the shards together, at most.
const TOGETHER: usize = 128;

/// Blocks of documents that they go through at a time: their sums, and their bounds for most common terms, stay near
/// the processor.
const PART: usize = 128;

/// Where fewer than one of this many documents is in a list, the others are skipped, if that is possible.
const FEW: usize = 64;

/// With more terms than that, sums are too coarse for each.
const MANY: usize = 16_000;

/// A query ready for the index.
struct Asked {
    /// In alphabetical order.
    terms: Vec<Term>,
    /// The score of every document.
    base: f64,
    /// A document cannot score more than another whose sum is greater by more than this.
    slack: u16,
}

struct Term {
    number: u32,
    idf: f64,
    /// The number of times that the query has it.
    times: f64,
    /// The value of 256 steps of its bounds in sums.
    weight: u16,
}

/// The buffers of a thread while it searches.
struct Scratch {
    /// Sums of bounds; all zero between shards.
    sums: Vec<u16>,
    /// The greatest sums of blocks of documents.
    maxima: Vec<u16>,
    /// Documents of lists that may still be among the best.
    touched: Vec<u16>,
}

/// A query on its way through the shards.
struct Search {
    asked: Asked,
    depth: usize,
    /// The documents that may be among the best.
    found: Vec<Found>,
    /// The number of documents that may be kept before those that no longer are good enough are dropped.
    limit: usize,
    /// The least sum that is good enough.
    least: u16,
}

#[derive(Debug, Clone, Copy)]
struct Found {
    sum: u16,
    /// Index in the corpus.
    document: u32,
}

/// The bounds of the terms of a query in a shard.
#[derive(Default)]
struct Ready<'a> {
    rows: Vec<Row<'a>>,
    /// The lists that have not been walked through.
    lists: Vec<List<'a>>,
    /// The most that all can add.
    most: u32,
}

/// The bounds of a rarer term of the query in a shard.
struct List<'a> {
    documents: &'a [u16],
    bounds: &'a [u8],
    weight: u16,
}

impl<C: Borrow<Counts> + Sync> Bm25Index<C> {
    /// Prepares a corpus for one form. The steps in `options` that cut text are not read: those of the counts are
    /// used.
    ///
    /// ```
    /// use barecode_retrieval::{Analyzer, Bm25, Bm25Index, Counts};
    /// let options = Bm25::PLAIN;
    /// let texts = ["copy bytes", "free memory", "copy memory", "copy bytes"];
    /// let counts = Counts::of(Analyzer::new(&options), &texts).unwrap();
    /// let list = Bm25Index::new(&counts, &options).search("copy bytes", 1).unwrap();
    /// // The first and the last are the same text, and are not cut apart.
    /// assert_eq!(list.iter().map(|scored| scored.document).collect::<Vec<_>>(), [0, 3]);
    /// ```
    pub fn new(counts: C, options: &Bm25) -> Self {
        let of: &Counts = counts.borrow();
        let formula = Formula::new(options, of.documents(), of.mean_length());
        let scale = Scale::new(formula);
        let bounds = of
            .shards()
            .par_iter()
            .map(|shard| Bounds::of(shard, scale, of.lengths()))
            .collect();
        Bm25Index {
            counts,
            formula,
            scale,
            bounds,
        }
    }

    fn counts(&self) -> &Counts {
        self.counts.borrow()
    }

    /// The best `depth` documents for a query and those that score the same as the last of them; best first, equal
    /// scores by their index in the corpus. A document without a term of the query is not among them.
    ///
    /// # Errors
    /// As [`Analyzer::terms`](crate::Analyzer::terms).
    pub fn search(&self, query: &str, depth: usize) -> Result<Vec<Scored>, TokenizerError> {
        let lists = self.search_together(&mut Scratch::new(), 0, &[query], depth)?;
        Ok(lists.concat())
    }

    /// The lists of many queries, in their order, on all threads: as [`search`](Bm25Index::search) has each.
    ///
    /// # Errors
    /// As [`search`](Bm25Index::search).
    pub fn search_all<T: AsRef<str> + Sync>(
        &self,
        queries: &[T],
        depth: usize,
    ) -> Result<Vec<Vec<Scored>>, TokenizerError> {
        let parts = 4 * rayon::current_num_threads();
        let together = queries.len().div_ceil(parts).clamp(1, TOGETHER);
        let lists: Vec<Vec<Vec<Scored>>> = queries
            .par_chunks(together)
            .enumerate()
            .map_init(Scratch::new, |scratch, (part, queries)| {
                self.search_together(scratch, part * together, queries, depth)
            })
            .collect::<Result<_, _>>()?;
        Ok(lists.into_iter().flatten().collect())
    }

    /// The part of each term of a query in the score of a document, the greatest first; the parts add up to the score.
    ///
    /// # Errors
    /// As [`search`](Bm25Index::search).
    pub fn explain(
        &self,
        query: &str,
        document: usize,
    ) -> Result<Vec<(String, f64)>, TokenizerError> {
        let counts = self.counts();
        let mut times: BTreeMap<String, u32> = BTreeMap::new();
        for term in counts.analyzer().terms(query)? {
            *times.entry(term).or_default() += 1;
        }
        let shards = counts.shards().iter();
        let shard = shards.rev().find(|shard| shard.first <= document);
        let norm = self.formula.norm(counts.lengths()[document]);
        let part = |(term, times): (String, u32)| {
            let number = counts.number(&term)?;
            let shard = shard?;
            let at = u16::try_from(document - shard.first).ok()?;
            let postings = shard.postings(number);
            let count = postings.map_or(0, |postings| shard.count(postings, at));
            let gain = if count > 0 {
                self.formula.gain(count, norm)
            } else {
                0.0
            };
            let weight = f64::from(times) * self.formula.idf(counts.frequency_of(number));
            Some((term, weight * (gain + self.formula.base())))
        };
        let mut parts: Vec<(String, f64)> = times.into_iter().filter_map(part).collect();
        parts.retain(|(_, part)| *part > 0.0);
        parts.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        Ok(parts)
    }

    /// `first` is the index of the first query.
    fn search_together<T: AsRef<str>>(
        &self,
        scratch: &mut Scratch,
        first: usize,
        queries: &[T],
        depth: usize,
    ) -> Result<Vec<Vec<Scored>>, TokenizerError> {
        let depth = depth.clamp(1, self.counts().documents().max(1));
        let mut searches = Vec::with_capacity(queries.len());
        for (place, query) in (first..).zip(queries) {
            searches.push(Search::new(self.asked(place, query.as_ref())?, depth));
        }
        for (shard, bounds) in self.counts().shards().iter().zip(&self.bounds) {
            let ready = searches.iter_mut();
            let mut ready: Vec<Ready> = ready
                .map(|search| search.enter(scratch, shard, bounds))
                .collect();
            for first in (0..shard.len.div_ceil(BLOCK)).step_by(PART) {
                for (search, ready) in searches.iter_mut().zip(&mut ready) {
                    if ready.most > 0 && ready.most >= u32::from(search.least) {
                        search.look_through_part(scratch, shard, first, ready);
                    }
                }
            }
        }
        let lists = searches.into_iter().map(|search| self.exact(search));
        Ok(lists.collect())
    }

    fn asked(&self, place: usize, query: &str) -> Result<Asked, TokenizerError> {
        let mut times: BTreeMap<String, u32> = BTreeMap::new();
        self.counts()
            .analyzer()
            .each(place, query, &mut String::new(), |term| {
                if let Some(times) = times.get_mut(term) {
                    *times += 1;
                } else {
                    times.insert(term.to_owned(), 1);
                }
            })?;
        let mut terms = Vec::with_capacity(times.len());
        let mut steps = Vec::with_capacity(times.len());
        let mut base = 0.0;
        for (term, times) in times {
            let Some(number) = self.counts().number(&term) else {
                continue;
            };
            let idf = self.formula.idf(self.counts().frequency_of(number));
            let times = f64::from(times);
            base += idf * self.formula.base() * times;
            let step = idf * times * self.formula.most() / 255.0;
            if step > 0.0 {
                steps.push(step);
                terms.push(Term {
                    number,
                    idf,
                    times,
                    weight: 0,
                });
            }
        }
        let mut slack = u16::MAX;
        let n = terms.len();
        if (1..=MANY).contains(&n) {
            let all: f64 = steps.iter().sum();
            // Each product may be rounded up by one for itself and by one for its weight.
            let unit = 255.0 * all / (65_000 - 2 * n) as f64;
            for (term, step) in terms.iter_mut().zip(&steps) {
                term.weight = whole(256.0 * step / unit);
            }
            // The part beyond n and steps is for scores, which are rounded in 64 bits.
            let rounding = (n + 4) as f64 * 1e-15 * (255.0 * all + base.abs());
            slack = whole(3.0 * n as f64 + 2.0 + (all * (1.0 + 1e-6) + rounding) / unit);
        }
        Ok(Asked { terms, base, slack })
    }

    /// The list of the documents that were found.
    fn exact(&self, mut search: Search) -> Vec<Scored> {
        search.prune();
        let mut found = std::mem::take(&mut search.found);
        found.sort_unstable_by_key(|found| found.document);
        let mut best = Best::new(search.depth);
        let shard_of = |found: &Found| found.document as usize / SHARD;
        for near in found.chunk_by(|a, b| shard_of(a) == shard_of(b)) {
            let shard = &self.counts().shards()[shard_of(&near[0])];
            let bounds = &self.bounds[shard_of(&near[0])];
            let terms: Vec<(&Term, Postings, Bounded)> = search
                .asked
                .terms
                .iter()
                .filter_map(|term| {
                    let postings = shard.postings(term.number)?;
                    Some((term, postings, bounds.at(shard, postings)))
                })
                .collect();
            let documents = near
                .iter()
                .map(|found| in_shard(found.document as usize - shard.first));
            let norms: Vec<f64> = near
                .iter()
                .map(|found| {
                    let length = self.counts().lengths()[found.document as usize];
                    self.formula.norm(length)
                })
                .collect();
            // Term by term, so that one lookup does not wait for the one before.
            let mut counts = vec![0; near.len() * terms.len()];
            let mut fetched = Vec::with_capacity(near.len());
            for (of_term, &(_, postings, bounded)) in terms.iter().enumerate() {
                let each = counts.iter_mut().skip(of_term).step_by(terms.len());
                match (bounded, postings) {
                    (Bounded::Row { blocks, .. }, _) => {
                        // All are far apart in memory: they are fetched before one is read.
                        let bounds = documents.clone();
                        let bounds = bounds.map(|document| sums::get(blocks, document.into()));
                        fetched.clear();
                        fetched.extend(bounds);
                        let found = each.zip(documents.clone()).zip(&norms).zip(&fetched);
                        for (((count, document), &norm), &bound) in found {
                            if bound > 0 {
                                let read = self.scale.count(bound, norm);
                                *count = read.unwrap_or_else(|| shard.count(postings, document));
                            }
                        }
                    }
                    (Bounded::List { .. }, Postings::Sparse(sparse)) => {
                        let found = shard.each_count(sparse, documents.clone());
                        each.zip(found).for_each(|(count, found)| *count = found);
                    }
                    (Bounded::List { .. }, Postings::Dense(_)) => {
                        unreachable!("dense terms have rows")
                    }
                }
            }
            for ((found, norm), counts) in near.iter().zip(norms).zip(counts.chunks(terms.len())) {
                let mut score = 0.0;
                for (&(term, ..), &tf) in terms.iter().zip(counts) {
                    if tf > 0 {
                        score += term.idf * self.formula.gain(tf, norm) * term.times;
                    }
                }
                best.offer(Scored {
                    document: found.document as usize,
                    score: score + search.asked.base,
                });
            }
        }
        best.sorted()
    }
}

impl Search {
    fn new(asked: Asked, depth: usize) -> Self {
        Search {
            asked,
            depth,
            found: Vec::new(),
            limit: depth,
            least: 0,
        }
    }

    /// Finds the documents of a shard that may be among the best, or prepares the shard for a search part by part.
    fn enter<'a>(
        &mut self,
        scratch: &mut Scratch,
        shard: &'a Shard,
        bounds: &'a Bounds,
    ) -> Ready<'a> {
        let n_terms = self.asked.terms.len();
        let mut rows: Vec<Row> = Vec::with_capacity(n_terms);
        let mut lists = Vec::with_capacity(n_terms);
        // The most that rows and lists can add.
        let (mut of_rows, mut of_lists) = (0, 0);
        for term in &self.asked.terms {
            let weight = term.weight;
            let Some(postings) = shard.postings(term.number) else {
                continue;
            };
            match bounds.at(shard, postings) {
                Bounded::Row { blocks, most } => {
                    let most = sums::worth(most, weight);
                    of_rows += u32::from(most);
                    rows.push(Row {
                        blocks,
                        weight,
                        most,
                        needed: 0,
                    });
                }
                Bounded::List {
                    documents,
                    bounds,
                    most,
                } => {
                    of_lists += u32::from(worth_in_list(most, weight));
                    lists.push(List {
                        documents,
                        bounds,
                        weight,
                    });
                }
            }
        }
        let most = of_rows + of_lists;
        if most < u32::from(self.least) {
            return Ready::default();
        }
        // The strongest first.
        rows.sort_by_key(|row| std::cmp::Reverse(row.most));
        let n_walked: usize = lists.iter().map(|list| list.documents.len()).sum();
        let rows_need_lists = rows.is_empty() || of_rows < u32::from(self.least);
        if rows_need_lists && n_walked * FEW <= shard.len {
            self.look_through_lists(scratch, shard, &rows, of_rows, &lists);
            self.prune_if_many();
            return Ready::default();
        }
        Ready { rows, lists, most }
    }

    /// Searches the documents of lists only: `rows`, which can add at most `rest`, are not enough.
    fn look_through_lists(
        &mut self,
        scratch: &mut Scratch,
        shard: &Shard,
        rows: &[Row],
        mut rest: u32,
        lists: &[List],
    ) {
        let Scratch { sums, touched, .. } = scratch;
        touched.clear();
        for list in lists {
            for (&document, &bound) in list.documents.iter().zip(list.bounds) {
                let sum = &mut sums[usize::from(document)];
                if *sum == 0 {
                    touched.push(document);
                }
                *sum = sum.saturating_add(worth_in_list(bound, list.weight));
            }
        }
        let least = u32::from(self.least);
        touched.retain(|&document| u32::from(sums[usize::from(document)]) + rest >= least);
        for row in rows {
            rest -= u32::from(row.most);
            touched.retain(|&document| {
                let document = usize::from(document);
                sums[document] += sums::worth(sums::get(row.blocks, document), row.weight);
                u32::from(sums[document]) + rest >= least
            });
        }
        for &document in &*touched {
            self.found.push(Found {
                sum: sums[usize::from(document)],
                document: in_corpus(shard, document),
            });
        }
        for &document in lists.iter().flat_map(|list| list.documents) {
            sums[usize::from(document)] = 0;
        }
    }

    /// Searches every document of the part that begins with a block.
    fn look_through_part(
        &mut self,
        scratch: &mut Scratch,
        shard: &Shard,
        first: usize,
        ready: &mut Ready,
    ) {
        let Scratch { sums, maxima, .. } = scratch;
        let Ready { rows, lists, .. } = ready;
        let start = first * BLOCK;
        let len = (shard.len - start).min(PART * BLOCK);
        let sums = &mut sums[..len.next_multiple_of(BLOCK)];
        for list in lists {
            let mut n_walked = 0;
            for (&document, &bound) in list.documents.iter().zip(list.bounds) {
                let document = usize::from(document);
                if document >= start + len {
                    break;
                }
                let sum = &mut sums[document - start];
                *sum = sum.saturating_add(worth_in_list(bound, list.weight));
                n_walked += 1;
            }
            (list.documents, list.bounds) = (&list.documents[n_walked..], &list.bounds[n_walked..]);
        }
        sums::aim(rows, self.least);
        sums::add_all(sums, rows, first, maxima);
        let mut least = self.least;
        if self.found.len() < self.depth && self.depth <= maxima.len() {
            // This many blocks have a document with such a sum, so at least this many documents have one.
            let mut sorted = maxima.clone();
            let (_, &mut last, _) = sorted.select_nth_unstable_by(self.depth - 1, |a, b| b.cmp(a));
            least = least.max(last.saturating_sub(self.asked.slack));
        }
        sums::reaching(sums, maxima, least.max(1), |document, sum| {
            let document = in_corpus(shard, in_shard(start + usize::from(document)));
            self.found.push(Found { sum, document });
        });
        if least == 0 {
            // The gain from a row can be less than 1, and the document has the term all the same.
            for (document, &sum) in (start..).zip(&*sums).take(len) {
                let has = |row: &Row| sums::get(row.blocks, document) > 0;
                if sum == 0 && rows.iter().any(has) {
                    let document = in_corpus(shard, in_shard(document));
                    self.found.push(Found { sum: 0, document });
                }
            }
        }
        sums.fill(0);
        self.prune_if_many();
    }

    fn prune_if_many(&mut self) {
        if self.found.len() > self.limit {
            self.prune();
            self.limit = self.found.len() + self.found.len() / 2 + 32;
        }
    }

    /// Drops the documents that cannot be among the best.
    fn prune(&mut self) {
        if self.found.len() < self.depth {
            return;
        }
        let descending = |a: &Found, b: &Found| b.sum.cmp(&a.sum);
        let (_, &mut last, _) = self
            .found
            .select_nth_unstable_by(self.depth - 1, descending);
        self.least = self.least.max(last.sum.saturating_sub(self.asked.slack));
        self.found.retain(|found| found.sum >= self.least);
    }
}

impl Scratch {
    fn new() -> Self {
        Scratch {
            sums: vec![0; SHARD],
            maxima: Vec::new(),
            touched: Vec::new(),
        }
    }
}

/// The gain from a bound of a list: rounded up, so that it is above 0.
#[inline]
fn worth_in_list(bound: u8, weight: u16) -> u16 {
    sums::worth(bound, weight).saturating_add(1)
}

fn in_corpus(shard: &Shard, document: u16) -> u32 {
    u32::try_from(shard.first + usize::from(document))
        .expect("a corpus has fewer than 2^32 documents")
}

fn in_shard(document: usize) -> u16 {
    u16::try_from(document).expect("a shard has 2^15 documents")
}

/// The next whole number, or the greatest of 16 bits.
fn whole(number: f64) -> u16 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a whole number from 0 to 65,535"
    )]
    let whole = number.ceil().clamp(0.0, 65_535.0) as u16;
    whole
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::analyzer::Analyzer;
    use crate::options::Form;
    use crate::top::by_score_then_place;

    #[test]
    fn the_parts_of_a_score_add_up_to_it() {
        let texts = [
            "copy copy bytes",
            "free memory",
            "copy memory of bytes",
            "nothing",
        ];
        for &form in Form::ALL {
            let options = Bm25 {
                form,
                ..Bm25::PLAIN
            };
            let counts = Counts::of(Analyzer::new(&options), &texts).unwrap();
            let index = Bm25Index::new(&counts, &options);
            for found in index.search("copy bytes copy unknown", 4).unwrap() {
                let parts = index
                    .explain("copy bytes copy unknown", found.document)
                    .unwrap();
                let sum: f64 = parts.iter().map(|(_, part)| part).sum();
                assert!(
                    (sum - found.score).abs() < 1e-12,
                    "{form:?}: {sum} {found:?}"
                );
                assert!(parts.is_sorted_by(|a, b| a.1 >= b.1), "{parts:?}");
            }
        }
    }

    /// Scores everything, by the definition.
    fn naive(counts: &Counts, options: &Bm25, query: &str, depth: usize) -> Vec<Scored> {
        let formula = Formula::new(options, counts.documents(), counts.mean_length());
        let mut terms = counts.analyzer().terms(query).unwrap();
        terms.sort();
        let mut list = Vec::new();
        for shard in counts.shards() {
            for document in 0..u16::try_from(shard.len).unwrap() {
                let place = shard.first + usize::from(document);
                let (mut score, mut base, mut shares) = (0.0, 0.0, false);
                let mut last = "";
                for term in &terms {
                    if last == term {
                        continue;
                    }
                    last = term;
                    let Some(number) = counts.number(term) else {
                        continue;
                    };
                    let times = terms.iter().filter(|other| *other == term).count() as f64;
                    let idf = formula.idf(counts.frequency_of(number));
                    base += idf * formula.base() * times;
                    let tf = shard
                        .postings(number)
                        .map_or(0, |at| shard.count(at, document));
                    if tf > 0 {
                        let norm = formula.norm(counts.lengths()[place]);
                        score += idf * formula.gain(tf, norm) * times;
                        shares |= idf * formula.most() > 0.0;
                    }
                }
                if shares {
                    list.push(Scored {
                        document: place,
                        score: score + base,
                    });
                }
            }
        }
        list.sort_by(by_score_then_place);
        cut(list, depth)
    }

    fn cut(mut list: Vec<Scored>, depth: usize) -> Vec<Scored> {
        if let Some(last) = list.get(depth - 1).copied() {
            list.retain(|scored| scored.score >= last.score);
        }
        list
    }

    fn form() -> impl Strategy<Value = Bm25> {
        let forms = prop::sample::select(Form::ALL.to_vec());
        (forms, 0.0..3.0_f64, 0.0..=1.0_f64, 0.0..1.5_f64).prop_map(|(form, k1, b, delta)| Bm25 {
            form,
            k1,
            b,
            delta,
            ..Bm25::PLAIN
        })
    }

    /// Words as they come in texts: few that are common, many that are rare.
    fn texts(n: usize, seed: u64) -> Vec<String> {
        let mut state = seed;
        let mut below = |n: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % n
        };
        let mut text = || {
            let n = 3 + below(30);
            let words: Vec<String> = (0..n)
                .map(|_| {
                    let bits = 1 + below(14);
                    let range = 1 + below(1 << bits);
                    format!("w{}", below(range))
                })
                .collect();
            words.join(" ")
        };
        let mut texts: Vec<String> = (0..n).map(|_| text()).collect();
        // Twins, so that there are ties.
        for i in (0..n).step_by(3) {
            let from = usize::try_from(below(n as u64)).unwrap();
            texts[i] = texts[from].clone();
        }
        texts
    }

    #[test]
    fn pruning_over_many_shards_loses_nothing() {
        let texts = texts(SHARD * 2 + 5000, 1);
        let counts = Counts::of(Analyzer::new(&Bm25::PLAIN), &texts).unwrap();
        assert!(counts.shards().iter().all(|shard| shard.dense_terms() > 0));
        for &form in Form::ALL {
            let options = Bm25 {
                form,
                ..Bm25::PLAIN
            };
            let index = Bm25Index::new(&counts, &options);
            // Beside the rare word of this one, the common word adds less than sums can show.
            let weak = format!("{} w0", "w16000 ".repeat(2000));
            let queries = [
                texts[5].as_str(),
                weak.as_str(),
                "w0 w1 w2",
                "w9000 w77 w0 w0 w3",
                "w0",
                "w16000 w15999 w15998",
                texts[SHARD + 7].as_str(),
            ];
            let everything = queries.map(|query| naive(&counts, &options, query, usize::MAX));
            for depth in [1, 10, 100, 3000] {
                let lists = index.search_all(&queries, depth).unwrap();
                for ((query, list), all) in queries.iter().zip(lists).zip(&everything) {
                    let wanted = cut(all.clone(), depth);
                    assert_eq!(list, wanted, "{form:?} {query} {depth}");
                }
            }
        }
    }

    #[test]
    fn a_query_of_very_many_terms_is_scored_as_any_other() {
        let text = |i: usize| {
            let words = (0..86 + i % 7).map(|j| format!("w{} ", i * 90 + j % 85));
            words.collect::<Vec<_>>().concat()
        };
        let texts: Vec<String> = (0..200).map(text).collect();
        let counts = Counts::of(Analyzer::new(&Bm25::PLAIN), &texts).unwrap();
        let index = Bm25Index::new(&counts, &Bm25::PLAIN);
        let all = texts.concat();
        assert!(counts.terms() > MANY);
        let list = index.search(&all, 30).unwrap();
        // Documents share no words, so the score of each comes from its own words alone.
        for scored in &list {
            let alone = index.search(&texts[scored.document], 1).unwrap();
            assert_eq!(alone, [*scored]);
        }
        let mut alone: Vec<Scored> = texts
            .iter()
            .flat_map(|text| index.search(text, 1).unwrap())
            .collect();
        alone.sort_by(by_score_then_place);
        assert_eq!(list, cut(alone, 30));
    }

    proptest! {
        #[test]
        fn the_list_is_that_of_scoring_everything(
            texts in prop::collection::vec("([a-d][a-f] ){0,12}", 1..60),
            query in "([a-d][a-g] ){0,8}",
            options in form(),
            depth in 1_usize..70,
        ) {
            let counts = Counts::of(Analyzer::new(&options), &texts).unwrap();
            let list = Bm25Index::new(&counts, &options).search(&query, depth).unwrap();
            prop_assert_eq!(list, naive(&counts, &options, &query, depth));
        }
    }
}
