//! Texts → clusters of near-duplicates.
//!
//! The similarity of two texts is the Jaccard similarity of their shingles, the sets of runs of some tokens in a row;
//! layout and comments are not tokens. Comparing all pairs would take the square of their number, so candidates come
//! from `MinHash` signatures (Broder 1997) cut into bands (Leskovec, Rajaraman and Ullman, chapter 3): two texts are
//! compared if they share a band. The exact similarity of a candidate then decides if it is a pair, so no pair below
//! the threshold is ever joined. A pair at the threshold is missed with a chance below [`MISSED`], one above it with
//! less. Clusters are the connected components.
//!
//! Memory is linear in the number of texts: their shingles and a number for each band. The result does not depend on
//! their order, on a seed, or on the machine.

use std::collections::BTreeMap;

use barecode_languages::lex::{TokenKind, lex};
use barecode_records::Digest;
use foldhash::HashMap;
use rayon::prelude::*;

/// Length of a signature.
const PERMUTATIONS: usize = 128;

/// The greatest chance to miss a pair that is exactly as alike as the threshold.
pub const MISSED: f64 = 1e-3;

/// When two texts are nearly the same.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Likeness {
    /// The least Jaccard similarity, above 0 and up to 1.
    pub threshold: f64,
    /// Tokens of a shingle, from 1.
    pub shingle: usize,
}

/// The shingles of a text as a sorted set of hashes.
///
/// A text of fewer tokens than a shingle has one shingle, which is the whole text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shingles(Vec<u64>);

impl Shingles {
    /// The shingles of a text, of this many tokens each.
    pub fn of(text: &str, width: usize) -> Self {
        let tokens: Vec<[u8; 8]> = token_texts(text)
            .map(|token| first_bytes(&blake3::hash(token.as_bytes())))
            .collect();
        let hash = |window: &[[u8; 8]]| {
            u64::from_le_bytes(first_bytes(&blake3::hash(window.as_flattened())))
        };
        let mut hashes: Vec<u64> = if tokens.len() <= width {
            vec![hash(&tokens)]
        } else {
            tokens.windows(width.max(1)).map(hash).collect()
        };
        hashes.sort_unstable();
        hashes.dedup();
        Shingles(hashes)
    }

    /// The Jaccard similarity of two sets, in 0..=1.
    pub fn jaccard(&self, other: &Shingles) -> f64 {
        let (mut left, mut right) = (self.0.as_slice(), other.0.as_slice());
        let mut shared = 0_usize;
        while let ([a, left_rest @ ..], [b, right_rest @ ..]) = (left, right) {
            if a <= b {
                left = left_rest;
            }
            if b <= a {
                right = right_rest;
            }
            shared += usize::from(a == b);
        }
        shared as f64 / (self.0.len() + other.0.len() - shared) as f64
    }

    /// The signature: for each of a fixed list of permutations the least number in the set.
    pub fn signature(&self) -> Signature {
        let least = |permutation: u64| {
            let least = self.0.iter().map(|shingle| permuted(*shingle, permutation));
            least.min().unwrap_or(u64::MAX)
        };
        Signature((0..PERMUTATIONS as u64).map(least).collect())
    }
}

/// A sketch of a set: the share of positions in which two sets agree is their similarity, up to chance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature(Vec<u64>);

impl Signature {
    /// The share of positions in which two signatures agree, which estimates the Jaccard similarity.
    pub fn estimate(&self, other: &Signature) -> f64 {
        let pairs = self.0.iter().zip(&other.0);
        pairs.filter(|(a, b)| a == b).count() as f64 / PERMUTATIONS as f64
    }

    /// One number for each band of this many positions.
    fn bands(&self, rows: usize) -> Vec<u64> {
        let join = |band: &[u64]| {
            band.iter()
                .fold(0, |joined, place| permuted(*place, joined))
        };
        self.0.chunks_exact(rows).map(join).collect()
    }
}

/// A digest of the tokens of a text: the same for texts that differ in layout and comments only.
pub fn token_digest(text: &str) -> String {
    Digest::new("tokens").fields(token_texts(text)).hex()
}

/// The clusters of at least two texts, each as indices into `texts` in ascending order, by their first index.
///
/// Texts of the same tokens are always in one cluster.
pub fn clusters(texts: &[&str], likeness: Likeness) -> Vec<Vec<usize>> {
    let mut forest = Forest::new(texts.len());
    let mut first_of: BTreeMap<String, usize> = BTreeMap::new();
    let mut distinct: Vec<usize> = Vec::new();
    for (place, text) in texts.iter().enumerate() {
        let first = *first_of.entry(token_digest(text)).or_insert(place);
        if first == place {
            distinct.push(place);
        } else {
            forest.join(first, place);
        }
    }
    join_near(texts, &distinct, likeness, &mut forest);
    forest.clusters()
}

