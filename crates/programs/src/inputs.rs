//! Inputs that no test has: the inputs of the tests, changed a little.
//!
//! Of programs that read standard input, the inputs of the cases change: numbers, words, lines. Of all others the
//! calls in test code and examples whose arguments are constants: numbers near by, shorter and longer strings and
//! lists, other orders. Types stay, so that most inputs are of the kind that the program was written for.

mod change;

use std::collections::BTreeSet;

use barecode_python::{Call, Module};
use barecode_records::Digest;
use barecode_records::python::{Case, Program, TestKind, Tests};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use change::{changed_call, changed_text};

/// The function that shows the result of a call; programs find it beside their own names.
const SHOW: &str = include_str!("inputs/show.py");

/// Attempts at an input that is not present yet.
const ATTEMPTS: usize = 8;

/// Up to `most` questions to a program, as cases on standard input or examples without an expected output; fewer, or
/// none, if its tests have too few inputs. They depend on the program's text and tests alone.
pub(crate) fn made_up(program: &Program, most: u32) -> Tests {
    let tests = &program.tests;
    let seed = Digest::new("inputs").field(&program.text);
    let seed = seed.field(tests.digest().bytes()).seed();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let most = most as usize;
    if tests.kind == TestKind::Stdio {
        let known: Vec<&str> = tests.cases.iter().map(|case| &*case.input).collect();
        let inputs = gathered(&known, most, |known| changed_text(known, &mut rng));
        return Tests {
            cases: cases(inputs),
            ..tests.clone()
        };
    }
    let calls = calls(program);
    let inputs = gathered(&calls, most, |call| {
        let call = changed_call(call, &mut rng);
        let (function, given) = (&call.function, call.given());
        let comma = if given.is_empty() { "" } else { ", " };
        format!("barecode_show({function}{comma}{given})\n")
    });
    Tests {
        kind: TestKind::Doctest,
        setup: format!("{}\n{SHOW}", tests.setup),
        code: String::new(),
        entry: None,
        cases: cases(inputs),
    }
}

/// Up to `most` different changes of known inputs, each known one in turn.
fn gathered<T>(known: &[T], most: usize, mut change: impl FnMut(&T) -> String) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let mut inputs = Vec::new();
    for known in known.iter().cycle().take(most * ATTEMPTS) {
        if inputs.len() == most {
            break;
        }
        let input = change(known);
        if seen.insert(input.clone()) {
            inputs.push(input);
        }
    }
    inputs
}

fn cases(inputs: Vec<String>) -> Vec<Case> {
    let cases = inputs.into_iter().map(|input| Case {
        input,
        output: String::new(),
    });
    cases.collect()
}

/// The calls of the program's own functions in its tests whose arguments are constants, each once.
fn calls(program: &Program) -> Vec<Call> {
    let tests = &program.tests;
    let Ok(module) = Module::parse(&program.text) else {
        return Vec::new();
    };
    let own = module.own_names();
    let examples = match tests.kind {
        TestKind::Doctest => tests.cases.iter().map(|case| case.input.as_str()).collect(),
        TestKind::Stdio | TestKind::Asserts | TestKind::Pytest => Vec::new(),
    };
    let texts = [&*tests.code].into_iter().chain(examples);
    let modules = texts.filter_map(|text| Module::parse(text).ok());
    let found = modules.flat_map(|module| module.constant_calls());
    let mut seen = BTreeSet::new();
    let calls = found.filter_map(|mut call| {
        match (&tests.entry, tests.kind) {
            // `check(candidate)`: the function that is passed to it.
            (Some(entry), TestKind::Asserts) if !own.contains(&call.root) => {
                if call.function != "candidate" {
                    return None;
                }
                call.function.clone_from(entry);
            }
            // `program.f(1)`
            (Some(entry), TestKind::Pytest) if call.root == *entry => {
                let function = call.function.strip_prefix(entry)?.strip_prefix('.')?;
                let root = function.split(['.', '(']).next()?;
                if !own.contains(root) {
                    return None;
                }
                let start = call.function.len() - function.len();
                call.function.drain(..start);
            }
            _ if !own.contains(&call.root) => return None,
            _ => {}
        }
        (!call.arguments.is_empty() && seen.insert(call.to_string())).then_some(call)
    });
    calls.collect()
}
