//! Counts to bounds: the most that each count adds, in a byte.
//!
//! Enters: the counts of a shard and a form of BM25. Leaves: a byte for each count: the gain, in steps of 1/255 of
//! the most that any count can, rounded up.
//!
//! Terms that more than one of 32 documents has get a [`Row`](crate::sums::Row): a byte for every document of the
//! shard, 0 if a document lacks the term. That needs more memory than a list, and a search adds a row to all sums in
//! a tenth of the time that it needs to walk through the list. The other terms have lists, as in the counts.
//!
//! The one hard thing is to get counts back without looking for them: with the length of a document, a bound mostly
//! identifies the count that it was made of ([`Scale::count`]).

use crate::bm25::Formula;
use crate::counts::{Postings, SHARD, Shard};
use crate::pages::Pages;
use crate::sums::{self, BLOCK, Pairs};

/// The bounds of a shard.
pub(crate) struct Bounds {
    /// `n_blocks` blocks for each term with a row: dense ones, then common ones.
    rows: Pages,
    n_blocks: usize,
    n_dense: usize,
    /// Sparse terms with a row, in order.
    common: Vec<u32>,
    /// Number of documents that the common terms before each have together, and all of them.
    before: Vec<usize>,
    /// Those of the other terms, in the order of the counts.
    lists: Vec<u8>,
    /// The greatest bound of each row, and of each sparse term without one.
    most_of_rows: Vec<u8>,
    most_of_lists: Vec<u8>,
}

/// The bounds of a term in a shard.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Bounded<'a> {
    /// One for every document.
    Row {
        /// As [`sums::Row`] has them.
        blocks: &'a [Pairs],
        /// The greatest.
        most: u8,
    },
    /// One for every document that has the term.
    List {
        /// Their indexes in the shard.
        documents: &'a [u16],
        /// The same number as `documents`.
        bounds: &'a [u8],
        /// The greatest.
        most: u8,
    },
}

/// The conversion of gains to bounds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scale {
    formula: Formula,
    /// The number of steps in a gain of 1.
    steps: f64,
}

impl Bounds {
    pub(crate) fn of(shard: &Shard, scale: Scale, lengths: &[u32]) -> Self {
        let norms: Vec<f64> = lengths[shard.first..shard.first + shard.len]
            .iter()
            .map(|&length| scale.formula.norm(length))
            .collect();
        let n_blocks = shard.len.div_ceil(BLOCK);
        let mut bounds = Bounds {
            rows: Pages::new(0),
            n_blocks,
            n_dense: shard.dense_terms(),
            common: Vec::new(),
            before: vec![0],
            lists: Vec::new(),
            most_of_rows: Vec::new(),
            most_of_lists: Vec::with_capacity(shard.sparse_terms()),
        };
        let mut n_common = 0;
        for (term, number) in (0..shard.sparse_terms()).zip(0_u32..) {
            let len = shard.range(term).len();
            if is_common(len, shard) {
                n_common += len;
                bounds.common.push(number);
                bounds.before.push(n_common);
            }
        }
        let n_rows = bounds.n_dense + bounds.common.len();
        bounds.rows = Pages::new(n_rows * n_blocks * BLOCK);
        bounds.most_of_rows = vec![0; n_rows];
        bounds
            .lists
            .reserve_exact(shard.documents().len() - n_common);
        for term in 0..bounds.n_dense {
            let counts = (0_u16..).zip(shard.dense_counts(term));
            bounds.fill_row(term, counts.filter(|&(_, count)| count > 0), scale, &norms);
        }
        let mut row = bounds.n_dense;
        for term in 0..shard.sparse_terms() {
            let counts = shard.sparse_counts(term);
            if is_common(shard.range(term).len(), shard) {
                bounds.fill_row(row, counts, scale, &norms);
                bounds.most_of_lists.push(0);
                row += 1;
            } else {
                let start = bounds.lists.len();
                bounds.lists.extend(
                    counts
                        .map(|(document, count)| scale.bound(count, norms[usize::from(document)])),
                );
                let most = bounds.lists[start..].iter().copied().max();
                bounds.most_of_lists.push(most.unwrap_or(0));
            }
        }
        bounds
    }

    fn fill_row(
        &mut self,
        row: usize,
        counts: impl Iterator<Item = (u16, u32)>,
        scale: Scale,
        norms: &[f64],
    ) {
        let (blocks, _) = self.rows.as_chunks_mut();
        let blocks = &mut blocks[row * self.n_blocks..(row + 1) * self.n_blocks];
        for (document, count) in counts {
            let document = usize::from(document);
            let bound = scale.bound(count, norms[document]);
            sums::set(blocks, document, bound);
            self.most_of_rows[row] = self.most_of_rows[row].max(bound);
        }
    }

    /// The bounds of a term that the shard has at `postings`.
    pub(crate) fn at<'a>(&'a self, shard: &'a Shard, postings: Postings) -> Bounded<'a> {
        let row = match postings {
            Postings::Dense(term) => term,
            Postings::Sparse(term) => {
                let range = shard.range(term);
                let before = self
                    .common
                    .partition_point(|&common| (common as usize) < term);
                if !is_common(range.len(), shard) {
                    let start = range.start - self.before[before];
                    return Bounded::List {
                        bounds: &self.lists[start..start + range.len()],
                        documents: &shard.documents()[range],
                        most: self.most_of_lists[term],
                    };
                }
                self.n_dense + before
            }
        };
        Bounded::Row {
            blocks: &self.rows.as_chunks().0[row * self.n_blocks..(row + 1) * self.n_blocks],
            most: self.most_of_rows[row],
        }
    }
}

