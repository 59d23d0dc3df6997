//! Our bootstrap and permutations against those of `scipy`, alternating, in one run.
//!
//! `BARECODE_PYTHON=… cargo bench -p barecode-scores --bench statistics`: a column of 10,000 differences, 9,999
//! `BCa` resamples of its mean and 9,999 sign permutations, five rounds. Prints the median times, and the median
//! and smallest ratio over rounds. Without an interpreter only our times are printed.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a bench measures time, asks another program and prints"
)]

use std::hint::black_box;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Instant;

use barecode_scores::comparison::permutation_test;
use barecode_scores::{Bootstrap, Method};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

const ROUNDS: usize = 5;

fn main() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    // Differences of reciprocal ranks: many zeros, few large ones.
    let mut reciprocal_rank = || 1.0 / f64::from(1 + rng.next_u32() % 20);
    let column: Vec<f64> = (0..10_000)
        .map(|_| reciprocal_rank() - reciprocal_rank() + 0.002)
        .collect();
    let bootstrap = Bootstrap {
        resamples: 9_999,
        confidence: 0.95,
        seed: 1,
    };
    let mut scipy = Scipy::start(&column);
    let tasks: [(&str, &dyn Fn() -> [f64; 2]); 2] = [
        ("bootstrap", &|| {
            let interval = bootstrap.mean(&column, Method::Bca).unwrap();
            [interval.low, interval.high]
        }),
        ("permutation", &|| {
            [permutation_test(&column, 9_999, 1).unwrap().p, 0.0]
        }),
    ];
    println!("{} threads, {ROUNDS} rounds", rayon::current_num_threads());
    for (task, run) in tasks {
        let (mut ours, mut theirs, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
        let mut results = ([0.0; 2], [0.0; 2]);
        black_box(run());
        for _ in 0..ROUNDS {
            let start = Instant::now();
            results.0 = black_box(run());
            let seconds = start.elapsed().as_secs_f64();
            ours.push(seconds);
            if let Some(scipy) = &mut scipy {
                let answer = scipy.round(task);
                theirs.push(answer[0]);
                ratios.push(answer[0] / seconds);
                results.1 = [answer[1], answer[2]];
            }
        }
        println!("{task}: ours {:.4} s {:?}", median(&mut ours), results.0);
        if !ratios.is_empty() {
            println!(
                "{task}: scipy {:.4} s {:?}; ratio {:.1} (median), {:.1} (smallest)",
                median(&mut theirs),
                results.1,
                median(&mut ratios),
                ratios[0]
            );
        }
    }
    if let Some(mut scipy) = scipy {
        drop(scipy.child.stdin.take());
        scipy.child.wait().unwrap();
    }
}

struct Scipy {
    child: Child,
    answers: BufReader<ChildStdout>,
}

impl Scipy {
    fn start(column: &[f64]) -> Option<Self> {
        let python = std::env::var_os("BARECODE_PYTHON")?;
        let mut child = Command::new(python)
            .arg(concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/benches/statistics.py"
            ))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let line = serde_json::to_string(column).unwrap();
        writeln!(child.stdin.as_mut().unwrap(), "{line}").unwrap();
        let answers = BufReader::new(child.stdout.take().unwrap());
        Some(Scipy { child, answers })
    }

    fn round(&mut self, task: &str) -> Vec<f64> {
        writeln!(self.child.stdin.as_mut().unwrap(), "{task}").unwrap();
        let mut line = String::new();
        self.answers.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
