//! infAP: average precision, inferred from a sample of judgments.
//!
//! # Definition
//! As AP, but the precision at a relevant document at rank `i` is `1/i + (i-1)/i · pooled/(i-1) · share`. Of the
//! `i-1` documents before it, some are pooled: judged, or marked by a negative grade as pooled and not judged. Among
//! these the share of relevant ones is that of the judged ones, `(r + e) / (r + n + 2e)` with `r` relevant and `n`
//! other judged documents before it, and `e` = 0.00001.
//!
//! # Range and direction
//! 0 to 1, higher is better. A perfect list ends a little below 1 because of `e`.
//!
//! # Ties and empty cases
//! In a tie the numbers of relevant, other judged and pooled documents before a position are random together; the
//! value is the mean over all combinations, which are hypergeometric. Its cost is the product of the numbers of
//! positions, relevant and judged documents in the tie. Without relevant documents the value is 0.
//!
//! # Example worked by hand
//! A relevant document at rank 2 after one that is pooled and not judged: `1/2 + 1/2 · 1 · e/2e = 0.75`.
//!
//! ```
//! use std::collections::BTreeMap;
//! use barecode_scores::{Measure, Ranked, Ties, evaluate};
//! let ranked = [("x", 2.0), ("a", 1.0)].map(|(doc, score)| Ranked { doc, score });
//! let qrels = BTreeMap::from([("x", -1), ("a", 1)]);
//! let measure: Measure = "infAP".parse().unwrap();
//! assert_eq!(evaluate(&[measure], &ranked, &qrels, Ties::Expected), [0.75]);
//! ```
//!
//! # Source
//! Yilmaz and Aslam, *Estimating average precision with incomplete and imperfect judgments*, CIKM 2006, as
//! `trec_eval`'s `infAP` has it.

use crate::hypergeometric::LnFactorials;
use crate::ties::TieGroup;

const EPSILON: f64 = 0.000_01;

/// The expectation over orders of ties; `total` is the number of all relevant documents of the query.
pub(crate) fn expected(rel: i32, groups: &[TieGroup], total: usize) -> f64 {
    if total == 0 {
        return 0.0;
    }
    let mut sum = 0.0;
    let mut seen = Seen::default();
    for group in groups {
        let mine = Seen {
            relevant: group.relevant(rel),
            others: group.not_relevant(rel),
            pooled: group.grades.iter().filter(|&&grade| grade < 0).count(),
        };
        sum += match group.size {
            1 if mine.relevant == 1 => precision(group.before, seen, 0.0),
            1 => 0.0,
            _ => in_tie(group, mine, seen),
        };
        seen.relevant += mine.relevant;
        seen.others += mine.others;
        seen.pooled += mine.pooled;
    }
    sum / total as f64
}

/// Documents by their judgments for the query.
#[derive(Clone, Copy, Default)]
struct Seen {
    relevant: usize,
    others: usize,
    pooled: usize,
}

/// The inferred precision at a relevant document that `before` documents precede, of which `seen` are in the
/// pool, and `pooled` more on average.
fn precision(before: usize, seen: Seen, pooled: f64) -> f64 {
    if before == 0 {
        return 1.0;
    }
    let rank = (before + 1) as f64;
    let in_pool = (seen.relevant + seen.others + seen.pooled) as f64 + pooled;
    let share =
        (seen.relevant as f64 + EPSILON) / ((seen.relevant + seen.others) as f64 + 2.0 * EPSILON);
    1.0 / rank + in_pool / rank * share
}

/// The average gain of the relevant documents of a tie.
fn in_tie(group: &TieGroup, mine: Seen, seen: Seen) -> f64 {
    if mine.relevant == 0 {
        return 0.0;
    }
    // The other documents of the tie, beside this relevant one.
    let beside = group.size - 1;
    let relevant = mine.relevant - 1;
    let rest = beside - relevant - mine.others;
    let ln = LnFactorials::up_to(group.size);
    let mut sum = 0.0;
    for place in 0..group.size {
        let all = ln.choose(beside, place);
        for found in 0..=relevant.min(place) {
            for others in 0..=mine.others.min(place - found) {
                let left = place - found - others;
                if left > rest {
                    continue;
                }
                let ways = ln.choose(relevant, found)
                    + ln.choose(mine.others, others)
                    + ln.choose(rest, left);
                let now = Seen {
                    relevant: seen.relevant + found,
                    others: seen.others + others,
                    pooled: seen.pooled,
                };
                let pooled = left as f64 * mine.pooled as f64 / rest.max(1) as f64;
                sum += (ways - all).exp() * precision(group.before + place, now, pooled);
            }
        }
    }
    mine.relevant as f64 / group.size as f64 * sum
}
