//! What we write, as the programs see it that others read it with.
//!
//! `datasets`, `mlcroissant`, `pandas`, and the loaders of MTEB and BEIR, each from its published package.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use barecode_formats::{
    Benchmark, Document, Existing, Extra, Facts, Judgment, Publication, Query, Subset, release,
};
use barecode_testing::needs::interpreter;
use serde_json::{Value, json};

#[expect(
    clippy::disallowed_methods,
    reason = "a test asks the programs that others read our files with"
)]
fn seen(folder: &Path) -> Option<Value> {
    let script = format!("{}/tests/consumers.py", env!("CARGO_MANIFEST_DIR"));
    let output = Command::new(interpreter()?)
        .arg(script)
        .arg(folder)
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "the script failed: {stderr}");
    Some(serde_json::from_slice(&output.stdout).unwrap())
}

fn subset(name: &str, language: &str) -> Subset {
    let mut subset = Subset::new(name, "test");
    let texts = [
        "int f()\n{\n\treturn 1;\n}\n",
        "",
        "naïve 字 🦀 \u{2028} \"quoted\"",
        "a\u{0}b\\n",
    ];
    for (number, text) in texts.iter().enumerate() {
        let mut extra = Extra::new();
        extra.insert("license".to_owned(), json!("MIT"));
        extra.insert("Output Types (é)".to_owned(), json!("none"));
        extra.insert("language".to_owned(), json!(language));
        if number > 0 {
            extra.insert("stars".to_owned(), json!(number));
            extra.insert("packages".to_owned(), json!(["a", "b"]));
        }
        subset.documents.push(Document {
            id: format!("{name}-c{number}"),
            title: format!("title {number}"),
            text: (*text).to_owned(),
            extra,
        });
    }
    for number in 0..3 {
        let extra = Extra::from_iter([(
            "instruction".to_owned(),
            json!(format!("rank code {number}")),
        )]);
        subset.queries.push(Query {
            id: format!("{name}-q{number}"),
            text: format!("what is {number}, é?"),
            extra,
        });
        for (document, grade) in [(number, 2), (number + 1, 1)] {
            subset.judgments.push(Judgment {
                query: format!("{name}-q{number}"),
                document: format!("{name}-c{document}"),
                grade,
            });
        }
        let all = subset.documents.iter().map(|one| one.id.clone()).collect();
        subset.candidates.insert(format!("{name}-q{number}"), all);
    }
    subset
}

fn publication() -> Publication {
    let text = |text: &str| Some(text.to_owned());
    Publication {
        name: "made-set".to_owned(),
        facts: Facts {
            title: text("A made set: \"quoted\""),
            description: text("Functions and what they do; lines\nof two kinds."),
            license: text("MIT"),
            url: text("https://example.org/made"),
            version: text("1.0.0"),
            published: text("2026-11-21"),
            citation: text("@misc{made, title = {Made}}"),
            about: None,
            creators: vec!["Who Made It".to_owned()],
            extra: Extra::new(),
        },
        rai: BTreeMap::from([
            ("dataBiases".to_owned(), json!("only C")),
            ("dataLimitations".to_owned(), json!("small")),
        ]),
    }
}

fn expected(subset: &Subset) -> Value {
    let mut judgments: Vec<Value> = subset
        .judgments
        .iter()
        .map(|one| json!([one.query, one.document, one.grade]))
        .collect();
    judgments.sort_by_key(Value::to_string);
    json!({
        "documents": subset.documents.iter().map(|one| json!([one.id, one.title, one.text])).collect::<Vec<_>>(),
        "queries": subset.queries.iter().map(|one| json!([one.id, one.text])).collect::<Vec<_>>(),
        "judgments": judgments,
    })
}

#[test]
fn real_consumers_see_the_same_texts_and_judgments() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("made-set");
    let benchmark = Benchmark {
        subsets: vec![subset("one", "c"), subset("two", "cpp")],
        ..Benchmark::default()
    };
    let parts = release(&benchmark, &publication(), &out, Existing::Keep).unwrap();
    assert!(
        parts.iter().all(|part| part.left_out.is_none()),
        "{parts:?}"
    );
    let Some(seen) = seen(&out) else { return };

    for one in &benchmark.subsets {
        assert_eq!(seen["mteb"][&one.name], expected(one));
        assert_eq!(seen["beir"][&one.name], expected(one));
        let texts = &seen["coir"][format!("{}-queries-corpus", one.name)];
        let corpus = texts["corpus"].as_array().unwrap();
        assert_eq!(corpus.len(), one.documents.len());
        assert!(
            corpus
                .iter()
                .zip(&one.documents)
                .all(|(row, document)| row["_id"] == document.id && row["text"] == document.text)
        );
        assert!(corpus.iter().all(|row| row.get("title").is_some()));
        assert_eq!(
            texts["queries"].as_array().unwrap().len(),
            one.queries.len()
        );
        let qrels = seen["coir"][format!("{}-qrels", one.name)]["test"]
            .as_array()
            .unwrap();
        assert!(qrels.iter().zip(&one.judgments).all(|(row, judgment)| {
            row["query_id"] == judgment.query
                && row["corpus_id"] == judgment.document
                && row["score"] == judgment.grade
        }));
        let rows = |config: &str| seen["datasets"][config]["test"]["rows"].clone();
        for layout in ["huggingface", "mteb"] {
            assert_eq!(rows(&format!("{layout}/{}-corpus", one.name)), 4);
            assert_eq!(rows(&format!("{layout}/{}-queries", one.name)), 3);
            assert_eq!(rows(&format!("{layout}/{}-qrels", one.name)), 6);
            assert_eq!(rows(&format!("{layout}/{}-top_ranked", one.name)), 3);
            assert_eq!(rows(&format!("{layout}/{}-instruction", one.name)), 3);
        }
        assert_eq!(rows(&format!("huggingface/{}", one.name)), 6);
        assert_eq!(
            seen["pandas"][format!("huggingface/{}/corpus.parquet", one.name)],
            4
        );
        assert_eq!(
            seen["croissant"]["sets"][format!("{}-corpus/test", one.name)],
            4
        );
        assert_eq!(seen["croissant"]["sets"][format!("{}/test", one.name)], 6);
    }
    assert_eq!(seen["croissant"]["errors"], json!([]));
    assert_eq!(seen["croissant"]["warnings"], json!([]));
    assert_eq!(seen["task"], "mteb_made_set.py");
}

#[test]
fn a_bare_subset_loads_too() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("bare");
    let benchmark = Benchmark {
        subsets: vec![subset("default", "c")],
        ..Benchmark::default()
    };
    release(&benchmark, &publication(), &out, Existing::Keep).unwrap();
    let Some(seen) = seen(&out) else { return };
    let one = &benchmark.subsets[0];
    assert_eq!(seen["mteb"]["default"], expected(one));
    assert_eq!(seen["beir"]["default"], expected(one));
}
