//! Laws that hold for every list, tried on many small ones.

use std::collections::BTreeMap;

use barecode_scores::{
    Bootstrap, Measure, Ranked, Ties, Twins, answer_rank, ceiling, evaluate, floor,
};
use proptest::prelude::*;

use crate::naive::naive;

const DOCS: [&str; 7] = ["a", "b", "c", "d", "e", "f", "g"];

fn measures() -> Vec<Measure> {
    let names = [
        "nDCG",
        "nDCG@1",
        "nDCG@3",
        "nDCG@10",
        "RR",
        "RR@2",
        "RR(rel=2)",
        "AP",
        "AP@3",
        "AP(rel=2)",
        "R@1",
        "R@3",
        "R(rel=2)@2",
        "P@1",
        "P@4",
        "P(rel=2)@3",
        "Success@1",
        "Success@3",
        "Success(rel=2)@2",
    ];
    names.iter().map(|name| name.parse().unwrap()).collect()
}

/// Up to seven documents, few scores, any grades; some judged documents are not in the list.
fn cases() -> impl Strategy<Value = (Vec<Ranked<'static>>, BTreeMap<&'static str, i32>)> {
    let scores = prop::collection::vec(prop::option::weighted(0.85, 0_u8..3), 6);
    let grades = prop::collection::vec(prop::option::of(-1_i32..4), 7);
    (scores, grades).prop_map(|(scores, grades)| {
        let scored = DOCS.iter().zip(scores).filter_map(|(&doc, score)| {
            score.map(|score| Ranked {
                doc,
                score: f64::from(score),
            })
        });
        let judged = DOCS
            .iter()
            .zip(grades)
            .filter_map(|(&doc, grade)| Some((doc, grade?)));
        (scored.collect(), judged.collect())
    })
}

/// Every order of the documents that the scores allow.
fn orders<'a>(ranked: &[Ranked<'a>]) -> Vec<Vec<&'a str>> {
    if ranked.is_empty() {
        return vec![Vec::new()];
    }
    let best = ranked
        .iter()
        .map(|entry| entry.score)
        .fold(f64::NEG_INFINITY, f64::max);
    let mut all = Vec::new();
    for (i, first) in ranked
        .iter()
        .enumerate()
        .filter(|(_, entry)| entry.score >= best)
    {
        let mut rest = ranked.to_vec();
        rest.remove(i);
        for mut order in orders(&rest) {
            order.insert(0, first.doc);
            all.push(order);
        }
    }
    all
}

