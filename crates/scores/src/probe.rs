//! The probe: the similarity, for a model, of a program with its clone, its bug, and unrelated programs (pydra,
//! section 5).
//!
//! Enters: for each program its length in tokens, and the similarities of its clone, its bug, a sample of other
//! programs and those nearest to it. Leaves: means with standard deviations, classification at a threshold, ranking,
//! and the share of programs that have their clone above their bug; each with an interval over programs.
//!
//! Pairs of programs share programs, so they are not independent: intervals of their means leave out one program
//! with all of its pairs at a time (the jackknife of a U-statistic).

use std::collections::BTreeMap;

use crate::draws::{mean, sum};
use crate::intervals::jackknife;
use crate::intervals::{Interval, Range, student};
use crate::matching::{Confusion, Pair};

/// A mean of similarities with their spread.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// The mean and its interval over programs.
    pub mean: Interval,
    /// The standard deviation of the similarities (with n - 1); 0 for one.
    pub deviation: f64,
    /// Number of similarities.
    pub n: usize,
}

impl Spread {
    /// The spread of one similarity for each program; `None` without any.
    pub fn of(similarities: &[f64], confidence: f64) -> Option<Spread> {
        (!similarities.is_empty()).then(|| Spread {
            mean: student(similarities, Range::DIFFERENCES, confidence),
            deviation: deviation(similarities),
            n: similarities.len(),
        })
    }
}

fn deviation(values: &[f64]) -> f64 {
    if values.len() < 2 {
        return 0.0;
    }
    let center = mean(values);
    let squares: Vec<f64> = values
        .iter()
        .map(|value| (value - center).powi(2))
        .collect();
    (sum(&squares) / (values.len() - 1) as f64).sqrt()
}

/// Two programs by their numbers, each with another problem, and their similarity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RandomPair {
    /// The first program.
    pub first: usize,
    /// The second program.
    pub second: usize,
    /// Their similarity for the model.
    pub similarity: f64,
}

/// ⟨RP⟩: the mean of random pairs; `None` without any. The interval is over programs.
pub fn random_pairs(pairs: &[RandomPair], confidence: f64) -> Option<Spread> {
    let similarities: Vec<f64> = pairs.iter().map(|pair| pair.similarity).collect();
    let mut without: BTreeMap<usize, (f64, usize)> = BTreeMap::new();
    for pair in pairs {
        for program in [pair.first, pair.second] {
            let (sum, n) = without.entry(program).or_default();
            *sum += pair.similarity;
            *n += 1;
        }
    }
    let total = sum(&similarities);
    let n = similarities.len();
    let left: Vec<f64> = without
        .values()
        .map(|(sum, pairs)| (total - sum) / (n - pairs) as f64)
        .collect();
    (n > 0).then(|| Spread {
        mean: jackknife(total / n as f64, &left, Range::DIFFERENCES, confidence),
        deviation: deviation(&similarities),
        n,
    })
}

/// Bins of lengths, each from its edge up to the next one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bins {
    /// The first length of each bin, rising; the first is 0.
    edges: Vec<u32>,
}

impl Bins {
    /// At most `n` bins with about as many of these lengths in each; equal lengths share a bin.
    ///
    /// ```
    /// use barecode_scores::probe::Bins;
    /// let bins = Bins::of(&[10, 20, 30, 40, 40, 40], 3);
    /// assert_eq!(bins.edges(), [0, 30, 40]);
    /// assert_eq!((bins.bin(5), bins.bin(30), bins.bin(1000)), (0, 1, 2));
    /// ```
    pub fn of(lengths: &[u32], n: usize) -> Bins {
        let mut sorted = lengths.to_vec();
        sorted.sort_unstable();
        let mut edges = vec![0];
        for bin in 1..n.max(1) {
            if let Some(edge) = sorted.get(bin * sorted.len() / n)
                && *edge > edges[edges.len() - 1]
                && sorted[0] < *edge
            {
                edges.push(*edge);
            }
        }
        Bins { edges }
    }

    /// The first length of each bin.
    pub fn edges(&self) -> &[u32] {
        &self.edges
    }

    /// The bin of a length.
    pub fn bin(&self, length: u32) -> usize {
        self.edges.partition_point(|edge| *edge <= length) - 1
    }
}

