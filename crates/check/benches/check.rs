//! One compiler process a function, against all at once, in one run.
//!
//! ```text
//! cargo bench -p barecode-check
//! BARECODE_BENCH_UNITS=run/01-functions/part-00000.parquet cargo bench -p barecode-check
//! ```
//!
//! The file is a table of functions, as `barecode extract RECIPE --out run` leaves one for each source of a
//! recipe; `BARECODE_BENCH_LIMIT` takes that many of them, evenly spread (300 unless given). Without a file,
//! texts are made here, with the headers that libraries use. Both sides take turns, shard by shard, so that a
//! machine that gets slower gets slower for both. The figures are printed; what fails the run is a verdict that
//! differs.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]
#![expect(clippy::disallowed_methods, reason = "a benchmark looks at the clock")]

use std::path::Path;
use std::time::{Duration, Instant};

use barecode_check::{CheckConfig, CheckError, Compiler, Judge, Question, Verdict};
use barecode_records::{Function, Language, Span, table};

/// As many as the stage asks about at once.
const SHARD: usize = 256;

/// The languages that are compiled.
const COMPILED: [Language; 2] = [Language::C, Language::CPP];

fn main() -> Result<(), CheckError> {
    let config = CheckConfig::default();
    let cpp = match Compiler::probe_for(&config, Language::CPP) {
        Ok(compiler) => Some(compiler),
        Err(CheckError::CompilerMissing { .. }) => None,
        Err(error) => return Err(error),
    };
    let languages = if cpp.is_some() {
        &COMPILED[..]
    } else {
        &[Language::C]
    };
    let c = Compiler::probe(&config)?;
    let questions = match std::env::var_os("BARECODE_BENCH_UNITS") {
        Some(path) => read(Path::new(&path)),
        None => COMPILED.into_iter().flat_map(made).collect(),
    };
    let mut differ = 0;
    for &language in languages {
        let questions: Vec<Question> = questions
            .iter()
            .filter(|question| question.language == language)
            .cloned()
            .collect();
        if questions.is_empty() {
            continue;
        }
        // No cache on either side, and the second starts with an empty desk.
        let together = Judge::new(c.clone(), cpp.clone(), None)?;
        let (mut slow, mut fast) = (Duration::ZERO, Duration::ZERO);
        let mut accepted = 0;
        for shard in questions.chunks(SHARD) {
            let mut alone = Vec::new();
            let start = Instant::now();
            for question in shard {
                // A judge that has seen nothing, so no header was made before.
                alone.push(Judge::new(c.clone(), cpp.clone(), None)?.judge(question)?);
            }
            slow += start.elapsed();
            let start = Instant::now();
            let all = together.judge_all(shard)?;
            fast += start.elapsed();
            for ((question, alone), all) in shard.iter().zip(&alone).zip(&all) {
                if alone != all {
                    differ += 1;
                    println!("alone {alone:?}\ntogether {all:?}\n{}\n", question.text);
                }
                accepted += usize::from(matches!(all, Verdict::Compiled { .. }));
            }
        }
        let count = u32::try_from(questions.len()).unwrap_or(u32::MAX);
        println!(
            "{language:?}: {count} functions, {accepted} accepted; alone {:.1} ms each, together {:.1} ms each: {:.1} times faster",
            (slow / count).as_secs_f64() * 1e3,
            (fast / count).as_secs_f64() * 1e3,
            slow.as_secs_f64() / fast.as_secs_f64()
        );
    }
    assert_eq!(differ, 0, "verdicts that differ");
    Ok(())
}

/// The functions of a table: runs of neighbors, evenly spread, as the stage would take them.
fn read(path: &Path) -> Vec<Question> {
    let functions: Vec<Function> =
        table::read(path).expect("BARECODE_BENCH_UNITS names a table of functions");
    let limit = std::env::var("BARECODE_BENCH_LIMIT")
        .ok()
        .and_then(|limit| limit.parse().ok())
        .unwrap_or(300_usize);
    let shards: Vec<&[Function]> = functions.chunks(SHARD).collect();
    let step = shards.len().div_ceil(limit.div_ceil(SHARD).max(1)).max(1);
    let taken = shards.into_iter().step_by(step).flatten().take(limit);
    taken
        .map(|function| Question::of(function, &function.closure))
        .collect()
}

/// 256 texts, one of eight with a mistake.
fn made(language: Language) -> Vec<Question> {
    let headers = match language {
        Language::C => [
            "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <stdint.h>\n#include <errno.h>\n#include <limits.h>\n",
            "#include <assert.h>\n#include <ctype.h>\n#include <stddef.h>\n#include <string.h>\n#include <time.h>\n#include <unistd.h>\n",
        ],
        _ => [
            "#include <string>\n#include <vector>\n#include <map>\n#include <iostream>\n",
            "#include <algorithm>\n#include <cstring>\n#include <memory>\n#include <sstream>\n#include <unordered_map>\n",
        ],
    };
    let types = match language {
        Language::C => {
            "typedef struct item { struct item *next; char *name; size_t used; } item;\n#define SIZE(x) (sizeof(x) / sizeof((x)[0]))\nstatic int step(item *it) { return it->next ? (int) it->used : 0; }\n"
        }
        _ => {
            "namespace lib {\nstruct item { item *next; std::string name; std::size_t used; };\nstatic int step(item *it) { return it->next ? (int) it->used : 0; }\n}\nusing lib::item;\nusing lib::step;\n"
        }
    };
    (0..256_usize)
        .map(|number| {
            let headers = headers[number / SHARD % 2];
            let body = match number % 8 {
                7 => format!("return missing_{number}(it);"),
                odd if odd % 2 == 1 => format!("size_t all = {number}; for (; it; it = it->next) all += it->used; return (int) all;"),
                _ => format!("static const int table[] = {{1, 2, {number}}}; return table[it->used % 3] + step(it);"),
            };
            let before = format!("{headers}\n{types}\n");
            let function = format!("int find_{number}(item *it) {{ {body} }}");
            let offset = |bytes: usize| u32::try_from(bytes).unwrap_or(u32::MAX);
            Question {
                language,
                function: format!("find_{number}"),
                target: Span {
                    start: offset(before.len()),
                    end: offset(before.len() + function.len()),
                },
                text: before + &function + "\n",
                is_template: false,
            }
        })
        .collect()
}
