//! What a format can hold comes back as it was.

use std::collections::BTreeMap;

use barecode_formats::{
    Benchmark, Document, Existing, Extra, Format, Judgment, Kind, Query, Strictness, Subset,
    differences, impossible, load, losses, write,
};
use proptest::prelude::*;
use serde_json::json;

/// Texts with whatever divides fields, lines and encodings.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        "[a-z ]{0,12}",
        "\\PC{0,8}",
        "[a\t\n\r\"',:#\\\\ é字🦀\u{feff}\u{2028}-]{0,10}",
        Just("a [CODESPLIT] b".to_owned()),
        Just("---\nx: 1\n---\n".to_owned()),
    ]
}

fn id() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => "[a-z0-9_-]{1,6}",
        1 => "[a-z]{1,3}[ \t\"#][a-z]{0,3}",
        1 => "[é字🦀]{1,2}",
    ]
}

/// Columns of one kind each, as tables have them.
fn extra() -> impl Strategy<Value = Extra> {
    let cell = (
        any::<Option<i64>>(),
        proptest::option::of(text()),
        any::<Option<bool>>(),
    );
    let list = proptest::option::of(proptest::collection::vec(text(), 0..3));
    (cell, list, any::<bool>()).prop_map(|((number, label, flag), list, none)| {
        let mut extra = Extra::new();
        if none {
            return extra;
        }
        if let Some(number) = number {
            extra.insert("stars".to_owned(), json!(number));
        }
        if let Some(label) = label {
            extra.insert("license".to_owned(), json!(label));
        }
        if let Some(flag) = flag {
            extra.insert("checked".to_owned(), json!(flag));
        }
        if let Some(list) = list {
            extra.insert("packages".to_owned(), json!(list));
        }
        extra
    })
}

fn subset() -> impl Strategy<Value = Subset> {
    let documents = proptest::collection::btree_map(id(), (text(), text(), extra()), 1..6);
    let queries = proptest::collection::btree_map(id(), (text(), extra()), 1..5);
    let judgments = proptest::collection::btree_map((0_usize..5, 0_usize..6), 0_i32..3, 1..10);
    let name = prop_oneof![
        Just("default".to_owned()),
        Just("group1-wasm".to_owned()),
        "[a-z]{1,5}(_[a-z]{1,3})?"
    ];
    let split = prop_oneof![3 => Just("test"), 1 => Just("train")];
    (
        name,
        split,
        documents,
        queries,
        judgments,
        any::<bool>(),
        any::<bool>(),
    )
        .prop_map(
            |(name, split, documents, queries, judgments, plain, full)| {
                let mut subset = Subset::new(name, split);
                for (id, (title, text, extra)) in documents {
                    let (title, extra) = if plain {
                        (String::new(), Extra::new())
                    } else {
                        (title, extra)
                    };
                    subset.documents.push(Document {
                        id,
                        title,
                        text,
                        extra,
                    });
                }
                for (id, (text, extra)) in queries {
                    let extra = if plain { Extra::new() } else { extra };
                    subset.queries.push(Query { id, text, extra });
                }
                for ((query, document), grade) in judgments {
                    let (Some(query), Some(document)) =
                        (subset.queries.get(query), subset.documents.get(document))
                    else {
                        continue;
                    };
                    let judgment = Judgment {
                        query: query.id.clone(),
                        document: document.id.clone(),
                        grade,
                    };
                    subset.judgments.push(judgment);
                }
                if full {
                    // Every query has a judgment.
                    let judged: Vec<String> = subset
                        .judgments
                        .iter()
                        .map(|one| one.query.clone())
                        .collect();
                    subset.queries.retain(|one| judged.contains(&one.id));
                }
                if !plain
                    && let (Some(query), Some(document)) =
                        (subset.queries.first(), subset.documents.last())
                {
                    subset.candidates =
                        BTreeMap::from([(query.id.clone(), vec![document.id.clone()])]);
                }
                subset
            },
        )
}

