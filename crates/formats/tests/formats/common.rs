//! Tables of queries and documents under names of their own.

use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use barecode_formats::{Columns, Format, Loaded, Strictness, load, load_columns};
use barecode_testing::files::fill;
use parquet::arrow::ArrowWriter;

/// Writes a Parquet file of texts.
fn parquet(path: &Path, columns: &[(&str, &[&str])]) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let arrays = columns.iter().map(|(name, values)| {
        let array: ArrayRef = Arc::new(StringArray::from(values.to_vec()));
        (*name, array)
    });
    let batch = RecordBatch::try_from_iter(arrays).unwrap();
    let file = std::fs::File::create(path).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}

fn read(path: &Path) -> Loaded {
    load(path, None, Strictness::AsLoader).unwrap_or_else(|error| panic!("{error}"))
}

/// `query → documents with their grades`, in the order of the judgments.
fn judged(loaded: &Loaded) -> Vec<String> {
    let [subset] = &*loaded.benchmark.subsets else {
        panic!("{:?}", loaded.benchmark.subsets)
    };
    let query = |id: &str| &subset.queries.iter().find(|one| one.id == id).unwrap().text;
    let document = |id: &str| {
        &subset
            .documents
            .iter()
            .find(|one| one.id == id)
            .unwrap()
            .text
    };
    let judgments = subset.judgments.iter();
    judgments
        .map(|one| {
            format!(
                "{}: {} → {}: {} ({})",
                one.query,
                query(&one.query),
                one.document,
                document(&one.document),
                one.grade
            )
        })
        .collect()
}

#[test]
fn the_commonest_tables_are_read_by_their_names_and_what_was_taken_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    parquet(
        &path.join("one.parquet"),
        &[
            ("repo", &["a", "b"]),
            ("docstring", &["adds", "drops"]),
            ("function", &["f()", "g()"]),
        ],
    );
    let wanted = ["q1: adds → c1: f() (1)", "q2: drops → c2: g() (1)"];
    let loaded = read(&path.join("one.parquet"));
    assert_eq!(judged(&loaded), wanted);
    assert_eq!(
        loaded.taken[0].to_string(),
        "one (test): columns taken, by their names: query=docstring,document=function; others: repo (--columns names them)"
    );
    fill(path, &[
        ("pairs.jsonl", b"{\"query\": \"adds\", \"positive\": \"f()\"}\n{\"query\": \"drops\", \"positive\": \"g()\"}\n"),
        ("pairs.csv", "\u{feff}Question,Code\nadds,f()\ndrops,g()\n".as_bytes()),
        ("pairs.tsv", b"nl\tsnippet\nadds\tf()\ndrops\tg()\n"),
        ("pairs.json", b"[{\"anchor\": \"adds\", \"positive\": \"f()\"}, {\"anchor\": \"drops\", \"positive\": \"g()\"}]"),
    ]);
    for name in ["pairs.jsonl", "pairs.csv", "pairs.tsv", "pairs.json"] {
        let loaded = read(&path.join(name));
        assert_eq!(
            (loaded.format, judged(&loaded)),
            (Format::Table, wanted.map(str::to_owned).to_vec()),
            "{name}"
        );
        assert!(loaded.taken[0].guessed);
    }
    // The layout of the hub without a card: a table in several files, a subset for each split.
    let hub = path.join("hub");
    parquet(
        &hub.join("data/train-00000-of-00002.parquet"),
        &[("query", &["adds"]), ("pos", &["f()"])],
    );
    parquet(
        &hub.join("data/train-00001-of-00002.parquet"),
        &[("query", &["drops"]), ("pos", &["g()"])],
    );
    let loaded = read(&hub);
    assert_eq!(
        (loaded.format, judged(&loaded)),
        (Format::HuggingFace, wanted.map(str::to_owned).to_vec())
    );
}

#[test]
fn lists_negatives_ids_and_grades_mean_what_they_say() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path(), &[
        ("lists.jsonl", br#"{"query": "adds", "pos": ["f()", "h()"], "neg": [{"text": "g()"}]}"#),
        ("ids.jsonl", b"{\"query_id\": 7, \"query\": \"adds\", \"doc_id\": \"a\", \"code\": \"f()\", \"relevance\": 2}\n{\"query_id\": 7, \"query\": \"adds\", \"doc_id\": \"b\", \"code\": \"g()\", \"relevance\": 0}\n"),
    ]);
    assert_eq!(
        judged(&read(&folder.path().join("lists.jsonl"))),
        [
            "q1: adds → c1-1: f() (1)",
            "q1: adds → c1-2: h() (1)",
            "q1: adds → c1-negative-1: g() (0)"
        ]
    );
    let loaded = read(&folder.path().join("ids.jsonl"));
    assert_eq!(
        judged(&loaded),
        ["7: adds → a: f() (2)", "7: adds → b: g() (0)"]
    );
    assert!(loaded.notes.is_empty(), "{:?}", loaded.notes);
}

