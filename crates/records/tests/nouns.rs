//! Ids, counts, and names that files and code share.

use std::collections::BTreeSet;

use barecode_records::{
    Counts, Digest, Function, Group, Id, Language, Leak, Reason, References, Role, Setting, Span,
    Stage, SubsetKind, TargetKind,
};
use proptest::prelude::*;

#[test]
fn fields_of_a_digest_do_not_run_into_each_other() {
    let digest = |fields: &[&str]| fields.iter().fold(Digest::new("test"), Digest::field).hex();
    assert_ne!(digest(&["ab", "c"]), digest(&["a", "bc"]));
    assert_ne!(digest(&["abc"]), digest(&["abc", ""]));
    assert_ne!(digest(&["", "abc"]), digest(&["abc", ""]));
    assert_ne!(
        Digest::new("a").field("b").hex(),
        Digest::new("b").field("a").hex()
    );
    assert_ne!(Digest::new("a").hex(), Digest::new("b").hex());
}

#[test]
fn lists_of_a_digest_do_not_run_into_each_other() {
    let digest =
        |first: &[&str], second: &[&str]| Digest::new("test").fields(first).fields(second).hex();
    assert_ne!(digest(&["a", "b"], &[]), digest(&["a"], &["b"]));
    assert_ne!(digest(&[], &["a", "b"]), digest(&["a"], &["b"]));
    assert_ne!(digest(&[], &[]), digest(&[""], &[]));
}

#[test]
fn an_id_changes_with_each_of_its_parts_and_with_nothing_else() {
    let base = Function::id_of("path:a", "a.c", "f", "int f;");
    assert_eq!(base, Function::id_of("path:a", "a.c", "f", "int f;"));
    let others = [
        Function::id_of("path:b", "a.c", "f", "int f;"),
        Function::id_of("path:a", "b.c", "f", "int f;"),
        Function::id_of("path:a", "a.c", "g", "int f;"),
        Function::id_of("path:a", "a.c", "f", "int g;"),
    ];
    let all: BTreeSet<&Id> = others.iter().chain([&base]).collect();
    assert_eq!(all.len(), 5);
    // Ids stand in published data: a change of the digest is a change of the format.
    assert_eq!(base.as_str(), "f-a548e8a008bf7c68");
}

#[test]
fn counts_balance_until_something_is_lost() {
    let mut counts = Counts::default();
    assert!(counts.balances());
    counts.keep();
    counts.set_aside(Reason::Duplicate);
    counts.set_aside(Reason::Duplicate);
    counts.set_aside(Reason::TimeLimit);
    assert!(counts.balances());
    assert_eq!((counts.entered, counts.kept), (4, 1));
    assert_eq!(counts.set_aside["duplicate"], 2);
    let mut sum = counts.clone();
    sum.add(&counts);
    assert!(sum.balances());
    assert_eq!((sum.entered, sum.set_aside["duplicate"]), (8, 4));
    counts.kept -= 1;
    assert!(!counts.balances());
    counts.entered -= 1;
    assert!(counts.balances());
    counts.entered += 1;
    assert!(!counts.balances());
}

/// The text of a plain enum in files.
fn written<T: serde::Serialize>(value: T) -> String {
    let value = serde_json::to_value(value).expect("an enum without data");
    value.as_str().expect("an enum without data").to_owned()
}

#[test]
fn names_in_code_are_names_in_files() {
    for &reason in Reason::ALL {
        assert_eq!(written(reason), reason.code());
        assert!(reason.explanation().ends_with('.'), "{reason}");
    }
    let codes: BTreeSet<&str> = Reason::ALL.iter().map(|reason| reason.code()).collect();
    assert_eq!(codes.len(), Reason::ALL.len());
    for stage in Stage::ALL {
        assert_eq!(written(stage), stage.name());
    }
    for setting in Setting::kinds() {
        assert_eq!(written(setting), setting.to_string());
    }
    for role in Role::ALL {
        assert_eq!(written(role), role.name());
    }
    for group in Group::ALL {
        assert_eq!(written(group), group.name());
    }
    for leak in Leak::ALL {
        assert_eq!(written(leak), leak.name());
    }
    for kind in [
        SubsetKind::Retrieval,
        SubsetKind::Matching,
        SubsetKind::Probe,
    ] {
        assert_eq!(written(kind), kind.name());
    }
    for kind in TargetKind::ALL {
        assert_eq!(written(kind), kind.name());
    }
}

#[test]
fn folders_sort_in_the_order_of_the_flow() {
    let folders = Stage::ALL.map(Stage::folder);
    assert!(folders.is_sorted(), "{folders:?}");
}

#[test]
fn an_unknown_setting_is_answered_with_the_known_ones() {
    let error = "neutralised".parse::<Setting>().expect_err("a typo");
    assert!(
        error.starts_with(
            "unknown setting `neutralised`, expected one of standard, neutralized, canonical, "
        ),
        "{error}"
    );
}

#[test]
fn groups_follow_from_direct_references() {
    let list = |name: &str| vec![name.to_owned()];
    let none = References::default();
    let macros = References {
        macros: list("M"),
        ..none.clone()
    };
    let types = References {
        types: list("t"),
        ..none.clone()
    };
    let globals = References {
        globals: list("g"),
        ..none.clone()
    };
    let both = References {
        functions: list("f"),
        ..types.clone()
    };
    let groups = [none, macros, types, globals, both].map(|references| Group::of(&references));
    let (one, two) = (Group::Group1, Group::Group2);
    assert_eq!(groups, [one, one, two, two, Group::Group3]);
}

#[test]
fn a_span_that_does_not_fit_covers_nothing() {
    let text = "aéb";
    let of = |start, end| Span { start, end }.of(text);
    assert_eq!(of(1, 3), "é");
    assert_eq!(of(0, 2), "", "cuts a character");
    assert_eq!(of(0, 9), "", "beyond the end");
    assert_eq!(Span { start: 3, end: 1 }.of(text), "", "backwards");
}

#[test]
fn any_name_is_a_language_and_is_written_as_it_was() {
    for (json, language) in [
        ("\"c\"", Language::C),
        ("\"cpp\"", Language::CPP),
        ("\"r\"", Language::named("R")),
        ("\"brainfuck++ 2\"", Language::named("brainfuck++ 2")),
    ] {
        assert_eq!(serde_json::from_str::<Language>(json).unwrap(), language);
        assert_eq!(serde_json::to_string(&language).unwrap(), json);
    }
    assert!(Language::C < Language::CPP && Language::CPP < Language::named("python"));
}

proptest! {
    #[test]
    fn different_fields_have_different_digests(
        a in prop::collection::vec("[ab]{0,3}", 0..4),
        b in prop::collection::vec("[ab]{0,3}", 0..4),
    ) {
        let same = Digest::new("t").fields(&a).hex() == Digest::new("t").fields(&b).hex();
        prop_assert_eq!(same, a == b);
    }
}