/// For each of `asked`, the text of `known` that is most like it, if one is alike enough; the first among equals.
pub fn nearest(known: &[&str], asked: &[&str], likeness: Likeness) -> Vec<Option<(usize, f64)>> {
    let rows = rows_of_band(likeness.threshold);
    let sketch = |text: &&str| {
        let shingles = Shingles::of(text, likeness.shingle);
        let bands = shingles.signature().bands(rows);
        (shingles, bands)
    };
    let known: Vec<(Shingles, Vec<u64>)> = known.par_iter().map(sketch).collect();
    let mut buckets: Vec<HashMap<u64, Vec<usize>>> = vec![HashMap::default(); PERMUTATIONS / rows];
    for (at, (_, bands)) in known.iter().enumerate() {
        for (buckets, band) in buckets.iter_mut().zip(bands) {
            buckets.entry(*band).or_default().push(at);
        }
    }
    let best = |text: &&str| {
        let (shingles, bands) = sketch(text);
        let mut candidates: Vec<usize> = Vec::new();
        for (buckets, band) in buckets.iter().zip(&bands) {
            candidates.extend(buckets.get(band).into_iter().flatten());
        }
        candidates.sort_unstable();
        candidates.dedup();
        let alike = candidates
            .into_iter()
            .map(|at| (at, shingles.jaccard(&known[at].0)));
        alike
            .filter(|(_, similarity)| *similarity >= likeness.threshold)
            .max_by(|one, other| one.1.total_cmp(&other.1).then(other.0.cmp(&one.0)))
    };
    asked.par_iter().map(best).collect()
}

/// Joins texts that are alike among those of different tokens.
fn join_near(texts: &[&str], distinct: &[usize], likeness: Likeness, forest: &mut Forest) {
    let rows = rows_of_band(likeness.threshold);
    let shingles: Vec<Shingles> = distinct
        .iter()
        .map(|&place| Shingles::of(texts[place], likeness.shingle))
        .collect();
    let bands: Vec<Vec<u64>> = shingles
        .iter()
        .map(|shingles| shingles.signature().bands(rows))
        .collect();
    for band in 0..PERMUTATIONS / rows {
        let mut order: Vec<usize> = (0..distinct.len()).collect();
        order.sort_unstable_by_key(|&which| (bands[which][band], which));
        for bucket in order.chunk_by(|&a, &b| bands[a][band] == bands[b][band]) {
            for (at, &a) in bucket.iter().enumerate() {
                for &b in &bucket[at + 1..] {
                    // Joined already, or compared already where they shared an earlier band.
                    if forest.root(distinct[a]) == forest.root(distinct[b])
                        || bands[a][..band].iter().zip(&bands[b]).any(|(a, b)| a == b)
                    {
                        continue;
                    }
                    if shingles[a].jaccard(&shingles[b]) >= likeness.threshold {
                        forest.join(distinct[a], distinct[b]);
                    }
                }
            }
        }
    }
}

/// The largest number of positions in a band that holds the chance of missing a pair at the threshold below
/// [`MISSED`]: the longer a band, the fewer pairs are compared in vain.
fn rows_of_band(threshold: f64) -> usize {
    let missed = |rows: &usize| {
        let bands = (PERMUTATIONS / rows) as f64;
        let share = (1..=*rows).fold(1.0, |product, _| product * threshold);
        (1.0 - share).powf(bands)
    };
    (1..=PERMUTATIONS)
        .rev()
        .find(|rows| missed(rows) <= MISSED)
        .unwrap_or(1)
}

fn token_texts(text: &str) -> impl Iterator<Item = &str> {
    let tokens = lex(text).into_iter();
    tokens
        .filter(|token| token.kind != TokenKind::Newline)
        .map(|token| token.text(text))
}

fn first_bytes(hash: &blake3::Hash) -> [u8; 8] {
    let mut first = [0; 8];
    first.copy_from_slice(&hash.as_bytes()[..8]);
    first
}

/// One of many permutations of the numbers: the finalizer of `SplitMix64` (Steele, Lea and Flood 2014).
fn permuted(number: u64, permutation: u64) -> u64 {
    let step = permutation
        .wrapping_add(1)
        .wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut mixed = number ^ step;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// The connected components of texts.
struct Forest {
    parent: Vec<usize>,
}

impl Forest {
    fn new(size: usize) -> Self {
        Forest {
            parent: (0..size).collect(),
        }
    }

    fn root(&mut self, mut place: usize) -> usize {
        while self.parent[place] != place {
            self.parent[place] = self.parent[self.parent[place]];
            place = self.parent[place];
        }
        place
    }

    /// The lesser root stays, so that a cluster's root is its first text.
    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.parent[a.max(b)] = a.min(b);
    }

    fn clusters(&mut self) -> Vec<Vec<usize>> {
        let mut by_root: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for place in 0..self.parent.len() {
            by_root.entry(self.root(place)).or_default().push(place);
        }
        by_root
            .into_values()
            .filter(|cluster| cluster.len() > 1)
            .collect()
    }
}
