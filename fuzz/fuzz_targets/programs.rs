//! Arbitrary bytes as a data set of programs.
//!
//! The first byte chooses the format. By its highest bit the rest are the bytes of a file, or the values of the fields
//! of one row, so that more of them get past the reading of JSON. What cannot be read is an error or a row with a
//! reason; what is read goes through normalization, gates and filters, twice with the same end. Nothing may panic.

#![no_main]
#![expect(
    clippy::result_large_err,
    reason = "a row that is set aside is what the crate returns"
)]

use std::fs;
use std::path::Path;

use barecode_programs::base::{Base, prepare};
use barecode_programs::read::read;
use barecode_programs::{Format, ProgramConfig, protected_names};
use libfuzzer_sys::fuzz_target;
use serde_json::{Map, Value};

/// Where a format's bytes lie, and the fields of its rows.
const FILES: [(Format, &[&str], &[&str]); 9] = [
    (
        Format::HumanEval,
        &["x.jsonl"],
        &[
            "prompt",
            "canonical_solution",
            "test",
            "entry_point",
            "docstring",
        ],
    ),
    (
        Format::HumanEvalPack,
        &["x.jsonl"],
        &[
            "prompt",
            "canonical_solution",
            "buggy_solution",
            "test",
            "entry_point",
        ],
    ),
    (
        Format::HumanEvalX,
        &["x.jsonl"],
        &["prompt", "canonical_solution", "declaration", "test"],
    ),
    (
        Format::Mbpp,
        &["x.jsonl"],
        &[
            "code",
            "test_list",
            "text",
            "test_imports",
            "challenge_test_list",
        ],
    ),
    (
        Format::LeetCode,
        &["x.jsonl"],
        &["completion", "prompt", "test", "entry_point", "query"],
    ),
    (
        Format::CodeContests,
        &["x.parquet"],
        &["solutions", "public_tests", "private_tests", "description"],
    ),
    (
        Format::CodeNet,
        &[
            "data/p00001/Python/s1.py",
            "derived/input_output/data/p00001/input.txt",
        ],
        &[],
    ),
    (
        Format::Apps,
        &["x.jsonl"],
        &["solutions", "input_output", "question", "starter_code"],
    ),
    (Format::Folder, &["a.py", "a.in", "a.out", "test_a.py"], &[]),
];

fuzz_target!(|data: &[u8]| {
    let Some((first, bytes)) = data.split_first() else {
        return;
    };
    let (format, files, fields) = FILES[usize::from(first & 0x7f) % FILES.len()];
    let folder = tempfile::tempdir().expect("a folder for each input");
    let parts: Vec<&[u8]> = bytes.split(|byte| *byte == 0x1e).collect();
    let values = first & 0x80 != 0 && !fields.is_empty();
    for (number, file) in files.iter().enumerate() {
        let path = folder.path().join(file);
        fs::create_dir_all(path.parent().expect("files lie in folders")).expect("a folder");
        let bytes = if values {
            row(fields, &parts).into_bytes()
        } else {
            parts.get(number).copied().unwrap_or_default().to_vec()
        };
        fs::write(path, bytes).expect("a file");
    }
    let path = match files {
        [one] => folder.path().join(one),
        _ => folder.path().to_owned(),
    };
    for format in [None, Some(format)] {
        assert_eq!(all(&path, format), all(&path, format));
    }
});

/// A row whose fields are JSON where they can be, and texts else.
fn row(fields: &[&str], parts: &[&[u8]]) -> String {
    let mut row = Map::from_iter([("task_id".to_owned(), Value::from("a/1"))]);
    for (field, part) in fields.iter().zip(parts) {
        let text = String::from_utf8_lossy(part).into_owned();
        let value = serde_json::from_str(&text).unwrap_or(Value::String(text));
        row.insert((*field).to_owned(), value);
    }
    format!("{}\n", Value::Object(row))
}

/// What a data set leaves: the texts of its programs, and the reasons of its rows.
fn all(path: &Path, format: Option<Format>) -> Vec<String> {
    let config = ProgramConfig::default();
    let Ok(reader) = read(path, format, "fuzz", config.cases()) else {
        return Vec::new();
    };
    let mut base = Base::new();
    let rows = reader.map(|candidate| {
        let prepared = candidate.and_then(|candidate| prepare(candidate, &config));
        match prepared.and_then(|prepared| base.admit(prepared)) {
            Ok(admitted) => {
                protected_names(&admitted.program.tests);
                admitted.program.text
            }
            Err(row) => format!("{:?} {}", row.reason, row.detail),
        }
    });
    rows.collect()
}