/// The mean of random pairs with lengths in two bins; pairs have no order, so it represents both orders.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cell {
    /// The mean.
    pub mean: f64,
    /// Number of pairs.
    pub n: usize,
}

/// ⟨RP⟩ by the bins of both lengths (pydra, Figures 6 and 7): cells that have pairs, the smaller bin first.
pub fn by_bins(
    pairs: &[RandomPair],
    lengths: &[u32],
    bins: &Bins,
) -> BTreeMap<(usize, usize), Cell> {
    let mut sums: BTreeMap<(usize, usize), (f64, usize)> = BTreeMap::new();
    for pair in pairs {
        let (first, second) = (
            bins.bin(lengths[pair.first]),
            bins.bin(lengths[pair.second]),
        );
        let (sum, n) = sums
            .entry((first.min(second), first.max(second)))
            .or_default();
        *sum += pair.similarity;
        *n += 1;
    }
    let cell = |(sum, n): (f64, usize)| Cell {
        mean: sum / n as f64,
        n,
    };
    sums.into_iter()
        .map(|(bins, sums)| (bins, cell(sums)))
        .collect()
}

/// ⟨RP⟩ℓ: for each program the mean of random pairs with the lengths of it and its clone (pydra, equation 1). Also
/// the number of programs whose cell has no pair; these are left out.
pub fn length_normalized(
    cells: &BTreeMap<(usize, usize), Cell>,
    lengths: &[(u32, u32)],
    bins: &Bins,
    confidence: f64,
) -> (Option<Spread>, usize) {
    let of = |(program, clone): &(u32, u32)| {
        let (first, second) = (bins.bin(*program), bins.bin(*clone));
        let cell = cells.get(&(first.min(second), first.max(second)))?;
        Some(cell.mean)
    };
    let means: Vec<f64> = lengths.iter().filter_map(of).collect();
    (Spread::of(&means, confidence), lengths.len() - means.len())
}

/// The quality of the classification of clones and bugs (pydra, section 5.3). Programs are pairs of similarities:
/// that of the clone, and that of the bug.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Classified {
    /// The similarity from which on a pair is classified as a clone.
    pub threshold: f64,
    /// Share of pairs that were classified correctly.
    pub accuracy: Interval,
    /// Share of clones among the pairs classified as clones; not-a-number if there are none.
    pub precision: Interval,
    /// Share of the clones that were found.
    pub recall: Interval,
    /// The area under the ROC curve.
    pub auc: Interval,
    /// Share of programs whose clone is above their bug; half for equal ones.
    pub clone_above_bug: Interval,
    /// Number of programs.
    pub n: usize,
}

/// Classifies clones and bugs at a threshold; `None` without programs. The intervals hold for this threshold.
pub fn classify(pairs: &[(f64, f64)], threshold: f64, confidence: f64) -> Option<Classified> {
    if pairs.is_empty() {
        return None;
    }
    let scores = |of: &dyn Fn(&(f64, f64)) -> f64| {
        let values: Vec<f64> = pairs.iter().map(of).collect();
        student(&values, Range::SCORES, confidence)
    };
    let said = |similarity: f64| similarity >= threshold;
    let both = pairs.iter().flat_map(|(clone, bug)| {
        let pair = |score: f64, matches: bool| Pair { score, matches };
        [pair(*clone, true), pair(*bug, false)]
    });
    let counts = Confusion::at(threshold, &both.collect::<Vec<_>>());
    let (right, wrong) = (counts.true_positives as f64, counts.false_positives as f64);
    let without: Vec<f64> = pairs
        .iter()
        .map(|(clone, bug)| {
            let right = right - f64::from(u8::from(said(*clone)));
            right / (right + wrong - f64::from(u8::from(said(*bug))))
        })
        .collect();
    Some(Classified {
        threshold,
        accuracy: scores(&|(clone, bug)| {
            f64::midpoint(
                f64::from(u8::from(said(*clone))),
                f64::from(u8::from(!said(*bug))),
            )
        }),
        precision: jackknife(right / (right + wrong), &without, Range::SCORES, confidence),
        recall: scores(&|(clone, _)| f64::from(u8::from(said(*clone)))),
        auc: area(pairs, confidence),
        clone_above_bug: scores(&|(clone, bug)| above(*clone, *bug)),
        n: pairs.len(),
    })
}

