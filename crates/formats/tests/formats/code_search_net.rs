//! `CodeSearchNet`'s rows in the spellings that people have: as released, of the hub in Parquet, `AdvTest`'s.

use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;

use arrow_array::builder::{ListBuilder, StringBuilder};
use arrow_array::{ArrayRef, RecordBatch, StringArray};
use barecode_formats::{
    Benchmark, Document, Existing, Format, Judgment, Query, Reading, Rendering, Strictness, Subset,
    load_as, losses, write,
};
use flate2::read::GzDecoder;
use parquet::arrow::ArrowWriter;
use serde_json::{Value, json};

fn read(path: &Path, format: Option<Format>, rendering: Rendering) -> (Subset, Vec<String>) {
    let reading = Reading {
        format,
        strictness: Strictness::AsLoader,
        rendering,
        ..Reading::default()
    };
    let loaded = load_as(path, &reading).unwrap();
    let mut subsets = loaded.benchmark.subsets;
    assert_eq!(subsets.len(), 1);
    (subsets.remove(0), loaded.notes)
}

fn texts(subset: &Subset) -> (&str, &str) {
    (&subset.queries[0].text, &subset.documents[0].text)
}

/// A row as the hub has it, in Parquet.
fn hub(path: &Path) {
    let text = |text: &str| Arc::new(StringArray::from(vec![text])) as ArrayRef;
    let list = |tokens: &[&str]| {
        let mut list = ListBuilder::new(StringBuilder::new());
        for token in tokens {
            list.values().append_value(token);
        }
        list.append(true);
        Arc::new(list.finish()) as ArrayRef
    };
    let batch = RecordBatch::try_from_iter([
        ("func_documentation_string", text("Adds two. More.")),
        ("func_documentation_tokens", list(&["Adds", "two"])),
        (
            "func_code_string",
            text("func add(a, b int) int {\n\treturn a+b\n}"),
        ),
        ("func_code_tokens", list(&["func", "add", "(", "a", ")"])),
        ("language", text("go")),
    ])
    .unwrap();
    let file = fs::File::create(path).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}

#[test]
fn parquet_of_the_hub_has_texts_and_tokens() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("test-00000-of-00001.parquet");
    hub(&path);
    let (whole, _) = read(&path, None, Rendering::Text);
    assert_eq!(
        texts(&whole),
        (
            "Adds two. More.",
            "func add(a, b int) int {\n\treturn a+b\n}"
        )
    );
    let (tokens, notes) = read(&path, None, Rendering::Tokens);
    assert_eq!(texts(&tokens), ("Adds two", "func add ( a )"));
    assert!(
        notes[0].starts_with("2 texts are, as asked for, read as tokens"),
        "{notes:?}"
    );
    // Shards below a folder, where the format is named.
    let shards = folder.path().join("go");
    fs::create_dir(&shards).unwrap();
    hub(&shards.join("a.parquet"));
    hub(&shards.join("b.parquet"));
    let (all, _) = read(&shards, Some(Format::CodeSearchNet), Rendering::Tokens);
    assert_eq!((all.queries.len(), all.name.as_str()), (2, "go"));
}

#[test]
fn adv_test_is_read_in_its_normalized_form() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("test.jsonl");
    // On the hub all columns are there, and those that a split lacks are empty.
    let row = r#"{"idx": 3, "docstring": "Adds.", "docstring_tokens": ["Adds", "."], "original_string": "def add(a): 'Adds.'",
        "code": "", "code_tokens": [], "function": "def Func(arg_0): 'Adds.'", "function_tokens": ["def", "Func", "(", "arg_0", ")"]}"#;
    fs::write(&path, row.replace('\n', "") + "\n").unwrap();
    let (whole, _) = read(&path, None, Rendering::Text);
    assert_eq!(texts(&whole), ("Adds.", "def Func(arg_0): 'Adds.'"));
    let (tokens, _) = read(&path, None, Rendering::Tokens);
    assert_eq!(texts(&tokens), ("Adds .", "def Func ( arg_0 )"));
    // Tokens alone are read whatever was asked for.
    fs::write(
        &path,
        "{\"docstring\": \"Adds.\", \"code_tokens\": [\"def\", \"f\"]}\n",
    )
    .unwrap();
    let (joined, notes) = read(&path, None, Rendering::Text);
    assert_eq!(texts(&joined), ("Adds.", "def f"));
    assert!(
        notes[0].starts_with("1 texts exist only as tokens"),
        "{notes:?}"
    );
}

#[test]
fn what_is_written_has_the_columns_that_programs_for_it_read() {
    let extra = serde_json::json!({
        "language": "python", "repository": "https://github.com/o/r", "commit": "c0ffee",
        "path": "a/b.py", "start_line": 3, "end_line": 4, "license": "MIT", "func_name": "R.f",
    });
    let mut benchmark = Benchmark::default();
    for name in ["all-standard", "all-neutralized"] {
        let document = Document {
            extra: extra.as_object().unwrap().clone(),
            ..Document::new("u-1", "def f(x):\n    return x >= 'a b' # don't\n")
        };
        benchmark.subsets.push(Subset {
            queries: vec![Query::new("q-1", "Compares with `a b`.")],
            documents: vec![document],
            judgments: vec![Judgment::new("q-1", "u-1", 1)],
            ..Subset::new(name, "test")
        });
    }
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("csn");
    write(&benchmark, Format::CodeSearchNet, &out, Existing::Keep).unwrap();
    let file = out.join("all-standard/final/jsonl/test/all-standard_test_0.jsonl.gz");
    let mut text = String::new();
    GzDecoder::new(fs::File::open(file).unwrap())
        .read_to_string(&mut text)
        .unwrap();
    let row: Value = serde_json::from_str(text.trim()).unwrap();
    for (column, value) in [
        ("language", json!("python")),
        ("partition", json!("test")),
        ("repo", json!("o/r")),
        ("sha", json!("c0ffee")),
        // What a document has already stays.
        ("func_name", json!("R.f")),
        ("license", json!("MIT")),
        (
            "url",
            json!("https://github.com/o/r/blob/c0ffee/a/b.py#L3-L4"),
        ),
        (
            "code_tokens",
            json!([
                "def", "f", "(", "x", ")", ":", "return", "x", ">", "=", "'a b'", "#", "don", "'",
                "t"
            ]),
        ),
        (
            "docstring_tokens",
            json!(["Compares", "with", "`", "a", "b", "`", "."]),
        ),
    ] {
        assert_eq!(row[column], value, "{column}");
    }
    // Two settings of one language stay two subsets.
    let read = load_as(&out, &Reading::default()).unwrap().benchmark;
    let names: Vec<&str> = read.subsets.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["all-neutralized", "all-standard"]);
    // What was read is written again without a loss.
    assert_eq!(losses(&read, Format::CodeSearchNet), Vec::<String>::new());
}
