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
            Family::Restricted,
        ),
        ("blessing", Family::Permissive),
        ("blessing AND MIT", Family::Permissive),
        ("bzip2-1.0.6", Family::Permissive),
        ("Public domain", Family::Permissive),
        ("CC-BY-NC-4.0", Family::Restricted),
        ("All rights reserved", Family::Restricted),
        ("MIT OR GPL-2.0-only", Family::Permissive),
        ("(MIT OR Apache-2.0) AND GPL-2.0-only", Family::Copyleft),
        ("Other", Family::Unknown),
        ("No license", Family::Restricted),
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
    assert!(!refused(&[Some("blessing"), Some("MIT")], "MIT"));
    assert!(refused(&[Some("CC-BY-NC-4.0")], "CC-BY-NC-4.0"));
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
    let licenses = [
        ("MIT", 12),
        ("GPL-3.0-only", 10),
        ("LGPL-2.1-only", 9),
        ("", 1),
    ];
    let licenses =
        licenses.map(|(name, count)| vec![Some(name).filter(|name| !name.is_empty()); count]);
    let mixed = benchmark(&licenses.concat());
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
    let parts = release_split(&mixed, &publication(), &out, Existing::Keep).unwrap();
    let left_out: Vec<String> = parts
        .iter()
        .filter_map(|part| Some(format!("{}: {}", part.path, part.left_out.as_ref()?)))
        .collect();
    assert_eq!(
        left_out,
        [
            "all-weak-copyleft (test): a pool of 9 document(s), fewer than 10, with 9 queries: anything finds the answer there",
            "all-unknown (test): a pool of 1 document(s), fewer than 10, with 1 queries: anything finds the answer there",
        ]
    );
    let back = load(&out.join("huggingface"), None, Strictness::Strict)
        .unwrap()
        .benchmark;
    let names: Vec<&str> = back.subsets.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["all-permissive", "all-copyleft"]);
    let sizes: Vec<usize> = back.subsets.iter().map(|one| one.documents.len()).collect();
    assert_eq!(sizes, [12, 10]);

    let small = benchmark(&[Some("MIT"), Some("GPL-3.0-only")]);
    let error = release_split(
        &small,
        &publication(),
        &folder.path().join("small"),
        Existing::Keep,
    );
    let error = error.unwrap_err().to_string();
    assert!(
        error
            .contains("no subset is large enough once divided: all-permissive (test): a pool of 1"),
        "{error}"
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