/// 1 if the first is above the second, half if they are equal.
#[expect(clippy::float_cmp, reason = "a tie is of equal values")]
fn above(first: f64, second: f64) -> f64 {
    if first > second {
        1.0
    } else if first == second {
        0.5
    } else {
        0.0
    }
}

/// The area under the ROC curve with its interval over programs, which have a clone and a bug each.
fn area(pairs: &[(f64, f64)], confidence: f64) -> Interval {
    let sorted = |of: &dyn Fn(&(f64, f64)) -> f64| {
        let mut values: Vec<f64> = pairs.iter().map(of).collect();
        values.sort_by(f64::total_cmp);
        values
    };
    let (clones, bugs) = (sorted(&|pair| pair.0), sorted(&|pair| pair.1));
    // The number of the sorted values that a value is above, equal ones by half.
    let below = |values: &[f64], value: f64| {
        let less = values.partition_point(|other| *other < value);
        let not_more = values.partition_point(|other| *other <= value);
        (less + not_more) as f64 / 2.0
    };
    let n = pairs.len() as f64;
    let wins: Vec<f64> = pairs
        .iter()
        .map(|(clone, _)| below(&bugs, *clone))
        .collect();
    let total = sum(&wins);
    let without: Vec<f64> = pairs
        .iter()
        .zip(&wins)
        .map(|((clone, bug), wins)| {
            let losses = n - below(&clones, *bug);
            (total - wins - losses + above(*clone, *bug)) / (n - 1.0).powi(2)
        })
        .collect();
    jackknife(total / n.powi(2), &without, Range::SCORES, confidence)
}

/// The ranks of clones among other programs (pydra, section 5.4).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ranking {
    /// Share of programs whose clone comes first.
    pub top_1: Interval,
    /// The mean of the reciprocal of the clone's rank.
    pub reciprocal_rank: Interval,
    /// Number of programs.
    pub n: usize,
}