/// Rows of pairs, the only thing that some formats can hold.
fn pairs() -> impl Strategy<Value = Subset> {
    let rows = proptest::collection::vec((text(), text(), any::<bool>()), 1..6);
    (rows, "[a-z]{2,5}", any::<bool>()).prop_map(|(rows, name, matching)| {
        let mut subset = Subset::new(name.clone(), "test");
        for (number, (comment, code, matches)) in (1..).zip(rows) {
            let (query, document) = (format!("q{number}"), format!("c{number}"));
            let grade = i32::from(!matching || matches);
            subset.judgments.push(Judgment {
                query: query.clone(),
                document: document.clone(),
                grade,
            });
            subset.queries.push(Query {
                id: query,
                text: comment,
                extra: Extra::new(),
            });
            let mut extra = Extra::new();
            extra.insert("language".to_owned(), json!(name));
            extra.insert("partition".to_owned(), json!("test"));
            subset.documents.push(Document {
                id: document,
                text: code,
                title: String::new(),
                extra,
            });
        }
        let zeros = subset.judgments.iter().filter(|one| one.grade == 0).count();
        if zeros > 0 && zeros < subset.judgments.len() {
            subset.kind = Kind::Matching;
        }
        subset
    })
}

fn benchmark() -> impl Strategy<Value = Benchmark> {
    let subsets = prop_oneof![
        3 => proptest::collection::vec(subset(), 1..3),
        2 => proptest::collection::vec(pairs(), 1..2),
    ];
    subsets.prop_map(|mut subsets| {
        let mut seen = std::collections::BTreeSet::new();
        subsets.retain(|one: &Subset| seen.insert(one.name.clone()));
        Benchmark {
            name: "made".to_owned(),
            subsets,
            ..Benchmark::default()
        }
    })
}

/// Writes and reads back; `None` where the format says that it cannot hold the benchmark.
fn there_and_back(benchmark: &Benchmark, format: Format) -> Option<Vec<String>> {
    if impossible(benchmark, format).is_some() || !losses(benchmark, format).is_empty() {
        return None;
    }
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    write(benchmark, format, &out, Existing::Keep).unwrap();
    let named = load(&out, Some(format), Strictness::Strict)
        .unwrap_or_else(|error| panic!("{format}: {error}"));
    let found =
        load(&out, None, Strictness::Strict).unwrap_or_else(|error| panic!("{format}: {error}"));
    assert_eq!(found.format, format, "the format is told by the content");
    let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().collect();
    assert_eq!(left.len(), 1, "nothing hidden is left beside the folder");
    Some(differences(benchmark, &named.benchmark))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_a_format_can_hold_comes_back(benchmark in benchmark()) {
        for format in Format::ALL {
            if let Some(different) = there_and_back(&benchmark, format) {
                prop_assert_eq!(different, Vec::<String>::new(), "{}", format);
            }
        }
    }
}

/// A benchmark that every written format but those of pairs can hold.
#[test]
fn plain_benchmarks_go_through_every_format() {
    let mut subset = Subset::new("group1-wasm", "test");
    for (query, document) in [("q-a", "c-a"), ("q-b", "c-b")] {
        subset.queries.push(Query {
            id: query.to_owned(),
            text: format!("find {document}"),
            extra: Extra::new(),
        });
        subset.documents.push(Document {
            id: document.to_owned(),
            text: "int f()\n{\t}".to_owned(),
            ..Document::default()
        });
        subset.judgments.push(Judgment {
            query: query.to_owned(),
            document: document.to_owned(),
            grade: 2,
        });
    }
    let benchmark = Benchmark {
        subsets: vec![subset],
        ..Benchmark::default()
    };
    let held: Vec<Format> = Format::ALL
        .into_iter()
        .filter(|format| there_and_back(&benchmark, *format).is_some_and(|found| found.is_empty()))
        .collect();
    assert_eq!(
        held,
        [
            Format::HuggingFace,
            Format::Mteb,
            Format::Coir,
            Format::Beir,
            Format::Trec,
            Format::ClarcOriginal,
            Format::ClarcCleaned,
        ]
    );
    let mut pairs = Subset::new("r", "test");
    pairs.queries.push(Query {
        id: "q1".to_owned(),
        text: "plot".to_owned(),
        extra: Extra::new(),
    });
    let extra = Extra::from_iter([
        ("language".to_owned(), json!("r")),
        ("partition".to_owned(), json!("test")),
    ]);
    pairs.documents.push(Document {
        id: "c1".to_owned(),
        text: "plot(x)".to_owned(),
        title: String::new(),
        extra,
    });
    pairs.judgments.push(Judgment {
        query: "q1".to_owned(),
        document: "c1".to_owned(),
        grade: 1,
    });
    let benchmark = Benchmark {
        subsets: vec![pairs],
        ..Benchmark::default()
    };
    for format in Format::ALL.into_iter().filter(|format| format.is_written()) {
        assert_eq!(
            there_and_back(&benchmark, format),
            Some(Vec::new()),
            "{format}"
        );
    }
}
