//! Arbitrary text as a Python program, put through every transform.
//!
//! Beside crashes it looks for what no text may break: what a transform leaves is Python, the same seed gives the same
//! text, changed places lie in both texts, and naming everything back gives the text.

#![no_main]

use barecode_python::transforms::change_names::{ChangeNames, Strategy};
use barecode_python::transforms::{negative, positive};
use barecode_python::{
    Applying, Context, Module, Pipeline, Transform, apply, count_tokens, python2, symbols,
};
use barecode_records::python::ChangedPlace;
use barecode_records::{Length, Span};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    count_tokens(text);
    let Ok(module) = Module::parse(text) else {
        return;
    };
    python2(text);
    for symbol in symbols(&module, &Default::default()) {
        assert!(!symbol.places.is_empty());
        assert!(
            symbol
                .places
                .iter()
                .all(|place| !of(*place, text).is_empty())
        );
    }
    drop(module);
    for transform in positive().into_iter().chain(negative()) {
        for sample_p in [0.0, 1.0] {
            made(&*transform, text, sample_p);
        }
    }
    for strategy in [
        Strategy::RandomChars,
        Strategy::ShuffleOriginal,
        Strategy::Funky,
    ] {
        let names = ChangeNames {
            strategy,
            length: Length::Shortest,
            ..ChangeNames::default()
        };
        if let Some((made, places)) = made(&names, text, 1.0) {
            assert_eq!(named_back(text, &made, &places), text);
        }
    }
    for pipeline in [Pipeline::paper_positive(), Pipeline::paper_negative()] {
        let made = pipeline
            .run(text, &Context::default(), 1)
            .expect("each step leaves Python");
        Module::parse(&made.text).expect("a pipeline leaves Python");
    }
});

fn made(
    transform: &dyn Transform,
    text: &str,
    sample_p: f64,
) -> Option<(String, Vec<ChangedPlace>)> {
    let made = || {
        apply(
            transform,
            text,
            &Context::default(),
            Applying { sample_p, seed: 7 },
        )
    };
    let once = made();
    assert_eq!(once, made());
    let (made, applied, places) = once.expect("the text is Python")?;
    assert!(applied.applied > 0);
    if let Err(error) = Module::parse(&made) {
        panic!("{}: {error}\n{made}", transform.name());
    }
    for place in &places {
        of(place.before, text);
        of(place.after, &made);
    }
    Some((made, places))
}

fn of(span: Span, text: &str) -> &str {
    text.get(span.start as usize..span.end as usize)
        .expect("a place lies in its text")
}

/// The text with the old names at the changed places.
fn named_back(text: &str, made: &str, places: &[ChangedPlace]) -> String {
    let mut back = String::new();
    let mut at = 0;
    for place in places {
        back += &made[at..place.after.start as usize];
        back += of(place.before, text);
        at = place.after.end as usize;
    }
    back + &made[at..]
}
