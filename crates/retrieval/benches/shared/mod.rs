//! Another program that searches the same, one line at a time: see `peers.py`.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::Value;

/// A peer that waits for its turn.
pub(crate) struct Peer {
    child: Child,
    asks: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Peer {
    /// Starts a peer; `None`, said on stdout, where `BARECODE_PYTHON` is not set or the interpreter lacks the package.
    #[expect(
        clippy::disallowed_methods,
        reason = "a benchmark asks another program for the same"
    )]
    pub(crate) fn start(name: &str, folder: &Path, threads: usize, depth: usize) -> Option<Self> {
        let Some(python) = std::env::var_os("BARECODE_PYTHON") else {
            println!("{name} left out: BARECODE_PYTHON names no Python interpreter");
            return None;
        };
        let mut child = Command::new(python)
            .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/benches/peers.py"))
            .arg(name)
            .arg(folder)
            .args([threads.to_string(), depth.to_string()])
            .env("NUMBA_NUM_THREADS", threads.to_string())
            .env("OMP_NUM_THREADS", threads.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("BARECODE_PYTHON names an interpreter");
        let asks = child.stdin.take().expect("stdin is piped");
        let answers = BufReader::new(child.stdout.take().expect("stdout is piped"));
        let mut peer = Peer {
            child,
            asks,
            answers,
        };
        if peer.answer().is_none() {
            println!("{name} left out: the interpreter does not have it");
            return None;
        }
        Some(peer)
    }

    /// Has it do a step; its answer.
    pub(crate) fn ask(&mut self, step: &str) -> Value {
        writeln!(self.asks, "{step}").expect("the peer listens");
        self.answer().expect("the peer answers")
    }

    fn answer(&mut self) -> Option<Value> {
        let mut line = String::new();
        self.answers.read_line(&mut line).ok()?;
        serde_json::from_str(&line).ok()
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The middle of some numbers, the lower of two middles.
pub(crate) fn median(mut seconds: Vec<f64>) -> f64 {
    seconds.sort_by(f64::total_cmp);
    seconds[(seconds.len() - 1) / 2]
}

/// Begins to measure [`peak_kilobytes`] anew, where the system can.
pub(crate) fn forget_peak() {
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

/// Most memory that this process ever had, in kilobytes; 0 where the system does not tell.
pub(crate) fn peak_kilobytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok())
        .unwrap_or(0)
}
