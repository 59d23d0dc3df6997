//! The whole front end beside a bare parse of the same bytes, in one run on one thread.
//!
//! ```sh
//! cargo bench -p barecode-corpus --bench front_end
//! cargo bench -p barecode-corpus --bench front_end -- path:/some/folder recipes/demo.toml
//! ```
//!
//! Sources are arguments, or the words of `BARECODE_BENCH_SOURCES`, or those of the demo. The two sides take
//! turns, so that what else the machine does meets both:
//!
//! - *parse*: every file that the front end takes for a target, parsed once by tree-sitter as it stands;
//! - *front end*: files read and [`extract`]ed, closures included. Reading counts for folders only: other
//!   sources start git or cargo, which is no part of the front end.
//!
//! The last column is a digest of all that was extracted, to see that a change changes nothing.
//!
//! The phases are what can be told apart from outside: reading files; finding functions (preprocess, parse),
//! which is extraction with `limit = 0`; and the rest (preprocess again, index, closures).

#[path = "../tests/oracle/asked.rs"]
mod asked;
#[path = "../tests/oracle/arguments.rs"]
mod arguments;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use barecode_corpus::{Dialects, ExtractConfig, extract};
use barecode_records::{Digest, Language};
use barecode_sources::{Content, SourceConfig};

/// How often each side is measured; `BARECODE_BENCH_ROUNDS` says otherwise.
const ROUNDS: usize = 5;

/// The front end may take at most this many times as long as the parse.
const TARGET: f64 = 3.0;

fn main() {
    let rounds = std::env::var("BARECODE_BENCH_ROUNDS").ok();
    let rounds = rounds
        .and_then(|rounds| rounds.parse().ok())
        .unwrap_or(ROUNDS);
    let headers = asked::headers().expect("gcc is here");
    let configs = asked::configs(&arguments::sources()).expect("the sources can be read");
    say(
        "source                                             MB  files    kept   parse s  front end s  ratio   read   find  close  files/s  output",
    );
    let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    one_thread.expect("one thread can be started").install(|| {
        let mut sum = (Duration::ZERO, Duration::ZERO);
        for config in &configs {
            let (parse, front_end) = bench(config, &headers, rounds);
            sum.0 += parse;
            sum.1 += front_end;
        }
        let ratio = sum.1.as_secs_f64() / sum.0.as_secs_f64();
        let verdict = if ratio <= TARGET { "within" } else { "beyond" };
        say(&format!(
            "all: {ratio:.2} times the parse, {verdict} the target of {TARGET}"
        ));
    });
}

/// Medians of both sides.
fn bench(wanted: &SourceConfig, headers: &Dialects, rounds: usize) -> (Duration, Duration) {
    let config = ExtractConfig::default();
    let resolve = |config| asked::resolve(config).expect("the source is here");
    let found_only = SourceConfig {
        limit: Some(0),
        ..wanted.clone()
    };
    let found_only = resolve(&found_only);
    let source = &resolve(wanted);

    let first = extract(source, &config, headers, 0);
    let output = Digest::new("extraction").field(format!("{first:?}")).hex();
    let refused: BTreeSet<&str> = first
        .set_aside
        .iter()
        .filter(|row| row.kind == "file")
        .filter_map(|row| Some(row.origin.as_ref()?.path.as_str()))
        .collect();
    let texts: Vec<(&str, Cow<'_, [u8]>)> = source
        .files()
        .iter()
        .filter(|(path, _)| !refused.contains(path.as_str()))
        .filter_map(|(path, file)| match &file.content {
            Content::Bytes(bytes) => Some((path.as_str(), bytes.bytes())),
            _ => None,
        })
        .collect();
    let texts: Vec<(&str, &[u8])> = texts.iter().map(|(path, text)| (*path, &**text)).collect();

    let mut times: [Vec<Duration>; 4] = Default::default();
    for _ in 0..rounds {
        times[0].push(timed(|| parse(&texts)));
        let mut resolved = None;
        times[1].push(timed(|| resolved = Some(resolve(wanted))));
        let resolved = resolved.expect("it was just resolved");
        times[2].push(timed(|| drop(extract(&found_only, &config, headers, 0))));
        times[3].push(timed(|| drop(extract(&resolved, &config, headers, 0))));
    }
    let [parse, read, find, whole] = times.map(median);
    let read = if source.label().starts_with("path:") {
        read
    } else {
        Duration::ZERO
    };
    let front_end = read + whole;
    let bytes: usize = texts.iter().map(|(_, bytes)| bytes.len()).sum();
    say(&format!(
        "{:46} {:6.2} {:6} {:7} {:9.3} {:12.3} {:6.2} {:6.2} {:6.2} {:6.2} {:8.0}  {:.16}",
        source
            .label()
            .chars()
            .rev()
            .take(46)
            .collect::<String>()
            .chars()
            .rev()
            .collect::<String>(),
        bytes as f64 / 1e6,
        texts.len(),
        first.kept.len(),
        parse.as_secs_f64(),
        front_end.as_secs_f64(),
        front_end.as_secs_f64() / parse.as_secs_f64(),
        read.as_secs_f64() / parse.as_secs_f64(),
        find.as_secs_f64() / parse.as_secs_f64(),
        whole.saturating_sub(find).as_secs_f64() / parse.as_secs_f64(),
        texts.len() as f64 / front_end.as_secs_f64(),
        output,
    ));
    (parse, front_end)
}

/// What anybody would do first: parse each file as it stands.
fn parse(texts: &[(&str, &[u8])]) {
    for (path, text) in texts {
        let mut parser = tree_sitter::Parser::new();
        let cpp = matches!(
            path.rsplit_once('.').map_or("", |(_, ending)| ending),
            "cc" | "cpp" | "cxx" | "c++" | "hpp" | "hh" | "hxx" | "ipp" | "C"
        );
        let language = if cpp { Language::CPP } else { Language::C };
        let grammar = barecode_languages::of(language).and_then(barecode_languages::Entry::grammar);
        let grammar = grammar.expect("C and C++ have grammars");
        parser
            .set_language(&grammar.into())
            .expect("the grammar fits the library");
        let tree = parser.parse(text, None).expect("nothing stops the parser");
        std::hint::black_box(tree.root_node().end_byte());
    }
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

#[expect(clippy::disallowed_methods, reason = "a bench measures time")]
fn timed(work: impl FnOnce()) -> Duration {
    let begun = Instant::now();
    work();
    begun.elapsed()
}

#[expect(clippy::print_stdout, reason = "a bench prints what it measured")]
fn say(line: &str) {
    println!("{line}");
}
