//! What tests share: transforms applied to all nodes, and programs run.

use std::path::Path;

use barecode_python::{Applying, Context, Transform, apply};
use barecode_records::python::{Applied, Safety};
use barecode_testing::needs;
use serde_json::{Value, json};

pub(crate) fn context(safety: Safety) -> Context {
    Context {
        safety,
        ..Context::default()
    }
}

/// The text with all nodes changed, and the account; `None` where there is none.
pub(crate) fn everywhere(
    transform: &dyn Transform,
    text: &str,
    safety: Safety,
) -> Option<(String, Applied)> {
    let applying = Applying {
        sample_p: 1.0,
        seed: 1,
    };
    let made = apply(transform, text, &context(safety), applying);
    let made = made.unwrap_or_else(|error| panic!("{}: {error}\n{text}", transform.name()));
    made.map(|(text, applied, _)| (text, applied))
}

/// What each program printed and raised; `None` without an interpreter.
pub(crate) fn run(programs: &[String]) -> Option<Vec<Value>> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/positive/run.py");
    let halves: Vec<&[String]> = programs.chunks(programs.len().div_ceil(2).max(1)).collect();
    let answers = std::thread::scope(|scope| {
        let ask = |half: &[String]| {
            let half = half.iter().map(|code| json!({ "code": code })).collect();
            needs::ask(Path::new(script), &Value::Array(half), &[])
        };
        let started: Vec<_> = halves
            .into_iter()
            .map(|half| scope.spawn(move || ask(half)))
            .collect();
        let joined = started
            .into_iter()
            .map(|thread| thread.join().expect("a run ends"));
        joined.collect::<Vec<Option<Value>>>()
    });
    let mut all = Vec::new();
    for answer in answers {
        all.extend(
            answer?
                .as_array()
                .expect("the script answers with a list")
                .clone(),
        );
    }
    Some(all)
}
