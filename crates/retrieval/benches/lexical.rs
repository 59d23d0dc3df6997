//! BM25 over source code: cutting and indexing, then 1,000 queries for their best hundred, against `bm25s` with numba
//! and tantivy.
//!
//! ```text
//! BARECODE_PYTHON=python BARECODE_BENCH_DOCUMENTS=100000 cargo bench -p barecode-retrieval --bench lexical
//! ```
//!
//! The corpus is cut from source files that are on the machine, in the folders that `BARECODE_BENCH_SOURCES` names,
//! divided by colons (the cargo registry, `/usr/include` and `/usr/lib` unless given); it lies in a temporary folder
//! while the bench runs. All sides take turns, `BARECODE_BENCH_ROUNDS` times (3 unless given), and medians and ratios
//! are printed; on a machine that others use too, the times that the processors computed say more. What fails the run
//! is a score that differs from `bm25s` by more than 1e-4; tantivy has another tokenizer and other parameters, and only
//! its time is looked at. `bm25s` gets its queries as tokens, so cutting them is in our time and not in its.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]
#![expect(clippy::disallowed_methods, reason = "a benchmark looks at the clock")]

#[path = "shared/mod.rs"]
mod shared;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

use barecode_retrieval::{Analyzer, Bm25, Bm25Index, Counts};
use shared::{Peer, forget_peak, median, peak_kilobytes};

const DEPTH: usize = 100;
const QUERIES: usize = 1000;
const THREADS: usize = 2;

fn main() {
    let n_documents = number("BARECODE_BENCH_DOCUMENTS", 100_000);
    let rounds = number("BARECODE_BENCH_ROUNDS", 3);
    rayon::ThreadPoolBuilder::new()
        .num_threads(THREADS)
        .build_global()
        .expect("this is the first use");
    let texts = corpus(n_documents);
    assert!(!texts.is_empty(), "no sources: set BARECODE_BENCH_SOURCES");
    let queries = queries(&texts);
    let letters: usize = texts.iter().map(String::len).sum();
    println!(
        "{} documents, {:.0} MB, {} queries, {THREADS} threads",
        texts.len(),
        letters as f64 / 1e6,
        queries.len()
    );
    let folder = tempfile::tempdir().expect("there is room for temporary files");
    write(&folder.path().join("texts.jsonl"), &texts);
    write(&folder.path().join("queries.jsonl"), &queries);

    forget_peak();
    let before = peak_kilobytes();
    let options = Bm25::PLAIN;
    let start = Instant::now();
    let counts = Counts::of(Analyzer::new(&options), &texts).expect("words never fail");
    let cut = start.elapsed().as_secs_f64();
    let index = Bm25Index::new(&counts, &options);
    let ours = start.elapsed().as_secs_f64();
    println!(
        "index: ours {ours:.2} s ({cut:.2} s of it cutting and counting), {} terms, {:.2} GB over the texts",
        counts.terms(),
        (peak_kilobytes() - before) as f64 / 1e6
    );
    let wanted =
        std::env::var("BARECODE_BENCH_PEERS").unwrap_or_else(|_| "bm25s,tantivy".to_owned());
    let mut peers: Vec<(&str, Peer)> = wanted
        .split(',')
        .filter(|name| !name.is_empty())
        .filter_map(|name| Some((name, Peer::start(name, folder.path(), THREADS, DEPTH)?)))
        .collect();
    for (name, peer) in &mut peers {
        let answer = peer.ask("index");
        let seconds = answer["seconds"].as_f64().unwrap_or(f64::NAN);
        let kilobytes = answer["kilobytes"].as_f64().unwrap_or(f64::NAN);
        println!(
            "index: {name} {seconds:.2} s, {:.2} GB over the texts; ours takes {:.2} of its time",
            kilobytes / 1e6,
            ours / seconds
        );
    }
    // Peers have searched once before they say that they are ready.
    index.search_all(&queries, DEPTH).expect("words never fail");
    let mut times = vec![Vec::new(); peers.len() + 1];
    let mut cpu = vec![0.0; peers.len() + 1];
    let mut lists = Vec::new();
    let mut answers = vec![serde_json::Value::Null; peers.len()];
    for _ in 0..rounds {
        let (start, start_cpu) = (Instant::now(), cpu_seconds());
        lists = index.search_all(&queries, DEPTH).expect("words never fail");
        times[0].push(start.elapsed().as_secs_f64());
        cpu[0] += cpu_seconds() - start_cpu;
        for (place, (_, peer)) in peers.iter_mut().enumerate() {
            answers[place] = peer.ask("search");
            times[place + 1].push(answers[place]["seconds"].as_f64().unwrap_or(f64::NAN));
            cpu[place + 1] += answers[place]["cpu"].as_f64().unwrap_or(f64::NAN);
        }
    }
    let times_of_ours = times[0].clone();
    let ours = median(times_of_ours.clone());
    println!(
        "search: ours {:.0} queries a second {:?}",
        queries.len() as f64 / ours,
        times[0]
    );
    for (((name, _), times), theirs) in peers.iter().zip(&times[1..]).zip(&cpu[1..]) {
        println!(
            "search: {name} computes {:.2} times as long as ours ({:.3} s and {:.3} s a round, all threads)",
            theirs / cpu[0],
            theirs / rounds as f64,
            cpu[0] / rounds as f64
        );
        let theirs = median(times.clone());
        let ratios = times_of_ours
            .iter()
            .zip(times)
            .map(|(ours, theirs)| theirs / ours);
        let mut ratios: Vec<f64> = ratios.collect();
        ratios.sort_by(f64::total_cmp);
        println!(
            "search: {name} {:.0} queries a second; ours is {:.2} times as fast, {ratios:.2?} round by round",
            queries.len() as f64 / theirs,
            theirs / ours
        );
    }
    for ((name, _), answer) in peers.iter().zip(&answers) {
        if *name != "bm25s" {
            continue;
        }
        let mut greatest = 0.0_f64;
        for (list, theirs) in lists
            .iter()
            .zip(answer["result"].as_array().expect("scores"))
        {
            for (ours, theirs) in list.iter().zip(theirs.as_array().expect("scores")) {
                greatest = greatest.max((ours.score - theirs.as_f64().expect("a score")).abs());
            }
        }
        println!("scores: at most {greatest:.1e} from those of {name}");
        assert!(greatest < 1e-4, "scores that differ");
    }
}

