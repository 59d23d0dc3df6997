//! Counts and a form of BM25 to ranked lists.
//!
//! In come [`Counts`] and the options of a form, out comes for each query the exact best of the corpus, equal
//! scores kept together. Scores are sums in 64 bits, the terms of a query in alphabetical order, so documents with
//! the same terms have the same score to the last bit, on any machine and any number of threads.
//!
//! The one hard thing is to be fast without being approximate. Beside each count lies a byte that bounds from above
//! what the count can add. A shard is searched in three steps:
//!
//! 1. The terms are ordered by the most that they can add here. Those that together cannot lift a document over the
//!    least score of the list so far are left out at first (`MaxScore`: Turtle and Flood, *Query evaluation: strategies
//!    and optimizations*, 1995, section 4), if the others have few documents.
//! 2. The bounds of the other terms are summed. The lists that were left out follow, the strongest first: documents that
//!    could still make it are looked up, or the list is walked through after all where that is cheaper.
//! 3. What survives is scored exactly.
//!
//! Bounds are summed in 32 bits; the threshold is lowered by more than that can be wrong, so no document is lost to
//! rounding, and a test compares with scoring everything.
//!
//! A term whose idf is 0 says nothing and is left out of the query: a document is retrieved if it shares a term that
//! weighs something.

use std::collections::BTreeMap;

use barecode_models::Bm25;
use rayon::prelude::*;

use crate::analyzer::AnalyzerError;
use crate::bm25::Formula;
use crate::counts::{Counts, Place, SHARD, Shard};
use crate::sums;
use crate::top::{Best, Scored};

/// A corpus made ready for one form of BM25.
pub struct Bm25Index<'a> {
    counts: &'a Counts,
    formula: Formula,
    bounds: Vec<Bounds>,
}

/// For every count of a shard, what it can add: in steps of 1/255 of the most that any count can, rounded up.
struct Bounds {
    dense: Vec<u8>,
    sparse: Vec<u8>,
    /// The greatest bound of each term.
    most_dense: Vec<u8>,
    most_sparse: Vec<u8>,
}

/// A query ready for the index.
struct Asked {
    /// In alphabetical order.
    terms: Vec<Term>,
    /// What every document scores.
    base: f64,
}

struct Term {
    number: u32,
    idf: f64,
    /// How often the query has it.
    times: f64,
    /// What a step of the bounds is worth.
    step: f32,
}

/// What a thread needs while it searches.
struct Desk {
    /// Sums of bounds; all zero between shards.
    sums: Vec<f32>,
    /// The greatest sums of blocks of documents.
    maxima: Vec<f32>,
    /// Documents that may still make it.
    candidates: Vec<u16>,
    /// For choosing the first threshold.
    chosen: Vec<f32>,
}

/// A term of the query in a shard.
#[derive(Clone, Copy)]
struct List {
    place: Place,
    step: f32,
    /// The most that it can add.
    most: f32,
}

impl<'a> Bm25Index<'a> {
    /// Prepares a corpus for one form. The steps in `options` that cut text are not read: those of the counts stand.
    ///
    /// ```
    /// use barecode_models::Bm25;
    /// use barecode_retrieval::{Analyzer, Bm25Index, Counts};
    /// let options = Bm25::default();
    /// let texts = ["copy bytes", "free memory", "copy memory", "copy bytes"];
    /// let counts = Counts::of(Analyzer::new(&options), &texts).unwrap();
    /// let list = Bm25Index::new(&counts, &options).search("copy bytes", 1).unwrap();
    /// // The first and the last are the same text, and are not cut apart.
    /// assert_eq!(list.iter().map(|scored| scored.document).collect::<Vec<_>>(), [0, 3]);
    /// ```
    pub fn new(counts: &'a Counts, options: &Bm25) -> Self {
        let formula = Formula::new(options, counts.documents(), counts.mean_length());
        let bounds = counts
            .shards()
            .par_iter()
            .map(|shard| Bounds::of(shard, &formula, counts.lengths()))
            .collect();
        Bm25Index {
            counts,
            formula,
            bounds,
        }
    }

    /// The best `depth` documents for a query and those that score the same as the last of them; best first, equal
    /// scores by their place in the corpus. A document without a term of the query is not among them.
    ///
    /// # Errors
    /// As [`Analyzer::terms`](crate::Analyzer::terms).
    pub fn search(&self, query: &str, depth: usize) -> Result<Vec<Scored>, AnalyzerError> {
        self.search_on(&mut Desk::new(), 0, query, depth)
    }

