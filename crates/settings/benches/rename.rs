//! Renaming beside a bare parse of the same texts, in one run on one thread.
//!
//! ```sh
//! cargo bench -p barecode-settings --bench rename
//! BARECODE_BENCH_UNITS=run/02-units/part-00000.parquet cargo bench -p barecode-settings --bench rename
//! ```
//!
//! The texts are the units of a table as `barecode check RECIPE --out run` leaves it, or else functions made here.
//! The sides take turns, text by text: a parse by tree-sitter; a unit read and renamed once; and the same unit under
//! nine more draws. Compiling the variants is no part of it: what proving costs is the compiler's time.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]
#![expect(clippy::disallowed_methods, reason = "a benchmark looks at the clock")]

use std::fmt::Write;
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use barecode_corpus::syntax::parse;
use barecode_records::{Closure, HelperBodies, Id, Language, Setting, Span, Unit, table};
use barecode_settings::dose::Choice;
use barecode_settings::naming::{Draw, Naming};
use barecode_settings::randomized::Randomized;
use barecode_settings::rename::{Analysis, Plan, Spaces};

/// How often each text is measured; the shortest time counts.
const ROUNDS: usize = 5;

fn main() {
    let subjects: Vec<(Language, String, Closure)> = match std::env::var_os("BARECODE_BENCH_UNITS")
    {
        Some(path) => table::read::<Unit>(Path::new(&path))
            .expect("the table can be read")
            .into_iter()
            .map(|unit| (unit.language, unit.name, unit.closure))
            .collect(),
        None => (1..40).map(made).collect(),
    };
    for language in [Language::C, Language::CPP] {
        let mut sums = [Duration::ZERO; 3];
        let (mut count, mut bytes) = (0_usize, 0);
        for (_, name, closure) in subjects.iter().filter(|subject| subject.0 == language) {
            let mut shortest = [Duration::MAX; 3];
            for _ in 0..ROUNDS {
                let parse = timed(|| drop(black_box(parse(&closure.text, language))));
                let mut analysis = None;
                let once = timed(|| {
                    let read = Analysis::of(closure, name, language).expect("it can be read");
                    black_box(renamed(&read, 0));
                    analysis = Some(read);
                });
                let analysis = analysis.expect("it was read");
                let nine = timed(|| {
                    for seed in 1..10 {
                        black_box(renamed(&analysis, seed));
                    }
                });
                for (shortest, time) in shortest.iter_mut().zip([parse, once, nine]) {
                    *shortest = (*shortest).min(time);
                }
            }
            for (sum, time) in sums.iter_mut().zip(shortest) {
                *sum += time;
            }
            count += 1;
            bytes += closure.text.len();
        }
        if count == 0 {
            continue;
        }
        let [parse, once, nine] = sums.map(|sum| sum.as_secs_f64());
        println!(
            "{language:?}: {count} units of {} bytes on average; a renaming takes {:.2} times the parse (target 1.5), nine more {:.2} times (target 1)",
            bytes / count,
            once / parse,
            nine / parse
        );
    }
}

fn renamed(analysis: &Analysis<'_>, seed: u32) -> String {
    let unit = Id::from("u-0123456789abcdef".to_owned());
    let draw = Draw::new(Setting::RANDOMIZED, 0, &unit, Some(seed));
    let mut naming: Box<dyn Naming> = Box::new(Randomized::new(draw));
    let plan = Plan::new(Spaces::Apart);
    let renamed = analysis.renamed(&mut *naming, &Choice::all(), &plan);
    renamed.expect("random letters do not clash").text
}

/// A function with that many helpers and types around it.
fn made(size: usize) -> (Language, String, Closure) {
    let mut text = String::from("#include <string.h>\n\n");
    for n in 0..size {
        write!(
            text,
            "typedef struct record_{n} {{ int key_{n}; char name_{n}[16]; struct record_{n} *next_{n}; }} record_{n}_t;\n\
             static int compare_{n}(const record_{n}_t *left, const record_{n}_t *right) {{\n  \
             int order = strcmp(left->name_{n}, right->name_{n});\n  \
             for (const record_{n}_t *at = left; order == 0 && at != NULL; at = at->next_{n}) {{\n    \
             order += at->key_{n} > right->key_{n} ? 1 : at->key_{n} < right->key_{n} ? -1 : 0;\n  }}\n  \
             return order;\n}}\n\n"
        )
        .expect("memory takes any text");
    }
    let start = text.len();
    write!(
        text,
        "int largest(record_0_t *list, int limit) {{\n  int best = limit;\n  for (; list; list = list->next_0) {{\n    \
         if (list->key_0 > best && compare_0(list, list) == 0) best = list->key_0;\n  }}\n  return best;\n}}"
    )
    .expect("memory takes any text");
    let offset = |at: usize| u32::try_from(at).expect("short");
    let target = Span {
        start: offset(start),
        end: offset(text.len()),
    };
    let closure = Closure {
        text,
        target,
        helpers: Vec::new(),
        helper_bodies: HelperBodies::Full,
        items: offset(size),
        pieces: Vec::new(),
        helper_external: Vec::new(),
        missing_headers: Vec::new(),
        assumed_headers: Vec::new(),
    };
    (Language::C, "largest".to_owned(), closure)
}

fn timed(work: impl FnOnce()) -> Duration {
    let begun = Instant::now();
    work();
    begun.elapsed()
}
