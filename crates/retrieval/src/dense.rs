//! Vectors of documents and queries to ranked lists, exactly.
//!
//! In come vectors as they are stored, out comes for each query the best of the corpus, equal scores kept together.
//! No list of neighbors is approximate: every document is scored.
//!
//! The one hard thing is that fast products are not exact. They are made for blocks of documents and queries in 32
//! bits, and how they round depends on the machine, the block and the thread. So they only choose candidates: all
//! documents whose fast score is not below the last of the best by more than twice the error of rounding
//! ([`product::error_of_fast`]). Candidates are scored again in 64 bits in a fixed order, and these scores make the
//! list. It is the list that sorting all exact scores gives, on any number of threads.
//!
//! Where a search waits for memory, it chooses from a [`Coarse`] copy in eight bits: a quarter of the bytes, and a
//! bound of the error for each document. The copy is made once it pays ([`PATIENCE`]).
//!
//! | similarity | score |
//! | --- | --- |
//! | [`Cosine`](Similarity::Cosine) | q · d / (‖q‖ ‖d‖), and 0 where one of them is all zeros |
//! | [`Dot`](Similarity::Dot) | q · d |
//! | [`Euclid`](Similarity::Euclid) | −‖q − d‖ |
//!
//! Queries are in 32 bits. Against documents in 8 bits or signs they are stored the same way first, and the products
//! are those of the whole numbers; against 16 bits they stay as they are.

mod candidates;
mod exact;
mod fast;

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use barecode_records::VectorSimilarity as Similarity;
use rayon::prelude::*;

use crate::coarse::{Coarse, CoarseQuery};
use crate::product::{self, in_32_bits};
use crate::top::{Best, Scored};
use crate::vectors::{Data, Precision, Vectors, VectorsError};
use candidates::{Found, Near};
use exact::Pair;
use fast::{Buffers, Tile};

/// Vectors of documents made ready for one similarity.
pub struct DenseIndex<'a> {
    documents: &'a Vectors,
    similarity: Similarity,
    coarse: OnceLock<Coarse>,
    /// Searches of few queries so far, for which a copy would have been faster.
    few: AtomicUsize,
    /// The length of each vector, in the numbers that are stored.
    lengths: Vec<f64>,
    /// A fast score is the product of the stored numbers times this …
    scales: Vec<f32>,
    /// … minus this.
    shifts: Vec<f32>,
    /// The greatest of `lengths`, of `scales`, of the products of both, and of `shifts`.
    most: Most,
}

#[derive(Debug, Clone, Copy, Default)]
struct Most {
    length: f64,
    scale: f64,
    scaled: f64,
    shift: f64,
}

/// Documents of a block.
const ROWS: usize = 1024;

/// Queries that are searched together.
const TILE: usize = 1024;

/// Up to this many queries, a copy in eight bits is faster than a matrix.
const FEW_COARSE: usize = 16;

/// From this many documents on, their vectors do not stay near the processor.
const MANY: usize = 16 * ROWS;

/// The number of searches of few queries that are made before a copy in eight bits is.
///
/// A search of few queries waits for memory, and with a copy it reads a quarter: 3.2 to 5.1 times the speed of faiss
/// instead of 0.9 to 1.3 (500,000 × 768, one query; `benches/dense.rs`). Making the copy reads everything once and
/// rounds it, which takes about as long as a few plain searches. An index that is searched once, as in an evaluation,
/// where all queries come together, is faster without it; one that is searched again and again is faster with it. A
/// search that waits until the time of a copy is spent is never slower than twice the better of the two.
const PATIENCE: usize = 4;

/// From here on 32 bits might overflow.
const HUGE: f64 = 1e36;