    /// The lists of many queries, in their order, on all threads: as [`search`](Bm25Index::search) has each.
    ///
    /// # Errors
    /// As [`search`](Bm25Index::search).
    pub fn search_all<T: AsRef<str> + Sync>(
        &self,
        queries: &[T],
        depth: usize,
    ) -> Result<Vec<Vec<Scored>>, AnalyzerError> {
        queries
            .par_iter()
            .enumerate()
            .map_init(Desk::new, |desk, (place, query)| {
                self.search_on(desk, place, query.as_ref(), depth)
            })
            .collect()
    }

    fn search_on(
        &self,
        desk: &mut Desk,
        place: usize,
        query: &str,
        depth: usize,
    ) -> Result<Vec<Scored>, AnalyzerError> {
        let asked = self.asked(place, query)?;
        let mut best = Best::new(depth.clamp(1, self.counts.documents().max(1)));
        for (shard, bounds) in self.counts.shards().iter().zip(&self.bounds) {
            self.search_shard(desk, &asked, shard, bounds, &mut best);
        }
        Ok(best.sorted())
    }

    fn asked(&self, place: usize, query: &str) -> Result<Asked, AnalyzerError> {
        let mut times: BTreeMap<String, u32> = BTreeMap::new();
        self.counts
            .analyzer()
            .each(place, query, &mut String::new(), |term| {
                if let Some(times) = times.get_mut(term) {
                    *times += 1;
                } else {
                    times.insert(term.to_owned(), 1);
                }
            })?;
        let mut asked = Asked {
            terms: Vec::with_capacity(times.len()),
            base: 0.0,
        };
        for (term, times) in times {
            let Some(number) = self.counts.number(&term) else {
                continue;
            };
            let idf = self.formula.idf(self.counts.frequency_of(number));
            let times = f64::from(times);
            asked.base += idf * self.formula.base() * times;
            let step = idf * times * self.formula.most() / 255.0;
            if step > 0.0 {
                asked.terms.push(Term {
                    number,
                    idf,
                    times,
                    step: above(step),
                });
            }
        }
        Ok(asked)
    }

    fn search_shard(
        &self,
        desk: &mut Desk,
        asked: &Asked,
        shard: &Shard,
        bounds: &Bounds,
        best: &mut Best,
    ) {
        let places: Vec<Option<Place>> = asked
            .terms
            .iter()
            .map(|term| shard.place(term.number))
            .collect();
        let mut lists: Vec<List> = places
            .iter()
            .zip(&asked.terms)
            .filter_map(|(place, term)| {
                let place = (*place)?;
                Some(List {
                    place,
                    step: term.step,
                    most: f32::from(bounds.most(place)) * term.step,
                })
            })
            .collect();
        if lists.is_empty() {
            return;
        }
        lists.sort_by(|a, b| a.most.total_cmp(&b.most));
        // What the lists up to each can add together.
        let together: Vec<f32> = lists
            .iter()
            .scan(0.0, |sum, list| {
                *sum += list.most;
                Some(*sum)
            })
            .collect();
        // A sum of n numbers above zero, in 32 bits and any order, is wrong by a factor of 1 ± n · 2^-24.
        let rounding = 1.0 + (lists.len() + 4) as f64 * 1.2e-7;
        let least = best
            .least()
            .map(|least| below((least - asked.base - least.abs() * 1e-12) / rounding));
        let reaches = |sum: f32| least.is_none_or(|least| sum >= least);
        if !together.last().copied().is_some_and(reaches) {
            return;
        }
        // Walking is cheap beside looking at every sum afterwards, so lists are left out only where that saves both.
        let n_left_out = match together.partition_point(|&sum| !reaches(sum)) {
            n if Extent::of(shard, &lists[n..]) == Extent::Lists => n,
            _ => 0,
        };
        let (left_out, walked) = lists.split_at(n_left_out);
        let rest = if n_left_out == 0 {
            0.0
        } else {
            together[n_left_out - 1]
        };
        let extent = desk.walk(shard, bounds, walked);
        if let Some(least) = least {
            desk.choose(extent, shard.len, least - rest);
        } else {
            // Nothing is left out yet: the threshold is what the last of the list has at least. The step of each list
            // is how far its bounds are above what they bound.
            let steps: f32 = walked.iter().map(|list| list.step).sum();
            desk.choose_first(shard.len, best.depth(), |last| {
                below((f64::from(last) / rounding - f64::from(steps)) / rounding / rounding)
            });
        }
        let mut extent = extent;
        for (i, list) in left_out.iter().enumerate().rev() {
            let rest = if i == 0 { 0.0 } else { together[i - 1] };
            let least = least.unwrap_or(0.0);
            if desk.candidates.len() * list.searching() < list.len(shard) {
                for &document in &desk.candidates {
                    desk.sums[usize::from(document)] +=
                        f32::from(bounds.at(shard, list.place, document)) * list.step;
                }
            } else {
                extent = Extent::Shard;
                list.add(shard, bounds, &mut desk.sums[..shard.len]);
            }
            let Desk {
                candidates, sums, ..
            } = desk;
            candidates.retain(|&document| sums[usize::from(document)] + rest >= least);
        }
        desk.clear(extent, shard, walked);
        for &document in &desk.candidates {
            let place = shard.first + usize::from(document);
            let norm = self.formula.norm(self.counts.lengths()[place]);
            let mut score = 0.0;
            for (term, at) in asked.terms.iter().zip(&places) {
                let tf = at.map_or(0, |at| shard.count(at, document));
                if tf > 0 {
                    score += term.idf * self.formula.gain(tf, norm) * term.times;
                }
            }
            best.offer(Scored {
                document: place,
                score: score + asked.base,
            });
        }
    }
}

