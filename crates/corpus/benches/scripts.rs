//! Comments of R scripts with their code, by both profiles, on one thread.
//!
//! ```sh
//! cargo bench -p barecode-corpus --bench scripts -- some/folder another/folder
//! ```
//!
//! Folders are arguments, or the fixtures of the tests. Of each folder the scripts are read into memory first; the sides
//! take turns, file by file, so that what else the machine does meets both, and the best round of each counts:
//!
//! - *published*: megabytes a second by the published rules;
//! - *parse*: every chunk of R parsed once by tree-sitter;
//! - *statements*: the same chunks read by their statements, parse included.

use std::hint::black_box;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use barecode_corpus::scripts::{Chunk, Document, published, statements};
use barecode_corpus::syntax::parse;
use barecode_records::Language;

const ROUNDS: usize = 9;

/// The published rules must read at least this many megabytes a second.
const PUBLISHED: f64 = 50.0;
/// Statements may take at most this many times as long as the parse.
const STATEMENTS: f64 = 1.5;

fn main() {
    let given: Vec<PathBuf> = std::env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with("--"))
        .map(PathBuf::from)
        .collect();
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scripts");
    let folders = if given.is_empty() {
        vec![fixtures]
    } else {
        given
    };
    say(
        "folder                                     MB  files  published MB/s    parse s  statements s  ratio",
    );
    for folder in &folders {
        bench(folder);
    }
    say(&format!(
        "targets: at least {PUBLISHED} MB/s, at most {STATEMENTS} times the parse"
    ));
}

fn bench(folder: &Path) {
    let mut paths = Vec::new();
    files(folder, &mut paths);
    let read: Vec<(PathBuf, Vec<u8>)> = paths
        .into_iter()
        .filter_map(|path| {
            let bytes = std::fs::read(&path).ok()?;
            Some((path, bytes))
        })
        .collect();
    let is_script = |path: &Path| {
        path.extension()
            .is_some_and(|ending| ending == "R" || ending == "r")
    };
    let scripts: Vec<&[u8]> = read
        .iter()
        .filter(|(path, _)| is_script(path))
        .map(|(_, bytes)| bytes.as_slice())
        .collect();
    let n_bytes: usize = scripts.iter().map(|script| script.len()).sum();
    let chunks: Vec<Chunk> = read
        .iter()
        .filter_map(|(path, bytes)| {
            let document = Document::of_path(path.to_str()?)?;
            document
                .chunks(String::from_utf8_lossy(bytes).into_owned())
                .ok()
        })
        .flatten()
        .collect();
    let language = Language::of_name("r");
    let mut best = [Duration::MAX; 3];
    for _ in 0..ROUNDS {
        let mut round = [Duration::ZERO; 3];
        for script in &scripts {
            time(&mut round[0], || published(script));
        }
        for chunk in &chunks {
            time(&mut round[1], || parse(&chunk.text, language));
            time(&mut round[2], || statements(chunk));
        }
        for (best, round) in best.iter_mut().zip(round) {
            *best = round.min(*best);
        }
    }
    let [published, parse, statements] = best.map(|duration| duration.as_secs_f64());
    let megabytes = n_bytes as f64 / 1e6;
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    say(&format!(
        "{name:38} {megabytes:6.2} {:6} {:15.1} {parse:10.4} {statements:13.4} {:6.2}",
        read.len(),
        megabytes / published,
        statements / parse
    ));
}

#[expect(clippy::disallowed_methods, reason = "a bench measures time")]
fn time<T>(sum: &mut Duration, work: impl FnOnce() -> T) {
    let start = Instant::now();
    black_box(work());
    *sum += start.elapsed();
}

/// The files below a folder, by path.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).expect("the folder can be read");
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            files(&path, found);
        } else {
            found.push(path);
        }
    }
}

fn say(line: &str) {
    writeln!(std::io::stdout(), "{line}").expect("stdout takes lines");
}
