//! Laws of intervals, tests and agreements that hold for every column.

use barecode_scores::comparison::{
    Judge, Plan, compare, compare_all, holm, permutation_test, randomized_tukey, t_test,
    tied_groups, wilcoxon,
};
use barecode_scores::robustness::{
    Coefficient, Distance, cluster_correlation, correlation, dose_curve, drop_from, shift, subset,
};
use barecode_scores::study::{Level, krippendorff_alpha, non_inferiority, queries_needed, totals};
use barecode_scores::{Bootstrap, Method, StatisticsError};
use proptest::prelude::*;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

fn bootstrap(seed: u64) -> Bootstrap {
    Bootstrap {
        resamples: 400,
        confidence: 0.95,
        seed,
    }
}

/// Eighths, so that sums are exact in any order.
fn column(n: std::ops::Range<usize>) -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec((0..9_i32).prop_map(|i| f64::from(i) / 8.0), n)
}

fn columns(n: std::ops::Range<usize>) -> impl Strategy<Value = (Vec<f64>, Vec<f64>)> {
    n.prop_flat_map(|n| (column(n..n + 1), column(n..n + 1)))
}

fn methods() -> impl Strategy<Value = Method> {
    prop_oneof![Just(Method::Percentile), Just(Method::Bca)]
}

fn is_constant(values: &[f64]) -> bool {
    values
        .windows(2)
        .all(|pair| pair[0].to_bits() == pair[1].to_bits())
}

const LEVELS: [Level; 4] = [
    Level::Nominal,
    Level::Ordinal,
    Level::Interval,
    Level::Ratio,
];