#[test]
fn columns_that_nobody_knows_are_named_by_the_caller() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("odd.parquet");
    parquet(
        &path,
        &[
            ("ask", &["adds"]),
            ("body", &["f()"]),
            ("query", &["no"]),
            ("code", &["no"]),
        ],
    );
    let columns: Columns = "query=ask,document=body".parse().unwrap();
    let loaded = load_columns(&path, None, Strictness::AsLoader, Some(&columns)).unwrap();
    assert_eq!(judged(&loaded), ["q1: adds → c1: f() (1)"]);
    assert!(!loaded.taken[0].guessed);
    let refused = |columns: &str| {
        let columns: Columns = columns.parse().unwrap();
        let error = load_columns(&path, None, Strictness::AsLoader, Some(&columns)).unwrap_err();
        format!("{error}; {}", error.hint().unwrap_or_default())
    };
    let message = refused("query=ask,document=bdy");
    assert!(
        message.contains("no column `bdy`; the columns are `ask`, `body`, `query`, `code`"),
        "{message}"
    );
    assert!(message.contains("--columns query="), "{message}");
    parquet(&path, &[("ask", &["adds"]), ("body", &["f()"])]);
    let error = load(&path, None, Strictness::AsLoader).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("none of the columns `ask`, `body` is known"),
        "{error}"
    );
    for (text, said) in [
        ("query=a", "no column for `document`"),
        ("query=a,document", "`document` is not ROLE=COLUMN"),
        (
            "text=a,document=b",
            "no role `text`; there are query, document, negative",
        ),
        ("query=a,query=b,document=c", "`query` occurs twice"),
    ] {
        let error = text.parse::<Columns>().unwrap_err();
        assert!(error.contains(said), "{error}");
    }
}

#[test]
fn a_blank_beside_the_separator_is_its_own_or_the_texts_and_never_lost() {
    let folder = tempfile::tempdir().unwrap();
    let row = |input: &str| format!("{{\"input\": \"{input}\", \"target\": 1}}\n");
    let rows = [
        "a [CODESPLIT] b",
        "a[CODESPLIT]b",
        "a [CODESPLIT]b",
        "a  [CODESPLIT]  b",
    ];
    fill(
        folder.path(),
        &[("x.jsonl", rows.map(row).concat().as_bytes())],
    );
    let loaded = read(&folder.path().join("x.jsonl"));
    assert_eq!(
        judged(&loaded),
        [
            "q1: a → c1: b (1)",
            "q2: a → c2: b (1)",
            "q3: a  → c3: b (1)",
            "q4: a  → c4:  b (1)",
        ]
    );
    assert_eq!(
        loaded.notes,
        ["x: 1 rows have a blank on one side of [CODESPLIT] only, which is read as the text's own"]
    );
}

#[test]
fn a_pair_with_two_grades_is_refused_or_kept_for_the_audit_with_a_note() {
    let folder = tempfile::tempdir().unwrap();
    fill(
        folder.path(),
        &[
            (
                "corpus.jsonl",
                b"{\"_id\": \"d1\", \"title\": \"\", \"text\": \"f()\"}\n",
            ),
            ("queries.jsonl", b"{\"_id\": \"q1\", \"text\": \"adds\"}\n"),
            (
                "qrels/test.tsv",
                b"query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td1\t0\n",
            ),
        ],
    );
    let error = load(folder.path(), None, Strictness::Strict)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("the grade of document `d1` for query `q1` is 0, and 1 before"),
        "{error}"
    );
    let loaded = read(folder.path());
    let grades: Vec<i32> = loaded.benchmark.subsets[0]
        .judgments
        .iter()
        .map(|one| one.grade)
        .collect();
    assert_eq!(grades, [1, 0]);
    assert!(
        loaded.notes[0]
            .contains("1 judgments give a pair another grade than before; the last one counts"),
        "{:?}",
        loaded.notes
    );
}
