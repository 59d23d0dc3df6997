//! The front end beside tools that read C and C++ in other ways: universal-ctags, which guesses, and
//! libclang, which knows. Both read the C libraries inside the Cargo packages that barecode is built from.
//!
//! `ctags` is installed by `make setup-test`, and libclang is the wheel of tests/requirements.txt, found by
//! `LIBCLANG_PATH`. Where one is not there its tests say so and pass, but not under `make test`.
//! `cargo run --example compare_ctags` and `compare_libclang` ask the same of any source.

mod asked;
mod clang;
mod ctags;

use std::sync::OnceLock;

use barecode_corpus::{ExtractConfig, extract};
use barecode_records::{Function, Outcome};
use barecode_sources::Source;
use barecode_testing::needs::skip;

/// A source and what was extracted from it.
type Extracted = (Source, Outcome<Vec<Function>>);

/// The demo's sources, extracted once for all tests.
fn demo() -> &'static [Extracted] {
    static DEMO: OnceLock<Vec<Extracted>> = OnceLock::new();
    DEMO.get_or_init(|| {
        let headers = asked::headers().expect("gcc is here");
        let configs = asked::configs(&[asked::DEMO.to_owned()]).expect("the recipe can be read");
        let extracted = configs.iter().map(|config| {
            let source = asked::resolve(config).expect("the workspace has the package");
            let extraction = extract(&source, &ExtractConfig::default(), &headers, 0);
            (source, extraction)
        });
        extracted.collect()
    })
}

#[test]
fn functions_are_those_of_ctags_but_for_explained_differences() {
    if !ctags::is_here() {
        return skip("universal-ctags is not here: apt-get install universal-ctags");
    }
    for (source, extraction) in demo() {
        let comparison = ctags::compare(source, extraction).unwrap();
        let ctags::Comparison {
            source,
            ours,
            theirs,
            both,
            ..
        } = &comparison;
        let told = format!("{source}: {ours} of ours, {theirs} of ctags, {both} in both");
        assert!(*both > 500, "{told}");
        assert_eq!(
            comparison.unexplained(),
            0,
            "{told}: {:?}",
            comparison.differences
        );
        // Functions that are switched off around others that are not are not all counted yet.
        let missed = comparison.missed() as f64 / *theirs as f64;
        assert!(missed < 0.10, "{told}: {missed}");
        let counted = ours.abs_diff(theirs - comparison.missed()) as f64 / *theirs as f64;
        assert!(counted < 0.02, "{told}: {counted}");
    }
}

#[test]
fn functions_and_references_are_those_of_libclang_within_bounds() {
    if let Err(message) = clang::load() {
        return skip(&format!("libclang is not here: {message}"));
    }
    for (source, extraction) in demo() {
        let comparison = clang::compare(source, extraction).unwrap();
        let told = || {
            let counts = (
                comparison.defined,
                &comparison.references,
                comparison.judged,
            );
            let place = (&comparison.source, comparison.units, comparison.clean);
            format!("{place:?} {counts:?}\n{}", comparison.examples.join("\n"))
        };
        assert!(comparison.judged > 400, "{}", told());
        let defined = comparison.defined;
        assert!(
            defined.precision() > 0.97 && defined.recall() > 0.97,
            "{}",
            told()
        );
        // We read what the text says, also where a macro drops its argument: `assert` without its check.
        for role in clang::ROLES {
            let agreement = comparison.references[role];
            let usual = matches!(role, "functions" | "types");
            let floor = if usual { 0.9 } else { 0.8 };
            assert!(agreement.precision() > floor, "{role} {}", told());
            assert!(agreement.recall() > 0.95, "{role} {}", told());
        }
        let judged = (comparison.judged - comparison.open) as f64;
        assert!(comparison.same_group as f64 > 0.97 * judged, "{}", told());
    }
}

#[test]
fn groups_of_methods_and_operators_are_those_of_libclang() {
    if let Err(message) = clang::load() {
        return skip(&format!("libclang is not here: {message}"));
    }
    let headers = asked::headers().expect("gcc is here");
    let asked = ["path:crates/corpus/testdata/objects".to_owned()];
    let configs = asked::configs(&asked).expect("it is a source");
    let source = asked::resolve(&configs[0]).expect("it is here");
    let extraction = extract(&source, &ExtractConfig::default(), &headers, 0);
    let comparison = clang::compare(&source, &extraction).unwrap();
    let told = comparison.examples.join("\n");
    assert_eq!(comparison.clean, 1, "{told}");
    assert!(comparison.judged > 30, "{}", comparison.judged);
    assert_eq!(
        comparison.same_group,
        comparison.judged - comparison.open,
        "{told}"
    );
}