proptest! {
    #[test]
    fn intervals_stay_within_the_values(values in column(1..40), method in methods(), seed in 0..99_u64) {
        let interval = bootstrap(seed).mean(&values, method).unwrap();
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let most = values.iter().copied().fold(0.0, f64::max);
        prop_assert!(least <= interval.low && interval.low <= interval.high && interval.high <= most);
        if method == Method::Percentile && values.len() > 8 {
            prop_assert!(interval.contains(interval.value), "{interval:?}");
        }
        if is_constant(&values) {
            prop_assert_eq!((interval.low, interval.high), (values[0], values[0]));
        }
    }

    #[test]
    fn each_query_its_own_cluster_is_no_cluster(values in column(1..30), method in methods(), seed in 0..99_u64) {
        let names: Vec<usize> = (0..values.len()).collect();
        let clustered = bootstrap(seed).cluster_mean(&values, &names, method).unwrap();
        prop_assert_eq!(clustered.interval, bootstrap(seed).mean(&values, method).unwrap());
        let one = bootstrap(seed).cluster_mean(&values, &vec![0; values.len()], method).unwrap();
        prop_assert_eq!((one.interval.low, one.interval.high), (one.interval.value, one.interval.value));
    }

    #[test]
    fn the_default_interval_lies_within_the_range_and_is_never_of_no_width(values in column(1..40)) {
        let interval = bootstrap(1).mean(&values, Method::Student).unwrap();
        prop_assert!(0.0 <= interval.low && interval.high <= 1.0 && interval.contains(interval.value));
        prop_assert!(interval.high - interval.low > 1.0 / values.len() as f64 / 4.0, "{interval:?}");
        let names: Vec<usize> = (0..values.len()).collect();
        let clustered = bootstrap(1).cluster_mean(&values, &names, Method::Student).unwrap().interval;
        if values.len() > 1 && !is_constant(&values) {
            prop_assert!((clustered.low - interval.low).abs() < 1e-9 && (clustered.high - interval.high).abs() < 1e-9);
        }
        let mirrored: Vec<f64> = values.iter().map(|value| 1.0 - value).collect();
        let mirrored = bootstrap(1).mean(&mirrored, Method::Student).unwrap();
        prop_assert!((1.0 - mirrored.high - interval.low).abs() < 1e-9);
    }

    #[test]
    fn tests_do_not_mind_the_order_or_the_sign((first, second) in columns(1..30), turn in 0..30_usize) {
        let differences: Vec<f64> = first.iter().zip(&second).map(|(a, b)| a - b).collect();
        let mut turned: Vec<f64> = differences.iter().map(|difference| -difference).collect();
        turned.rotate_left(turn % differences.len());
        if let (Some(a), Some(b)) = (t_test(&differences).unwrap(), t_test(&turned).unwrap()) {
            prop_assert!((a.p - b.p).abs() < 1e-12);
        }
        prop_assert_eq!(wilcoxon(&differences).unwrap(), wilcoxon(&turned).unwrap());
        let (a, b) = (permutation_test(&differences, 5_000, 1).unwrap(), permutation_test(&turned, 5_000, 1).unwrap());
        prop_assert!(a.p > 0.0 && a.p <= 1.0);
        if a.exact {
            prop_assert_eq!(a, b);
        } else {
            prop_assert!((a.p - b.p).abs() < 0.06);
        }
    }

    #[test]
    fn holm_rises_with_p_and_with_the_number_of_tests(p in prop::collection::vec(0.0..=1.0, 1..20)) {
        let raised = holm(&p);
        for (i, &own) in p.iter().enumerate() {
            prop_assert!(raised[i] >= own && raised[i] <= 1.0);
            prop_assert!(raised[i] <= (own * p.len() as f64).min(1.0) + 1e-15, "no more than Bonferroni");
            for (j, &other) in p.iter().enumerate() {
                prop_assert!(own > other || raised[i] <= raised[j]);
            }
        }
    }

    #[test]
    fn systems_share_a_letter_exactly_if_not_separated(
        means in column(1..8),
        apart in prop::collection::btree_set((0..8_usize, 0..8_usize), 0..14),
    ) {
        let n = means.len();
        let apart: Vec<(usize, usize)> = apart.into_iter().filter(|&(a, b)| a < b && b < n).collect();
        let groups = tied_groups(&means, &apart);
        for a in 0..n {
            prop_assert!(!groups.letters[a].is_empty());
            for b in a + 1..n {
                let together = groups.groups.iter().any(|group| group.contains(&a) && group.contains(&b));
                prop_assert_eq!(together, !apart.contains(&(a, b)));
                let letter = groups.letters[a].chars().any(|letter| groups.letters[b].contains(letter));
                prop_assert_eq!(letter, together);
            }
        }
        for pair in groups.order.windows(2) {
            prop_assert!(means[pair[0]] >= means[pair[1]]);
        }
    }

    #[test]
    fn alpha_of_perfect_agreement_is_one(values in column(2..20), raters in 2..5_usize) {
        let units: Vec<Vec<Option<f64>>> = values.iter().map(|&value| vec![Some(value); raters]).collect();
        for level in LEVELS {
            let alpha = krippendorff_alpha(&units, level, &bootstrap(1), Method::Percentile).unwrap();
            if is_constant(&values) {
                prop_assert_eq!(alpha, None);
            } else {
                let alpha = alpha.unwrap().alpha;
                prop_assert_eq!((alpha.interval.value, alpha.interval.low, alpha.interval.high), (1.0, 1.0, 1.0));
            }
        }
    }

    #[test]
    fn alpha_does_not_mind_the_order(
        units in prop::collection::vec(prop::collection::vec(prop::option::of((0..4_i32).prop_map(f64::from)), 3), 1..15),
        turn in 0..15_usize,
    ) {
        let mut turned = units.clone();
        turned.rotate_left(turn % units.len());
        for unit in &mut turned {
            unit.reverse();
        }
        for level in LEVELS {
            let alpha = |units: &[Vec<Option<f64>>]| {
                let found = krippendorff_alpha(units, level, &bootstrap(1), Method::Percentile).unwrap();
                found.map(|alpha| alpha.alpha.interval.value)
            };
            match (alpha(&units), alpha(&turned)) {
                (Some(a), Some(b)) => prop_assert!((a - b).abs() < 1e-12 && a <= 1.0),
                (a, b) => prop_assert_eq!(a, b),
            }
        }
    }

    #[test]
    fn a_drop_of_nothing_is_nothing((standard, setting) in columns(1..30), method in methods(), seed in 0..99_u64) {
        let none = drop_from(&standard, &standard, &bootstrap(seed), method).unwrap();
        prop_assert_eq!((none.absolute.low, none.absolute.high), (0.0, 0.0));
        if let Some(relative) = none.relative {
            prop_assert_eq!((relative.interval.low, relative.interval.high), (0.0, 0.0));
        }
        let drop = drop_from(&standard, &setting, &bootstrap(seed), method).unwrap();
        prop_assert!((drop.absolute.value - (drop.standard - drop.setting)).abs() < 1e-12);
        prop_assert_eq!(drop.relative.is_none(), drop.standard == 0.0);
    }

    #[test]
    fn a_relative_drop_is_the_ratio_of_means_by_any_method((standard, setting) in columns(3..30), seed in 0..99_u64) {
        let relative = |method| drop_from(&standard, &setting, &bootstrap(seed), method).unwrap().relative;
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        let lost = 1.0 - mean(&setting) / mean(&standard);
        for method in [Method::Percentile, Method::Student] {
            let found = relative(method).map(|relative| relative.interval);
            prop_assert_eq!(found.is_some(), mean(&standard) > 0.0, "{:?}", method);
            if let Some(found) = found {
                prop_assert!((found.value - lost).abs() < 1e-12);
                prop_assert!(found.low <= lost + 1e-12 && lost <= found.high + 1e-12 && found.high <= 1.0);
            }
        }
    }

    #[test]
    fn a_subset_that_is_the_whole_differs_by_nothing(values in column(1..30), seed in 0..99_u64) {
        let all: Vec<Option<f64>> = values.iter().copied().map(Some).collect();
        let told = subset(&values, &all, &bootstrap(seed), Method::Percentile).unwrap();
        prop_assert_eq!(told.difference.interval, told.same_functions);
        prop_assert_eq!((told.difference.interval.low, told.difference.interval.high), (0.0, 0.0));
        prop_assert_eq!(told.subset.interval, told.whole);
    }

    #[test]
    fn a_line_over_doses_has_its_slope((start, slope) in columns(1..20)) {
        let doses = [0.0, 0.25, 0.5, 1.0];
        let scores: Vec<Vec<f64>> = doses.iter()
            .map(|dose| start.iter().zip(&slope).map(|(start, slope)| start - dose * slope).collect())
            .collect();
        let curve = dose_curve(&doses, &scores, &bootstrap(1), Method::Percentile).unwrap();
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        prop_assert!((curve.slope.value + mean(&slope)).abs() < 1e-12);
        prop_assert!((curve.area.value - (mean(&start) - mean(&slope) / 2.0)).abs() < 1e-12);
    }

    #[test]
    fn correlations_turn_with_the_sign((x, y) in columns(2..30)) {
        let turned: Vec<f64> = y.iter().map(|y| 1.0 - 2.0 * y).collect();
        for coefficient in [Coefficient::Pearson, Coefficient::Spearman] {
            let value = |y: &[f64]| {
                let found = correlation(&x, y, coefficient, &bootstrap(1), Method::Bca).unwrap();
                found.map(|found| (found.bootstrap.interval, found.fisher))
            };
            match (value(&y), value(&turned)) {
                (Some((drawn, fisher)), Some((against, _))) => {
                    prop_assert!((drawn.value + against.value).abs() < 1e-12);
                    prop_assert!(drawn.low >= -1.0 && drawn.high <= 1.0 && drawn.low <= drawn.high);
                    prop_assert!(fisher.low <= fisher.value && fisher.value <= fisher.high);
                }
                (a, b) => prop_assert!(a.is_none() && b.is_none()),
            }
        }
    }

    #[test]
    fn clusters_of_the_same_pairs_are_pairs((x, y) in columns(2..25), copies in 1..4_usize, seed in 0..99_u64) {
        let clusters: Vec<usize> = (0..x.len()).collect();
        let copied = |column: &[f64]| column.repeat(copies);
        let (many_x, many_y) = (copied(&x), copied(&y));
        let of_many: Vec<usize> = clusters.repeat(copies);
        for coefficient in [Coefficient::Pearson, Coefficient::Spearman] {
            for method in [Method::Percentile, Method::Bca] {
                let alone = correlation(&x, &y, coefficient, &bootstrap(seed), method).unwrap();
                let drawn = cluster_correlation(
                    &many_x, &many_y, &of_many, coefficient, &bootstrap(seed), method,
                ).unwrap();
                let (Some(alone), Some(drawn)) = (alone, drawn) else {
                    prop_assert!(alone.is_none() && drawn.is_none());
                    continue;
                };
                let (one, other) = (alone.bootstrap, drawn.bootstrap);
                prop_assert_eq!(one.undefined, other.undefined);
                for (one, other) in [
                    (one.interval.value, other.interval.value),
                    (one.interval.low, other.interval.low),
                    (one.interval.high, other.interval.high),
                ] {
                    prop_assert!((one - other).abs() < 1e-9, "{} {}", one, other);
                }
            }
        }
    }

    #[test]
    fn a_shift_is_a_distance(
        pairs in prop::collection::vec((-8..9_i8, -8..9_i8), 1..40),
        stretch in 1..9_i8,
    ) {
        let (x, y): (Vec<f32>, Vec<f32>) =
            pairs.into_iter().map(|(x, y)| (f32::from(x), f32::from(y))).unzip();
        for distance in [Distance::Cosine, Distance::Euclid] {
            prop_assert_eq!(shift(&x, &y, distance), shift(&y, &x, distance));
            prop_assert!(shift(&x, &x, distance).is_none_or(|shift| shift == 0.0));
        }
        let longer: Vec<f32> = y.iter().map(|number| number * f32::from(stretch)).collect();
        let of = |other: &[f32]| shift(&x, other, Distance::Cosine);
        match (of(&y), of(&longer)) {
            (Some(one), Some(other)) => {
                prop_assert!((one - other).abs() < 1e-12 && (0.0..=2.0).contains(&one));
                let product: f64 = x.iter().zip(&y).map(|(a, b)| f64::from(a * b)).sum();
                let length = |v: &[f32]| v.iter().map(|a| f64::from(a * a)).sum::<f64>().sqrt();
                prop_assert!((1.0 - product / (length(&x) * length(&y)) - one).abs() < 1e-9);
            }
            (one, other) => prop_assert!(one.is_none() && other.is_none()),
        }
    }

    #[test]
    fn a_larger_margin_is_easier_to_show((first, second) in columns(2..40), margin in 0.0..0.5_f64) {
        let test = |margin| non_inferiority(&first, &second, margin, 0.05).unwrap();
        let (narrow, wide) = (test(margin), test(margin + 0.1));
        prop_assert!(wide.p <= narrow.p + 1e-12 && wide.power >= narrow.power - 1e-12);
        if (narrow.low + margin).abs() > 1e-9 {
            prop_assert_eq!(narrow.shown, narrow.low > -margin);
        }
    }
}

