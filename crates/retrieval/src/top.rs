//! The best of a list, without cutting equal scores apart.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// A document, by its index in the corpus, with its score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scored {
    /// Index in the corpus, from 0.
    pub document: usize,
    /// Score; never not-a-number.
    pub score: f64,
}

/// Best first, and equal scores by their index in the corpus.
pub(crate) fn by_score_then_place(a: &Scored, b: &Scored) -> Ordering {
    better(a, b).then(a.document.cmp(&b.document))
}

/// The best `depth` of all documents, whose scores are in their order, and those that score the same as the last of
/// them; best first, equal scores by their index.
///
/// ```
/// let list = barecode_retrieval::best(&[0.5, 2.0, 1.0, 1.0], 2);
/// assert_eq!(list.iter().map(|scored| scored.document).collect::<Vec<_>>(), [1, 2, 3]);
/// ```
pub fn best(scores: &[f64], depth: usize) -> Vec<Scored> {
    let mut best = Best::new(depth.max(1));
    for (document, &score) in scores.iter().enumerate() {
        best.offer(Scored { document, score });
    }
    best.sorted()
}

/// Documents as they come, of which the best are kept: `depth` of them and all that score the same as the last.
#[derive(Debug, Default)]
pub(crate) struct Best {
    depth: usize,
    /// The best scores so far, at most `depth` of them, the least on top.
    scores: BinaryHeap<Reverse<Ordered>>,
    /// All that were good enough when they came.
    kept: Vec<Scored>,
    /// The number of documents that may be kept before those that no longer are good enough are dropped.
    limit: usize,
}

impl Best {
    /// An empty list. `depth` is at least 1.
    pub(crate) fn new(depth: usize) -> Self {
        Best {
            depth,
            limit: 1024,
            ..Best::default()
        }
    }

    /// The score that a document must reach; `None` while any score is enough.
    pub(crate) fn least(&self) -> Option<f64> {
        let is_full = self.scores.len() == self.depth;
        self.scores
            .peek()
            .filter(|_| is_full)
            .map(|&Reverse(Ordered(score))| score)
    }

    /// Keeps the document if it is good enough.
    pub(crate) fn offer(&mut self, scored: Scored) {
        match self.least() {
            Some(least) if scored.score < least => return,
            Some(least) if scored.score > least => {
                self.scores.pop();
                self.scores.push(Reverse(Ordered(scored.score)));
            }
            Some(_) => {}
            None => self.scores.push(Reverse(Ordered(scored.score))),
        }
        self.kept.push(scored);
        if self.kept.len() > self.limit {
            self.drop_the_rest();
            self.limit = self.kept.len() * 2 + 1024;
        }
    }

    /// The list, best first, equal scores by their index in the corpus.
    pub(crate) fn sorted(mut self) -> Vec<Scored> {
        self.drop_the_rest();
        self.kept.sort_unstable_by(by_score_then_place);
        self.kept
    }

    fn drop_the_rest(&mut self) {
        if let Some(least) = self.least() {
            self.kept.retain(|scored| scored.score >= least);
        }
    }
}

/// A score that is a number, for comparing.
#[derive(Debug, Clone, Copy)]
struct Ordered(f64);

impl PartialEq for Ordered {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Ordered {}

impl PartialOrd for Ordered {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ordered {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

fn better(a: &Scored, b: &Scored) -> Ordering {
    b.score.total_cmp(&a.score)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_best_of_a_stream_are_the_top(
            scores in prop::collection::vec(0_u16..900, 0..4000),
            depth in 1_usize..60,
        ) {
            let mut best = Best::new(depth);
            let list = scores
                .iter()
                .enumerate()
                .map(|(document, &score)| Scored { document, score: f64::from(score) - 400.0 });
            list.clone().for_each(|scored| best.offer(scored));
            let mut sorted: Vec<Scored> = list.collect();
            sorted.sort_by(by_score_then_place);
            if let Some(last) = sorted.get(depth - 1).map(|scored| scored.score) {
                sorted.retain(|scored| scored.score >= last);
            }
            prop_assert_eq!(best.sorted(), sorted);
        }
    }
}