/// Ranks the clone of each program among the similarities of the programs nearest to it, which must be complete.
/// Equal similarities count as their mean over all orders. `None` without programs.
#[expect(clippy::float_cmp, reason = "a tie is of equal values")]
pub fn rank<'a>(
    programs: impl IntoIterator<Item = (f64, &'a [f64])>,
    confidence: f64,
) -> Option<Ranking> {
    let (mut first, mut reciprocal) = (Vec::new(), Vec::new());
    for (clone, others) in programs {
        let higher = others.iter().filter(|other| **other > clone).count();
        let equal = others.iter().filter(|other| **other == clone).count();
        let places = (higher + 1..=higher + 1 + equal).map(|rank| 1.0 / rank as f64);
        first.push(if higher == 0 {
            1.0 / (equal + 1) as f64
        } else {
            0.0
        });
        reciprocal.push(places.sum::<f64>() / (equal + 1) as f64);
    }
    (!first.is_empty()).then(|| Ranking {
        top_1: student(&first, Range::SCORES, confidence),
        reciprocal_rank: student(&reciprocal, Range::SCORES, confidence),
        n: first.len(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matching::roc_auc;

    /// Numbers that look random, from a seed.
    fn numbers(n: usize, seed: u64) -> Vec<f64> {
        let mut state = seed;
        let next = |_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f64 / (1_u64 << 24) as f64
        };
        (0..n).map(next).collect()
    }

    #[test]
    fn the_area_is_that_of_all_pairs_and_leaving_one_out_is_exact() {
        // A few equal values on both sides.
        let round = |values: Vec<f64>| {
            values
                .into_iter()
                .map(|value| (value * 20.0).round() / 20.0)
        };
        let pairs: Vec<(f64, f64)> = round(numbers(40, 1)).zip(round(numbers(40, 2))).collect();
        let all = |pairs: &[(f64, f64)]| {
            let both = pairs.iter().flat_map(|(clone, bug)| {
                let pair = |score: f64, matches: bool| Pair { score, matches };
                [pair(*clone, true), pair(*bug, false)]
            });
            roc_auc(&both.collect::<Vec<_>>()).unwrap()
        };
        let measured = area(&pairs, 0.95);
        assert!((measured.value - all(&pairs)).abs() < 1e-12);
        let without: Vec<f64> = (0..pairs.len())
            .map(|left| {
                let mut rest = pairs.clone();
                rest.remove(left);
                all(&rest)
            })
            .collect();
        let expected = jackknife(measured.value, &without, Range::SCORES, 0.95);
        assert!((measured.low - expected.low).abs() < 1e-9);
        assert!((measured.high - expected.high).abs() < 1e-9);
    }

    #[test]
    fn the_interval_of_random_pairs_is_wider_than_that_of_independent_ones() {
        // The similarity of a pair is the mean of the values of its programs, so that pairs depend on each other.
        let brought = numbers(60, 3);
        let pairs: Vec<RandomPair> = (0..60)
            .flat_map(|first| (first + 1..60).map(move |second| (first, second)))
            .map(|(first, second)| RandomPair {
                first,
                second,
                similarity: f64::midpoint(brought[first], brought[second]),
            })
            .collect();
        let spread = random_pairs(&pairs, 0.95).unwrap();
        // The mean of pairs is the mean of the values of programs, and so is its interval.
        let programs = student(&brought, Range::DIFFERENCES, 0.95);
        assert!((spread.mean.value - programs.value).abs() < 1e-12);
        let (measured, expected) = (
            spread.mean.high - spread.mean.low,
            programs.high - programs.low,
        );
        assert!(
            (measured / expected - 1.0).abs() < 0.05,
            "{measured} {expected}"
        );
        let independent: Vec<f64> = pairs.iter().map(|pair| pair.similarity).collect();
        let naive = student(&independent, Range::UNKNOWN, 0.95);
        assert!(measured > 2.0 * (naive.high - naive.low));
    }

    #[test]
    #[expect(clippy::float_cmp, reason = "these values are exact")]
    fn classification_counts_both_sides_of_the_threshold() {
        let found = classify(
            &[(0.9, 0.95), (0.2, 0.8), (0.7, 0.1), (0.6, 0.6)],
            0.5,
            0.95,
        )
        .unwrap();
        let value = |interval: Interval| (interval.value * 1e6).round() / 1e6;
        assert_eq!(value(found.accuracy), 0.5);
        assert_eq!(value(found.precision), 0.5);
        assert_eq!(value(found.recall), 0.75);
        assert_eq!(value(found.clone_above_bug), 0.375);
        let none = classify(&[(0.1, 0.2)], 0.5, 0.95).unwrap();
        assert!(none.precision.value.is_nan());
        assert!(classify(&[], 0.5, 0.95).is_none());
    }

    #[test]
    #[expect(clippy::float_cmp, reason = "these values are exact")]
    fn equal_similarities_share_their_ranks() {
        let others = [0.9, 0.5, 0.5, 0.1];
        let ranking = rank([(0.5, &others[..]), (1.0, &others[..])], 0.95).unwrap();
        // Ranks 2, 3 and 4 are equally likely for the first program.
        let expected = f64::midpoint((1.0 / 2.0 + 1.0 / 3.0 + 1.0 / 4.0) / 3.0, 1.0);
        assert!((ranking.reciprocal_rank.value - expected).abs() < 1e-12);
        assert_eq!(ranking.top_1.value, 0.5);
    }

    #[test]
    fn length_normalization_takes_the_cell_of_both_lengths() {
        let lengths = [10, 10, 100, 100];
        let bins = Bins::of(&lengths, 2);
        assert_eq!(bins.edges(), [0, 100]);
        let pair = |first, second, similarity| RandomPair {
            first,
            second,
            similarity,
        };
        let pairs = [
            pair(0, 1, 0.2),
            pair(2, 3, 0.6),
            pair(3, 0, 0.4),
            pair(1, 2, 0.5),
        ];
        let cells = by_bins(&pairs, &lengths, &bins);
        assert_eq!(cells[&(0, 1)], Cell { mean: 0.45, n: 2 });
        let (spread, missing) = length_normalized(&cells, &[(10, 120), (100, 130)], &bins, 0.95);
        assert!((spread.unwrap().mean.value - 0.525).abs() < 1e-12);
        assert_eq!(missing, 0);
        let (spread, missing) = length_normalized(&BTreeMap::new(), &[(10, 120)], &bins, 0.95);
        assert!(spread.is_none() && missing == 1);
    }
}
