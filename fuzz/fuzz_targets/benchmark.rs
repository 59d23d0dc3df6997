//! Arbitrary bytes as a file of each format of others.
//!
//! The first byte chooses the format and the place of the rest in its folder. What cannot be read is an error with a
//! place; what can be read has unique ids and judgments of what is there. Nothing may panic.

#![no_main]

use std::collections::BTreeSet;
use std::fs;

use barecode_formats::{Format, Strictness, detect, load};
use libfuzzer_sys::fuzz_target;

const FILES: [(Format, &[&str]); 16] = [
    (Format::ClarcOriginal, &["x.json"]),
    (Format::ClarcCleaned, &["x.json"]),
    (Format::CodeSplit, &["x.jsonl"]),
    (Format::StatCodeSearch, &["x.json"]),
    (Format::StatCodeSearch, &["x.csv"]),
    (Format::Cosqa, &["x.json"]),
    (Format::CodeSearchNet, &["x.jsonl.gz"]),
    (Format::HuggingFace, &["x.parquet"]),
    (Format::HuggingFace, &["README.md"]),
    (
        Format::Mteb,
        &["README.md", "corpus.jsonl", "queries.jsonl", "qrels.jsonl"],
    ),
    (
        Format::Coir,
        &[
            "t-qrels/test.parquet",
            "t-queries-corpus/corpus.parquet",
            "t-queries-corpus/queries.parquet",
        ],
    ),
    (
        Format::Beir,
        &["qrels/test.tsv", "corpus.jsonl", "queries.jsonl"],
    ),
    (
        Format::Beir,
        &["corpus.jsonl", "queries.jsonl", "qrels/test.tsv"],
    ),
    (Format::Trec, &["qrels.txt"]),
    (
        Format::Trec,
        &["qrels.test.txt", "collection.jsonl", "topics.tsv"],
    ),
    (
        Format::Trec,
        &["topics.tsv", "collection.jsonl", "qrels.test.txt"],
    ),
];

fuzz_target!(|data: &[u8]| {
    let Some((first, bytes)) = data.split_first() else {
        return;
    };
    let Some((format, files)) = FILES.get(usize::from(*first) % FILES.len()) else {
        return;
    };
    let folder = tempfile::tempdir().expect("a folder for each input");
    // Several files are the parts of the bytes between lines of `====`.
    let mut parts = split(bytes).into_iter();
    for file in *files {
        let path = folder.path().join(file);
        fs::create_dir_all(path.parent().expect("files lie in folders")).expect("a folder");
        fs::write(path, parts.next().unwrap_or_default()).expect("a file");
    }
    let path = match files {
        [one] if *one != "README.md" => folder.path().join(one),
        _ => folder.path().to_owned(),
    };
    let _ = detect(&path);
    for strictness in [Strictness::Strict, Strictness::AsLoader] {
        let Ok(loaded) = load(&path, Some(*format), strictness) else {
            continue;
        };
        for subset in &loaded.benchmark.subsets {
            let documents: BTreeSet<_> = subset.documents.iter().map(|one| &one.id).collect();
            let queries: BTreeSet<_> = subset.queries.iter().map(|one| &one.id).collect();
            assert_eq!(documents.len(), subset.documents.len());
            assert_eq!(queries.len(), subset.queries.len());
            for judgment in &subset.judgments {
                assert!(queries.contains(&judgment.query));
                assert!(
                    strictness == Strictness::AsLoader || documents.contains(&judgment.document)
                );
            }
        }
    }
});

fn split(bytes: &[u8]) -> Vec<&[u8]> {
    let mark = b"\n====\n";
    let mut parts = Vec::new();
    let mut rest = bytes;
    while let Some(at) = rest.windows(mark.len()).position(|window| window == mark) {
        parts.push(&rest[..at]);
        rest = &rest[at + mark.len()..];
    }
    parts.push(rest);
    parts
}
