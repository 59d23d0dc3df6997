//! Laws that hold for every list, tried on many small ones.

use std::collections::{BTreeMap, BTreeSet};

use barecode_scores::{
    Bootstrap, Gain, Judged, Kind, Measure, Method, Ranked, Ties, Twins, answer_rank, ceiling,
    ceiling_of_twins, evaluate, evaluate_in_pool, floor,
};
use proptest::prelude::*;

use crate::naive::naive;

/// The expected rank of the best answer, given the grades by document.
fn rank_of_answer(ranked: &[Ranked<'_>], qrels: &BTreeMap<&str, i32>) -> Option<f64> {
    let listed = ranked.iter().enumerate();
    let here: Vec<(usize, i32)> = listed
        .filter_map(|(at, entry)| Some((at, *qrels.get(entry.doc)?)))
        .collect();
    let mut grades: Vec<i32> = qrels.values().copied().collect();
    grades.sort_unstable_by_key(|&grade| std::cmp::Reverse(grade));
    let judged = Judged {
        here: &here,
        elsewhere: &[],
        grades: &grades,
    };
    answer_rank(ranked, &judged, Ties::Expected)
}

const DOCS: [&str; 7] = ["a", "b", "c", "d", "e", "f", "g"];

/// Measures whose values lie between 0 and 1 and grow with better orders.
const GROWING: [&str; 40] = [
    "nDCG",
    "nDCG@1",
    "nDCG@3",
    "nDCG@10",
    "nDCG(dcg='exp-log2')@3",
    "RR",
    "RR@2",
    "RR(rel=2)",
    "RR(rel=max)@3",
    "AP",
    "AP@3",
    "AP(rel=2)",
    "R@1",
    "R@3",
    "R(rel=2)@2",
    "R_cap@2",
    "P@1",
    "P@4",
    "P(rel=2)@3",
    "Success@1",
    "Success@3",
    "Success(rel=2)@2",
    "Rprec",
    "Rprec(rel=2)",
    "Accuracy",
    "Bpref",
    "Bpref(rel=2)",
    "IPrec@0.0",
    "IPrec@0.3",
    "IPrec(rel=2)@1.0",
    "RBP(rel=1)",
    "RBP(p=0.5,rel=2)@3",
    "ERR",
    "ERR@2",
    "SDCG(max_rel=3)@3",
    "SDCG(min_rel=1,max_rel=2)@4",
    "nDCG(judged_only=True)@2",
    "AP(judged_only=True)",
    "IPrec(judged_only=True)@0.5",
    "Judged@2",
];

/// Measures that the best and the worst order of the rules need not bound, or that see no order.
const OTHER: [&str; 17] = [
    "nDCG(gains={0:1,1:0,2:5})@3",
    "Accuracy@3",
    "Accuracy(rel=2)@4",
    "infAP",
    "infAP(rel=2)",
    "Judged",
    "Hole@3",
    "Hole@10",
    "SetP",
    "SetP(relative=True)",
    "SetR",
    "SetF(beta=2.0)",
    "SetAP(judged_only=True)",
    "NumQ",
    "NumRet",
    "NumRet(rel=2)",
    "NumRel",
];

fn parse(names: &[&str]) -> Vec<Measure> {
    names.iter().map(|name| name.parse().unwrap()).collect()
}

fn measures() -> Vec<Measure> {
    [parse(&GROWING), parse(&OTHER)].concat()
}

fn with_ceiling() -> Vec<Measure> {
    measures()
        .into_iter()
        .filter(Measure::has_ceiling)
        .collect()
}

/// Documents that other queries judge.
fn pool() -> BTreeSet<&'static str> {
    BTreeSet::from(["b", "e"])
}