/// Seconds that all threads of this process have computed, to a hundredth; 0 where the system does not tell.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // Behind the name, which is in parentheses, the twelfth and thirteenth are times in user and system mode.
    let times = stat.rsplit(')').next().unwrap_or_default();
    let times = times.split_whitespace().skip(11).take(2);
    times
        .filter_map(|ticks| ticks.parse::<f64>().ok())
        .sum::<f64>()
        / 100.0
}

fn number(name: &str, usual: usize) -> usize {
    let value = std::env::var(name)
        .ok()
        .and_then(|value| value.parse().ok());
    value.unwrap_or(usual)
}

fn write(path: &Path, texts: &[String]) {
    let mut lines = String::new();
    for text in texts {
        let line = serde_json::to_string(text).expect("a text is JSON");
        writeln!(lines, "{line}").expect("a string takes all text");
    }
    std::fs::write(path, lines).expect("there is room for temporary files");
}

/// Snippets of real source, the same for the same files: cut at the blank line after 100 to 1,000 letters.
fn corpus(n: usize) -> Vec<String> {
    let sources = std::env::var("BARECODE_BENCH_SOURCES").unwrap_or_else(|_| {
        let home = std::env::var("HOME").unwrap_or_default();
        format!("{home}/.cargo/registry/src:/usr/include:/usr/lib")
    });
    let mut files = Vec::new();
    for folder in sources.split(':') {
        walk(Path::new(folder), &mut files);
    }
    // A fixed shuffle, so that a small corpus is of all kinds too.
    files.sort_by_key(|path| (mix(path.as_os_str().as_encoded_bytes()), path.clone()));
    let mut texts = Vec::new();
    for path in files {
        let Ok(text) = std::fs::read_to_string(&path) else {
            continue;
        };
        let mut snippet = String::new();
        let mut wanted = 100;
        for line in text.lines() {
            snippet.push_str(line);
            snippet.push('\n');
            if (line.trim().is_empty() && snippet.len() >= wanted) || snippet.len() > 2000 {
                wanted = 100 + usize::try_from(mix(snippet.as_bytes()) % 900).expect("below 900");
                texts.push(std::mem::take(&mut snippet));
            }
        }
        if snippet.len() >= 100 {
            texts.push(snippet);
        }
        if texts.len() >= n {
            texts.truncate(n);
            return texts;
        }
    }
    // Where the machine has too little, the second halves of what there is are documents too.
    let n_whole = texts.len();
    for i in 0..n_whole {
        if texts.len() >= n {
            break;
        }
        let text = &texts[i];
        let middle = text
            .char_indices()
            .map(|(place, _)| place)
            .find(|&place| place >= text.len() / 2);
        if let Some(half) = middle.and_then(|middle| text.get(middle..))
            && text.len() >= 300
        {
            let half = half.to_owned();
            texts.push(half);
        }
    }
    println!(
        "{n_whole} snippets, and second halves of them to make {}",
        texts.len()
    );
    texts
}

fn walk(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        let Ok(kind) = entry.file_type() else {
            continue;
        };
        if kind.is_dir() {
            walk(&path, files);
        } else if kind.is_file() {
            let ending = path.extension().and_then(|ending| ending.to_str());
            let is_source = ending.is_some_and(|ending| {
                ["rs", "c", "h", "cc", "cpp", "hpp", "py", "js", "java", "go"].contains(&ending)
            });
            if is_source {
                files.push(path);
            }
        }
    }
}

/// FNV-1a.
fn mix(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// 6 to 24 words in a row of a document among the first thousand, in lower case.
fn queries(texts: &[String]) -> Vec<String> {
    let words: Vec<Vec<String>> = texts
        .iter()
        .take(1000)
        .map(|text| {
            text.split(|c: char| !c.is_ascii_alphabetic())
                .filter(|word| word.len() > 1)
                .map(str::to_ascii_lowercase)
                .collect()
        })
        .collect();
    let with_words: Vec<&Vec<String>> = words.iter().filter(|words| words.len() >= 24).collect();
    (0..QUERIES)
        .map(|i| {
            let words = with_words[i % with_words.len()];
            let draw = usize::try_from(mix(&i.to_le_bytes()) >> 32).expect("32 bits");
            let length = 6 + draw % 19;
            let first = (draw / 19) % (words.len() - length + 1);
            words[first..first + length].join(" ")
        })
        .collect()
}
