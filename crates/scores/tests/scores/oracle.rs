//! The same numbers from other programs.

use std::collections::BTreeMap;
use std::io::Write;
use std::process::{Command, Stdio};

use barecode_scores::{Bootstrap, Measure, Ranked, Ties, evaluate};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use serde_json::{Value, json};

/// What the script prints for this input; `None`, said on stderr, where there is no interpreter.
#[expect(
    clippy::disallowed_methods,
    reason = "a test asks another program for the same numbers"
)]
pub(crate) fn python(script: &str, input: &Value) -> Option<Value> {
    let Some(python) = std::env::var_os("BARECODE_PYTHON") else {
        eprintln!("skipped: BARECODE_PYTHON names no Python interpreter");
        return None;
    };
    let script = format!("{}/tests/{script}", env!("CARGO_MANIFEST_DIR"));
    let mut child = Command::new(python)
        .arg(script)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(input.to_string().as_bytes())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "the script failed");
    Some(serde_json::from_slice(&output.stdout).unwrap())
}

struct Case {
    run: BTreeMap<String, f64>,
    qrels: BTreeMap<String, i32>,
}

/// Lists of up to 60 documents, half of the lists with many ties, with up to 12 judged documents.
fn cases(count: usize) -> Vec<Case> {
    let mut rng = ChaCha8Rng::seed_from_u64(20);
    let mut below = |n: u32| rng.next_u32() % n;
    let mut cases = Vec::new();
    for case in 0..count {
        let n_docs = 1 + below(60);
        let steps = if case % 2 == 0 { 6 } else { 100_000 };
        // Eighths below 2^17 are exact in 32 bits, which trec_eval keeps scores in.
        let run = (0..n_docs)
            .map(|i| (format!("d{i:02}"), f64::from(below(steps)) / 8.0))
            .collect();
        let mut qrels: BTreeMap<String, i32> = BTreeMap::new();
        for _ in 0..=below(12) {
            qrels.insert(
                format!("d{:02}", below(n_docs + 5)),
                i32::try_from(below(4)).unwrap(),
            );
        }
        cases.push(Case { run, qrels });
    }
    cases
}

#[test]
fn docno_ties_agree_with_trec_eval() {
    let names = [
        "nDCG",
        "nDCG@1",
        "nDCG@5",
        "nDCG@10",
        "RR",
        "RR@10",
        "RR(rel=2)",
        "AP",
        "AP@10",
        "AP(rel=2)",
        "R@1",
        "R@5",
        "R@10",
        "R@20",
        "R(rel=2)@5",
        "P@1",
        "P@5",
        "P(rel=3)@10",
        "Success@1",
        "Success@5",
    ];
    let measures: Vec<Measure> = names.iter().map(|name| name.parse().unwrap()).collect();
    let cases = cases(400);
    let describe = |measure: &Measure| {
        let (kind, k, rel) = match *measure {
            Measure::NDcg { k } => ("nDCG", k, 1),
            Measure::Rr { k, rel } => ("RR", k, rel),
            Measure::Ap { k, rel } => ("AP", k, rel),
            Measure::Recall { k, rel } => ("R", Some(k), rel),
            Measure::Precision { k, rel } => ("P", Some(k), rel),
            Measure::Success { k, rel } => ("Success", Some(k), rel),
        };
        json!({ "name": measure.to_string(), "kind": kind, "k": k, "rel": rel })
    };
    let input = json!({
        "measures": measures.iter().map(describe).collect::<Vec<_>>(),
        "cases": cases.iter().map(|case| json!({ "run": case.run, "qrels": case.qrels })).collect::<Vec<_>>(),
    });
    let Some(answer) = python("oracle_measures.py", &input) else {
        return;
    };
    let mut compared = 0;
    for (i, case) in cases.iter().enumerate() {
        let ranked: Vec<Ranked> = case
            .run
            .iter()
            .map(|(doc, &score)| Ranked { doc, score })
            .collect();
        let qrels = case
            .qrels
            .iter()
            .map(|(doc, &grade)| (doc.as_str(), grade))
            .collect();
        let values = evaluate(&measures, &ranked, &qrels, Ties::Docno);
        for (j, (name, value)) in names.iter().zip(values).enumerate() {
            for program in ["pytrec_eval", "ir_measures"] {
                let Some(theirs) = answer[program][i][j].as_f64() else {
                    continue;
                };
                compared += 1;
                assert!(
                    (value - theirs).abs() < 1e-6,
                    "{program}, {name}, case {i}: {value} for {theirs}"
                );
            }
        }
    }
    assert!(
        compared > cases.len() * names.len(),
        "only {compared} values were compared"
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
    let ours = bootstrap.intervals(&[column])[0];
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
