//! BM25 on CLARC's first group, against `bm25s` 0.3.16 on the same files.
//!
//! The reference broke ties by the order of the file and had its own rule for the parts of identifiers, so it
//! is met within a tolerance only.

use std::collections::BTreeMap;

use barecode_retrieval::{Analyzer, Bm25, Bm25Index, Counts, Form, Tokenizer};
use barecode_scores::{Measure, Ranked, Ties, evaluate};
use barecode_testing::needs::data;
use serde_json::{Value, json};

use crate::oracle::python;
use crate::{Hit, Text, named, retrieve};

type Qrels = BTreeMap<String, BTreeMap<String, i32>>;

/// Documents and queries of StatCodeSearch; each row is one of both.
fn stat_code_search() -> Option<(Vec<String>, Vec<String>)> {
    let text = std::fs::read_to_string(data("gecs/test_statcodesearch_mrr.jsonl")?).unwrap();
    let rows = text.lines().map(|line| serde_json::from_str(line).unwrap());
    let pair = |row: Value| {
        let input = row["input"].as_str().unwrap().to_owned();
        let (comment, code) = input.split_once("[CODESPLIT]").unwrap();
        (code.to_owned(), comment.to_owned())
    };
    Some(rows.map(pair).unzip())
}

fn clarc(setting: &str) -> Option<(Vec<Text>, Vec<Text>, Qrels)> {
    let file = data(&format!(
        "clarc/reconstructed_group1_{setting}_cleaned.json"
    ))?;
    let text = std::fs::read_to_string(file).unwrap();
    let rows: Vec<Value> = serde_json::from_str(&text).unwrap();
    let field = |row: &Value, key: &str| match &row[key] {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let mut documents = BTreeMap::new();
    let mut queries = BTreeMap::new();
    let mut qrels = Qrels::new();
    for row in &rows {
        let (query_id, code_id) = (field(row, "query_id"), field(row, "code_id"));
        queries.insert(
            query_id.clone(),
            named(&query_id, &field(row, "query_text")),
        );
        documents.insert(code_id.clone(), named(&code_id, &field(row, "code_text")));
        qrels.entry(query_id).or_default().insert(code_id, 1);
    }
    Some((
        documents.into_values().collect(),
        queries.into_values().collect(),
        qrels,
    ))
}

fn mean_ndcg(hits: &[Hit], queries: &[Text], qrels: &Qrels) -> f64 {
    let measure = ["nDCG@10".parse::<Measure>().unwrap()];
    let value = |query: &Text| {
        let list = hits.iter().filter(|hit| hit.query_id == query.id);
        let ranked: Vec<Ranked> = list
            .map(|hit| Ranked {
                doc: &hit.doc_id,
                score: hit.score,
            })
            .collect();
        let judged = &qrels[query.id.as_str()];
        let judged = judged
            .iter()
            .map(|(doc, &grade)| (doc.as_str(), grade))
            .collect();
        evaluate(&measure, &ranked, &judged, Ties::Expected)[0]
    };
    100.0 * queries.iter().map(value).sum::<f64>() / queries.len() as f64
}

#[test]
fn clarc_group_1_scores_as_with_bm25s() {
    let code = Bm25 {
        tokenizer: Tokenizer::Code,
        ..Bm25::PLAIN
    };
    for (setting, options, reference) in [
        ("original", Bm25::PLAIN, 7.75),
        ("original", code, 14.63),
        ("usual_renamed", Bm25::PLAIN, 5.99),
        ("usual_renamed", code, 7.97),
        ("hash_renamed", Bm25::PLAIN, 6.19),
        ("hash_renamed", code, 8.63),
    ] {
        // The reference split camelCase and snake_case by a rule of its own, without digits.
        let tolerance = if options.tokenizer == Tokenizer::Code {
            0.5
        } else {
            0.1
        };
        let Some((documents, queries, qrels)) = clarc(setting) else {
            return;
        };
        let hits = retrieve(&options, 100, &documents, &queries);
        let value = mean_ndcg(&hits, &queries, &qrels);
        eprintln!(
            "{setting}, {:?}: {value:.2} for {reference}",
            options.tokenizer
        );
        assert!(
            (value - reference).abs() < tolerance,
            "{setting}, {options:?}: {value} for {reference}"
        );
    }
}

/// Every score of every form for these tokens is that of `bm25s`, to 1e-6.
fn agrees_in_all_forms(name: &str, documents: &[String], queries: &[String], options: Bm25) {
    let analyzer = Analyzer::new(&options);
    let terms = |texts: &[String]| {
        texts
            .iter()
            .map(|text| analyzer.terms(text).unwrap())
            .collect::<Vec<_>>()
    };
    let input = json!({
        "document_tokens": terms(documents),
        "query_tokens": terms(queries),
        "k1": options.k1,
        "b": options.b,
        "delta": options.delta,
    });
    let Some(answer) = python("oracle_forms.py", &input) else {
        return;
    };
    let counts = Counts::of(Analyzer::new(&options), documents).unwrap();
    for form in Form::ALL {
        let options = Bm25 {
            form: *form,
            ..options
        };
        let index = Bm25Index::new(&counts, &options);
        let whole = index.search_all(queries, documents.len()).unwrap();
        let tens = index.search_all(queries, 10).unwrap();
        let (mut compared, mut greatest) = (0, 0.0_f64);
        for (i, (list, ten)) in whole.iter().zip(&tens).enumerate() {
            let theirs: Vec<f64> = serde_json::from_value(answer[form.name()][i].clone()).unwrap();
            // What is not retrieved has what every document has: the least of the scores.
            let least = theirs.iter().copied().fold(f64::INFINITY, f64::min);
            let mut ours = vec![least; documents.len()];
            for scored in list {
                ours[scored.document] = scored.score;
            }
            for (ours, theirs) in ours.iter().zip(&theirs) {
                greatest = greatest.max((ours - theirs).abs());
                compared += 1;
            }
            assert_eq!(list[..ten.len()], ten[..], "{name} {form:?} query {i}");
        }
        eprintln!(
            "{name}, {}: {compared} scores, at most {greatest:e} apart",
            form.name()
        );
        assert!(greatest <= 1e-6, "{name} {form:?}: {greatest}");
    }
}

#[test]
fn clarc_scores_in_all_forms_agree_with_bm25s() {
    let Some((documents, queries, _)) = clarc("original") else {
        return;
    };
    let documents: Vec<String> = documents
        .into_iter()
        .map(|document| document.text)
        .collect();
    let queries: Vec<String> = queries.into_iter().map(|query| query.text).collect();
    agrees_in_all_forms("clarc", &documents, &queries, Bm25::PLAIN);
}

#[test]
fn stat_code_search_scores_in_all_forms_agree_with_bm25s() {
    let Some((documents, queries)) = stat_code_search() else {
        return;
    };
    assert_eq!(documents.len(), 1070);
    let options = Bm25 {
        tokenizer: Tokenizer::Code,
        k1: 0.9,
        b: 0.4,
        delta: 1.0,
        ..Bm25::PLAIN
    };
    agrees_in_all_forms("StatCodeSearch", &documents, &queries, options);
}
