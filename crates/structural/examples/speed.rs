//! How many functions of CLARC's group 1 are rendered in a second, and how long a query over 100,000 documents takes, on one
//! thread.
//!
//! ```text
//! BARECODE_DATA=… cargo run --release -p barecode-structural --example speed
//! ```

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a measurement that prints and stops at the first fault"
)]

use std::path::Path;
use std::time::Instant;

use barecode_structural::{Options, StructuralIndex, render};

fn main() {
    let folder = std::env::var("BARECODE_DATA").unwrap();
    let folder = Path::new(&folder).join("clarc");
    let mut queries: Vec<String> = Vec::new();
    let mut source: Vec<String> = Vec::new();
    for form in ["hash_renamed", "asm_short", "wasm"] {
        let file = folder.join(format!("reconstructed_group1_{form}_cleaned.json"));
        let rows: Vec<serde_json::Value> =
            serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
        let texts: Vec<String> = rows
            .iter()
            .map(|row| row["code_text"].as_str().unwrap().to_owned())
            .collect();
        let bytes: usize = texts.iter().map(String::len).sum();
        let start = Instant::now();
        let mut rounds = 0;
        while start.elapsed().as_secs_f64() < 2.0 {
            for text in &texts {
                std::hint::black_box(render(text));
            }
            rounds += 1;
        }
        let seconds = start.elapsed().as_secs_f64() / f64::from(rounds);
        println!(
            "{form}: {:.0} functions a second, {:.1} MB a second",
            texts.len() as f64 / seconds,
            bytes as f64 / seconds / 1e6
        );
        if source.is_empty() {
            queries = rows
                .iter()
                .map(|row| row["query_text"].as_str().unwrap().to_owned())
                .collect();
            source = texts;
        }
    }
    let documents: Vec<&str> = source
        .iter()
        .map(String::as_str)
        .cycle()
        .take(100_000)
        .collect();
    let start = Instant::now();
    let index = StructuralIndex::of(&documents, Options::default());
    println!(
        "index of 100,000: {:.1} s on all threads",
        start.elapsed().as_secs_f64()
    );
    let start = Instant::now();
    for query in &queries {
        std::hint::black_box(index.scores(query));
    }
    println!(
        "{:.2} ms a query",
        1e3 * start.elapsed().as_secs_f64() / queries.len() as f64
    );
}
