//! Matching: does this pair belong together, yes or no?
//!
//! Enters: pairs, each with a score and with the truth. Leaves: accuracy, precision, recall and F1 at a threshold,
//! the best threshold, and the area under the ROC curve, which needs no threshold.
//!
//! A pair counts as a match where its score is at least the threshold. Equal scores cannot be distinguished by any
//! threshold, so no order among them is ever made up.

/// A pair with its score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pair {
    /// The score of the model; higher is more alike. Not-a-number is below everything.
    pub score: f64,
    /// The truth.
    pub matches: bool,
}

/// The counts of correct and wrong decisions of a threshold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Confusion {
    /// Matches classified as matches.
    pub true_positives: usize,
    /// Others classified as matches.
    pub false_positives: usize,
    /// Matches classified as others.
    pub false_negatives: usize,
    /// Others classified as others.
    pub true_negatives: usize,
}

impl Confusion {
    /// Counts at a threshold: a pair with a score of at least the threshold is classified as a match.
    ///
    /// ```
    /// use barecode_scores::matching::{Confusion, Pair};
    /// let pairs = [(0.9, true), (0.6, false), (0.4, true), (0.1, false)]
    ///     .map(|(score, matches)| Pair { score, matches });
    /// let counts = Confusion::at(0.5, &pairs);
    /// assert_eq!((counts.accuracy(), counts.precision(), counts.recall(), counts.f1()), (0.5, 0.5, 0.5, 0.5));
    /// ```
    pub fn at(threshold: f64, pairs: &[Pair]) -> Confusion {
        let mut counts = Confusion::default();
        for pair in pairs {
            match (pair.score >= threshold, pair.matches) {
                (true, true) => counts.true_positives += 1,
                (true, false) => counts.false_positives += 1,
                (false, true) => counts.false_negatives += 1,
                (false, false) => counts.true_negatives += 1,
            }
        }
        counts
    }

    /// Share of pairs that were classified correctly, in `0..=1`; 0 without pairs.
    pub fn accuracy(&self) -> f64 {
        let right = self.true_positives + self.true_negatives;
        share(right, right + self.false_positives + self.false_negatives)
    }

    /// Share of matches among the pairs classified as matches, in `0..=1`; 0 without any.
    pub fn precision(&self) -> f64 {
        share(
            self.true_positives,
            self.true_positives + self.false_positives,
        )
    }

    /// Share of the matches that were found, in `0..=1`; 0 if there are none.
    pub fn recall(&self) -> f64 {
        share(
            self.true_positives,
            self.true_positives + self.false_negatives,
        )
    }

    /// Harmonic mean of precision and recall, in `0..=1`; 0 if no match was found.
    pub fn f1(&self) -> f64 {
        let twice = 2 * self.true_positives;
        share(twice, twice + self.false_positives + self.false_negatives)
    }
}

/// A part of a whole; 0 of nothing.
pub(crate) fn share(part: usize, whole: usize) -> f64 {
    match whole {
        0 => 0.0,
        _ => part as f64 / whole as f64,
    }
}

/// The threshold with the highest value, and the value: `worth` is [`Confusion::accuracy`], [`Confusion::f1`] or
/// another one. Thresholds tried are the scores, and infinity, above which nothing matches; of equally good ones the
/// highest is chosen. A threshold chosen on the pairs that it is measured on gives a value that is too high: choose
/// it on others.
///
/// ```
/// use barecode_scores::matching::{Confusion, Pair, best_threshold};
/// let pairs = [(0.9, true), (0.6, false), (0.4, true), (0.1, false)]
///     .map(|(score, matches)| Pair { score, matches });
/// assert_eq!(best_threshold(&pairs, Confusion::f1), (0.4, 0.8));
/// assert_eq!(best_threshold(&pairs, Confusion::accuracy), (0.9, 0.75));
/// ```
pub fn best_threshold(pairs: &[Pair], worth: impl Fn(&Confusion) -> f64) -> (f64, f64) {
    let mut sorted: Vec<Pair> = pairs
        .iter()
        .copied()
        .filter(|pair| !pair.score.is_nan())
        .collect();
    sorted.sort_by(|a, b| b.score.total_cmp(&a.score));
    let mut counts = Confusion::at(f64::INFINITY, pairs);
    let mut best = (f64::INFINITY, worth(&counts));
    let mut at = sorted.partition_point(|pair| pair.score >= f64::INFINITY);
    while at < sorted.len() {
        let threshold = sorted[at].score;
        while at < sorted.len() && sorted[at].score >= threshold {
            if sorted[at].matches {
                counts.true_positives += 1;
                counts.false_negatives -= 1;
            } else {
                counts.false_positives += 1;
                counts.true_negatives -= 1;
            }
            at += 1;
        }
        let value = worth(&counts);
        if value > best.1 {
            best = (threshold, value);
        }
    }
    best
}

/// The area under the ROC curve: the probability that a random match has a higher score than a random other
/// pair, where equal scores count as half. In `0..=1`; 1/2 is chance; `None` without both kinds of pairs.
///
/// ```
/// use barecode_scores::matching::{Pair, roc_auc};
/// let pairs = [(0.9, true), (0.5, false), (0.5, true), (0.1, false)]
///     .map(|(score, matches)| Pair { score, matches });
/// assert_eq!(roc_auc(&pairs), Some(0.875));
/// ```
///
/// Source: Hanley and `McNeil`, *The meaning and use of the area under a ROC curve*, Radiology 1982; the same as
/// `sklearn.metrics.roc_auc_score`.
pub fn roc_auc(pairs: &[Pair]) -> Option<f64> {
    let mut sorted: Vec<Pair> = pairs.to_vec();
    // Not-a-number comes first: below everything, and equal to itself.
    let key = |pair: &Pair| {
        if pair.score.is_nan() {
            None
        } else {
            Some(pair.score + 0.0)
        }
    };
    sorted.sort_by(|a, b| {
        key(a)
            .partial_cmp(&key(b))
            .unwrap_or(std::cmp::Ordering::Equal)
    });
    // Twice the number of pairs of pairs in the right order, so that halves are whole.
    let (mut twice, mut others_below) = (0_u128, 0_u128);
    for group in sorted.chunk_by(|a, b| key(a) == key(b)) {
        let matches = group.iter().filter(|pair| pair.matches).count() as u128;
        let others = group.len() as u128 - matches;
        twice += matches * (2 * others_below + others);
        others_below += others;
    }
    let matches = pairs.len() as u128 - others_below;
    (matches > 0 && others_below > 0).then(|| twice as f64 / (2 * matches * others_below) as f64)
}

/// One less the area under the ROC curve: the area for a model whose scores are reversed. pydra's Table 6 has areas
/// near 0, where negative pairs have higher similarities than positive ones. This is that number under a name of its
/// own, and never the value of [`roc_auc`].
pub fn inverted_roc_auc(pairs: &[Pair]) -> Option<f64> {
    roc_auc(pairs).map(|area| 1.0 - area)
}
