//! Exact search over vectors: many queries at once and one alone, against faiss.
//!
//! ```text
//! BARECODE_PYTHON=python BARECODE_BENCH_DOCUMENTS=200000 cargo bench -p barecode-retrieval --bench dense
//! ```
//!
//! The vectors are noise of length 1 with 768 dimensions, which is the worst case for thresholds: everything is about
//! as far from everything. Ours is asked twice: as it is, and with a copy in eight bits, whose preparation and memory
//! are printed too. All sides take turns, `BARECODE_BENCH_ROUNDS` times (3 unless given), and medians,
//! ranges and ratios are printed. A single query is also asked of faiss on one thread, because it does not use the second; the
//! better of the two counts. What fails the run are documents that differ.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]
#![expect(clippy::disallowed_methods, reason = "a benchmark looks at the clock")]

#[path = "shared/mod.rs"]
mod shared;

use std::path::Path;
use std::time::Instant;

use barecode_retrieval::{DenseIndex, Precision, Scored, Similarity, Vectors};
use rayon::prelude::*;
use shared::{Peer, forget_peak, median, peak_kilobytes};

const DEPTH: usize = 100;
const DIMENSIONS: usize = 768;
const THREADS: usize = 2;

fn main() {
    let n_documents = number("BARECODE_BENCH_DOCUMENTS", 200_000);
    let rounds = number("BARECODE_BENCH_ROUNDS", 3);
    rayon::ThreadPoolBuilder::new()
        .num_threads(THREADS)
        .build_global()
        .expect("this is the first use");
    let documents = noise(1, n_documents);
    let folder = tempfile::tempdir().expect("there is room for temporary files");
    documents
        .write(&folder.path().join("documents.npy"))
        .expect("there is room for temporary files");
    drop(documents);
    forget_peak();
    let documents =
        Vectors::open(&folder.path().join("documents.npy")).expect("it was written just now");
    let start = Instant::now();
    let index = DenseIndex::new(&documents, Similarity::Dot);
    println!(
        "{n_documents} documents of {DIMENSIONS} dimensions, {THREADS} threads; prepared in {:.2} s",
        start.elapsed().as_secs_f64()
    );
    let memory = peak_kilobytes();
    let start = Instant::now();
    let coarse = DenseIndex::new(&documents, Similarity::Dot).with_coarse_copy();
    println!(
        "a copy in eight bits: {:.3} GB, prepared in {:.2} s; peak memory {:.2} GB before and {:.2} GB after",
        coarse.coarse_bytes() as f64 / 1e9,
        start.elapsed().as_secs_f64(),
        memory as f64 / 1e6,
        peak_kilobytes() as f64 / 1e6
    );
    let many = number("BARECODE_BENCH_QUERIES", 1000);
    for n_queries in [1, many] {
        let queries = noise(2, n_queries);
        queries
            .write(&folder.path().join("queries.npy"))
            .expect("there is room for temporary files");
        compare([&index, &coarse], &queries, folder.path(), rounds);
    }
    println!(
        "peak memory of this side: {:.2} GB",
        peak_kilobytes() as f64 / 1e6
    );
    drop((index, coarse));
    if n_documents > 200_000 {
        return;
    }
    let halves = noise(1, n_documents);
    let queries = (noise(2, 1000), noise(2, 1));
    for precision in [Precision::F16, Precision::Int8, Precision::Binary] {
        let stored = halves
            .stored(precision)
            .expect("noise has no large numbers");
        let index = DenseIndex::new(&stored, Similarity::Dot);
        let time = |queries: &Vectors| {
            let start = Instant::now();
            let lists = index
                .search_all(queries, DEPTH)
                .expect("all have 768 dimensions");
            assert!(
                lists
                    .iter()
                    .all(|list| list.len() >= DEPTH.min(n_documents))
            );
            start.elapsed().as_secs_f64()
        };
        let (many, one) = (&queries.0, &queries.1);
        let times = (
            median((0..rounds).map(|_| time(many)).collect()),
            median((0..=2 * rounds).map(|_| time(one)).collect()),
        );
        println!(
            "{precision:?}: 1000 queries {:.3} s, one query {:.1} ms",
            times.0,
            times.1 * 1e3
        );
    }
}

