//! The crate as its users see it, with a real gcc.

#![expect(
    clippy::disallowed_methods,
    reason = "tests start what the crate is compared with, and look at a clock"
)]
#![expect(clippy::unwrap_used, reason = "the helpers of tests are tests")]

mod attacks;
mod cache;
mod compiler;
mod objects;
mod units;

use barecode_check::{CheckConfig, Compiler, Judge, Object, Verdict};

fn config() -> CheckConfig {
    CheckConfig::default()
}

fn judge(config: &CheckConfig) -> Judge {
    Judge::new(Compiler::probe(config).unwrap(), None).unwrap()
}

fn compiled(judge: &Judge, text: &str, function: &str) -> Object {
    match judge.judge(text, function).unwrap() {
        Verdict::Compiled(object) => object,
        other => panic!("{other:?}\n{text}"),
    }
}
