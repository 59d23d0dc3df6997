//! The same numbers from other programs.

use std::collections::BTreeMap;
use std::path::Path;

use barecode_scores::{Bootstrap, Measure, Method, Ranked, Ties, evaluate};
use barecode_testing::needs::{ask, skip};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use serde_json::{Value, json};

/// What a script of this crate prints for this input.
pub(crate) fn python(script: &str, input: &Value) -> Option<Value> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests")
        .join(script);
    ask(&script, input, &[])
}

struct Case {
    run: BTreeMap<String, f64>,
    qrels: BTreeMap<String, i32>,
}

/// What differs between the rules of the programs, so that each is asked what it can answer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scores {
    /// Half of the lists have many equal scores.
    Tied,
    /// No two scores of a list are equal.
    Distinct,
}

/// Lists of up to 60 documents with up to 40 judged ones, grades from -1 to 4; some lists are empty, and some
/// queries judge nothing.
fn cases(count: usize, scores: Scores) -> Vec<Case> {
    let mut rng = ChaCha8Rng::seed_from_u64(20);
    let mut below = |n: u32| rng.next_u32() % n;
    let mut cases = Vec::new();
    for case in 0..count {
        let n_docs = if below(25) == 0 { 0 } else { 1 + below(60) };
        let steps = if case % 2 == 0 { 6 } else { 100_000 };
        let mut run: BTreeMap<String, f64> = BTreeMap::new();
        for i in 0..n_docs {
            // Eighths below 2^17 are exact in 32 bits, which pytrec_eval keeps scores in; so no rounding of
            // theirs joins what we keep apart.
            let score = match scores {
                Scores::Tied => below(steps),
                Scores::Distinct => 64 * below(1_000) + i,
            };
            run.insert(format!("d{i:02}"), f64::from(score) / 8.0);
        }
        let mut qrels: BTreeMap<String, i32> = BTreeMap::new();
        let n_judged = if below(25) == 0 { 0 } else { 1 + below(40) };
        for _ in 0..n_judged {
            let doc = format!("d{:02}", below(n_docs + 5));
            qrels.insert(doc, i32::try_from(below(6)).unwrap() - 1);
        }
        cases.push(Case { run, qrels });
    }
    cases
}

/// Everything that some program computes under the same definition.
const NAMES: [&str; 61] = [
    "nDCG",
    "nDCG@1",
    "nDCG@5",
    "nDCG@10",
    "nDCG(judged_only=True)@5",
    "nDCG(gains={1:3,2:1})@10",
    "nDCG(dcg='exp-log2')@5",
    "nDCG(dcg='exp-log2')@20",
    "RR",
    "RR@3",
    "RR@10",
    "RR(rel=2)",
    "RR(rel=2)@5",
    "RR(judged_only=True)",
    "AP",
    "AP@10",
    "AP(rel=2)",
    "AP(rel=2)@5",
    "AP(judged_only=True)",
    "R@1",
    "R@5",
    "R@10",
    "R@20",
    "R(rel=2)@5",
    "P@1",
    "P@5",
    "P(rel=3)@10",
    "P(judged_only=True)@5",
    "Success@1",
    "Success@5",
    "Success(rel=4)@3",
    "Rprec",
    "Rprec(rel=2)",
    "Bpref",
    "Bpref(rel=2)",
    "infAP",
    "infAP(rel=2)",
    "IPrec@0.0",
    "IPrec@0.1",
    "IPrec@0.5",
    "IPrec@1.0",
    "SetP",
    "SetP(relative=True)",
    "SetP(judged_only=True)",
    "SetR",
    "SetF",
    "SetAP",
    "NumQ",
    "NumRet",
    "NumRet(rel=2)",
    "NumRel",
    "Judged@5",
    "Judged",
    "Accuracy",
    "Accuracy@10",
    "RBP(rel=1)",
    "RBP(p=0.5,rel=2)",
    "SDCG(max_rel=4)@10",
    "SDCG(min_rel=1,max_rel=3)@5",
    "ERR@5",
    "ERR@20",
];