#[test]
fn p_values_are_even_when_nothing_differs() {
    let mut rng = ChaCha8Rng::seed_from_u64(12);
    let mut unit = || f64::from(rng.next_u32()) / f64::from(u32::MAX);
    let trials = 600;
    let mut below = [[0_u32; 3]; 3];
    for seed in 0..trials {
        let systems: Vec<Vec<f64>> = (0..2).map(|_| (0..24).map(|_| unit()).collect()).collect();
        let differences: Vec<f64> = systems[0]
            .iter()
            .zip(&systems[1])
            .map(|(a, b)| a - b)
            .collect();
        let found = [
            permutation_test(&differences, 399, seed).unwrap().p,
            t_test(&differences).unwrap().unwrap().p,
            randomized_tukey(&systems, 399, seed).unwrap().pairs[0].p,
        ];
        for (below, p) in below.iter_mut().zip(found) {
            for (below, level) in below.iter_mut().zip([0.1, 0.5, 0.8]) {
                *below += u32::from(p <= level);
            }
        }
    }
    for below in below {
        for (below, level) in below.into_iter().zip([0.1, 0.5, 0.8]) {
            let expected = level * trials as f64;
            let error = (expected * (1.0 - level)).sqrt();
            assert!(
                (f64::from(below) - expected).abs() < 4.0 * error,
                "{below} of {expected}"
            );
        }
    }
}