proptest! {
    #[test]
    fn expectation_is_the_mean_over_all_orders_of_ties((ranked, qrels) in cases()) {
        let orders = orders(&ranked);
        let values = evaluate(&measures(), &ranked, &qrels, Ties::Expected);
        for (measure, value) in measures().into_iter().zip(values) {
            let sum: f64 = orders.iter().map(|order| naive(measure, order, &qrels)).sum();
            let mean = sum / orders.len() as f64;
            prop_assert!((value - mean).abs() < 1e-12, "{measure}: {value} for {mean}");
        }
    }

    #[test]
    fn values_lie_between_zero_and_one((ranked, qrels) in cases()) {
        for ties in [Ties::Expected, Ties::Docno] {
            for value in evaluate(&measures(), &ranked, &qrels, ties) {
                prop_assert!((0.0..=1.0).contains(&value), "{value}");
            }
        }
    }

    #[test]
    fn docno_is_the_order_by_descending_id((ranked, qrels) in cases()) {
        let mut sorted = ranked.clone();
        sorted.sort_by(|a, b| b.score.total_cmp(&a.score).then(b.doc.cmp(a.doc)));
        let order: Vec<&str> = sorted.iter().map(|entry| entry.doc).collect();
        let values = evaluate(&measures(), &ranked, &qrels, Ties::Docno);
        for (measure, value) in measures().into_iter().zip(values) {
            prop_assert!((value - naive(measure, &order, &qrels)).abs() < 1e-12, "{measure}");
        }
    }

    #[test]
    fn both_rules_agree_where_nothing_ties((ranked, qrels) in cases()) {
        let distinct: Vec<Ranked> = ranked
            .iter()
            .enumerate()
            .map(|(i, entry)| Ranked { doc: entry.doc, score: entry.score + i as f64 / 100.0 })
            .collect();
        let expected = evaluate(&measures(), &distinct, &qrels, Ties::Expected);
        let docno = evaluate(&measures(), &distinct, &qrels, Ties::Docno);
        prop_assert_eq!(expected, docno);
    }

    #[test]
    fn the_order_of_the_input_means_nothing((ranked, qrels) in cases(), turn in 0_usize..6) {
        let mut turned = ranked.clone();
        turned.rotate_left(turn.min(ranked.len()));
        for ties in [Ties::Expected, Ties::Docno] {
            let value = |ranked: &[Ranked]| evaluate(&measures(), ranked, &qrels, ties);
            prop_assert_eq!(value(&ranked), value(&turned));
        }
    }

    #[test]
    fn answer_rank_is_the_mean_rank_over_all_orders((ranked, qrels) in cases()) {
        let best = qrels.values().copied().max().unwrap_or(0);
        let is_answer = |doc: &str| best > 0 && qrels.get(doc) == Some(&best);
        let ranks: Option<Vec<f64>> = orders(&ranked)
            .iter()
            .map(|order| order.iter().position(|doc| is_answer(doc)).map(|i| (i + 1) as f64))
            .collect();
        let mean = ranks.map(|ranks| ranks.iter().sum::<f64>() / ranks.len() as f64);
        let rank = answer_rank(&ranked, &qrels, Ties::Expected);
        prop_assert_eq!(rank.is_some(), mean.is_some());
        prop_assert!((rank.unwrap_or(0.0) - mean.unwrap_or(0.0)).abs() < 1e-12);
    }

    /// A model that gives equal texts equal scores, whatever these are, stays below the ceiling.
    #[test]
    fn no_model_that_sees_only_text_passes_the_ceiling(
        texts in prop::collection::vec(0_usize..4, 7),
        scores in prop::collection::vec(0_u8..4, 4),
        grades in prop::collection::vec(prop::option::of(0_i32..4), 7),
    ) {
        let names = ["w", "x", "y", "z"];
        let twins = Twins::among(DOCS.iter().zip(&texts).map(|(&doc, &text)| (doc, names[text])));
        let entry = |(&doc, &text): (&&'static str, &usize)| {
            Ranked { doc, score: f64::from(scores[text]) }
        };
        let ranked: Vec<Ranked> = DOCS.iter().zip(&texts).map(entry).collect();
        let judged = DOCS.iter().zip(grades).filter_map(|(&doc, grade)| Some((doc, grade?)));
        let qrels: BTreeMap<&str, i32> = judged.collect();
        let values = evaluate(&measures(), &ranked, &qrels, Ties::Expected);
        let ceilings = ceiling(&measures(), &twins, &qrels);
        for ((measure, value), ceiling) in measures().iter().zip(values).zip(ceilings) {
            prop_assert!((0.0..=1.0).contains(&ceiling));
            prop_assert!(value <= ceiling + 1e-12, "{measure}: {value} above {ceiling}");
        }
    }

    /// The ceiling is not too high: some scores of the texts reach it.
    #[test]
    fn some_model_that_sees_only_text_reaches_the_ceiling(
        texts in prop::collection::vec(0_usize..4, 6),
        grades in prop::collection::vec(0_i32..3, 6),
    ) {
        let names = ["w", "x", "y", "z"];
        let twins = Twins::among(DOCS.iter().zip(&texts).map(|(&doc, &text)| (doc, names[text])));
        let qrels: BTreeMap<&str, i32> = DOCS.iter().copied().zip(grades).collect();
        let mut best = vec![0.0_f64; measures().len()];
        // Every way to give four texts scores, ties included.
        for scores in 0_usize..256 {
            let score = |text: usize| (scores >> (2 * text)) % 4;
            let entry = |(&doc, &text): (&&'static str, &usize)| {
                Ranked { doc, score: score(text) as f64 }
            };
            let ranked: Vec<Ranked> = DOCS.iter().zip(&texts).map(entry).collect();
            let values = evaluate(&measures(), &ranked, &qrels, Ties::Expected);
            best = best.into_iter().zip(values).map(|(a, b)| a.max(b)).collect();
        }
        for ((measure, best), ceiling) in
            measures().iter().zip(best).zip(ceiling(&measures(), &twins, &qrels))
        {
            prop_assert!((best - ceiling).abs() < 1e-12, "{measure}: {best} for {ceiling}");
        }
    }

    #[test]
    fn the_floor_is_one_big_tie(grades in prop::collection::vec(0_i32..4, 7)) {
        let qrels: BTreeMap<&str, i32> = DOCS.iter().copied().zip(grades).collect();
        let ranked = DOCS.map(|doc| Ranked { doc, score: 1.0 });
        let tied = evaluate(&measures(), &ranked, &qrels, Ties::Expected);
        prop_assert_eq!(floor(&measures(), DOCS.len(), &qrels), tied);
    }

    #[test]
    fn intervals_hold_the_mean_and_stay_within_the_values(
        column in prop::collection::vec(0.0_f64..=1.0, 1..40),
        seed: u64,
    ) {
        let bootstrap = Bootstrap { resamples: 300, confidence: 0.99, seed };
        let interval = bootstrap.intervals(std::slice::from_ref(&column))[0];
        let least = column.iter().copied().fold(1.0, f64::min);
        let most = column.iter().copied().fold(0.0, f64::max);
        prop_assert!(interval.low <= interval.high);
        prop_assert!(least - 1e-9 <= interval.low && interval.high <= most + 1e-9);
        prop_assert!((least - 1e-9..=most + 1e-9).contains(&interval.value));
    }
}

