//! Families of licenses, and what one label covers.

use std::collections::BTreeMap;

use barecode_formats::{
    Benchmark, Document, Existing, Extra, Facts, Family, Judgment, Publication, Query, Strictness,
    Subset, family, gate, load, release, release_split,
};
use serde_json::json;

#[test]
fn names_as_people_write_them_have_families() {
    for (name, expected) in [
        ("MIT", Family::Permissive),
        ("mit", Family::Permissive),
        ("MIT License", Family::Permissive),
        ("Apache License 2.0", Family::Permissive),
        (
            "BSD 3-Clause \"New\"/\"Revised\" License",
            Family::Permissive,
        ),
        ("CC-By Attribution 4.0 International", Family::Permissive),
        ("CC0 1.0 Universal", Family::Permissive),
        ("curl", Family::Permissive),
        ("Zlib", Family::Permissive),
        (
            "GNU Lesser General Public License (LGPL) 2.1",
            Family::WeakCopyleft,
        ),
        ("Mozilla Public License 2.0", Family::WeakCopyleft),
        ("GNU General Public License (GPL) 3.0", Family::Copyleft),
        ("GNU General Public License (GPL) 2.0", Family::Copyleft),
        (
            "GPL-2.0-or-later WITH Classpath-exception-2.0",
            Family::Copyleft,
        ),
        (
            "CC-By Attribution-ShareAlike 4.0 International",
            Family::Copyleft,
        ),
        ("CC-BY-SA-4.0", Family::Copyleft),
        (
            "CC-By Attribution-NonCommercial-NoDerivatives 4.0 International",
            Family::Unknown,
        ),
        ("MIT OR GPL-2.0-only", Family::Permissive),
        ("(MIT OR Apache-2.0) AND GPL-2.0-only", Family::Copyleft),
        ("Other", Family::Unknown),
        ("No license", Family::Unknown),
        ("", Family::Unknown),
    ] {
        assert_eq!(family(name), expected, "{name}");
    }
}

fn benchmark(licenses: &[Option<&str>]) -> Benchmark {
    let mut subset = Subset::new("all", "test");
    for (number, license) in licenses.iter().enumerate() {
        let extra: Extra = license
            .iter()
            .map(|name| ("license".to_owned(), json!(name)))
            .collect();
        subset.documents.push(Document {
            id: format!("c{number}"),
            text: format!("f{number}()"),
            title: String::new(),
            extra,
        });
        subset.queries.push(Query {
            id: format!("q{number}"),
            text: "f".to_owned(),
            extra: Extra::new(),
        });
        subset.judgments.push(Judgment {
            query: format!("q{number}"),
            document: format!("c{number}"),
            grade: 1,
        });
    }
    Benchmark {
        subsets: vec![subset],
        ..Benchmark::default()
    }
}

#[test]
fn a_label_covers_what_may_be_passed_on_under_it() {
    let refused =
        |licenses: &[Option<&str>], label: &str| gate(&benchmark(licenses), label).is_some();
    assert!(!refused(&[Some("MIT"), Some("BSD-3-Clause")], "MIT"));
    assert!(!refused(
        &[Some("MIT"), Some("GPL-3.0-only")],
        "GPL-3.0-only"
    ));
    assert!(!refused(
        &[Some("MIT"), Some("GPL-3.0-only")],
        "MIT AND GPL-3.0-only"
    ));
    assert!(!refused(&[Some("GPL-2.0-or-later")], "GPL-3.0-only"));
    assert!(!refused(&[Some("LGPL-2.1-only")], "GPL-2.0-only"));
    assert!(!refused(&[None, None], "MIT"));
    assert!(refused(&[Some("MIT"), Some("GPL-3.0-only")], "MIT"));
    assert!(refused(&[Some("GPL-2.0-only")], "GPL-3.0-only"));
    assert!(refused(&[Some("GPL-3.0-only")], "LGPL-3.0-only"));
    assert!(refused(&[Some("MIT"), None], "MIT"));
    assert!(refused(
        &[Some("MIT"), Some("Other")],
        "MIT AND GPL-3.0-only"
    ));
    assert!(refused(
        &[Some("CC-BY-SA-4.0"), Some("GPL-3.0-only")],
        "CC-BY-SA-4.0"
    ));
}

fn publication() -> Publication {
    let text = |text: &str| Some(text.to_owned());
    Publication {
        name: "mixed".to_owned(),
        facts: Facts {
            description: text("Mixed."),
            license: text("MIT"),
            url: text("https://example.org"),
            version: text("1.0.0"),
            published: text("2026-11-21"),
            citation: text("Mixed, 2026"),
            creators: vec!["Someone".to_owned()],
            ..Facts::default()
        },
        rai: BTreeMap::new(),
    }
}

#[test]
fn a_release_of_mixed_licenses_is_refused_or_divided() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let mixed = benchmark(&[
        Some("MIT"),
        Some("GPL-3.0-only"),
        Some("LGPL-2.1-only"),
        None,
    ]);
    let error = release(&mixed, &publication(), &out, Existing::Keep).unwrap_err();
    assert!(
        error.to_string().contains("does not cover")
            && error
                .hint()
                .is_some_and(|hint| hint.contains("--split-licenses")),
        "{error:?}"
    );
    assert_eq!(
        std::fs::read_dir(folder.path()).unwrap().count(),
        0,
        "nothing is left behind"
    );
    release_split(&mixed, &publication(), &out, Existing::Keep).unwrap();
    let back = load(&out.join("huggingface"), None, Strictness::Strict)
        .unwrap()
        .benchmark;
    let names: Vec<&str> = back.subsets.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "all-permissive",
            "all-weak-copyleft",
            "all-copyleft",
            "all-unknown"
        ]
    );
    assert!(
        back.subsets
            .iter()
            .all(|one| one.documents.len() == 1 && one.queries.len() == 1)
    );
}

#[test]
fn missing_facts_are_named_all_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let mut publication = publication();
    publication.facts.url = None;
    publication.facts.creators.clear();
    let error = release(&benchmark(&[None]), &publication, &out, Existing::Keep)
        .unwrap_err()
        .to_string();
    assert!(error.contains("missing: creators, url"), "{error}");
    assert!(!out.exists());
}
