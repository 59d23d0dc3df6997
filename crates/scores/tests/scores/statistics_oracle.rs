//! The same intervals, tests and agreements from `scipy` and `krippendorff`.

use barecode_scores::comparison::{
    permutation_test, randomized_tukey, t_test, tukey_blocked, tukey_hsd, wilcoxon,
};
use barecode_scores::intervals::bca;
use barecode_scores::robustness::{Coefficient, correlation};
use barecode_scores::study::{Level, krippendorff_alpha, non_inferiority};
use barecode_scores::{Bootstrap, Method};
use barecode_testing::needs::is_long;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use serde_json::{Value, json};

use crate::oracle::python;

/// How many cases are drawn.
fn count() -> usize {
    if is_long() { 1000 } else { 250 }
}

/// scipy takes a fifth of a second for the intervals of one case.
fn tukey_count() -> usize {
    count() / 10
}

const FEW: Bootstrap = Bootstrap {
    resamples: 10,
    confidence: 0.9,
    seed: 1,
};

struct Random(ChaCha8Rng);

impl Random {
    fn new(seed: u64) -> Self {
        Random(ChaCha8Rng::seed_from_u64(seed))
    }

    fn below(&mut self, n: u32) -> u32 {
        self.0.next_u32() % n
    }

    fn size(&mut self, from: u32, to: u32) -> usize {
        (from + self.below(to - from + 1)) as usize
    }

    fn unit(&mut self) -> f64 {
        f64::from(self.0.next_u32()) / f64::from(u32::MAX)
    }

    /// A column of one of four kinds: eighths with many ties, any numbers, one value, nearly all zeros.
    fn column(&mut self, n: usize) -> Vec<f64> {
        let kind = self.below(12);
        (0..n)
            .map(|_| match kind {
                0..=4 => f64::from(self.below(9)) / 8.0,
                5..=9 => self.unit(),
                10 => 0.25,
                _ => f64::from(u8::from(self.below(10) == 0)),
            })
            .collect()
    }
}

fn ask(kind: &str, cases: &[Value]) -> Option<Vec<Value>> {
    let answer = python("oracle_statistics.py", &json!({ kind: cases }))?;
    let answers = answer[kind].as_array().unwrap().clone();
    assert_eq!(answers.len(), cases.len());
    Some(answers)
}

/// Counts what was compared, so that a test of nothing fails.
#[derive(Default)]
struct Compared(usize);

impl Compared {
    fn close(&mut self, ours: f64, theirs: &Value, what: &str) {
        if let Some(theirs) = theirs.as_f64() {
            self.0 += 1;
            let scale = theirs.abs().max(1.0);
            assert!(
                (ours - theirs).abs() <= 1e-9 * scale,
                "{what}: {ours} for {theirs}"
            );
        }
    }

    /// Checks that at least `n` values were compared for each 1000 cases.
    fn at_least(&self, n: usize) {
        let least = n * count() / 1000;
        assert!(self.0 >= least, "only {} values were compared", self.0);
    }
}

#[test]
fn paired_tests_agree_with_scipy() {
    let mut random = Random::new(1);
    let cases: Vec<(Vec<f64>, Vec<f64>)> = (0..count())
        .map(|case| {
            let n = match case % 4 {
                0 => random.size(60, 120),
                1 => random.size(10, 50),
                _ => random.size(2, 12),
            };
            (random.column(n), random.column(n))
        })
        .collect();
    let given: Vec<Value> = (cases.iter())
        .map(|(first, second)| json!({ "first": first, "second": second }))
        .collect();
    let Some(answers) = ask("paired", &given) else {
        return;
    };
    let mut of = [(); 3].map(|()| Compared::default());
    for (i, ((first, second), theirs)) in cases.iter().zip(&answers).enumerate() {
        let differences: Vec<f64> = first.iter().zip(second).map(|(a, b)| a - b).collect();
        let t = t_test(&differences).unwrap();
        match t {
            Some(t) => {
                of[0].close(t.t, &theirs[0], &format!("t of {i}"));
                of[0].close(t.p, &theirs[1], &format!("p of t of {i}"));
            }
            None => assert!(theirs[0].is_null(), "{i}"),
        }
        match wilcoxon(&differences).unwrap() {
            Some(test) => {
                // scipy's permutations report the sum of one side, not of the smaller.
                if differences.len() > 13 {
                    of[1].close(test.w, &theirs[2], &format!("w of {i}"));
                }
                of[1].close(test.p, &theirs[3], &format!("p of w of {i}"));
            }
            None => assert!(theirs[3].is_null(), "{i}"),
        }
        let test = permutation_test(&differences, 1000, 1).unwrap();
        if differences.len() <= 9 {
            assert!(test.exact);
            of[2].close(test.p, &theirs[4], &format!("permutations of {i}"));
        }
    }
    of[0].at_least(1800);
    of[1].at_least(1000);
    of[2].at_least(300);
}