#[test]
fn intervals_cover_the_truth_about_as_often_as_they_say() {
    let mut rng = ChaCha8Rng::seed_from_u64(13);
    let trials = 400;
    let mut covered = [0_u32; 2];
    for seed in 0..trials {
        // A tenth of ones and the rest zeros: the mean is 0.1, the skew is large.
        let values: Vec<f64> = (0..80)
            .map(|_| f64::from(u8::from(rng.next_u32() % 10 == 0)))
            .collect();
        for (covered, method) in covered.iter_mut().zip([Method::Percentile, Method::Bca]) {
            *covered += u32::from(bootstrap(seed).mean(&values, method).unwrap().contains(0.1));
        }
    }
    for covered in covered {
        let share = f64::from(covered) / trials as f64;
        assert!((0.88..=0.99).contains(&share), "{share}");
    }
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let first: Vec<f64> = (0..700).map(|i| f64::from(i * 37 % 101) / 101.0).collect();
    let second: Vec<f64> = (0..700).map(|i| f64::from(i * 53 % 103) / 103.0).collect();
    let plan = Plan {
        bootstrap: bootstrap(5),
        method: Method::Bca,
        permutations: 3000,
    };
    let all = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| {
            let systems = [
                first.clone(),
                second.clone(),
                first.iter().map(|v| v * 0.9).collect(),
            ];
            (
                compare_all(&systems, Judge::Tukey, &plan).unwrap(),
                totals(&first, &second, &plan.bootstrap).unwrap(),
                correlation(
                    &first,
                    &second,
                    Coefficient::Spearman,
                    &plan.bootstrap,
                    Method::Bca,
                )
                .unwrap(),
            )
        })
    };
    assert_eq!(all(1), all(3));
}

