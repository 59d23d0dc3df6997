//! What the queries of each language see in a sample: functions with their comments, and names with what they stand
//! for. `UPDATE_EXPECT=1` writes what is seen; read the change before it is kept.

#![expect(clippy::unwrap_used, reason = "the helpers of tests are tests")]
#![expect(
    clippy::string_slice,
    reason = "a range that does not fit is what is tested"
)]

use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

use barecode_languages::{Dialect, Tree};
use barecode_trees::{Item, ItemKind, Items, Meaning, Names, Parsed, bare, complexity, same_shape};
use expect_test::expect_file;
use proptest::prelude::*;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/samples")
}

/// The files of the folder that are samples, by name.
fn samples() -> Vec<String> {
    let files = fs::read_dir(folder()).expect("the folder is there");
    let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| !name.contains(".seen")).collect();
    names.sort();
    names
}

fn sample(name: &str) -> String {
    fs::read_to_string(folder().join(name)).expect("the sample is there")
}

/// What is seen in a text: each function with the classes around it and its comment, then the text, in which names
/// that may change stand in `«»`, members of unknown objects in `‹›`, and then the names that stay.
fn seen(name: &str, text: &str) -> String {
    let (entry, _) = barecode_languages::of_path(name).expect("its ending is known");
    let parsed = Parsed::of(text, entry.language).expect("it is read by queries");
    assert!(!parsed.has_error(), "{name}:{:?}", parsed.problem());
    let items = Items::of(&parsed);
    let mut out = String::new();
    for item in items.items.iter().filter(|item| item.is_function()) {
        let ItemKind::Function(kind) = item.kind else {
            unreachable!()
        };
        let path = items.path(item).join(".");
        let doc = items
            .doc(text, item.range.start)
            .and_then(|doc| text.get(doc));
        let doc = doc.map(|doc| doc.lines().map(str::trim).collect::<Vec<_>>().join(" "));
        let inside = if item.inside.is_some() {
            ", inside of another"
        } else {
            ""
        };
        let branches = complexity(&text[item.range.clone()], entry.language).unwrap_or_default();
        writeln!(
            out,
            "{kind:?} {path}.{} (complexity {branches}{inside}): {}",
            item.name(),
            doc.unwrap_or_else(|| "-".to_owned())
        )
        .unwrap();
    }
    out.push('\n');
    let names = Names::of(&parsed, &items);
    let mut at = 0;
    for occurrence in &names.occurrences {
        out.push_str(&text[at..occurrence.range.start]);
        let name = &text[occurrence.range.clone()];
        match &occurrence.meaning {
            Meaning::Bound(_) if !names.kept.contains_key(name) => write!(out, "«{name}»").unwrap(),
            Meaning::Foreign | Meaning::Others => write!(out, "‹{name}›").unwrap(),
            _ => out.push_str(name),
        }
        at = occurrence.range.end;
    }
    out.push_str(&text[at..]);
    for (name, reason) in &names.kept {
        writeln!(out, "{name} stays: {reason}").unwrap();
    }
    out
}

#[test]
fn each_language_is_read_as_its_sample_shows() {
    for name in &samples() {
        let expected = folder().join(format!("{name}.seen"));
        expect_file![expected].assert_eq(&seen(name, &sample(name)));
    }
}

#[test]
fn every_language_with_queries_has_a_sample() {
    for entry in &barecode_languages::LANGUAGES {
        let samples = samples();
        let mut samples = samples.iter();
        let has_one = samples.any(|name| {
            barecode_languages::of_path(name).is_some_and(|(of, _)| of.language == entry.language)
        });
        assert_eq!(has_one, entry.tree().is_some(), "{}", entry.title);
    }
}