#[test]
fn correlations_agree_with_scipy() {
    let mut random = Random::new(2);
    let cases: Vec<(Vec<f64>, Vec<f64>)> = (0..count())
        .map(|case| {
            let n = random.size(2, if case % 2 == 0 { 9 } else { 90 });
            let x = random.column(n);
            let mut y = random.column(n);
            if case % 5 == 0 {
                for (y, x) in y.iter_mut().zip(&x) {
                    *y = 2.0 * x + *y / 4.0;
                }
            }
            (x, y)
        })
        .collect();
    let given: Vec<Value> = (cases.iter())
        .map(|(x, y)| json!({ "x": x, "y": y }))
        .collect();
    let Some(answers) = ask("correlation", &given) else {
        return;
    };
    let mut of = [(); 2].map(|()| Compared::default());
    for (i, ((x, y), theirs)) in cases.iter().zip(&answers).enumerate() {
        let found = |coefficient| correlation(x, y, coefficient, &FEW, Method::Percentile).unwrap();
        match found(Coefficient::Pearson) {
            Some(found) => {
                of[0].close(found.fisher.value, &theirs[0], &format!("r of {i}"));
                // On a line, p is what rounding leaves.
                if found.fisher.value.abs() < 1.0 - 1e-10 || x.len() == 2 {
                    of[0].close(found.p.unwrap(), &theirs[1], &format!("p of r of {i}"));
                } else {
                    assert!(found.p.unwrap() < 1e-6 && theirs[1].as_f64().unwrap() < 1e-6);
                }
                of[0].close(found.fisher.low, &theirs[2], &format!("low of {i}"));
                of[0].close(found.fisher.high, &theirs[3], &format!("high of {i}"));
            }
            None => assert!(theirs[0].is_null(), "{i}"),
        }
        match found(Coefficient::Spearman) {
            Some(found) => {
                of[1].close(found.fisher.value, &theirs[4], &format!("rho of {i}"));
                if let Some(p) = found.p {
                    of[1].close(p, &theirs[5], &format!("p of rho of {i}"));
                } else {
                    assert!(theirs[5].is_null(), "{i}");
                }
            }
            None => assert!(theirs[4].is_null(), "{i}"),
        }
    }
    for of in of {
        of.at_least(1500);
    }
}

#[test]
fn tukey_agrees_with_scipy() {
    let mut random = Random::new(3);
    let cases: Vec<Vec<Vec<f64>>> = (0..tukey_count())
        .map(|case| {
            let k = random.size(2, 4);
            let n = random.size(2, 9);
            (0..k)
                .map(|_| {
                    let n = if case % 2 == 0 { n } else { random.size(2, 9) };
                    random.column(n)
                })
                .collect()
        })
        .collect();
    let given: Vec<Value> = cases.iter().map(|c| json!({ "groups": c })).collect();
    let Some(answers) = ask("tukey", &given) else {
        return;
    };
    let mut compared = Compared::default();
    for (i, (groups, theirs)) in cases.iter().zip(&answers).enumerate() {
        let ours = tukey_hsd(groups, 0.95).unwrap();
        for (pair, theirs) in ours.pairs.iter().zip(theirs.as_array().unwrap()) {
            compared.close(pair.p, &theirs[0], &format!("p of {i}"));
            // scipy's quantiles come from a root finder that stops at 1e-6 or so.
            for (ours, theirs) in [(pair.low, &theirs[1]), (pair.high, &theirs[2])] {
                if let Some(theirs) = theirs.as_f64() {
                    assert!((ours.unwrap() - theirs).abs() < 1e-5, "interval of {i}");
                }
            }
        }
    }
    compared.at_least(200);
    // The same table, every system on the same queries.
    let blocks: Vec<&Vec<Vec<f64>>> = (cases.iter().step_by(2))
        .filter(|systems| {
            systems
                .iter()
                .any(|system| (system[0] - system[1]).abs() > 1e-9)
        })
        .collect();
    let given: Vec<Value> = blocks.iter().map(|c| json!({ "systems": c })).collect();
    let answers = ask("blocked", &given).unwrap();
    let mut compared = Compared::default();
    for (i, (systems, theirs)) in blocks.iter().zip(&answers).enumerate() {
        let ours = tukey_blocked(systems, 0.95).unwrap();
        for (pair, theirs) in ours.pairs.iter().zip(theirs.as_array().unwrap()) {
            compared.close(pair.p, theirs, &format!("blocked p of {i}"));
        }
    }
    compared.at_least(60);
}

