//! Exact search and files of vectors, against `numpy`.

use barecode_retrieval::{DenseIndex, Precision, Similarity, Vectors};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use serde_json::json;

use crate::oracle::python;

fn noise(seed: u64, n: usize, dimensions: usize) -> Vectors {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut number = || f32::from(u16::try_from(rng.next_u32() >> 16).unwrap()) / 32_768.0 - 1.0;
    let values = (0..n * dimensions).map(|_| number()).collect();
    Vectors::new(dimensions, values).unwrap()
}

#[test]
fn files_and_scores_agree_with_numpy() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(format!("{name}.npy"));
    let (documents, queries) = (noise(1, 1500, 37), noise(2, 12, 37));
    documents.write(&at("documents")).unwrap();
    queries.write(&at("queries")).unwrap();
    documents.write(&at("ours-f32")).unwrap();
    documents
        .stored(Precision::F16)
        .unwrap()
        .write(&at("ours-f16"))
        .unwrap();
    let Some(answer) = python("oracle_dense.py", &json!({ "folder": folder.path() })) else {
        return;
    };
    assert_eq!(
        answer["dtypes"],
        json!({ "f32": "<f4 1500x37", "f16": "<f2 1500x37" })
    );
    for kind in ["f32", "f16"] {
        let ours = std::fs::read(at(&format!("ours-{kind}"))).unwrap();
        let theirs = std::fs::read(at(&format!("theirs-{kind}"))).unwrap();
        // NumPy pads its header with more blanks; the numbers are the same.
        let n_bytes = 1500 * 37 * if kind == "f32" { 4 } else { 2 };
        assert_eq!(
            ours[ours.len() - n_bytes..],
            theirs[theirs.len() - n_bytes..]
        );
    }
    let mapped = Vectors::open(&at("theirs-f32")).unwrap();
    for (name, similarity) in [
        ("dot", Similarity::Dot),
        ("cosine", Similarity::Cosine),
        ("euclid", Similarity::Euclid),
    ] {
        let lists = DenseIndex::new(&mapped, similarity)
            .search_all(&queries, 100)
            .unwrap();
        assert_eq!(
            lists,
            DenseIndex::new(&documents, similarity)
                .search_all(&queries, 100)
                .unwrap()
        );
        for (i, list) in lists.iter().enumerate() {
            let scores: Vec<f64> =
                serde_json::from_value(answer["scores"][name][i].clone()).unwrap();
            let mut order: Vec<usize> = (0..scores.len()).collect();
            order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]));
            let ids: Vec<usize> = list.iter().map(|scored| scored.document).collect();
            assert_eq!(ids, order[..100], "{name} {i}");
            for scored in list {
                assert!((scored.score - scores[scored.document]).abs() < 1e-12);
            }
        }
    }
    // Half as many bits keep most of the list.
    let halves = Vectors::open(&at("theirs-f16")).unwrap();
    let whole = DenseIndex::new(&mapped, Similarity::Cosine)
        .search_all(&queries, 10)
        .unwrap();
    let half = DenseIndex::new(&halves, Similarity::Cosine)
        .search_all(&queries, 10)
        .unwrap();
    for (whole, half) in whole.iter().zip(&half) {
        let same = half
            .iter()
            .filter(|a| whole.iter().any(|b| a.document == b.document))
            .count();
        assert!(same >= 9, "{same} of 10");
    }
}
