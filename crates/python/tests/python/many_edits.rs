//! A text with many places: each edit stands where it belongs.

use std::collections::BTreeSet;

use barecode_python::transforms::change_names::{ChangeNames, Strategy};
use barecode_python::transforms::named;
use barecode_python::{Applying, Context, Transform, apply};

/// Places of a transform, one a line and some more.
fn text(lines: usize) -> String {
    let line = |at: usize| {
        let before = at.saturating_sub(7);
        format!("value_{at} = value_{before} < len(rest)  # {at}\n")
    };
    (0..lines).map(line).collect()
}

/// The text that a transform makes where it changes every place, and the number of edits.
fn made(transform: &dyn Transform, lines: usize) -> (String, usize) {
    let text = text(lines);
    let context = Context {
        covered: (1..=u32::try_from(lines).expect("few lines")).collect::<BTreeSet<u32>>(),
        ..Context::default()
    };
    let applying = Applying {
        sample_p: 1.0,
        seed: 3,
    };
    let made = apply(transform, &text, &context, applying).expect("Python");
    let (made, applied, places) = made.expect("there are places");
    assert!(applied.applied as usize >= lines);
    (made, places.len())
}

#[test]
fn twenty_thousand_edits_are_made_each_where_it_belongs() {
    let names = ChangeNames {
        strategy: Strategy::RandomChars,
        ..ChangeNames::default()
    };
    let comments = named("CommentDeletion").unwrap();
    let comparisons = named("WrongComparisonOperator").unwrap();
    let transforms: [(&dyn Transform, usize); 3] = [
        (&names, 10_000),
        (&*comments, 20_000),
        (&*comparisons, 20_000),
    ];
    for (transform, lines) in transforms {
        let name = transform.name();
        let (made, edits) = made(transform, lines);
        assert!(edits >= 19_999, "{name}: {edits} edits");
        let before = text(lines);
        assert_eq!(made.lines().count(), lines, "{name}");
        for (at, (line, before)) in made.lines().zip(before.lines()).enumerate() {
            let is_right = match name {
                "CommentDeletion" => before == format!("{line}  # {at}"),
                "ChangeNames" => {
                    !line.contains("value") && line.ends_with(&format!(" < len(rest)  # {at}"))
                }
                _ => {
                    let (head, tail) = before.split_once('<').expect("it compares");
                    line.starts_with(head) && line.ends_with(tail) && line != before
                }
            };
            assert!(is_right, "{name}: {before} became {line}");
        }
    }
}

/// Each comparison of a call would double the work if its arguments were looked at twice.
#[test]
fn comparisons_inside_of_calls_that_are_compared_are_looked_at_once() {
    let depth = 60;
    let text = format!(
        "def deep(first):\n    return {}first{}\n",
        "call(".repeat(depth),
        " == 1)".repeat(depth),
    );
    let applying = Applying {
        sample_p: 1.0,
        seed: 3,
    };
    let made = apply(
        &ChangeNames::default(),
        &text,
        &Context::default(),
        applying,
    );
    let (made, applied, places) = made.expect("Python").expect("two names");
    assert_eq!((applied.applied, places.len()), (2, 3), "{made}");
}
