//! Numbers worked by hand that hang on one decision each: an added one, a tolerance, a bound.

use std::collections::BTreeMap;

use barecode_scores::comparison::permutation_test;
use barecode_scores::intervals::{Range, student};
use barecode_scores::{Measure, Ranked, Ties, evaluate, floor};

#[test]
fn p_of_drawn_permutations_counts_what_was_seen_as_one_of_them() {
    // Forty differences of one sign: no draw of signs in 2^39 is as extreme.
    let test = permutation_test(&[0.25; 40], 999, 1).unwrap();
    assert!(!test.exact);
    assert_eq!(test.p.to_bits(), (1.0_f64 / 1000.0).to_bits());
}

#[test]
fn sums_that_are_equal_but_for_rounding_are_as_extreme() {
    // In tenths 24 of 64 ways reach 11; in binary one of them falls short by a rounding.
    let tenths = [6, -3, 7, 2, 1, -2].map(|tenths| f64::from(tenths) / 10.0);
    let test = permutation_test(&tenths, 9_999, 1).unwrap();
    assert!(test.exact);
    assert_eq!(test.p.to_bits(), (24.0_f64 / 64.0).to_bits());
}

#[test]
fn a_floor_has_at_least_the_judged_documents() {
    let measure: Measure = "R@1".parse().unwrap();
    let judged = BTreeMap::from([("a", 1), ("b", 0), ("c", 0), ("d", 0)]);
    assert_eq!(floor(&[measure], 1, &judged), [Some(0.25)]);
}

#[test]
fn the_default_interval_has_a_degree_of_freedom_less_than_queries() {
    let values = [0.3, 0.35, 0.4, 0.45, 0.5, 0.5, 0.55, 0.6, 0.65, 0.7];
    let interval = student(&values, Range::SCORES, 0.95);
    // A third of a query at 0 and at 1; 2.2621571628 is the quantile of nine degrees of freedom.
    assert!(
        (interval.low - 0.374_636_468_99).abs() < 1e-9,
        "{interval:?}"
    );
    assert!(
        (interval.high - 0.625_363_531_01).abs() < 1e-9,
        "{interval:?}"
    );
}

#[test]
fn a_perfect_list_is_never_better_than_perfect() {
    let ndcg: Measure = "nDCG".parse().unwrap();
    let names: Vec<String> = (0..60).map(|at| format!("d{at}")).collect();
    for n in 1..=names.len() {
        for grade in 1..8 {
            // All in one tie, so the gains are added in another order than those of the best list.
            let ranked: Vec<Ranked<'_>> = names
                .iter()
                .take(n)
                .map(|doc| Ranked { doc, score: 1.0 })
                .collect();
            let qrels: BTreeMap<&str, i32> = names
                .iter()
                .take(n)
                .map(|doc| (doc.as_str(), grade))
                .collect();
            let value = evaluate(std::slice::from_ref(&ndcg), &ranked, &qrels, Ties::Expected)[0];
            assert!(value <= 1.0, "{value} of {n} documents of grade {grade}");
            assert!(value > 1.0 - 1e-12);
        }
    }
}

/// Three documents of grade 3 that are tied: the two sums of nDCG end a rounding apart, `1.0000000000000002`.
#[test]
fn a_perfect_list_is_not_above_one() {
    let ranked = ["a", "b", "c"].map(|doc| Ranked { doc, score: 1.0 });
    let qrels = BTreeMap::from([("a", 3), ("b", 3), ("c", 3)]);
    let measure: Measure = "nDCG".parse().unwrap();
    let value = evaluate(&[measure], &ranked, &qrels, Ties::Expected)[0];
    assert!(value <= 1.0 && value > 0.999_999, "{value}");
}
