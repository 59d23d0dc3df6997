//! The crate as its users see it, with a real gcc.

#![expect(
    clippy::disallowed_methods,
    reason = "tests start what the crate is compared with, and look at a clock"
)]
#![expect(clippy::unwrap_used, reason = "the helpers of tests are tests")]

mod alike;
mod attacks;
mod batches;
mod built;
mod cache;
mod compiler;
mod cpp;
mod neighbors;
mod objects;
mod real;
mod smaller;
mod units;

use barecode_check::{CheckConfig, CheckError, Compiler, Judge, Object, Question, Verdict};
use barecode_records::{Language, Span};
use barecode_testing::needs::skip;

fn config() -> CheckConfig {
    CheckConfig::default()
}

fn judge(config: &CheckConfig) -> Judge {
    Judge::new(Compiler::probe(config).unwrap(), None, None).unwrap()
}

/// A judge of both languages; `None`, with a message, where there is no g++.
fn judge_of_both(config: &CheckConfig) -> Option<Judge> {
    match Compiler::probe_for(config, Language::CPP) {
        Ok(cpp) => Some(Judge::new(Compiler::probe(config).unwrap(), Some(cpp), None).unwrap()),
        Err(CheckError::CompilerMissing { .. }) => {
            skip("no g++");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

/// A question about a function of C.
fn of_c(text: &str, function: &str) -> Question {
    Question {
        language: Language::C,
        text: text.to_owned(),
        function: function.to_owned(),
        target: Span { start: 0, end: 0 },
        is_template: false,
    }
}

/// A question about the function of C++ that starts at `head` and goes to the end of the text.
fn of_cpp(text: &str, head: &str) -> Question {
    let offset = |bytes: usize| u32::try_from(bytes).unwrap();
    Question {
        language: Language::CPP,
        text: text.to_owned(),
        function: "f".to_owned(),
        target: Span {
            start: offset(
                text.find(head)
                    .unwrap_or_else(|| panic!("`{head}` in {text}")),
            ),
            end: offset(text.len()),
        },
        is_template: false,
    }
}

fn verdict_of(judge: &Judge, text: &str, function: &str) -> Result<Verdict, CheckError> {
    judge.judge(&of_c(text, function))
}

fn compiled(judge: &Judge, text: &str, function: &str) -> Object {
    match judge.object(&of_c(text, function)).unwrap() {
        Ok(object) => object,
        Err(other) => panic!("{other:?}\n{text}"),
    }
}