impl<'a> DenseIndex<'a> {
    /// Prepares documents for one similarity.
    ///
    /// ```
    /// use barecode_retrieval::{DenseIndex, Precision, Similarity, Vectors};
    /// let documents = Vectors::new(2, vec![1.0, 0.0, 0.0, 2.0, 3.0, 0.0]).unwrap();
    /// let queries = Vectors::new(2, vec![2.0, 0.0]).unwrap();
    /// let index = DenseIndex::new(&documents, Similarity::Cosine);
    /// let list = &index.search_all(&queries, 1).unwrap()[0];
    /// // Documents 0 and 2 point the same way, and are not cut apart.
    /// assert_eq!(list.iter().map(|scored| (scored.document, scored.score)).collect::<Vec<_>>(), [(0, 1.0), (2, 1.0)]);
    /// ```
    pub fn new(documents: &'a Vectors, similarity: Similarity) -> Self {
        let lengths: Vec<f64> = (0..documents.len())
            .into_par_iter()
            .map_init(Vec::new, |row, document| {
                exact::length(documents, document, row)
            })
            .collect();
        let step = |document: usize| match documents.data() {
            Data::Int8 { steps, .. } => f64::from(steps[document]),
            Data::F32(_) | Data::F16(_) | Data::Binary(_) => 1.0,
        };
        let mut most = Most::default();
        let (mut scales, mut shifts) = (Vec::new(), Vec::new());
        for (document, &length) in lengths.iter().enumerate() {
            let (scale, shift) = match similarity {
                Similarity::Cosine if length == 0.0 => (0.0, 0.0),
                Similarity::Cosine => (1.0 / length, 0.0),
                Similarity::Dot => (step(document), 0.0),
                Similarity::Euclid => {
                    let step = step(document);
                    (step, (length * step).powi(2) / 2.0)
                }
            };
            most.length = most.length.max(length);
            most.scale = most.scale.max(scale);
            most.scaled = most.scaled.max(length * scale);
            most.shift = most.shift.max(shift);
            scales.push(in_32_bits(scale));
            shifts.push(in_32_bits(shift));
        }
        DenseIndex {
            documents,
            similarity,
            coarse: OnceLock::new(),
            few: AtomicUsize::new(0),
            lengths,
            scales,
            shifts,
            most,
        }
    }

    /// Makes a copy of the vectors in eight bits from the start, which searches of few queries use first. Without
    /// this call it is made once it pays (after a few searches of few queries over many documents). Lists stay the
    /// same.
    ///
    /// The copy needs [`coarse_bytes`](DenseIndex::coarse_bytes) of memory, a quarter of vectors in 32 bits and half
    /// of those in 16. Making it takes as much time as reading all of them once. Searching then waits for the copy,
    /// and of the vectors reads only those that it cannot rule out. Vectors in 8 bits and signs have no copy: they
    /// are as small.
    ///
    /// ```
    /// use barecode_retrieval::{DenseIndex, Similarity, Vectors};
    /// let documents = Vectors::new(2, vec![1.0, 0.0, 0.6, 0.8, 0.0, 1.0]).unwrap();
    /// let queries = Vectors::new(2, vec![0.8, 0.6]).unwrap();
    /// let plain = DenseIndex::new(&documents, Similarity::Dot);
    /// let coarse = DenseIndex::new(&documents, Similarity::Dot).with_coarse_copy();
    /// assert_eq!(plain.search_all(&queries, 2).unwrap(), coarse.search_all(&queries, 2).unwrap());
    /// // A byte a number, and two numbers of 32 bits for each of the three.
    /// assert_eq!(coarse.coarse_bytes(), 3 * (2 + 8));
    /// ```
    #[must_use]
    pub fn with_coarse_copy(self) -> Self {
        self.copy();
        self
    }

    /// Makes the copy, if vectors of this kind have one. Two threads may both make it; the copies are the same.
    fn copy(&self) {
        let scale = |document: usize| f64::from(self.scales[document]);
        let made = Coarse::new(self.documents, scale);
        if let Some(made) = made {
            let _ = self.coarse.set(made);
        }
    }

