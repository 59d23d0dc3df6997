//! The same tokens and scores from `bm25s`.

use std::path::Path;

use barecode_retrieval::Analyzer;
use barecode_retrieval::{Bm25, Stemmer, StopWords, Tokenizer};
use barecode_testing::needs::ask;
use serde_json::{Value, json};

use crate::{Text, named, retrieve};

/// What a script of these tests prints for this input; `None` where there is no interpreter.
pub(crate) fn python(script: &str, input: &Value) -> Option<Value> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests")
        .join(script);
    ask(&script, input, &[])
}

/// This crate's own source, cut at its functions: real code with real sentences above it.
pub(crate) fn texts() -> Vec<String> {
    let files = [
        include_str!("../../src/analyzer.rs"),
        include_str!("../../src/bm25.rs"),
        include_str!("../../src/index.rs"),
        include_str!("../../src/random.rs"),
        include_str!("../../src/fusion.rs"),
        include_str!("../../src/top.rs"),
    ];
    files
        .iter()
        .flat_map(|file| file.split("fn "))
        .map(str::to_owned)
        .collect()
}

const QUERIES: [&str; 6] = [
    "the best of a list without cutting equal scores apart",
    "Random order, drawn per query; the query's seed and the query's id",
    "terms in lower case: stop words out, stems",
    "Number of documents that have a term. idf tf k1 b",
    "nobody wrote zyzzyva",
    "größer is_border HTTPServer",
];

fn agrees(options: Bm25, own_tokens: bool) {
    let texts = texts();
    let analyzer = Analyzer::new(&options);
    let terms = |texts: &[&str]| {
        texts
            .iter()
            .map(|text| analyzer.terms(text).unwrap())
            .collect::<Vec<_>>()
    };
    let document_terms = terms(&texts.iter().map(String::as_str).collect::<Vec<_>>());
    let input = json!({
        "documents": texts,
        "queries": QUERIES,
        "stop_words": options.stop_words == StopWords::English,
        "document_tokens": if own_tokens { json!(document_terms) } else { Value::Null },
        "query_tokens": if own_tokens { json!(terms(&QUERIES)) } else { Value::Null },
        "k1": options.k1,
        "b": options.b,
    });
    let Some(answer) = python("oracle_bm25.py", &input) else {
        return;
    };
    assert_eq!(answer["document_tokens"], json!(document_terms));
    let documents: Vec<Text> = texts
        .iter()
        .enumerate()
        .map(|(i, text)| named(&format!("{i}"), text))
        .collect();
    let queries: Vec<Text> = QUERIES
        .iter()
        .enumerate()
        .map(|(i, text)| named(&format!("{i}"), text))
        .collect();
    let hits = retrieve(&options, 1000, &documents, &queries);
    let mut ours = vec![vec![0.0; texts.len()]; QUERIES.len()];
    for hit in &hits {
        let place = |id: &str| id.parse::<usize>().unwrap();
        ours[place(&hit.query_id)][place(&hit.doc_id)] = hit.score;
    }
    for (i, row) in ours.iter().enumerate() {
        for (j, score) in row.iter().enumerate() {
            let theirs = answer["scores"][i][j].as_f64().unwrap();
            let close = (score - theirs).abs() <= 1e-4 * theirs.abs();
            assert!(close, "query {i}, document {j}: {score} for {theirs}");
        }
    }
    assert!(
        hits.len() > texts.len(),
        "the queries hit {} documents only",
        hits.len()
    );
}

#[test]
fn plain_words_and_scores_agree_with_bm25s() {
    agrees(Bm25::PLAIN, false);
}

#[test]
fn stop_words_agree_with_bm25s() {
    agrees(
        Bm25 {
            stop_words: StopWords::English,
            ..Bm25::PLAIN
        },
        false,
    );
}

#[test]
fn scores_of_code_words_and_stems_agree_with_bm25s() {
    let options = Bm25 {
        tokenizer: Tokenizer::Code,
        stop_words: StopWords::English,
        stemmer: Stemmer::English,
        k1: 1.2,
        b: 0.4,
        ..Bm25::PLAIN
    };
    agrees(options, true);
}