fn compare(sides: [&DenseIndex; 2], queries: &Vectors, folder: &Path, rounds: usize) {
    const OURS: [&str; 2] = ["ours", "ours with a copy"];
    let n_queries = queries.len();
    let threads = if n_queries == 1 {
        vec![THREADS, 1]
    } else {
        vec![THREADS]
    };
    let mut peers: Vec<(usize, Peer)> = threads
        .into_iter()
        .filter_map(|threads| Some((threads, Peer::start("faiss", folder, threads, DEPTH)?)))
        .collect();
    for (_, peer) in &mut peers {
        peer.ask("index");
    }
    let mut times = vec![Vec::new(); peers.len() + OURS.len()];
    let rounds = if n_queries == 1 { 5 * rounds } else { rounds };
    for _ in 0..rounds {
        let mut lists = Vec::new();
        for (side, times) in sides.iter().zip(&mut times) {
            let start = Instant::now();
            lists.push(
                side.search_all(queries, DEPTH)
                    .expect("all have 768 dimensions"),
            );
            times.push(start.elapsed().as_secs_f64());
        }
        assert_eq!(lists[0], lists[1], "a copy changes nothing");
        for ((_, peer), times) in peers.iter_mut().zip(&mut times[OURS.len()..]) {
            let answer = peer.ask("search");
            times.push(answer["seconds"].as_f64().unwrap_or(f64::NAN));
            let theirs = answer["result"].as_array().expect("ids");
            for (list, theirs) in lists[0].iter().zip(theirs) {
                same_documents(list, theirs);
            }
        }
    }
    let names = OURS.map(str::to_owned).into_iter().chain(
        peers
            .iter()
            .map(|(threads, _)| format!("faiss on {threads} threads")),
    );
    for (name, times) in names.zip(&times) {
        println!("{n_queries} queries: {name} {}", range(times));
    }
    let Some(best) = times[OURS.len()..]
        .iter()
        .min_by(|a, b| median((*a).clone()).total_cmp(&median((*b).clone())))
    else {
        return;
    };
    for (name, times) in OURS.iter().zip(&times) {
        let ratios: Vec<f64> = best.iter().zip(times).map(|(a, b)| a / b).collect();
        println!(
            "{n_queries} queries: the same documents; {name} is {:.2} times as fast as faiss at its best; {} round by round",
            median(best.clone()) / median(times.clone()),
            range(&ratios)
        );
    }
}

/// The middle of some numbers, with the least and the greatest.
fn range(numbers: &[f64]) -> String {
    let least = numbers.iter().copied().fold(f64::INFINITY, f64::min);
    let greatest = numbers.iter().copied().fold(0.0, f64::max);
    format!(
        "{:.4} ({least:.4} to {greatest:.4})",
        median(numbers.to_vec())
    )
}

/// The same documents in the same order, but where our exact scores are too near for 32 bits to order.
fn same_documents(ours: &[Scored], theirs: &serde_json::Value) {
    let theirs = theirs.as_array().expect("ids");
    for (place, (ours_here, theirs)) in ours.iter().zip(theirs).enumerate() {
        let id = theirs.as_u64().expect("an id");
        if ours_here.document as u64 == id {
            continue;
        }
        let there = ours.iter().find(|scored| scored.document as u64 == id);
        let apart = there.map_or(f64::INFINITY, |there| (there.score - ours_here.score).abs());
        let is_last = there.is_none() && place + 2 >= theirs_len(ours);
        assert!(
            apart < 1e-6 || is_last,
            "place {place}: {ours_here:?} is {id} there"
        );
    }
}

fn theirs_len(ours: &[Scored]) -> usize {
    ours.len()
}

fn number(name: &str, usual: usize) -> usize {
    let value = std::env::var(name)
        .ok()
        .and_then(|value| value.parse().ok());
    value.unwrap_or(usual)
}

/// Vectors of length 1 without a pattern, the same on any machine.
fn noise(seed: u64, n: usize) -> Vectors {
    let mut values = vec![0.0_f32; n * DIMENSIONS];
    values
        .par_chunks_mut(DIMENSIONS)
        .enumerate()
        .for_each(|(place, row)| {
            let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (place as u64) << 20;
            let mut next = || {
                state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
                let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
                let bits = u16::try_from((mixed ^ (mixed >> 31)) >> 48).expect("16 bits");
                f32::from(bits) / 32_768.0 - 1.0
            };
            for value in row.iter_mut() {
                *value = next();
            }
            let length = row.iter().map(|value| value * value).sum::<f32>().sqrt();
            for value in row.iter_mut() {
                *value /= length;
            }
        });
    Vectors::new(DIMENSIONS, values).expect("all numbers are finite")
}