    /// The copy, if it is faster for this search; made at the latest now, if it pays.
    fn coarse_for(&self, queries: usize, depth: usize) -> Option<&Coarse> {
        let documents = self.documents.len();
        let is_many = documents >= MANY;
        // A list of nearly everything rules out nothing.
        if queries > FEW_COARSE || (is_many && depth > documents / 2) {
            return None;
        }
        if self.coarse.get().is_none()
            && is_many
            && self.few.fetch_add(1, Ordering::Relaxed) >= PATIENCE
        {
            self.copy();
        }
        self.coarse.get()
    }

    /// Bytes of memory of the copy in eight bits; 0 without one.
    pub fn coarse_bytes(&self) -> usize {
        self.coarse.get().map_or(0, Coarse::bytes)
    }

    /// For each query, in their order, the best `depth` documents and those that score the same as the last of them;
    /// best first, equal scores by their index in the corpus. Every document has a score, so a list is shorter than
    /// `depth` only where the corpus is.
    ///
    /// # Errors
    /// [`VectorsError::Dimensions`] where queries are longer or shorter than documents, [`VectorsError::Unsuited`]
    /// where queries are not in 32 bits.
    pub fn search_all(
        &self,
        queries: &Vectors,
        depth: usize,
    ) -> Result<Vec<Vec<Scored>>, VectorsError> {
        if queries.dimensions() != self.documents.dimensions() {
            return Err(VectorsError::Dimensions {
                queries: queries.dimensions(),
                documents: self.documents.dimensions(),
            });
        }
        let depth = depth.clamp(1, self.documents.len().max(1));
        let coarse = self.coarse_for(queries.len(), depth);
        let as_stored = match self.documents.precision() {
            precision @ (Precision::Int8 | Precision::Binary) => Some(queries.stored(precision)?),
            Precision::F32 | Precision::F16 => None,
        };
        let stored = as_stored.as_ref().unwrap_or(queries);
        let asked = self.asked(queries, stored, coarse)?;
        let lists = asked
            .chunks(TILE)
            .flat_map(|tile| self.search_tile(stored, tile, coarse, depth));
        Ok(lists.collect())
    }

    /// The data of each query; `stored` are the queries as the documents are stored.
    fn asked(
        &self,
        queries: &Vectors,
        stored: &Vectors,
        coarse: Option<&Coarse>,
    ) -> Result<Vec<Asked>, VectorsError> {
        let Data::F32(values) = queries.data() else {
            return Err(VectorsError::Unsuited {
                dimensions: queries.dimensions(),
                precision: queries.precision(),
                wanted: "asked; queries are in 32 bits".to_owned(),
            });
        };
        let dimensions = queries.dimensions();
        let asked = |(place, row): (usize, &[f32])| {
            let fast = match stored.data() {
                Data::Int8 { rows, steps } => {
                    let value = |&value: &i8| f32::from(value) * steps[place];
                    rows[stored.numbers(place)].iter().map(value).collect()
                }
                Data::Binary(_) => Vec::new(),
                Data::F32(_) | Data::F16(_) => row.to_vec(),
            };
            let fast_length = product::exact(&fast, &fast).sqrt();
            let rounding = 8.0 * f64::from(f32::EPSILON);
            let error = match stored.precision() {
                // Whole numbers below 2^24 are exact in 32 bits.
                Precision::Binary => 0.0,
                Precision::F32 | Precision::F16 | Precision::Int8 => {
                    product::error_of_fast(dimensions, fast_length, self.most.scaled)
                        + rounding * (fast_length * self.most.scaled + self.most.shift)
                        // Products too small for 32 bits, before and after scaling.
                        + (dimensions + 8) as f64 * 1.5e-45 * (self.most.scale + 2.0)
                }
            };
            let shift = self.most.shift;
            let coarse = coarse.and_then(|coarse| coarse.query(row, shift));
            let is_huge = fast_length * self.most.length.max(self.most.scaled).max(1.0) > HUGE
                || self.most.length.max(self.most.shift) > HUGE
                || !in_32_bits(self.most.scale).is_finite();
            Asked {
                place,
                fast,
                length: exact::length(stored, place, &mut Vec::new()),
                error: if is_huge {
                    f32::INFINITY
                } else {
                    not_below(error)
                },
                coarse: coarse.filter(|_| !is_huge),
            }
        };
        let rows = values.chunks(dimensions).enumerate();
        Ok(rows.map(asked).collect())
    }

