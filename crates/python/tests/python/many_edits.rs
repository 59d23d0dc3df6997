//! A text with many places takes as much longer as it has more of them, and no more.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use barecode_python::transforms::CommentDeletion;
use barecode_python::transforms::change_names::{ChangeNames, Strategy};
use barecode_python::transforms::wrong_comparison_operator::WrongComparisonOperator;
use barecode_python::{Applying, Context, Transform, apply};

/// Places of a transform, one a line and some more.
fn text(lines: usize) -> String {
    let line = |at: usize| {
        let before = at.saturating_sub(7);
        format!("value_{at} = value_{before} < len(rest)  # {at}\n")
    };
    (0..lines).map(line).collect()
}

/// The shortest of some times, and the number of edits.
#[expect(clippy::disallowed_methods, reason = "the test is about time")]
fn time(transform: &dyn Transform, lines: usize) -> (Duration, usize) {
    let text = text(lines);
    let context = Context {
        covered: (1..=u32::try_from(lines).expect("few lines")).collect::<BTreeSet<u32>>(),
        ..Context::default()
    };
    let applying = Applying {
        sample_p: 1.0,
        seed: 3,
    };
    let round = || {
        let start = Instant::now();
        let made = apply(transform, &text, &context, applying).expect("Python");
        let (_, applied, places) = made.expect("there are places");
        assert!(applied.applied as usize >= lines);
        (start.elapsed(), places.len())
    };
    (0..3).map(|_| round()).min().expect("three rounds")
}

#[test]
fn twenty_thousand_edits_take_ten_times_as_long_as_two_thousand() {
    let names = ChangeNames {
        strategy: Strategy::RandomChars,
        ..ChangeNames::default()
    };
    let transforms: [(&dyn Transform, usize); 3] = [
        (&names, 2),
        (&CommentDeletion, 1),
        (&WrongComparisonOperator, 1),
    ];
    for (transform, edits_a_line) in transforms {
        let (short, few) = time(transform, 2_000 / edits_a_line);
        let (long, many) = time(transform, 20_000 / edits_a_line);
        assert!(few >= 1_999 && many >= 19_999, "{few} and {many} edits");
        let ratio = long.as_secs_f64() / short.as_secs_f64();
        println!(
            "{}: {short:?}, {long:?}, {ratio:.1} times",
            transform.name()
        );
        // Where each edit looks at all others it is 100 times.
        assert!(ratio < 45.0, "{}: {ratio:.1} times", transform.name());
    }
}
