//! What holds for any text that parses.

use barecode_python::{Applying, Context, Module, Pipeline, apply, transforms};
use proptest::prelude::*;

use crate::common::{files, programs};
use crate::rename_programs::strategies;

/// Whether all transforms leave Python, and the same twice.
fn holds(text: &str, seed: u64) {
    let Ok(module) = Module::parse(text) else {
        return;
    };
    drop(module);
    let context = Context::default();
    let mut all = transforms::positive();
    all.extend(transforms::negative());
    for strategy in strategies() {
        all.push(Box::new(strategy));
    }
    for transform in all {
        for sample_p in [0.0, 1.0] {
            let applying = Applying { sample_p, seed };
            let made = |text: &str| apply(transform.as_ref(), text, &context, applying);
            let Ok(once) = made(text) else {
                panic!("{} of {text:?} leaves no Python", transform.name());
            };
            assert_eq!(Ok(&once), made(text).as_ref());
            let Some((made, ..)) = once else { continue };
            if let Err(error) = Module::parse(&made) {
                panic!("{}: {error}\n{text}\n---\n{made}", transform.name());
            }
        }
    }
    let negative = Pipeline::paper_negative();
    let made = negative.run(text, &context, seed);
    let made = made.expect("mistakes leave Python");
    Module::parse(&made.text).expect("mistakes leave Python");
}

const PIECES: [&str; 40] = [
    "x = 1",
    "y = x + 2 * 3",
    "def f(a, b=2, *c, d, **e): return a",
    "class A(B): x = x",
    "for i in range(3):\n    x += i\nelse:\n    pass",
    "while not x: x -= 1",
    "if a < b <= c: pass",
    "lambda q: q",
    "[i for i in x if i]",
    "f'{x=} {y!r:>{z}}'",
    "global x",
    "del x",
    "(w := 3)",
    "match x:\n    case [a, *b] if True: pass\n    case {'k': v, **r}: pass\n    case -1: pass",
    "try:\n    pass\nexcept E as e:\n    e",
    "import a.b as c",
    "from m import *",
    "assert not x, -5",
    "with a as b, c: pass",
    "async def g():\n    await (yield 1)",
    "type T[X] = list[X]",
    "def h[T: int](p: 'T') -> T: ...",
    "x: int = 0",
    "x @= 0x1F",
    "x = 1 if y else -2.5e3",
    "return",
    "@d\ndef k(self, __x): nonlocal __x",
    "print(a is not b or b not in c)",
    "x = 5 .real",
    "x = -2 ** -y",
    "a; b = 1; c",
    "if a: b = 1",
    "x = 'é' 'x'",
    "été = 1\nété",
    "x = (  # c\n    not y\n)",
    "\\\nx = 1",
    "x = 1 ; \\\ny = 2",
    "pass",
    "e: 'x y'",
    "x = True",
];

proptest! {
    #[test]
    fn no_panic_and_always_python(
        pieces in proptest::collection::vec((proptest::sample::select(&PIECES[..]), 0_usize..3), 1..8),
        seed in any::<u64>(),
    ) {
        let mut text = String::new();
        for (piece, depth) in pieces {
            let head = ["", "def outer(x, y):\n", "class C:\n  def m(self, x):\n"][depth];
            let blank = ["", "    ", "      "][depth];
            text += head;
            for line in piece.lines() {
                text.extend([blank, line, "\n"]);
            }
        }
        holds(&text, seed);
    }

    #[test]
    fn any_text(text in "[a-z =+\\-(){}\\[\\]:\n\r'\"#0-9]{0,40}") {
        holds(&text, 3);
    }
}

#[test]
fn transforms_leave_python() {
    let Some(programs) = programs() else { return };
    for program in programs {
        holds(&program.text, 5);
    }
    for path in files().unwrap_or_default().into_iter().step_by(25) {
        holds(&std::fs::read_to_string(path).unwrap(), 9);
    }
}
