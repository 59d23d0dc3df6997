//! How long it takes to rename all local names of functions, and to make all their comparison mutants.
//!
//! `make bench-python` runs it beside libcst and mutmut, which get the same functions and names. It reads a JSON list of
//! functions, `{"name": …, "text": …}`, from the file that is its argument, and prints one JSON object: for each task how
//! much was made and the seconds on one thread, from the text on, as the sum of each function's best in some rounds; and
//! for each function the old and new names with the renamed text, to compare it with the peer's.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]
#![expect(clippy::disallowed_methods, reason = "a benchmark looks at the clock")]

use std::collections::BTreeSet;
use std::hint::black_box;
use std::time::Instant;

use barecode_python::transforms::change_names::ChangeNames;
use barecode_python::transforms::named;
use barecode_python::{Applying, Context, Fresh, Module, apply};
use barecode_records::Span;
use barecode_records::python::ChangedPlace;
use serde_json::{Value, json};

const ROUNDS: usize = 20;

struct Function {
    text: String,
    context: Context,
}

fn main() {
    let path = std::env::args().nth(1).expect("the file of the functions");
    let text = std::fs::read_to_string(&path).expect("the file can be read");
    let functions: Vec<Value> = serde_json::from_str(&text).expect("a JSON list of functions");
    let functions: Vec<Function> = functions
        .iter()
        .map(|function| Function {
            text: function["text"].as_str().unwrap_or_default().to_owned(),
            context: Context {
                // The function itself is no local name.
                protected: BTreeSet::from([function["name"].as_str().unwrap_or_default().into()]),
                ..Context::default()
            },
        })
        .collect();
    let (renaming, renamed) = best(&functions, rename);
    let (mutating, mutants) = best(&functions, mutate);
    let renamed: Vec<Value> = functions.iter().zip(renamed).map(described).collect();
    let places = |one: &Value| one["places"].as_u64().unwrap_or_default();
    let names = |one: &Value| one["names"].as_array().map_or(0, Vec::len);
    let answer = json!({
        "rename": {
            "functions": functions.len(),
            "names": renamed.iter().map(names).sum::<usize>(),
            "places": renamed.iter().map(places).sum::<u64>(),
            "seconds": renaming,
        },
        "mutants": {
            "functions": functions.len(),
            "mutants": mutants.iter().map(Vec::len).sum::<usize>(),
            "bytes": mutants.iter().flatten().map(String::len).sum::<usize>(),
            "seconds": mutating,
        },
        "renamed": renamed,
    });
    println!("{answer}");
}

/// The sum of the shortest seconds of each function, which is too short to be interrupted each time; and what was made.
fn best<T>(functions: &[Function], work: impl Fn(&Function) -> T) -> (f64, Vec<T>) {
    let round = || {
        let timed = functions.iter().map(|one| {
            let start = Instant::now();
            let made = black_box(work(one));
            (start.elapsed().as_secs_f64(), made)
        });
        timed.unzip()
    };
    let (mut shortest, made): (Vec<f64>, Vec<T>) = round();
    for _ in 1..ROUNDS {
        let (seconds, _): (Vec<f64>, Vec<T>) = round();
        for (shortest, seconds) in shortest.iter_mut().zip(seconds) {
            *shortest = shortest.min(seconds);
        }
    }
    (shortest.iter().sum(), made)
}

type Renamed = Option<(String, Vec<ChangedPlace>)>;

fn rename(function: &Function) -> Renamed {
    let applying = Applying {
        sample_p: 1.0,
        seed: 1,
    };
    let names = ChangeNames::default();
    let made = apply(&names, &function.text, &function.context, applying);
    let made = made.expect("a function of a library is Python");
    made.map(|(text, _, places)| (text, places))
}

fn mutate(function: &Function) -> Vec<String> {
    let module = Module::parse(&function.text).expect("a function of a library is Python");
    let mut fresh = Fresh::default();
    let comparisons = named("WrongComparisonOperator").expect("it is in the table");
    let sites = comparisons.sites(&module, &function.context, &mut fresh);
    sites.iter().flat_map(|site| site.texts(&module)).collect()
}

fn described((function, renamed): (&Function, Renamed)) -> Value {
    let Some((text, places)) = renamed else {
        return json!({ "text": function.text, "names": [], "places": 0 });
    };
    let piece = |text: &str, span: Span| {
        let piece = text.get(span.start as usize..span.end as usize);
        piece.unwrap_or_default().to_owned()
    };
    let names: BTreeSet<(String, String)> = places
        .iter()
        .map(|place| {
            (
                piece(&function.text, place.before),
                piece(&text, place.after),
            )
        })
        .collect();
    json!({ "text": text, "names": names, "places": places.len() })
}
