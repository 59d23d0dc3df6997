//! What lowering costs beside the compiler's own time, both in one run.
//!
//! `cargo bench --bench lower`; each unit of `testdata/lower` is compiled by the plain compiler with the same
//! flags, its output thrown away, and lowered, one after the other and many times. The ratio of the medians is
//! printed for each form: 1.05 is five percent above the compiler.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark times a compiler and prints what it found"
)]

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use barecode_check::{CheckConfig, Lowerer, Question};
use barecode_records::{Language, Setting, Span};

const ROUNDS: usize = 15;

fn main() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/lower");
    let mut texts: Vec<(String, String)> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "c"))
        .map(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, fs::read_to_string(path).unwrap())
        })
        .collect();
    texts.sort();
    println!("setting            compiler     lowered   ratio");
    for name in [
        "assembly-o0",
        "assembly-o2",
        "assembly-clang-o0",
        "wasm-o0",
        "wasm-o2",
        "llvm-ir-o0",
    ] {
        let setting: Setting = name.parse().unwrap();
        let Setting::Lowered {
            form,
            optimization,
            profile,
        } = setting
        else {
            continue;
        };
        match Lowerer::probe(&CheckConfig::default(), form, optimization, profile) {
            Ok(lowerer) => bench(name, &lowerer, &texts),
            Err(error) => println!("{name}: skipped: {error}"),
        }
    }
}

fn bench(name: &str, lowerer: &Lowerer, texts: &[(String, String)]) {
    let mut compiler = Duration::ZERO;
    let mut lowering = Duration::ZERO;
    for (_, text) in texts {
        let question = question(text);
        if !matches!(lowerer.lower(&question, &[]).unwrap(), Ok(ref lowered) if lowered.target.is_some())
        {
            continue;
        }
        let mut plain = Vec::new();
        let mut ours = Vec::new();
        for _ in 0..ROUNDS {
            let start = Instant::now();
            compile(lowerer, text);
            plain.push(start.elapsed());
            let start = Instant::now();
            lowerer.lower(&question, &[]).unwrap().unwrap();
            ours.push(start.elapsed());
        }
        compiler += median(plain);
        lowering += median(ours);
    }
    println!(
        "{name:<17} {:>8.1} ms {:>8.1} ms   {:.3}",
        compiler.as_secs_f64() * 1e3,
        lowering.as_secs_f64() * 1e3,
        lowering.as_secs_f64() / compiler.as_secs_f64()
    );
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

/// About the function that stands last in a text.
fn question(text: &str) -> Question {
    let start = text.trim_end().rfind("\n}").and_then(|end| {
        let head = text.get(..end)?;
        let body = head.rfind("\n{")?;
        head.get(..body)?.rfind('\n').map(|line| line + 1)
    });
    let offset = |bytes: usize| u32::try_from(bytes).unwrap();
    Question {
        language: Language::C,
        text: text.to_owned(),
        function: String::new(),
        target: Span {
            start: offset(start.unwrap_or(0)),
            end: offset(text.len()),
        },
        is_template: false,
    }
}

/// The compiler by itself: the same flags and text, no limits, no reading of what it leaves.
fn compile(lowerer: &Lowerer, text: &str) {
    let toolchain = lowerer.toolchain(Language::C).unwrap();
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("unit.c"), text).unwrap();
    let is_text = toolchain.flags.iter().any(|flag| flag == "-emit-llvm");
    let flags = toolchain.flags.iter().map(|flag| match flag.as_str() {
        "-c" if is_text => "-S",
        flag => flag,
    });
    let done = Command::new(&toolchain.compiler)
        .args(flags)
        .args(["unit.c", "-o", "unit.out"])
        .current_dir(folder.path())
        .stderr(Stdio::null())
        .status()
        .unwrap();
    assert!(done.success());
}