fn agrees(ties: Ties, scores: Scores, programs: &[(&str, f64)]) {
    let measures: Vec<Measure> = NAMES.iter().map(|name| name.parse().unwrap()).collect();
    let cases = cases(1_000, scores);
    let asked: Vec<&str> = programs.iter().map(|&(program, _)| program).collect();
    let input = json!({
        "programs": asked,
        "measures": NAMES.as_slice(),
        "cases": cases.iter().map(|case| json!({ "run": case.run, "qrels": case.qrels })).collect::<Vec<_>>(),
    });
    let Some(answer) = python("oracle_measures.py", &input) else {
        return;
    };
    for &(program, tolerance) in programs {
        let mut compared = 0;
        for (i, case) in cases.iter().enumerate() {
            let ranked: Vec<Ranked> = case
                .run
                .iter()
                .map(|(doc, &score)| Ranked { doc, score })
                .collect();
            let judged = case.qrels.iter();
            let qrels = judged.map(|(doc, &grade)| (doc.as_str(), grade)).collect();
            let values = evaluate(&measures, &ranked, &qrels, ties);
            for (name, value) in NAMES.iter().zip(values) {
                let Some(theirs) = answer[program][name][i].as_f64() else {
                    continue;
                };
                // A query that the run lacks has 0 in ir_measures, also in counts.
                let value = if ranked.is_empty() { 0.0 } else { value };
                compared += 1;
                assert!(
                    (value - theirs).abs() <= tolerance,
                    "{program}, {name}, case {i}: {value} for {theirs}"
                );
            }
        }
        if compared == 0 {
            skip(&format!("{program} is not installed"));
        } else {
            assert!(
                compared > 400,
                "{program}: only {compared} values were compared"
            );
        }
    }
}

#[test]
fn docno_ties_agree_with_pytrec_eval() {
    agrees(
        Ties::Docno,
        Scores::Tied,
        &[("pytrec_eval", 1e-9), ("ir_measures/pytrec_eval", 1e-9)],
    );
}

/// These programs have other rules for ties: by ascending id, or by the order of a sort.
#[test]
fn without_ties_every_program_agrees() {
    agrees(
        Ties::Expected,
        Scores::Distinct,
        &[
            ("pytrec_eval", 1e-9),
            ("ranx", 1e-9),
            ("ir_measures/pytrec_eval", 1e-9),
            ("ir_measures/msmarco", 1e-9),
            ("ir_measures/judged", 1e-9),
            ("ir_measures/cwl_eval", 1e-9),
            // gdeval.pl prints five digits.
            ("ir_measures/gdeval", 5.1e-6),
        ],
    );
}

#[test]
fn intervals_agree_with_scipy() {
    let column: Vec<f64> = (0..80).map(|i| 1.0 / f64::from(1 + i * 7 % 23)).collect();
    let repeats = 30_u32;
    let input =
        json!({ "column": column, "resamples": 4000, "confidence": 0.95, "repeats": repeats });
    let Some(answer) = python("oracle_bootstrap.py", &input) else {
        return;
    };
    let bootstrap = Bootstrap {
        resamples: 40_000,
        confidence: 0.95,
        seed: 5,
    };
    let ours = bootstrap.mean(&column, Method::Percentile).unwrap();
    for (end, ours) in [(0, ours.low), (1, ours.high)] {
        let theirs: Vec<f64> = answer
            .as_array()
            .unwrap()
            .iter()
            .map(|pair| pair[end].as_f64().unwrap())
            .collect();
        let n = f64::from(repeats);
        let mean = theirs.iter().sum::<f64>() / n;
        let variance = theirs
            .iter()
            .map(|value| (value - mean).powi(2))
            .sum::<f64>()
            / (n - 1.0);
        // One scipy interval has a tenth of our resamples: our own error is its error by the root of ten.
        let error = (variance / n + variance / 10.0).sqrt();
        assert!(
            (ours - mean).abs() < 4.0 * error,
            "{ours} for {mean}, standard error {error}"
        );
    }
}