    fn search_tile(
        &self,
        stored: &Vectors,
        asked: &[Asked],
        coarse: Option<&Coarse>,
        depth: usize,
    ) -> Vec<Vec<Scored>> {
        let near: Vec<Near> = match coarse {
            Some(_) => {
                let of = |asked: &Asked| match &asked.coarse {
                    Some(coarse) => Near::new(depth, coarse.spread, coarse.rest),
                    None => Near::new(depth, 0.0, f32::INFINITY),
                };
                asked.iter().map(of).collect()
            }
            None => asked
                .iter()
                .map(|asked| Near::new(depth, 0.0, asked.error))
                .collect(),
        };
        let together: Vec<f32> = match coarse {
            Some(_) => Vec::new(),
            None => asked
                .iter()
                .flat_map(|asked| asked.fast.iter().copied())
                .collect(),
        };
        let tile = Tile {
            stored,
            first: asked.first().map_or(0, |asked| asked.place),
            len: asked.len(),
            numbers: &together,
        };
        (0..self.documents.len().div_ceil(ROWS))
            .into_par_iter()
            .for_each_init(Desk::default, |desk, block| {
                let first = block * ROWS;
                let rows = first..self.documents.len().min(first + ROWS);
                let shifts = &self.shifts[rows.clone()];
                if let Some(coarse) = coarse {
                    let factors = &coarse.factors()[rows.clone()];
                    let errors = &coarse.errors()[rows.clone()];
                    desk.products.resize(rows.len(), 0.0);
                    desk.steps.resize(rows.len(), 0);
                    for (near, asked) in near.iter().zip(asked) {
                        if let Some(query) = &asked.coarse {
                            let Desk {
                                products,
                                steps,
                                found,
                                ..
                            } = desk;
                            coarse.products(query, first, steps, products);
                            near.offer_all(found, first, products, factors, shifts, errors);
                        }
                    }
                } else {
                    let products = tile.products(self.documents, first, rows.len(), &mut desk.fast);
                    let scales = &self.scales[rows.clone()];
                    for (near, products) in near.iter().zip(products.chunks(rows.len())) {
                        let errors = &[0.0; ROWS][..rows.len()];
                        near.offer_all(&mut desk.found, first, products, scales, shifts, errors);
                    }
                }
            });
        near.into_par_iter()
            .zip(asked)
            .map(|(near, asked)| {
                let candidates = near.candidates(self.documents.len()).into_par_iter();
                let scored = candidates
                    .with_min_len(32)
                    .map_init(Vec::new, |row, document| {
                        let score = self.score(stored, asked, document, row);
                        Scored { document, score }
                    });
                let scored: Vec<Scored> = scored.collect();
                let mut best = Best::new(depth);
                for scored in scored {
                    best.offer(scored);
                }
                best.sorted()
            })
            .collect()
    }

    /// The exact score.
    fn score(&self, stored: &Vectors, asked: &Asked, document: usize, row: &mut Vec<f32>) -> f64 {
        let pair = Pair {
            documents: self.documents,
            document,
            document_length: self.lengths[document],
            queries: stored,
            query: asked.place,
            query_length: asked.length,
        };
        pair.score(self.similarity, row)
    }
}

/// The buffers of a thread while it searches.
#[derive(Default)]
struct Desk {
    fast: Buffers,
    /// Of a coarse copy.
    products: Vec<f32>,
    steps: Vec<i32>,
    found: Vec<Found>,
}

/// The data of a query.
struct Asked {
    /// Its index among the queries.
    place: usize,
    /// The numbers for fast products; none for signs.
    fast: Vec<f32>,
    /// The length of the vector, in the numbers that are stored.
    length: f64,
    /// The largest difference between a fast score and the true one; infinite where 32 bits are not enough.
    error: f32,
    /// The same for the coarse copy; `None` without a copy, or where 32 bits are not enough.
    coarse: Option<CoarseQuery>,
}

