//! Fused runs, against `ranx`.

use std::collections::BTreeMap;

use barecode_retrieval::{Analyzer, Bm25, Bm25Index, Counts, Fusion, fuse};
use serde_json::{Value, json};

use crate::oracle::{python, texts};

type List = Vec<(String, f64)>;

/// Lists of this crate's own functions asked for each other, by three BM25 of different depths; without ties, which
/// `ranx` ranks in an order of its own.
fn runs() -> Vec<BTreeMap<String, List>> {
    let texts = texts();
    let run = |(k1, b, depth): (f64, f64, usize)| {
        let options = Bm25 {
            k1,
            b,
            ..Bm25::PLAIN
        };
        let counts = Counts::of(Analyzer::new(&options), &texts).unwrap();
        let index = Bm25Index::new(&counts, &options);
        let list = |(i, text): (usize, &String)| {
            let mut list: List = index
                .search(text, depth)
                .unwrap()
                .into_iter()
                .map(|scored| (format!("d{:03}", scored.document), scored.score))
                .collect();
            list.dedup_by(|a, b| a.1.to_bits() == b.1.to_bits());
            (format!("q{i}"), list)
        };
        texts.iter().enumerate().take(40).map(list).collect()
    };
    [(1.5, 0.75, 50), (0.2, 0.1, 30), (3.0, 1.0, 7)]
        .into_iter()
        .map(run)
        .collect()
}

#[test]
fn fused_scores_agree_with_ranx() {
    let runs = runs();
    let weights = [0.5, 0.3, 0.2];
    let as_map = |run: &BTreeMap<String, List>| -> Value {
        let list = |list: &List| list.iter().cloned().collect::<BTreeMap<_, _>>();
        run.iter()
            .map(|(query, of)| (query.clone(), json!(list(of))))
            .collect()
    };
    let input = json!({ "runs": runs.iter().map(as_map).collect::<Vec<_>>(), "weights": weights });
    let Some(answer) = python("oracle_fusion.py", &input) else {
        return;
    };
    let mut compared = 0;
    for (name, method, weights) in [
        ("rrf", Fusion::ReciprocalRank { k: 60.0 }, [1.0; 3]),
        ("min-max", Fusion::MinMax, weights),
        ("z-score", Fusion::ZScore, [1.0; 3]),
    ] {
        for query in runs[0].keys() {
            let lists: Vec<(&[(String, f64)], f64)> = runs
                .iter()
                .zip(weights)
                .map(|(run, weight)| (&*run[query], weight))
                .collect();
            let ours = fuse(method, &lists);
            let theirs: BTreeMap<String, f64> =
                serde_json::from_value(answer[name][query].clone()).unwrap();
            assert_eq!(ours.len(), theirs.len(), "{name} {query}");
            for (document, score) in ours {
                let theirs = theirs[&document];
                assert!(
                    (score - theirs).abs() < 1e-9,
                    "{name} {query} {document}: {score} for {theirs}"
                );
                compared += 1;
            }
        }
    }
    assert!(compared > 4000, "{compared} scores only");
}
