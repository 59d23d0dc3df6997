//! Arbitrary bytes as a run and as judgments: an error or a table, the same for blocks of any size.

#![no_main]

use std::collections::BTreeMap;
use std::fs;

use barecode_formats::run::{open_run, read_qrels};
use barecode_formats::trec::{QueryRun, TrecRun};
use libfuzzer_sys::fuzz_target;

fn documents(run: &QueryRun) -> Vec<(String, u64)> {
    run.documents
        .iter()
        .map(|document| (document.doc.to_owned(), document.score.to_bits()))
        .collect()
}

fuzz_target!(|data: &[u8]| {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let path = folder.path().join("file");
    fs::write(&path, data).expect("a file can be written");
    let _ = read_qrels(&path);
    let _ = open_run(&path).and_then(|run| run.for_each_query(|run| Ok(documents(run))));
    let read = |block: u64| {
        TrecRun::open(&path)?
            .with_block(block)
            .for_each_query(|run| Ok(documents(run)))
    };
    let whole = read(u64::MAX / 4).map_err(|error| error.to_string());
    if let Ok(queries) = &whole {
        let distinct: BTreeMap<&str, usize> = queries
            .iter()
            .map(|(query, documents)| (query.as_str(), documents.len()))
            .collect();
        assert_eq!(distinct.len(), queries.len());
    }
    for block in [7, 64] {
        assert_eq!(read(block).map_err(|error| error.to_string()), whole);
    }
});
