//! The documents that can be among the best, where scores are only known to be within bounds.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

/// The candidates of a query, found by several threads.
pub(super) struct Near {
    depth: usize,
    /// A score can be wrong by this times the error of its document …
    spread: f32,
    /// … and this together.
    rest: f32,
    /// The score that a document must reach at best, as bits: read without waiting, and only ever raised.
    least: AtomicU32,
    found: Mutex<Candidates>,
}

struct Candidates {
    list: Vec<Found>,
    limit: usize,
}

/// A document that may be among the best.
#[derive(Debug, Clone, Copy)]
pub(super) struct Found {
    /// It scores this at least …
    low: f32,
    /// … and this at most.
    high: f32,
    document: u32,
}

impl Near {
    pub(super) fn new(depth: usize, spread: f32, rest: f32) -> Self {
        Near {
            depth,
            spread,
            rest,
            least: AtomicU32::new(f32::NEG_INFINITY.to_bits()),
            found: Mutex::new(Candidates {
                list: Vec::new(),
                limit: 2 * depth + 64,
            }),
        }
    }

    /// Keeps the documents of a block that are near enough. `desk` is overwritten.
    pub(super) fn offer_all(
        &self,
        desk: &mut Vec<Found>,
        first: usize,
        products: &[f32],
        scales: &[f32],
        shifts: &[f32],
        errors: &[f32],
    ) {
        const BLOCK: usize = 64;
        if self.rest == f32::INFINITY {
            return;
        }
        let least = f32::from_bits(self.least.load(Ordering::Relaxed));
        desk.clear();
        let blocks = products
            .chunks(BLOCK)
            .zip(scales.chunks(BLOCK))
            .zip(shifts.chunks(BLOCK).zip(errors.chunks(BLOCK)));
        for (block, ((products, scales), (shifts, errors))) in blocks.enumerate() {
            let mut scores = [f32::NEG_INFINITY; BLOCK];
            let mut highs = [f32::NEG_INFINITY; BLOCK];
            let parts = products.iter().zip(scales).zip(shifts.iter().zip(errors));
            let both = scores.iter_mut().zip(&mut highs);
            for ((score, high), ((product, scale), (shift, error))) in both.zip(parts) {
                *score = product * scale - shift;
                *high = *score + (self.spread * error + self.rest);
            }
            let n_near: u32 = highs.iter().map(|&high| u32::from(high >= least)).sum();
            if n_near > 0 {
                let from = first + block * BLOCK;
                let parts = scores.iter().zip(highs).zip(errors);
                for (inside, ((&score, high), error)) in parts.enumerate() {
                    if high >= least {
                        desk.push(Found {
                            low: score - (self.spread * error + self.rest),
                            high,
                            document: u32::try_from(from + inside)
                                .expect("a corpus has fewer than 2^32 documents"),
                        });
                    }
                }
            }
        }
        if desk.is_empty() {
            return;
        }
        let mut found = self
            .found
            .lock()
            .expect("no thread fails while it holds this");
        found.list.extend_from_slice(desk);
        if found.list.len() > found.limit {
            let least = self.prune(&mut found.list);
            found.limit = (2 * self.depth + 64).max(2 * found.list.len());
            self.least.store(least.to_bits(), Ordering::Relaxed);
        }
    }

    /// Drops the documents that cannot be among the best, and returns the score that others must reach: `depth`
    /// documents score at least the last of the greatest lows.
    fn prune(&self, list: &mut Vec<Found>) -> f32 {
        if list.len() <= self.depth {
            return f32::NEG_INFINITY;
        }
        let (_, &mut last, _) =
            list.select_nth_unstable_by(self.depth - 1, |a, b| b.low.total_cmp(&a.low));
        list.retain(|found| found.high >= last.low);
        last.low
    }

    /// The documents that can be among the best.
    pub(super) fn candidates(mut self, documents: usize) -> Vec<usize> {
        if self.rest == f32::INFINITY {
            return (0..documents).collect();
        }
        let found = self
            .found
            .get_mut()
            .expect("no thread failed while it held this");
        let mut list = std::mem::take(&mut found.list);
        self.prune(&mut list);
        list.into_iter()
            .map(|found| found.document as usize)
            .collect()
    }
}