#[test]
fn alpha_agrees_with_krippendorff() {
    let mut random = Random::new(4);
    let levels = [
        ("nominal", Level::Nominal),
        ("ordinal", Level::Ordinal),
        ("interval", Level::Interval),
        ("ratio", Level::Ratio),
    ];
    let cases: Vec<Vec<Vec<Option<f64>>>> = (0..count())
        .map(|_| {
            let (units, raters) = (random.size(1, 30), random.size(2, 5));
            let values = 1 + random.below(6);
            let missing = random.below(6);
            (0..units)
                .map(|_| {
                    let usual = random.below(values);
                    (0..raters)
                        .map(|_| {
                            let agrees = random.below(2) == 0;
                            let rating = if agrees { usual } else { random.below(values) };
                            (random.below(10) >= missing).then(|| f64::from(rating) / 2.0)
                        })
                        .collect()
                })
                .collect()
        })
        .collect();
    let given: Vec<Value> = (cases.iter())
        .flat_map(|units| levels.map(|(level, _)| json!({ "units": units, "level": level })))
        .collect();
    let Some(answers) = ask("alpha", &given) else {
        return;
    };
    let mut compared = Compared::default();
    for (i, (units, theirs)) in cases.iter().zip(answers.chunks(4)).enumerate() {
        for ((name, level), theirs) in levels.iter().zip(theirs) {
            match krippendorff_alpha(units, *level, &FEW, Method::Percentile).unwrap() {
                Some(ours) => {
                    let value = ours.alpha.interval.value;
                    compared.close(value, theirs, &format!("{name} of {i}"));
                }
                None => assert!(theirs.is_null(), "{name} of {i}: none for {theirs}"),
            }
        }
    }
    compared.at_least(2800);
}

#[test]
fn bca_from_the_same_resamples_agrees_with_scipy() {
    let mut random = Random::new(5);
    let cases: Vec<(Vec<f64>, f64)> = (0..count())
        .map(|_| {
            let n = random.size(2, 40);
            let confidence = [0.5, 0.8, 0.95, 0.99][random.size(0, 3)];
            // On a grid equal means have equal sums; elsewhere scipy takes rounding for an order.
            let column = random.column(n);
            let column = column
                .iter()
                .map(|v| (v * 1024.0).round() / 1024.0)
                .collect();
            (column, confidence)
        })
        .collect();
    let given: Vec<Value> = (cases.iter().enumerate())
        .map(|(seed, (column, confidence))| {
            json!({ "column": column, "confidence": confidence, "resamples": 120, "seed": seed })
        })
        .collect();
    let Some(answers) = ask("bca", &given) else {
        return;
    };
    let mut compared = Compared::default();
    let mut undefined = 0;
    for (i, ((column, confidence), theirs)) in cases.iter().zip(&answers).enumerate() {
        let n = column.len() as f64;
        let sum: f64 = column.iter().sum();
        let without: Vec<f64> = column.iter().map(|v| (sum - v) / (n - 1.0)).collect();
        let drawn = theirs[2].as_array().unwrap();
        let drawn: Vec<f64> = drawn.iter().map(|v| v.as_f64().unwrap()).collect();
        let ours = bca(sum / n, drawn, &without, *confidence);
        assert!(ours.low.is_finite() && ours.high.is_finite());
        undefined += usize::from(theirs[0].is_null());
        compared.close(ours.low, &theirs[0], &format!("low of {i}"));
        compared.close(ours.high, &theirs[1], &format!("high of {i}"));
    }
    compared.at_least(1600);
    assert!(undefined > 5, "constant columns are among the cases");
}

