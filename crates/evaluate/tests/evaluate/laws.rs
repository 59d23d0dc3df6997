//! What holds for every list.

use barecode_evaluate::System;
use barecode_records::{Document, Hit, QueryText};
use barecode_retrieval::Random;
use proptest::prelude::*;

use crate::{bm25, document, of, query, retrieve};

fn ids(hits: &[Hit]) -> Vec<&str> {
    hits.iter().map(|hit| hit.doc_id.as_str()).collect()
}

fn random(name: &str) -> System {
    of(Some(name), Random, 1000)
}

#[test]
fn a_score_worked_by_hand() {
    let documents = [
        document("a", "copy bytes copy"),
        document("b", "free bytes"),
    ];
    let hits = retrieve(&bm25(10), &documents, &[query("q", "copy")], 0);
    // idf = ln(1 + 1.5/1.5); length 3 of 2.5 on average; tf 2.
    let expected = 2.0_f64.ln() * 2.0 / (1.5 * (0.25 + 0.75 * 3.0 / 2.5) + 2.0);
    assert_eq!(ids(&hits), ["a"]);
    assert!((hits[0].score - expected).abs() < 1e-12);
    assert_eq!(hits[0].rank, 1);
}

#[test]
fn a_word_asked_twice_counts_twice() {
    let documents = [document("a", "copy bytes"), document("b", "free memory")];
    let score = |text: &str| retrieve(&bm25(10), &documents, &[query("q", text)], 0)[0].score;
    assert!((score("copy copy") - 2.0 * score("copy")).abs() < 1e-12);
}

#[test]
fn what_shares_no_word_is_not_retrieved() {
    let documents = [
        document("a", "copy bytes"),
        document("b", ""),
        document("c", "free"),
    ];
    assert_eq!(
        retrieve(&bm25(10), &documents, &[query("q", "sort a list")], 0),
        []
    );
    assert_eq!(retrieve(&bm25(10), &[], &[query("q", "sort")], 0), []);
    assert_eq!(
        retrieve(&bm25(10), &[document("a", "")], &[query("q", "")], 0),
        []
    );
}

#[test]
fn twins_score_the_same_and_are_not_cut_apart() {
    let text = "static int var_0 = 0; return var_0 + var_1;";
    let documents = ["d", "b", "a", "c"].map(|id| document(id, text));
    let hits = retrieve(
        &bm25(2),
        &documents,
        &[query("q", "var_1 var_0 return int")],
        0,
    );
    assert_eq!(ids(&hits), ["a", "b", "c", "d"]);
    assert!(
        hits.iter()
            .all(|hit| hit.score.to_bits() == hits[0].score.to_bits())
    );
    assert_eq!(
        hits.iter().map(|hit| hit.rank).collect::<Vec<_>>(),
        [1, 2, 3, 4]
    );
}

#[test]
fn random_order_is_a_permutation_that_only_its_seeds_decide() {
    let documents: Vec<Document> = (0..50)
        .map(|i| document(&format!("d{i:02}"), "x"))
        .collect();
    let turned: Vec<Document> = documents.iter().rev().cloned().collect();
    let order = |documents: &[Document], name: &str, query_id: &str, seed| {
        let hits = retrieve(&random(name), documents, &[query(query_id, "text")], seed);
        hits.iter()
            .map(|hit| hit.doc_id.clone())
            .collect::<Vec<_>>()
    };
    let first = order(&documents, "random", "q1", 1);
    let mut sorted = first.clone();
    sorted.sort();
    assert_eq!(
        sorted,
        documents
            .iter()
            .map(|document| document.id.clone())
            .collect::<Vec<_>>()
    );
    assert_eq!(first, order(&turned, "random", "q1", 1));
    assert_ne!(first, order(&documents, "random", "q1", 2));
    assert_ne!(first, order(&documents, "random", "q2", 1));
    assert_ne!(first, order(&documents, "random-2", "q1", 1));
}

#[test]
fn random_order_has_every_document_first_equally_often() {
    let documents: Vec<Document> = (0..4).map(|i| document(&format!("d{i}"), "x")).collect();
    let queries: Vec<QueryText> = (0..4000).map(|i| query(&format!("q{i}"), "text")).collect();
    let hits = retrieve(&random("random"), &documents, &queries, 1);
    for document in &documents {
        let first = hits
            .iter()
            .filter(|hit| hit.rank == 1 && hit.doc_id == document.id)
            .count();
        // 1,000 each, with a standard deviation of 27.
        assert!(
            first.abs_diff(1000) < 120,
            "{} was first {first} times",
            document.id
        );
    }
}

proptest! {
    #[test]
    fn the_same_list_comes_out_on_any_number_of_threads(
        texts in prop::collection::vec("[a-d ]{0,20}", 1..20),
        asked in prop::collection::vec("[a-d ]{0,20}", 1..10),
        depth in 1_u32..30,
    ) {
        let documents: Vec<Document> =
            texts.iter().enumerate().map(|(i, text)| document(&format!("d{i:02}"), text)).collect();
        let queries: Vec<QueryText> =
            asked.iter().enumerate().map(|(i, text)| query(&format!("q{i}"), text)).collect();
        for config in [bm25(depth), random("random")] {
            let on = |threads: usize| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| retrieve(&config, &documents, &queries, 7))
            };
            let hits = on(1);
            prop_assert_eq!(&hits, &on(3));
            for pair in hits.windows(2).filter(|pair| pair[0].query_id == pair[1].query_id) {
                prop_assert!(pair[0].score >= pair[1].score);
                prop_assert_eq!(pair[0].rank + 1, pair[1].rank);
                if pair[0].score.to_bits() == pair[1].score.to_bits() {
                    prop_assert!(pair[0].doc_id < pair[1].doc_id);
                }
            }
        }
    }
}