/// Returns `true` if a sparse term of this many documents has a row.
fn is_common(n_documents: usize, shard: &Shard) -> bool {
    n_documents * 32 > shard.len.max(SHARD / 4)
}

impl Scale {
    pub(crate) fn new(formula: Formula) -> Self {
        Scale {
            formula,
            steps: 255.0 / formula.most(),
        }
    }

    /// The bound of a count above 0, itself above 0 but where no count gains anything.
    pub(crate) fn bound(self, count: u32, norm: f64) -> u8 {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a whole number from 0 to 255"
        )]
        let bound = self.height(count, norm).ceil().clamp(0.0, 255.0) as u8;
        bound
    }

    /// The count that has this bound in a document of this norm, where it is small and no other could have it.
    pub(crate) fn count(self, bound: u8, norm: f64) -> Option<u32> {
        /// More than any error of rounding.
        const APART: f64 = 1e-6;
        let bound = f64::from(bound);
        let reaches = |count: u32| self.height(count, norm) > bound - 1.0;
        let count = if reaches(1) {
            1
        } else {
            let (mut short, mut far) = (1, 2);
            while !reaches(far) {
                (short, far) = (far, 2 * far);
                if far > 64 {
                    return None;
                }
            }
            while far - short > 1 {
                let middle = short.midpoint(far);
                if reaches(middle) {
                    far = middle;
                } else {
                    short = middle;
                }
            }
            far
        };
        let is_first = count == 1 || self.height(count - 1, norm) < bound - 1.0 - APART;
        let is_alone = is_first
            && self.height(count, norm) <= bound
            && self.height(count + 1, norm) > bound + APART;
        is_alone.then_some(count)
    }

    /// A gain in steps; the small addend covers what the formula may round down.
    fn height(self, count: u32, norm: f64) -> f64 {
        self.formula.gain(count, norm) * self.steps + 1e-9
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::analyzer::Analyzer;
    use crate::counts::Counts;
    use crate::options::{Bm25, Form};

    fn formula(form: Form, k1: f64, b: f64) -> Formula {
        let options = Bm25 {
            form,
            k1,
            b,
            ..Bm25::PLAIN
        };
        Formula::new(&options, 1000, 50.0)
    }

    #[test]
    fn small_counts_of_usual_documents_are_read_back() {
        let formula = formula(Form::Lucene, 1.5, 0.75);
        let scale = Scale::new(formula);
        for count in 1..9 {
            for length in 20..100 {
                let norm = formula.norm(length);
                assert_eq!(scale.count(scale.bound(count, norm), norm), Some(count));
            }
        }
    }

    #[test]
    fn every_count_has_its_bound_in_a_row_or_a_list() {
        // `often` is dense, `some` common, `rare` neither; the last document is beyond whole blocks.
        let n = SHARD / 4 + 100;
        let text = |i: usize| {
            let often = if i % 3 == 1 { "often often" } else { "" };
            let some = if i.is_multiple_of(9) { "some" } else { "" };
            let rare = if i.is_multiple_of(997) { "rare" } else { "" };
            format!("{often} {some} {rare} own{i}")
        };
        let texts: Vec<String> = (0..n).map(text).collect();
        let counts = Counts::of(Analyzer::new(&Bm25::PLAIN), &texts).unwrap();
        let formula = Formula::new(&Bm25::PLAIN, n, counts.mean_length());
        let scale = Scale::new(formula);
        let shard = &counts.shards()[0];
        let bounds = Bounds::of(shard, scale, counts.lengths());
        assert_eq!((bounds.n_dense, bounds.common.len()), (1, 1));
        for (term, has_row) in [
            ("often", true),
            ("some", true),
            ("rare", false),
            ("own5", false),
        ] {
            let postings = shard.postings(counts.number(term).unwrap()).unwrap();
            let mut greatest = 0;
            for document in 0..u16::try_from(n).unwrap() {
                let wanted = match shard.count(postings, document) {
                    0 => 0,
                    count => {
                        scale.bound(count, formula.norm(counts.lengths()[usize::from(document)]))
                    }
                };
                greatest = greatest.max(wanted);
                let found = match bounds.at(shard, postings) {
                    Bounded::Row { blocks, .. } => sums::get(blocks, usize::from(document)),
                    Bounded::List {
                        documents, bounds, ..
                    } => documents
                        .binary_search(&document)
                        .map_or(0, |at| bounds[at]),
                };
                assert_eq!(found, wanted, "{term} {document}");
            }
            let (Bounded::Row { most, .. } | Bounded::List { most, .. }) =
                bounds.at(shard, postings);
            assert_eq!(most, greatest);
            assert_eq!(
                matches!(bounds.at(shard, postings), Bounded::Row { .. }),
                has_row
            );
        }
    }

    proptest! {
        #[test]
        fn a_count_is_read_back_right_or_not_at_all(
            form in prop::sample::select(Form::ALL.to_vec()),
            k1 in 0.0..5.0_f64,
            b in 0.0..=1.0_f64,
            length in 1_u32..10_000,
            count in 1_u32..300,
        ) {
            let formula = formula(form, k1, b);
            let norm = formula.norm(length);
            let scale = Scale::new(formula);
            let bound = scale.bound(count, norm);
            prop_assert!(f64::from(bound) >= formula.gain(count, norm) * scale.steps);
            if let Some(found) = scale.count(bound, norm) {
                prop_assert_eq!(found, count);
            }
        }
    }
}
