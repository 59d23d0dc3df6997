//! The most memory that extraction holds at once.
//!
//! ```sh
//! cargo bench -p barecode-corpus --bench memory -- path:/a/large/repository
//! ```
//!
//! Sources are arguments, or the words of `BARECODE_BENCH_SOURCES`, or those of the demo. Each source is
//! resolved and extracted on all threads, and the kernel is asked for the most resident memory since the
//! step began. What the process held before (headers, the source itself) is part of it, as it is for users.

#[path = "../tests/oracle/asked.rs"]
mod asked;
#[path = "../tests/oracle/arguments.rs"]
mod arguments;

use std::fs;

use barecode_corpus::{ExtractConfig, extract};
use barecode_sources::Content;

/// Extraction may hold at most this much of a repository of half a million lines.
const TARGET: u64 = 2_000_000_000;

fn main() {
    let headers = asked::headers().expect("gcc is here");
    say(
        "source                                            lines      MB    kept  aside   resolved MB  peak MB  left MB",
    );
    for config in asked::configs(&arguments::sources()).expect("the sources can be read") {
        forget_peak();
        let source = asked::resolve(&config).expect("the source is here");
        let (mut lines, mut bytes) = (0, 0);
        for file in source.files().values() {
            if let Content::Bytes(content) = &file.content {
                let content = content.bytes();
                lines += content.split(|&byte| byte == b'\n').count();
                bytes += content.len();
            }
        }
        let resolved = peak();
        forget_peak();
        let extraction = extract(&source, &ExtractConfig::default(), &headers, 0);
        let most = peak();
        forget_peak();
        let left = peak();
        let verdict = if most <= TARGET { "within" } else { "BEYOND" };
        say(&format!(
            "{:46} {lines:8} {:7.1} {:7} {:6} {:12.0} {:8.0} {:8.0}  {verdict} the target",
            config
                .from
                .chars()
                .rev()
                .take(46)
                .collect::<String>()
                .chars()
                .rev()
                .collect::<String>(),
            bytes as f64 / 1e6,
            extraction.kept.len(),
            extraction.set_aside.len(),
            resolved as f64 / 1e6,
            most as f64 / 1e6,
            left as f64 / 1e6,
        ));
    }
}

/// The most resident bytes since [`forget_peak`].
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("Linux tells what a process holds");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB"));
    let kilobytes: u64 = kilobytes
        .and_then(|text| text.parse().ok())
        .expect("the line is known");
    kilobytes * 1024
}

/// Begins to count anew.
fn forget_peak() {
    fs::write("/proc/self/clear_refs", "5").expect("Linux lets a process forget its peak");
}

#[expect(clippy::print_stdout, reason = "a bench prints what it measured")]
fn say(line: &str) {
    println!("{line}");
}