impl Bounds {
    fn of(shard: &Shard, formula: &Formula, lengths: &[u32]) -> Self {
        let norms: Vec<f64> = lengths[shard.first..shard.first + shard.len]
            .iter()
            .map(|&length| formula.norm(length))
            .collect();
        let steps = 255.0 / formula.most();
        let bound = |count: u32, norm: f64| {
            // The small addend is for what the formula may round down.
            let bound = (formula.gain(count, norm) * steps + 1e-9).ceil();
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a whole number from 0 to 255"
            )]
            let bound = bound.clamp(0.0, 255.0) as u8;
            bound
        };
        let mut dense = Vec::with_capacity(shard.dense_terms() * shard.len);
        for term in 0..shard.dense_terms() {
            let counts = shard.dense_counts(term).zip(&norms);
            dense.extend(
                counts.map(|(count, &norm)| if count == 0 { 0 } else { bound(count, norm) }),
            );
        }
        let mut sparse = Vec::with_capacity(shard.documents().len());
        for term in 0..shard.sparse_terms() {
            let counts = shard.sparse_counts(term);
            sparse
                .extend(counts.map(|(document, count)| bound(count, norms[usize::from(document)])));
        }
        let most = |bounds: &[u8]| bounds.iter().copied().max().unwrap_or(0);
        Bounds {
            most_dense: (0..shard.dense_terms())
                .map(|term| most(&dense[shard.dense_range(term)]))
                .collect(),
            most_sparse: (0..shard.sparse_terms())
                .map(|term| most(&sparse[shard.range(term)]))
                .collect(),
            dense,
            sparse,
        }
    }

    fn most(&self, place: Place) -> u8 {
        match place {
            Place::Dense(term) => self.most_dense[term],
            Place::Sparse(term) => self.most_sparse[term],
        }
    }

    /// The bound of a term in a document; 0 if it has not the term.
    fn at(&self, shard: &Shard, place: Place, document: u16) -> u8 {
        match place {
            Place::Dense(term) => self.dense[term * shard.len + usize::from(document)],
            Place::Sparse(term) => {
                let range = shard.range(term);
                let found = shard.documents()[range.clone()].binary_search(&document);
                found.map_or(0, |at| self.sparse[range.start + at])
            }
        }
    }
}

impl Desk {
    fn new() -> Self {
        Desk {
            sums: vec![0.0; SHARD],
            maxima: Vec::new(),
            candidates: Vec::new(),
            chosen: Vec::new(),
        }
    }

    /// Sums the bounds of some lists. Where few documents have any, they are the candidates.
    fn walk(&mut self, shard: &Shard, bounds: &Bounds, lists: &[List]) -> Extent {
        self.candidates.clear();
        let extent = Extent::of(shard, lists);
        if extent == Extent::Shard {
            for list in lists {
                list.add(shard, bounds, &mut self.sums[..shard.len]);
            }
            return extent;
        }
        for list in lists {
            let Place::Sparse(term) = list.place else {
                continue;
            };
            let range = shard.range(term);
            let pairs = shard.documents()[range.clone()].iter();
            for (&document, &bound) in pairs.zip(&bounds.sparse[range]) {
                let sum = &mut self.sums[usize::from(document)];
                if *sum == 0.0 {
                    self.candidates.push(document);
                }
                *sum += f32::from(bound) * list.step;
            }
        }
        extent
    }

    /// Leaves as candidates what has a sum that is above zero and reaches a threshold.
    fn choose(&mut self, extent: Extent, len: usize, least: f32) {
        let Desk {
            sums,
            maxima,
            candidates,
            ..
        } = self;
        let least = least.max(f32::MIN_POSITIVE);
        match extent {
            Extent::Lists => candidates.retain(|&document| sums[usize::from(document)] >= least),
            Extent::Shard => {
                sums::maxima(&sums[..len], maxima);
                sums::reaching(&sums[..len], maxima, least, candidates);
            }
        }
    }