/// A language is data: a grammar and two queries. This one reads Go, and of Go plain functions only.
#[test]
fn a_grammar_and_two_queries_are_a_language() {
    let go = barecode_languages::find("go").and_then(barecode_languages::Entry::tree);
    let dialect = Dialect {
        grammar: go.expect("Go is read by queries").dialects[0].grammar,
        items: &[
            "(function_declaration name: (_) @name body: (_) @body) @function (comment) @comment",
        ],
        names: &[
            "(function_declaration name: (identifier) @def.function) @scope.function (identifier) @value",
        ],
    };
    let plain_go: &'static Tree = Box::leak(Box::new(Tree {
        dialects: Box::leak(Box::new([dialect])),
        ..Tree::PLAIN
    }));
    let text =
        "package p\n// One.\nfunc one() int { return 1 }\nfunc (t T) two() int { return one() }\n";
    let parsed = Parsed::by(text, plain_go).expect("it has a dialect");
    let items = Items::of(&parsed);
    let functions: Vec<&str> = items.items.iter().map(Item::name).collect();
    assert_eq!(functions, ["one"]);
    let doc = items.doc(text, items.items[0].range.start);
    assert_eq!(doc.and_then(|doc| text.get(doc)), Some("// One."));
    let names = Names::of(&parsed, &items);
    let bound = names.occurrences.iter();
    let bound = bound.filter(|one| matches!(one.meaning, Meaning::Bound(_)));
    assert_eq!(
        bound.count(),
        2,
        "where it is declared, and where it is called"
    );
}

#[test]
fn a_text_without_its_comments_is_the_same_code() {
    for name in &samples() {
        let text = sample(name);
        let (entry, _) = barecode_languages::of_path(name).unwrap();
        let parsed = Parsed::of(&text, entry.language).unwrap();
        let items = Items::of(&parsed);
        assert!(!items.comments.is_empty(), "{name}");
        let bare = bare(&text, 0..text.len(), &items.comments);
        let again = Parsed::of(&bare, entry.language).unwrap();
        assert!(!again.has_error(), "{name}:\n{bare}");
        assert!(Items::of(&again).comments.is_empty(), "{name}:\n{bare}");
        let functions =
            |items: &Items| items.items.iter().filter(|item| item.is_function()).count();
        assert_eq!(functions(&Items::of(&again)), functions(&items), "{name}");
        assert!(
            bare.lines().all(|line| line.trim_end() == line),
            "{name}:\n{bare}"
        );
    }
}

#[test]
fn names_make_no_difference_to_the_shape_of_a_tree_and_code_does() {
    let read = |text: &'static str| {
        Parsed::of(text, barecode_languages::find("go").unwrap().language).unwrap()
    };
    let one = read("package p\nfunc f(a int) int { return a + 1 }\n");
    assert!(same_shape(
        &one,
        &read("package q\nfunc g(b int) int { return b + 1 }\n")
    ));
    assert!(!same_shape(
        &one,
        &read("package p\nfunc f(a int) int { return a - 1 }\n")
    ));
    assert!(!same_shape(
        &one,
        &read("package p\nfunc f(a int) int { return a + 1 + 1 }\n")
    ));
}

/// Everything that is done to a text before a model sees it.
fn read_all(text: &str, entry: &barecode_languages::Entry) {
    let parsed = Parsed::of(text, entry.language).unwrap();
    let items = Items::of(&parsed);
    let names = Names::of(&parsed, &items);
    let mut last = 0;
    for occurrence in &names.occurrences {
        assert!(last <= occurrence.range.start && occurrence.range.start < occurrence.range.end);
        assert!(text.get(occurrence.range.clone()).is_some());
        if let Meaning::Bound(found) = &occurrence.meaning {
            assert!(found.iter().all(|number| *number < names.definitions.len()));
        }
        last = occurrence.range.end;
    }
    for item in &items.items {
        assert!(text.get(item.range.clone()).is_some());
        items.doc(text, item.range.start);
        bare(text, item.range.clone(), &items.comments);
    }
    for container in &items.containers {
        container.brackets(text);
    }
    parsed.problem();
    complexity(text, entry.language);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(24) })]

    #[test]
    fn no_text_is_too_broken_to_be_read(cuts in prop::collection::vec((0_usize..2000, 0_usize..40), 0..8), noise in "\\PC{0,12}") {
        for name in &samples() {
            let (entry, _) = barecode_languages::of_path(name).unwrap();
            let mut text = sample(name);
            for &(at, length) in &cuts {
                let at = text.floor_char_boundary(at % (text.len() + 1));
                let end = text.floor_char_boundary((at + length).min(text.len()));
                text.replace_range(at..end, &noise);
            }
            read_all(&text, entry);
        }
    }
}

#[test]
fn deep_nesting_is_read() {
    for name in &samples() {
        let (entry, _) = barecode_languages::of_path(name).unwrap();
        for (open, close) in [
            ("{", "}"),
            ("(", ")"),
            ("[", "]"),
            ("function f() {", "}"),
            ("class A {", "}"),
        ] {
            let text = format!("{}{}", open.repeat(3000), close.repeat(3000));
            read_all(&text, entry);
        }
    }
}