fn values(ranked: &[Ranked], qrels: &BTreeMap<&str, i32>, ties: Ties) -> Vec<f64> {
    evaluate_in_pool(&measures(), ranked, qrels, &pool(), ties)
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
        for (measure, value) in measures().iter().zip(values(&ranked, &qrels, Ties::Expected)) {
            let sum: f64 = orders.iter().map(|order| naive(measure, order, &qrels, &pool())).sum();
            let mean = sum / orders.len() as f64;
            prop_assert!((value - mean).abs() < 1e-12, "{measure}: {value} for {mean}");
        }
    }

    #[test]
    fn values_lie_between_zero_and_one((ranked, qrels) in cases()) {
        for ties in Ties::ALL {
            for (measure, value) in measures().iter().zip(values(&ranked, &qrels, ties)) {
                prop_assert!(measure.counts() || (0.0..=1.0).contains(&value), "{measure}: {value}");
            }
        }
    }

    #[test]
    fn docno_and_input_are_the_orders_by_id_and_of_the_list((ranked, qrels) in cases()) {
        for ties in [Ties::Docno, Ties::Input] {
            let mut sorted = ranked.clone();
            sorted.sort_by(|a, b| {
                let by_score = b.score.total_cmp(&a.score);
                if ties == Ties::Docno { by_score.then(b.doc.cmp(a.doc)) } else { by_score }
            });
            let order: Vec<&str> = sorted.iter().map(|entry| entry.doc).collect();
            for (measure, value) in measures().iter().zip(values(&ranked, &qrels, ties)) {
                let plain = naive(measure, &order, &qrels, &pool());
                prop_assert!((value - plain).abs() < 1e-12, "{measure}: {value} for {plain}");
            }
        }
    }

    #[test]
    fn no_order_is_worse_than_pessimistic_or_better_than_optimistic((ranked, qrels) in cases()) {
        let orders = orders(&ranked);
        let worst = evaluate(&parse(&GROWING), &ranked, &qrels, Ties::Pessimistic);
        let best = evaluate(&parse(&GROWING), &ranked, &qrels, Ties::Optimistic);
        for ((measure, worst), best) in parse(&GROWING).iter().zip(worst).zip(best) {
            let values = orders.iter().map(|order| naive(measure, order, &qrels, &BTreeSet::new()));
            let (low, high) = values.fold((f64::INFINITY, 0.0_f64), |(low, high), value| {
                (low.min(value), high.max(value))
            });
            prop_assert!((worst - low).abs() < 1e-12, "{measure}: {worst} for {low}");
            prop_assert!((best - high).abs() < 1e-12, "{measure}: {best} for {high}");
        }
    }

    /// Many judged documents are placed by sorting, few by counting, and a sorted list by halving.
    #[test]
    fn all_ways_to_place_documents_give_the_same_bits(
        scores in prop::collection::vec(0_u8..6, 40),
        grades in prop::collection::vec(prop::option::of(-1_i32..4), 40),
    ) {
        let ids: Vec<String> = (0..40).map(|i| format!("d{:02}", i * 7 % 40)).collect();
        let entry = |(id, &score): (&'static str, &u8)| Ranked { doc: id, score: f64::from(score) };
        let leaked: Vec<&'static str> = ids.into_iter().map(|id| &*id.leak()).collect();
        let ranked: Vec<Ranked> = leaked.iter().copied().zip(&scores).map(entry).collect();
        let mut sorted = ranked.clone();
        sorted.sort_by(|a, b| b.score.total_cmp(&a.score));
        let judged = leaked.iter().zip(&grades).filter_map(|(&doc, grade)| Some((doc, (*grade)?)));
        for many in [5, 40] {
            let qrels: BTreeMap<&str, i32> = judged.clone().take(many).collect();
            for ties in Ties::ALL {
                prop_assert_eq!(values(&ranked, &qrels, ties), values(&sorted, &qrels, ties));
            }
            let order: Vec<&str> = sorted.iter().map(|entry| entry.doc).collect();
            for (measure, value) in measures().iter().zip(values(&ranked, &qrels, Ties::Input)) {
                let plain = naive(measure, &order, &qrels, &pool());
                prop_assert!((value - plain).abs() < 1e-12, "{measure}: {value} for {plain}");
            }
        }
    }

    #[test]
    fn both_rules_agree_where_nothing_ties((ranked, qrels) in cases()) {
        let distinct: Vec<Ranked> = ranked
            .iter()
            .enumerate()
            .map(|(i, entry)| Ranked { doc: entry.doc, score: entry.score + i as f64 / 100.0 })
            .collect();
        for ties in Ties::ALL {
            prop_assert_eq!(values(&distinct, &qrels, ties), values(&distinct, &qrels, Ties::Expected));
        }
    }

    #[test]
    fn the_order_of_the_input_means_nothing((ranked, qrels) in cases(), turn in 0_usize..6) {
        let mut turned = ranked.clone();
        turned.rotate_left(turn.min(ranked.len()));
        for ties in Ties::ALL.into_iter().filter(|&ties| ties != Ties::Input) {
            prop_assert_eq!(values(&ranked, &qrels, ties), values(&turned, &qrels, ties));
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
        let rank = rank_of_answer(&ranked, &qrels);
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
        let values = evaluate(&with_ceiling(), &ranked, &qrels, Ties::Expected);
        let ceilings = ceiling(&with_ceiling(), &twins, &qrels);
        for ((measure, value), ceiling) in with_ceiling().iter().zip(values).zip(ceilings) {
            let ceiling = ceiling.unwrap();
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
        let mut best = vec![0.0_f64; with_ceiling().len()];
        // Every way to give four texts scores, ties included.
        for scores in 0_usize..256 {
            let score = |text: usize| (scores >> (2 * text)) % 4;
            let entry = |(&doc, &text): (&&'static str, &usize)| {
                Ranked { doc, score: score(text) as f64 }
            };
            let ranked: Vec<Ranked> = DOCS.iter().zip(&texts).map(entry).collect();
            let values = evaluate(&with_ceiling(), &ranked, &qrels, Ties::Expected);
            best = best.into_iter().zip(values).map(|(a, b)| a.max(b)).collect();
        }
        for ((measure, best), ceiling) in
            with_ceiling().iter().zip(best).zip(ceiling(&with_ceiling(), &twins, &qrels))
        {
            let ceiling = ceiling.unwrap();
            prop_assert!((best - ceiling).abs() < 1e-12, "{measure}: {best} for {ceiling}");
        }
    }

    /// Queries of one text get one list: the ceiling is the best mean over them that any scores of the texts give.
    #[test]
    fn the_ceiling_of_query_twins_is_the_best_list_for_all_of_them(
        texts in prop::collection::vec(0_usize..4, 6),
        grades in prop::collection::vec(prop::collection::vec(0_i32..3, 6), 2..4),
    ) {
        let names = ["w", "x", "y", "z"];
        let twins = Twins::among(DOCS.iter().zip(&texts).map(|(&doc, &text)| (doc, names[text])));
        let queries: Vec<BTreeMap<&str, i32>> = grades.into_iter()
            .map(|grades| DOCS.iter().copied().zip(grades).collect())
            .collect();
        let mut best = vec![0.0_f64; with_ceiling().len()];
        for scores in 0_usize..256 {
            let score = |text: usize| (scores >> (2 * text)) % 4;
            let entry = |(&doc, &text): (&&'static str, &usize)| {
                Ranked { doc, score: score(text) as f64 }
            };
            let ranked: Vec<Ranked> = DOCS.iter().zip(&texts).map(entry).collect();
            let mut means = vec![0.0; best.len()];
            for qrels in &queries {
                let values = evaluate(&with_ceiling(), &ranked, qrels, Ties::Expected);
                means = means.into_iter().zip(values).map(|(a, b)| a + b / queries.len() as f64).collect();
            }
            best = best.into_iter().zip(means).map(|(a, b)| a.max(b)).collect();
        }
        let queries: Vec<&BTreeMap<&str, i32>> = queries.iter().collect();
        let together = ceiling_of_twins(&with_ceiling(), &twins, &queries);
        for ((measure, best), ceiling) in with_ceiling().iter().zip(best).zip(together) {
            let ceiling = ceiling.unwrap();
            prop_assert!((best - ceiling).abs() < 1e-12, "{measure}: {best} for {ceiling}");
        }
    }

    #[test]
    fn the_floor_is_one_big_tie(grades in prop::collection::vec(0_i32..4, 7)) {
        let qrels: BTreeMap<&str, i32> = DOCS.iter().copied().zip(grades).collect();
        let ranked = DOCS.map(|doc| Ranked { doc, score: 1.0 });
        let tied = evaluate(&measures(), &ranked, &qrels, Ties::Expected);
        for ((measure, floor), tied) in
            measures().iter().zip(floor(&measures(), DOCS.len(), &qrels)).zip(tied)
        {
            prop_assert!(floor.is_none_or(|floor| floor.to_bits() == tied.to_bits()), "{measure}");
        }
    }

    #[test]
    fn intervals_hold_the_mean_and_stay_within_the_values(
        column in prop::collection::vec(0.0_f64..=1.0, 1..40),
        seed: u64,
    ) {
        let bootstrap = Bootstrap { resamples: 300, confidence: 0.99, seed };
        let interval = bootstrap.mean(&column, Method::Percentile).unwrap();
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
    let sees_relevance = |measure: &&Measure| {
        let kind = measure.kind();
        !measure.counts()
            && !matches!(kind, Kind::Judged | Kind::Hole)
            && !matches!(kind, Kind::NDcg(Gain::Custom(_)))
    };
    let measures: Vec<Measure> = measures().iter().filter(sees_relevance).cloned().collect();
    for qrels in [BTreeMap::new(), BTreeMap::from([("a", 0), ("b", -1)])] {
        let values = evaluate(&measures, &ranked, &qrels, Ties::Expected);
        assert!(values.iter().all(|&value| value == 0.0), "{values:?}");
        let floors = floor(&measures, 3, &qrels);
        assert!(floors.iter().flatten().all(|&value| value == 0.0));
        let ceilings = ceiling(&measures, &Twins::among([("a", "x")]), &qrels);
        assert!(ceilings.iter().flatten().all(|&value| value == 0.0));
        assert_eq!(rank_of_answer(&ranked, &qrels), None);
    }
}

#[test]
fn an_empty_list_scores_zero() {
    let qrels = BTreeMap::from([("a", 1)]);
    let values = evaluate(&measures(), &[], &qrels, Ties::Expected);
    for (measure, value) in measures().iter().zip(values) {
        let expected = match measure.kind() {
            Kind::NumQ | Kind::NumRel => 1.0,
            _ => 0.0,
        };
        assert!((value - expected).abs() < 1e-12, "{measure}: {value}");
    }
}

#[test]
fn a_perfect_list_without_twins_has_the_ceiling_and_it_is_one() {
    let docs = [("a", "x"), ("b", "y"), ("c", "z")];
    let qrels = BTreeMap::from([("a", 2), ("b", 1)]);
    let measures: Vec<Measure> = ["nDCG@10", "RR", "AP", "R@2", "Success@1"]
        .iter()
        .map(|name| name.parse().unwrap())
        .collect();
    assert_eq!(
        ceiling(&measures, &Twins::among(docs), &qrels),
        [Some(1.0); 5]
    );
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
        pool.install(|| bootstrap.mean(&column, Method::Percentile).unwrap())
    };
    assert_eq!(intervals(1), intervals(5));
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
        .mean(&column, Method::Percentile)
        .unwrap()
        .low
    };
    assert!((low(1) - low(2)).abs() > 0.0);
}