#[test]
fn non_inferiority_agrees_with_scipy() {
    let mut random = Random::new(6);
    let cases: Vec<(Vec<f64>, Vec<f64>, f64, f64)> = (0..count())
        .map(|_| {
            let n = random.size(2, 130);
            let margin = f64::from(random.below(5)) / 10.0;
            let level = [0.01, 0.025, 0.05, 0.2][random.size(0, 3)];
            (random.column(n), random.column(n), margin, level)
        })
        .collect();
    let given: Vec<Value> = (cases.iter())
        .map(|(first, second, margin, level)| {
            json!({ "first": first, "second": second, "margin": margin, "level": level })
        })
        .collect();
    let Some(answers) = ask("non_inferiority", &given) else {
        return;
    };
    let mut compared = Compared::default();
    for (i, ((first, second, margin, level), theirs)) in cases.iter().zip(&answers).enumerate() {
        // Two constant columns have a difference without spread, of which scipy sees the rounding.
        if first
            .iter()
            .zip(second)
            .all(|(a, b)| ((a - b) - (first[0] - second[0])).abs() < 1e-12)
        {
            continue;
        }
        let ours = non_inferiority(first, second, *margin, *level).unwrap();
        compared.close(ours.t, &theirs[0], &format!("t of {i}"));
        compared.close(ours.p, &theirs[1], &format!("p of {i}"));
        compared.close(ours.low, &theirs[2], &format!("low of {i}"));
        compared.close(ours.power, &theirs[3], &format!("power of {i}"));
    }
    compared.at_least(3500);
}

#[test]
fn random_draws_agree_in_distribution() {
    let mut random = Random::new(7);
    let differences: Vec<f64> = (0..300).map(|_| random.unit() - 0.47).collect();
    let sizes = [3, 40, 7, 7, 12, 25, 1, 30, 9, 16];
    let groups: Vec<Vec<f64>> = (sizes.iter())
        .map(|&n| {
            let level = random.unit();
            (0..n)
                .map(|_| f64::midpoint(level, random.unit()))
                .collect()
        })
        .collect();
    let systems: Vec<Vec<f64>> = (0..4)
        .map(|system| {
            (0..50)
                .map(|_| random.unit() + f64::from(system) / 20.0)
                .collect()
        })
        .collect();
    let (n, f) = (40_000_u32, 40_000.0_f64);
    let Some(p) = ask(
        "large_permutation",
        &[json!({ "differences": differences, "permutations": n })],
    ) else {
        return;
    };
    // Both sides draw: the difference of two shares has twice the variance of one.
    let near = |ours: f64, theirs: &Value| {
        let theirs = theirs.as_f64().unwrap();
        let error = (2.0 * theirs * (1.0 - theirs) / f).sqrt();
        assert!(
            (ours - theirs).abs() < 4.0 * error + 2.0 / f,
            "{ours} for {theirs}"
        );
    };
    near(permutation_test(&differences, n, 9).unwrap().p, &p[0]);
    let theirs = &ask(
        "randomized_tukey",
        &[json!({ "systems": systems, "permutations": n })],
    )
    .unwrap()[0];
    let ours = randomized_tukey(&systems, n, 9).unwrap();
    assert_eq!(ours.pairs.len(), 6);
    for (pair, theirs) in ours.pairs.iter().zip(theirs.as_array().unwrap()) {
        near(pair.p, theirs);
    }
    let bootstrap = Bootstrap {
        resamples: n,
        confidence: 0.95,
        seed: 9,
    };
    // The quantile at 2.5 % of 40,000 draws is off by a fortieth of the deviation once in many thousand runs.
    let ends = |interval: barecode_scores::Interval, theirs: &Value| {
        let width = interval.high - interval.low;
        for (ours, theirs) in [(interval.low, &theirs[0]), (interval.high, &theirs[1])] {
            let theirs = theirs.as_f64().unwrap();
            assert!(
                (ours - theirs).abs() < width / 70.0,
                "{ours} for {theirs}, width {width}"
            );
        }
    };
    let theirs = ask("clusters", &[json!({ "groups": groups, "resamples": n })]).unwrap();
    let repositories: Vec<usize> = (groups.iter().enumerate())
        .flat_map(|(i, group)| vec![i; group.len()])
        .collect();
    let ours = bootstrap
        .cluster_mean(&groups.concat(), &repositories, Method::Percentile)
        .unwrap();
    ends(ours.interval, &theirs[0]);
}
