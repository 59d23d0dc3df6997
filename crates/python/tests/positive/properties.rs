//! What holds for every text, seed and share of nodes.

use barecode_python::transforms::positive;
use barecode_python::{Applying, Module, apply};
use barecode_records::python::Safety;
use proptest::prelude::*;

use crate::applied::context;

/// All traps, as a source of odd programs.
const TEXTS: &[&str] = &[
    include_str!("traps/ArithmeticTransform.py"),
    include_str!("traps/SwapCondition.py"),
    include_str!("traps/ForInRangeToWhile.py"),
    include_str!("traps/CommentDeletion.py"),
    include_str!("traps/ListCompToForLoop.py"),
    include_str!("traps/BooleanSimplify.py"),
    include_str!("traps/ChainedComparisonToAnd.py"),
    include_str!("traps/ConditionalExprToIfElse.py"),
    include_str!("traps/FStringToFormat.py"),
];

fn programs() -> Vec<&'static str> {
    let all = TEXTS.iter().flat_map(|text| text.split("#== ").skip(1));
    all.map(|trap| trap.split_once('\n').expect("a title").1)
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    /// What a transform makes is Python; the places it names are all that changed; and it is the same each time.
    #[test]
    fn a_rewritten_text_parses_and_differs_at_its_places_only(
        pick in prop::collection::vec(any::<prop::sample::Index>(), 1..4),
        which in 0..9_usize,
        seed in any::<u64>(),
        sample_p in 0.0..1.0_f64,
        paper in any::<bool>(),
        crlf in any::<bool>(),
    ) {
        let programs = programs();
        let text: String = pick.iter().map(|index| *index.get(&programs)).collect();
        let text = if crlf { text.replace('\n', "\r\n") } else { text };
        let transform = &positive()[which];
        let context = context(if paper { Safety::Paper } else { Safety::Safe });
        let applying = Applying { sample_p, seed };
        let Ok(made) = apply(transform.as_ref(), &text, &context, applying) else {
            // Programs one after the other may not be a program; then nothing is claimed.
            prop_assert!(Module::parse(&text).is_err());
            return Ok(());
        };
        let again = apply(transform.as_ref(), &text, &context, applying).expect("it was Python");
        prop_assert_eq!(&made, &again);
        let Some((changed, applied, places)) = made else {
            return Ok(());
        };
        prop_assert!(Module::parse(&changed).is_ok(), "{}: {}", transform.name(), changed);
        prop_assert!(applied.applied >= 1 && applied.applied <= applied.nodes);
        prop_assert!(applied.by_tests_only <= applied.applied);
        // Without the places, both texts are the same.
        let rest = |text: &str, mut spans: Vec<(u32, u32)>| {
            spans.sort_unstable();
            let (mut rest, mut at) = (Vec::new(), 0);
            for (start, end) in spans {
                let (start, end) = (start as usize, end as usize);
                rest.extend_from_slice(text.as_bytes().get(at..start).unwrap_or_default());
                at = at.max(end);
            }
            rest.extend_from_slice(&text.as_bytes()[at.min(text.len())..]);
            rest
        };
        let before = places.iter().map(|place| (place.before.start, place.before.end)).collect();
        let after = places.iter().map(|place| (place.after.start, place.after.end)).collect();
        prop_assert_eq!(rest(&text, before), rest(&changed, after), "{}", transform.name());
    }
}

#[test]
fn what_is_written_out_is_not_written_out_again() {
    let done = [
        "ForInRangeToWhile",
        "CommentDeletion",
        "ListCompToForLoop",
        "BooleanSimplify",
        "ChainedComparisonToAnd",
    ];
    let context = context(Safety::Safe);
    let applying = Applying {
        sample_p: 1.0,
        seed: 3,
    };
    for transform in positive()
        .iter()
        .filter(|transform| done.contains(&transform.name()))
    {
        for program in programs() {
            let made =
                apply(transform.as_ref(), program, &context, applying).expect("it is Python");
            if let Some((text, ..)) = made {
                let again =
                    apply(transform.as_ref(), &text, &context, applying).expect("it is Python");
                assert!(again.is_none(), "{}:\n{program}\n{text}", transform.name());
            }
        }
    }
}
