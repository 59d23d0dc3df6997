//! Random draws that are the same on any number of threads, and sums over the drawn units.
//!
//! A statistic over queries is nearly always a function of a few sums: a mean of one, the mean over drawn
//! repositories of two (values and counts), a correlation of five. [`resampled`] draws units with replacement again
//! and again, sums the columns over the draw and passes the sums to the statistic. Resamples are made in chunks, and
//! each chunk has its own stream of the generator.
//!
//! The hard thing is speed without approximation. Words of the generator are made in blocks, turned into positions
//! without bias (Lemire, *Fast random integer generation in an interval*, 2019), and gathered into eight independent
//! sums. Every draw is still an independent uniform draw.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use rayon::prelude::*;

/// Small enough for many threads, large enough that starting a stream costs nothing.
pub(crate) const CHUNK: u32 = 128;

/// Draws whose positions are beside the generator in the first-level cache.
const BLOCK: usize = 512;

/// One stream of random numbers.
pub(crate) struct Draws {
    rng: ChaCha8Rng,
    words: [u8; 4 * BLOCK],
    next: usize,
}

impl Draws {
    /// The stream of this number for this seed.
    pub(crate) fn new(seed: u64, stream: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(stream);
        Draws {
            rng,
            words: [0; 4 * BLOCK],
            next: 4 * BLOCK,
        }
    }

    /// A number in `0..n`, each equally likely.
    #[inline]
    pub(crate) fn below(&mut self, n: u32) -> u32 {
        // Without this a few numbers would be drawn once more often than the rest.
        let unfair = n.wrapping_neg() % n;
        loop {
            let product = u64::from(self.word()) * u64::from(n);
            if low(product) >= unfair {
                return high(product);
            }
        }
    }

    /// Fills the list with numbers in `0..n`.
    fn fill_below(&mut self, n: u32, positions: &mut [u32]) {
        let unfair = n.wrapping_neg() % n;
        let mut filled = 0;
        while filled < positions.len() {
            if self.next == self.words.len() {
                self.rng.fill_bytes(&mut self.words);
                self.next = 0;
            }
            let ready = (self.words.len() - self.next) / 4;
            let wanted = ready.min(positions.len() - filled);
            let (words, _) = self.words[self.next..self.next + 4 * wanted].as_chunks::<4>();
            let product = |word: &[u8; 4]| u64::from(u32::from_le_bytes(*word)) * u64::from(n);
            // Words to skip are rare for few positions: first as if there were none, without a branch.
            let mut is_fair = true;
            for (position, word) in positions[filled..].iter_mut().zip(words) {
                let product = product(word);
                *position = high(product);
                is_fair &= low(product) >= unfair;
            }
            if is_fair {
                filled += wanted;
            } else {
                for word in words {
                    let product = product(word);
                    positions[filled] = high(product);
                    filled += usize::from(low(product) >= unfair);
                }
            }
            self.next += 4 * wanted;
        }
    }

    #[inline]
    fn word(&mut self) -> u32 {
        if self.next == self.words.len() {
            self.rng.fill_bytes(&mut self.words);
            self.next = 0;
        }
        let at = self.next;
        self.next += 4;
        u32::from_le_bytes([
            self.words[at],
            self.words[at + 1],
            self.words[at + 2],
            self.words[at + 3],
        ])
    }
}

/// The statistic of each resample, in the order of the draws.
///
/// `columns` hold one number a unit. The statistic receives the sums of the columns over the drawn units, and the
/// stream for draws of its own.
pub(crate) fn resampled(
    columns: &[&[f64]],
    resamples: u32,
    seed: u64,
    statistic: impl Fn(&[f64], &mut Draws) -> f64 + Sync,
) -> Vec<f64> {
    resampled_each(columns, resamples, seed, |sums, draws, out| {
        out.push(statistic(sums, draws));
    })
}

/// As [`resampled`], with a statistic that pushes several numbers a resample.
pub(crate) fn resampled_each(
    columns: &[&[f64]],
    resamples: u32,
    seed: u64,
    statistic: impl Fn(&[f64], &mut Draws, &mut Vec<f64>) + Sync,
) -> Vec<f64> {
    let n_units = columns.first().map_or(0, |column| column.len());
    if n_units == 0 {
        return Vec::new();
    }
    chunked(resamples, seed, |draws, resamples, out| {
        let mut sums = vec![0.0; columns.len()];
        for _ in 0..resamples {
            draw_sums(columns, n_units, draws, &mut sums);
            statistic(&sums, draws, out);
        }
    })
}