#[test]
fn what_has_no_meaning_is_refused() {
    let plan = Plan {
        bootstrap: bootstrap(1),
        method: Method::Bca,
        permutations: 100,
    };
    let error = compare(&[1.0], &[1.0, 0.5], &plan).unwrap_err();
    assert!(matches!(
        error,
        StatisticsError::Lengths {
            n_first: 1,
            n_second: 2,
            ..
        }
    ));
    assert!(error.hint().is_some());
    for wrong in [f64::NAN, f64::INFINITY] {
        let error = bootstrap(1).mean(&[0.5, wrong], Method::Bca).unwrap_err();
        assert!(error.to_string().contains("position 1"), "{error}");
    }
    let error = bootstrap(1).mean(&[], Method::Bca).unwrap_err();
    assert!(matches!(
        error,
        StatisticsError::TooFew {
            n: 0,
            needed: 1,
            ..
        }
    ));
    let sure = Bootstrap {
        confidence: 1.0,
        ..bootstrap(1)
    };
    assert!(sure.mean(&[0.5], Method::Bca).is_err());
    assert!(non_inferiority(&[1.0, 0.5], &[1.0, 0.5], -0.1, 0.05).is_err());
    // No number of queries shows a margin of nothing, even where all differences are equal.
    for (deviation, margin) in [
        (0.8, 0.0),
        (0.0, 0.0),
        (0.8, -0.1),
        (1.0, 1e-5),
        (1.0, f64::NAN),
    ] {
        let needed = queries_needed(deviation, margin, 0.8, 0.05);
        assert!(needed.is_err(), "{deviation} {margin}: {needed:?}");
    }
    assert_eq!(queries_needed(0.0, 0.1, 0.8, 0.05).unwrap(), 2);
    let negative = [vec![Some(-1.0), Some(1.0)]];
    assert!(krippendorff_alpha(&negative, Level::Ratio, &bootstrap(1), Method::Bca).is_err());
}

#[test]
fn undefined_resamples_are_counted() {
    // The standard mean is 0 in the eight of 27 resamples that miss the first query.
    let drop = drop_from(
        &[1.0, 0.0, 0.0],
        &[0.5, 0.0, 0.0],
        &bootstrap(1),
        Method::Percentile,
    )
    .unwrap();
    let undefined = f64::from(drop.relative.unwrap().undefined) / 400.0;
    assert!((undefined - 8.0 / 27.0).abs() < 0.1, "{undefined}");
    // Two of three units have the same value.
    let units = [[1.0, 1.0], [1.0, 1.0], [2.0, 2.0]].map(|unit| unit.map(Some).to_vec());
    let alpha =
        krippendorff_alpha(&units, Level::Nominal, &bootstrap(1), Method::Percentile).unwrap();
    let undefined = f64::from(alpha.unwrap().alpha.undefined) / 400.0;
    assert!((undefined - 9.0 / 27.0).abs() < 0.1, "{undefined}");
}
