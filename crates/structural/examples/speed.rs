//! How many functions of CLARC's group 1 are rendered in a second, and how long a query over 100,000 documents takes, on one
//! thread.
//!
//! ```text
//! BARECODE_DATA=… cargo run --release -p barecode-structural --example speed -- [LANGUAGE=FILE.json …]
//! ```
//!
//! With files, it renders the functions of these instead; their rows are like CLARC's.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a measurement that prints and stops at the first fault"
)]

use std::path::Path;
use std::time::Instant;

use barecode_records::Language;
use barecode_structural::{Options, StructuralIndex, render_in};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    for argument in &arguments {
        let (name, file) = argument.split_once('=').unwrap();
        let (texts, _) = read(Path::new(file));
        render_all(argument, &texts, Some(Language::named(name)));
    }
    if arguments.is_empty() {
        of_clarc();
    }
}

/// The texts and queries of a file.
fn read(file: &Path) -> (Vec<String>, Vec<String>) {
    let rows = std::fs::read_to_string(file).unwrap();
    let rows: Vec<serde_json::Value> = serde_json::from_str(&rows).unwrap();
    let text = |row: &serde_json::Value, name: &str| row[name].as_str().unwrap().to_owned();
    let texts = rows.iter().map(|row| text(row, "code_text"));
    let queries = rows.iter().map(|row| text(row, "query_text"));
    (texts.collect(), queries.collect())
}

fn render_all(name: &str, texts: &[String], language: Option<Language>) {
    let bytes: usize = texts.iter().map(String::len).sum();
    let start = Instant::now();
    let mut rounds = 0;
    while start.elapsed().as_secs_f64() < 2.0 {
        for text in texts {
            std::hint::black_box(render_in(text, language));
        }
        rounds += 1;
    }
    let seconds = start.elapsed().as_secs_f64() / f64::from(rounds);
    println!(
        "{name}: {:.0} functions a second, {:.1} MB a second",
        texts.len() as f64 / seconds,
        bytes as f64 / seconds / 1e6
    );
}

fn of_clarc() {
    let folder = std::env::var("BARECODE_DATA").unwrap();
    let folder = Path::new(&folder).join("clarc");
    let mut queries: Vec<String> = Vec::new();
    let mut source: Vec<String> = Vec::new();
    for form in ["hash_renamed", "asm_short", "wasm"] {
        let file = folder.join(format!("reconstructed_group1_{form}_cleaned.json"));
        let (texts, said) = read(&file);
        render_all(form, &texts, None);
        if source.is_empty() {
            (source, queries) = (texts, said);
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