#[test]
fn without_relevant_documents_every_value_is_zero() {
    let ranked = [Ranked {
        doc: "a",
        score: 1.0,
    }];
    for qrels in [BTreeMap::new(), BTreeMap::from([("a", 0), ("b", -1)])] {
        let values = evaluate(&measures(), &ranked, &qrels, Ties::Expected);
        assert!(values.iter().all(|&value| value == 0.0), "{values:?}");
        assert!(
            floor(&measures(), 3, &qrels)
                .iter()
                .all(|&value| value == 0.0)
        );
        let twins = Twins::among([("a", "x")]);
        assert!(
            ceiling(&measures(), &twins, &qrels)
                .iter()
                .all(|&value| value == 0.0)
        );
        assert_eq!(answer_rank(&ranked, &qrels, Ties::Expected), None);
    }
}

#[test]
fn an_empty_list_scores_zero() {
    let qrels = BTreeMap::from([("a", 1)]);
    let values = evaluate(&measures(), &[], &qrels, Ties::Expected);
    assert!(values.iter().all(|&value| value == 0.0), "{values:?}");
}

#[test]
fn a_perfect_list_without_twins_has_the_ceiling_and_it_is_one() {
    let docs = [("a", "x"), ("b", "y"), ("c", "z")];
    let qrels = BTreeMap::from([("a", 2), ("b", 1)]);
    let measures: Vec<Measure> = ["nDCG@10", "RR", "AP", "R@2", "Success@1"]
        .iter()
        .map(|name| name.parse().unwrap())
        .collect();
    assert_eq!(ceiling(&measures, &Twins::among(docs), &qrels), [1.0; 5]);
}

#[test]
fn twins_are_counted() {
    let twins = Twins::among([("a", "x"), ("b", "y"), ("c", "x"), ("d", "x")]);
    assert_eq!(
        (twins.documents(), twins.texts(), twins.with_twin()),
        (4, 2, 3)
    );
    assert_eq!(twins.of("c"), ["a", "c", "d"]);
    assert_eq!(twins.of("nobody"), [""; 0]);
}

#[test]
fn intervals_are_the_same_on_any_number_of_threads() {
    let column: Vec<f64> = (0..50).map(|i| f64::from(i % 7) / 7.0).collect();
    let bootstrap = Bootstrap {
        resamples: 1000,
        confidence: 0.95,
        seed: 3,
    };
    let intervals = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| bootstrap.intervals(std::slice::from_ref(&column)))
    };
    assert_eq!(intervals(1), intervals(5));
}

#[test]
fn an_interval_does_not_depend_on_the_columns_beside_it() {
    let one: Vec<f64> = (0..30).map(|i| f64::from(i % 3) / 2.0).collect();
    let other: Vec<f64> = one.iter().map(|value| 1.0 - value).collect();
    let bootstrap = Bootstrap {
        resamples: 500,
        confidence: 0.9,
        seed: 11,
    };
    let alone = bootstrap.intervals(std::slice::from_ref(&one))[0];
    assert_eq!(bootstrap.intervals(&[other.clone(), one.clone()])[1], alone);
    // The draws are shared, so opposite columns have mirrored intervals.
    let mirrored = bootstrap.intervals(&[other])[0];
    assert!((1.0 - mirrored.high - alone.low).abs() < 1e-9);
}

#[test]
fn another_seed_draws_another_interval() {
    let column: Vec<f64> = (0..100).map(|i| f64::from(i * 37 % 101) / 101.0).collect();
    let low = |seed| {
        Bootstrap {
            resamples: 200,
            confidence: 0.95,
            seed,
        }
        .intervals(std::slice::from_ref(&column))[0]
            .low
    };
    assert!((low(1) - low(2)).abs() > 0.0);
}
