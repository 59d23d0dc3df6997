//! `CodeSearchNet`'s rows in the spellings that people have: as released, of the hub in Parquet, `AdvTest`'s.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use arrow_array::builder::{ListBuilder, StringBuilder};
use arrow_array::{ArrayRef, RecordBatch, StringArray};
use barecode_formats::{Format, Reading, Rendering, Strictness, Subset, load_as};
use parquet::arrow::ArrowWriter;

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