/// A number in 32 bits that is not below this one, which is not below 0.
fn not_below(number: f64) -> f32 {
    let near = in_32_bits(number);
    if f64::from(near) < number {
        near.next_up()
    } else {
        near
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::fast::FEW;
    use super::*;
    use crate::top::by_score_then_place;

    /// Sorts all exact scores, made from the definitions and not by the index.
    fn naive(
        documents: &[Vec<f32>],
        query: &[f32],
        similarity: Similarity,
        depth: usize,
    ) -> Vec<Scored> {
        let score = |row: &[f32]| match similarity {
            Similarity::Cosine => {
                let length = |a: &[f32]| product::exact(a, a).sqrt();
                let lengths = length(query) * length(row);
                if lengths == 0.0 {
                    0.0
                } else {
                    product::exact(query, row) / lengths
                }
            }
            Similarity::Dot => product::exact(query, row),
            Similarity::Euclid => -product::squared_distance(query, row).sqrt(),
        };
        let mut list: Vec<Scored> = documents
            .iter()
            .enumerate()
            .map(|(document, row)| Scored {
                document,
                score: score(row) + 0.0,
            })
            .collect();
        list.sort_by(by_score_then_place);
        if let Some(last) = list.get(depth - 1).copied() {
            list.retain(|scored| scored.score >= last.score);
        }
        list
    }

    fn number() -> impl Strategy<Value = f32> {
        // Few values, so that there are ties; and many, so that there are near ones.
        prop_oneof![
            3 => prop::sample::select(vec![0.0_f32, -1.0, 1.0, 0.5]),
            3 => -1.0..1.0_f32,
            1 => Just(1e-30_f32),
            1 => -1e4..1e4_f32,
        ]
    }

    fn matrix(most: usize, dimensions: usize) -> impl Strategy<Value = Vec<Vec<f32>>> {
        prop::collection::vec(
            prop_oneof![
                4 => prop::collection::vec(number(), dimensions),
                1 => Just(vec![0.0; dimensions]),
                1 => Just(vec![0.25; dimensions]),
            ],
            1..most,
        )
    }

    fn similarity() -> impl Strategy<Value = Similarity> {
        prop::sample::select(vec![
            Similarity::Cosine,
            Similarity::Dot,
            Similarity::Euclid,
        ])
    }

    fn vectors(rows: &[Vec<f32>]) -> Vectors {
        Vectors::new(rows[0].len(), rows.concat()).unwrap()
    }

    proptest! {
        #[test]
        fn the_list_is_that_of_sorting_everything(
            (documents, queries) in (1_usize..70).prop_flat_map(|dimensions| {
                (matrix(150, dimensions), matrix(8, dimensions))
            }),
            twins in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 0..20),
            similarity in similarity(),
            depth in 1_usize..40,
        ) {
            let mut documents = documents;
            for (from, to) in twins {
                let n = documents.len();
                documents[to.index(n)] = documents[from.index(n)].clone();
            }
            let stored = vectors(&documents);
            let index = DenseIndex::new(&stored, similarity);
            let lists = index.search_all(&vectors(&queries), depth).unwrap();
            let coarse = DenseIndex::new(&stored, similarity).with_coarse_copy();
            prop_assert_eq!(&lists, &coarse.search_all(&vectors(&queries), depth).unwrap());
            for (query, list) in queries.iter().zip(lists) {
                prop_assert_eq!(list, naive(&documents, query, similarity, depth));
            }
        }

        #[test]
        fn other_precisions_are_lists_of_what_they_store(
            documents in matrix(60, 9),
            queries in matrix(6, 9),
            similarity in similarity(),
            depth in 1_usize..20,
        ) {
            let (documents, queries) = (vectors(&documents), vectors(&queries));
            for precision in [Precision::F16, Precision::Int8, Precision::Binary] {
                let stored = documents.stored(precision).unwrap();
                let index = DenseIndex::new(&stored, similarity);
                let alike = (precision != Precision::F16).then(|| queries.stored(precision).unwrap());
                let alike = alike.as_ref().unwrap_or(&queries);
                let asked = index.asked(&queries, alike, None).unwrap();
                let lists = index.search_all(&queries, depth).unwrap();
                let coarse = DenseIndex::new(&stored, similarity).with_coarse_copy();
                prop_assert_eq!(coarse.coarse_bytes() > 0, precision == Precision::F16);
                prop_assert_eq!(&lists, &coarse.search_all(&queries, depth).unwrap());
                for (asked, list) in asked.iter().zip(lists) {
                    let mut all: Vec<Scored> = (0..documents.len())
                        .map(|document| Scored { document, score: index.score(alike, asked, document, &mut Vec::new()) })
                        .collect();
                    all.sort_by(by_score_then_place);
                    if let Some(last) = all.get(depth - 1).copied() {
                        all.retain(|scored| scored.score >= last.score);
                    }
                    prop_assert_eq!(list, all, "{:?}", precision);
                }
            }
        }
    }

    /// Numbers without a pattern.
    fn noise(seed: u64, n: usize) -> Vec<f32> {
        let mut state = seed;
        let mut next = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            f32::from(u16::try_from(state >> 48).unwrap()) / 32_768.0 - 1.0
        };
        (0..n).map(|_| next()).collect()
    }

    #[test]
    fn many_blocks_on_any_number_of_threads() {
        let (dimensions, n) = (96, 5 * ROWS + 77);
        let mut rows: Vec<Vec<f32>> = noise(1, n * dimensions)
            .chunks(dimensions)
            .map(<[f32]>::to_vec)
            .collect();
        // Twins far apart, and in the last block.
        for i in (0..n).step_by(5) {
            rows[n - 1 - i] = rows[i].clone();
        }
        let documents = vectors(&rows);
        for n_queries in [1, FEW, FEW + 1, 40] {
            let queries = Vectors::new(dimensions, noise(2, n_queries * dimensions)).unwrap();
            for similarity in [Similarity::Cosine, Similarity::Dot, Similarity::Euclid] {
                let index = DenseIndex::new(&documents, similarity);
                let coarse = DenseIndex::new(&documents, similarity).with_coarse_copy();
                let on = |index: &DenseIndex, threads: usize| {
                    let pool = rayon::ThreadPoolBuilder::new()
                        .num_threads(threads)
                        .build()
                        .unwrap();
                    pool.install(|| index.search_all(&queries, 25).unwrap())
                };
                let lists = on(&index, 1);
                assert_eq!(lists, on(&index, 4));
                assert_eq!(lists, on(&coarse, 3));
                let query = noise(2, dimensions);
                assert_eq!(lists[0], naive(&rows, &query, similarity, 25));
                // Half of the lists end between twins if they are cut anywhere.
                assert!(lists.iter().all(|list| list.len() >= 25));
            }
        }
    }

    #[test]
    fn numbers_too_large_for_fast_products_are_scored_exactly() {
        let rows = vec![
            vec![3e38, 3e38],
            vec![3e38, -3e38],
            vec![1e-45, 0.0],
            vec![0.0, 0.0],
        ];
        for similarity in [Similarity::Cosine, Similarity::Dot, Similarity::Euclid] {
            for query in [vec![2e38, 1e38], vec![1e-40, 0.0]] {
                let documents = vectors(&rows);
                let index = DenseIndex::new(&documents, similarity);
                let queries = Vectors::new(2, query.clone()).unwrap();
                let lists = index.search_all(&queries, 2).unwrap();
                let list = &lists[0];
                assert_eq!(
                    *list,
                    naive(&rows, &query, similarity, 2),
                    "{similarity:?} {query:?}"
                );
                let coarse = index.with_coarse_copy().search_all(&queries, 2).unwrap();
                assert_eq!(coarse[0], *list);
            }
        }
    }

    #[test]
    fn signs_and_steps_worked_by_hand() {
        let documents = Vectors::new(3, vec![1.0, -1.0, 0.5, -2.0, 0.25, 0.5]).unwrap();
        let queries = Vectors::new(3, vec![3.0, 3.0, -3.0]).unwrap();
        let scores = |precision, similarity| {
            let stored = documents.stored(precision).unwrap();
            let list = DenseIndex::new(&stored, similarity)
                .search_all(&queries, 2)
                .unwrap();
            list[0]
                .iter()
                .map(|scored| (scored.document, scored.score))
                .collect::<Vec<_>>()
        };
        // 101 and 011 against 110: each differs in two bits.
        assert_eq!(
            scores(Precision::Binary, Similarity::Dot),
            [(0, -1.0), (1, -1.0)]
        );
        let euclid = -2.0 * 2.0_f64.sqrt();
        assert_eq!(
            scores(Precision::Binary, Similarity::Euclid),
            [(0, euclid), (1, euclid)]
        );
        // Steps: 127, -127, 64 and -127, 16, 32 against 127, 127, -127.
        let step = |most: f32| f64::from(most / 127.0);
        let expected = [
            (0, step(1.0) * step(3.0) * f64::from(-64 * 127)),
            (1, step(2.0) * step(3.0) * f64::from(127 * (-127 + 16 - 32))),
        ];
        assert_eq!(scores(Precision::Int8, Similarity::Dot), expected);
    }

    #[test]
    fn queries_must_be_as_long_as_documents() {
        let documents = Vectors::new(3, vec![1.0; 3]).unwrap();
        let index = DenseIndex::new(&documents, Similarity::Dot);
        let error = index
            .search_all(&Vectors::new(2, vec![1.0; 2]).unwrap(), 1)
            .unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("a query has 2 dimensions and a document 3")
        );
        let none = Vectors::new(3, Vec::new()).unwrap();
        assert!(index.search_all(&none, 1).unwrap().is_empty());
        let empty = DenseIndex::new(&none, Similarity::Dot);
        let list = empty
            .search_all(&Vectors::new(3, vec![1.0; 3]).unwrap(), 5)
            .unwrap();
        assert_eq!(list, [vec![]]);
    }

    #[test]
    fn a_copy_is_made_when_it_pays_and_lists_stay_the_same() {
        let numbers = |seed: usize, n: usize| -> Vec<f32> {
            let number = |i: usize| ((i * 7919 + seed * 104_729) % 2003) as f32 / 1001.0 - 1.0;
            (0..n).map(number).collect()
        };
        let documents = Vectors::new(8, numbers(1, 8 * (MANY + 3))).unwrap();
        for similarity in [Similarity::Cosine, Similarity::Dot, Similarity::Euclid] {
            let plain = DenseIndex::new(&documents, similarity);
            let index = DenseIndex::new(&documents, similarity);
            for search in 0..PATIENCE + 2 {
                // At most this many queries at a time use the copy; one more does not.
                for n in [1, FEW_COARSE, FEW_COARSE + 1] {
                    let queries = Vectors::new(8, numbers(search + n, 8 * n)).unwrap();
                    let lists = index.search_all(&queries, 10).unwrap();
                    plain.few.store(0, Ordering::Relaxed);
                    assert_eq!(lists, plain.search_all(&queries, 10).unwrap());
                }
            }
            assert_eq!(plain.coarse_bytes(), 0);
            assert!(index.coarse_bytes() > 0);
        }
        // Few documents stay near the processor, and have no copy.
        let few = Vectors::new(8, numbers(2, 8 * 100)).unwrap();
        let index = DenseIndex::new(&few, Similarity::Dot);
        for search in 0..3 * PATIENCE {
            let queries = Vectors::new(8, numbers(search, 8)).unwrap();
            index.search_all(&queries, 10).unwrap();
        }
        assert_eq!(index.coarse_bytes(), 0);
    }
}
