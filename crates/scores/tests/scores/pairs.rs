//! Matching against scikit-learn and against its definition.

use barecode_scores::matching::{Confusion, Pair, best_threshold, inverted_roc_auc, roc_auc};
use proptest::prelude::*;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use serde_json::json;

use crate::oracle::python;

fn pairs() -> impl Strategy<Value = Vec<Pair>> {
    let pair = (0_u8..6, any::<bool>()).prop_map(|(score, matches)| Pair {
        score: f64::from(score),
        matches,
    });
    prop::collection::vec(pair, 0..25)
}

#[test]
fn matching_agrees_with_scikit_learn() {
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    let mut below = |n: u32| rng.next_u32() % n;
    let mut cases = Vec::new();
    for case in 0..1_000 {
        let steps = if case % 2 == 0 { 5 } else { 10_000 };
        let draw = |_| Pair {
            score: f64::from(below(steps)) / f64::from(steps),
            matches: below(3) == 0,
        };
        let n = 1 + case % 50;
        let pairs: Vec<Pair> = (0..n).map(draw).collect();
        let threshold = pairs[0].score;
        cases.push((pairs, threshold));
    }
    let shown = cases.iter().map(|(pairs, threshold)| {
        json!({
            "scores": pairs.iter().map(|pair| pair.score).collect::<Vec<_>>(),
            "matches": pairs.iter().map(|pair| u8::from(pair.matches)).collect::<Vec<_>>(),
            "threshold": threshold,
        })
    });
    let Some(answer) = python("oracle_matching.py", &shown.collect()) else {
        return;
    };
    for (i, (pairs, threshold)) in cases.iter().enumerate() {
        let counts = Confusion::at(*threshold, pairs);
        let ours = [
            ("roc_auc", roc_auc(pairs)),
            ("accuracy", Some(counts.accuracy())),
            ("precision", Some(counts.precision())),
            ("recall", Some(counts.recall())),
            ("f1", Some(counts.f1())),
        ];
        for (name, ours) in ours {
            let theirs = answer[i][name].as_f64();
            let close = match (ours, theirs) {
                (Some(ours), Some(theirs)) => (ours - theirs).abs() < 1e-9,
                (ours, theirs) => ours.is_none() && theirs.is_none(),
            };
            assert!(close, "{name}, case {i}: {ours:?} for {theirs:?}");
        }
    }
}

proptest! {
    #[test]
    fn the_area_is_the_share_of_pairs_in_the_right_order(pairs in pairs()) {
        let (mut right, mut all) = (0.0, 0.0);
        for a in pairs.iter().filter(|pair| pair.matches) {
            for b in pairs.iter().filter(|pair| !pair.matches) {
                all += 1.0;
                right += if a.score > b.score { 1.0 } else if a.score < b.score { 0.0 } else { 0.5 };
            }
        }
        match roc_auc(&pairs) {
            None => prop_assert!(all == 0.0),
            Some(area) => {
                prop_assert!((area - right / all).abs() < 1e-12);
                let opposite: Vec<Pair> = pairs.iter().map(|pair| Pair { score: -pair.score, ..*pair }).collect();
                let mirrored = roc_auc(&opposite).unwrap();
                prop_assert!((inverted_roc_auc(&pairs).unwrap() - mirrored).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn no_threshold_is_better_than_the_best(pairs in pairs()) {
        for worth in [Confusion::f1, Confusion::accuracy] {
            let (threshold, best) = best_threshold(&pairs, worth);
            prop_assert!((worth(&Confusion::at(threshold, &pairs)) - best).abs() < 1e-15);
            for step in -1..14 {
                let tried = worth(&Confusion::at(f64::from(step) / 2.0, &pairs));
                prop_assert!(tried <= best);
            }
        }
    }
}