/// The statistic of each resample for statistics that are not a function of sums: it receives the number of draws of
/// each unit.
pub(crate) fn resampled_counts(
    n_units: usize,
    resamples: u32,
    seed: u64,
    statistic: impl Fn(&[u32]) -> f64 + Sync,
) -> Vec<f64> {
    if n_units == 0 {
        return Vec::new();
    }
    let n = count(n_units);
    chunked(resamples, seed, |draws, resamples, out| {
        let mut counts = vec![0_u32; n_units];
        for _ in 0..resamples {
            counts.fill(0);
            for _ in 0..n_units {
                counts[draws.below(n) as usize] += 1;
            }
            out.push(statistic(&counts));
        }
    })
}

/// Runs the chunks on all threads and joins their values in the order of the chunks.
pub(crate) fn chunked(
    resamples: u32,
    seed: u64,
    chunk: impl Fn(&mut Draws, u32, &mut Vec<f64>) + Sync,
) -> Vec<f64> {
    let chunks: Vec<Vec<f64>> = (0..resamples.div_ceil(CHUNK))
        .into_par_iter()
        .map(|i| {
            let mut draws = Draws::new(seed, u64::from(i));
            let mut out = Vec::new();
            chunk(&mut draws, CHUNK.min(resamples - i * CHUNK), &mut out);
            out
        })
        .collect();
    chunks.concat()
}

fn draw_sums(columns: &[&[f64]], n_units: usize, draws: &mut Draws, sums: &mut [f64]) {
    let n = count(n_units);
    let mut positions = [0_u32; BLOCK];
    sums.fill(0.0);
    let mut left = n_units;
    while left > 0 {
        let block = &mut positions[..left.min(BLOCK)];
        draws.fill_below(n, block);
        for (sum, column) in sums.iter_mut().zip(columns) {
            *sum += lanes(block, |&position| column[position as usize]);
        }
        left -= block.len();
    }
}

/// The sum of a column, in the order of additions in which resamples are summed, so that the sum over a
/// constant column is the same for every draw and for the column itself.
pub(crate) fn sum(values: &[f64]) -> f64 {
    values
        .chunks(BLOCK)
        .map(|block| lanes(block, |&value| value))
        .fold(0.0, |sum, block| sum + block)
}

/// The mean of a column; not-a-number for an empty one.
pub(crate) fn mean(values: &[f64]) -> f64 {
    sum(values) / values.len() as f64
}

/// A sum in eight lanes.
#[inline]
fn lanes<T>(items: &[T], value: impl Fn(&T) -> f64) -> f64 {
    let mut sums = [0.0; 8];
    let (eights, rest) = items.as_chunks::<8>();
    for eight in eights {
        for (sum, item) in sums.iter_mut().zip(eight) {
            *sum += value(item);
        }
    }
    for (sum, item) in sums.iter_mut().zip(rest) {
        *sum += value(item);
    }
    ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7]))
}

fn count(n_units: usize) -> u32 {
    u32::try_from(n_units).expect("a benchmark has fewer than 2^32 queries")
}

fn high(product: u64) -> u32 {
    (product >> 32) as u32
}

#[expect(clippy::cast_possible_truncation, reason = "the lower half is meant")]
fn low(product: u64) -> u32 {
    product as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_are_even() {
        let mut draws = Draws::new(7, 0);
        let mut counts = [0_u32; 5];
        for _ in 0..50_000 {
            counts[draws.below(5) as usize] += 1;
        }
        // 10,000 each, with a standard deviation of 89.
        assert!(
            counts.iter().all(|&count| count.abs_diff(10_000) < 400),
            "{counts:?}"
        );
    }

    #[test]
    fn blocks_draw_what_single_words_draw() {
        // 3,000,000,000 rejects three words in ten, so both ways have to skip the same ones.
        for n in [1, 3, 1000, 3_000_000_000] {
            let mut single = Draws::new(11, 3);
            let mut blocks = Draws::new(11, 3);
            let mut positions = [0; 1300];
            blocks.fill_below(n, &mut positions);
            for position in positions {
                assert_eq!(position, single.below(n));
            }
            assert_eq!(blocks.below(n), single.below(n));
        }
    }

    #[test]
    fn sums_over_a_constant_column_are_the_sum_of_the_column() {
        let column = vec![0.1; 1777];
        let sums = resampled(&[&column], 40, 1, |sums, _| sums[0]);
        assert!(
            sums.iter()
                .all(|&drawn| drawn.to_bits() == sum(&column).to_bits())
        );
    }
}