    /// Leaves as candidates what may be among the best `depth` of the shard, where `threshold` tells from a sum that
    /// `depth` documents reach what all must reach.
    fn choose_first(&mut self, len: usize, depth: usize, threshold: impl Fn(f32) -> f32) {
        let Desk {
            sums,
            maxima,
            candidates,
            chosen,
        } = self;
        let descending = |a: &f32, b: &f32| b.total_cmp(a);
        sums::maxima(&sums[..len], maxima);
        candidates.clear();
        // As many blocks have a document with such a sum, so as many documents have.
        let mut least = 0.0;
        if depth <= maxima.len() {
            chosen.clone_from(maxima);
            let (_, &mut last, _) = chosen.select_nth_unstable_by(depth - 1, descending);
            least = threshold(last);
        }
        sums::reaching(
            &sums[..len],
            maxima,
            least.max(f32::MIN_POSITIVE),
            candidates,
        );
        if depth <= candidates.len() {
            chosen.clear();
            chosen.extend(
                candidates
                    .iter()
                    .map(|&document| sums[usize::from(document)]),
            );
            let (_, &mut last, _) = chosen.select_nth_unstable_by(depth - 1, descending);
            let least = threshold(last);
            candidates.retain(|&document| sums[usize::from(document)] >= least);
        }
    }

    /// Makes all sums zero again.
    fn clear(&mut self, extent: Extent, shard: &Shard, walked: &[List]) {
        match extent {
            Extent::Shard => self.sums[..shard.len].fill(0.0),
            Extent::Lists => {
                for list in walked {
                    let Place::Sparse(term) = list.place else {
                        continue;
                    };
                    for &document in &shard.documents()[shard.range(term)] {
                        self.sums[usize::from(document)] = 0.0;
                    }
                }
            }
        }
    }
}

/// Which sums are not zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Extent {
    /// Those of documents in the lists that were walked through.
    Lists,
    /// Any.
    Shard,
}

impl Extent {
    /// Which sums it pays to look at after walking through some lists.
    fn of(shard: &Shard, lists: &[List]) -> Self {
        let is_dense = |list: &List| matches!(list.place, Place::Dense(_));
        let n_walked: usize = lists.iter().map(|list| list.len(shard)).sum();
        if lists.iter().any(is_dense) || n_walked * 8 > shard.len {
            Extent::Shard
        } else {
            Extent::Lists
        }
    }
}

impl List {
    /// What walking through the list costs: about as many steps as it has documents, and an eighth of that for one
    /// that needs no searching, because the processor takes several at once.
    fn len(&self, shard: &Shard) -> usize {
        match self.place {
            Place::Dense(_) => shard.len / 8,
            Place::Sparse(term) => shard.range(term).len(),
        }
    }

    /// What looking up one document costs, in the same steps.
    fn searching(&self) -> usize {
        match self.place {
            Place::Dense(_) => 3,
            Place::Sparse(_) => 24,
        }
    }

    /// Adds the bounds of all its documents.
    fn add(&self, shard: &Shard, bounds: &Bounds, sums: &mut [f32]) {
        match self.place {
            Place::Dense(term) => {
                sums::add(sums, &bounds.dense[shard.dense_range(term)], self.step);
            }
            Place::Sparse(term) => {
                let range = shard.range(term);
                let pairs = shard.documents()[range.clone()].iter();
                for (&document, &bound) in pairs.zip(&bounds.sparse[range]) {
                    sums[usize::from(document)] += f32::from(bound) * self.step;
                }
            }
        }
    }
}

/// A number in 32 bits that is not below this one.
fn above(number: f64) -> f32 {
    #[expect(clippy::cast_possible_truncation, reason = "rounded up afterwards")]
    let near = number as f32;
    if f64::from(near) < number {
        near.next_up()
    } else {
        near
    }
}

/// A number in 32 bits that is not above this one.
fn below(number: f64) -> f32 {
    -above(-number)
}

#[cfg(test)]
mod tests {
    use barecode_models::Form;
    use proptest::prelude::*;

    use super::*;
    use crate::analyzer::Analyzer;
    use crate::top::by_score_then_place;

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
                        .place(number)
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
            ..Bm25::default()
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
        let counts = Counts::of(Analyzer::new(&Bm25::default()), &texts).unwrap();
        assert!(counts.shards().iter().all(|shard| shard.dense_terms() > 0));
        for form in Form::ALL {
            let options = Bm25 {
                form,
                ..Bm25::default()
            };
            let index = Bm25Index::new(&counts, &options);
            let queries = [
                texts[5].as_str(),
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
