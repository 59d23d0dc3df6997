//! Names that a publication may show for sources on the machine that built a dataset.
//!
//! `git:/home/somebody/lib@v1` becomes `git:lib@v1`. A name is the end of the path; if two sources share it, the
//! names grow to the left until they differ. Columns and the card change together; all other text stays as it is.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::{Benchmark, Extra};

/// The prefixes of paths of this machine, each with the part of it that is kept.
const HEADS: [(&str, &str); 6] = [
    ("path:/", "path:"),
    ("archive:/", "archive:"),
    ("git:file:///", "git:"),
    ("git:/", "git:"),
    ("file:///", ""),
    ("cargo:/", "cargo:"),
];

/// Gives each source on this machine its name; returns these sources with their names.
pub fn name_places(benchmark: &mut Benchmark) -> BTreeMap<String, String> {
    let mut found = BTreeSet::new();
    for value in values(benchmark) {
        if let Value::String(text) = value
            && head_of(text).is_some()
        {
            found.insert(text.clone());
        }
    }
    let names = names(&found);
    for value in values(benchmark) {
        let name = value.as_str().and_then(|text| names.get(text));
        if let Some(name) = name {
            *value = Value::String(name.clone());
        }
    }
    let facts = &mut benchmark.facts;
    for text in [&mut facts.about, &mut facts.description]
        .into_iter()
        .flatten()
    {
        // The longest first: one may begin another.
        for (place, name) in names.iter().rev() {
            *text = text.replace(place, name);
        }
    }
    names
}

/// All cells of documents and queries beyond ids and texts.
fn values(benchmark: &mut Benchmark) -> impl Iterator<Item = &mut Value> {
    let subsets = benchmark.subsets.iter_mut();
    let extras = subsets.flat_map(|subset| {
        let documents = subset
            .documents
            .iter_mut()
            .map(|document| &mut document.extra);
        let queries = subset.queries.iter_mut().map(|query| &mut query.extra);
        documents.chain(queries)
    });
    extras.flat_map(Extra::values_mut)
}

fn head_of(text: &str) -> Option<(&'static str, &str)> {
    let mut heads = HEADS.into_iter();
    heads.find_map(|(head, short)| Some((short, text.strip_prefix(head)?)))
}

/// The shortest ends of paths that are all different.
fn names(places: &BTreeSet<String>) -> BTreeMap<String, String> {
    let longest = places.iter().map(|place| place.split('/').count()).max();
    let named = |length: usize| -> BTreeMap<String, String> {
        let name = |place: &String| {
            let (head, path) = head_of(place)?;
            let (path, revision) = match path.split_once('@') {
                Some((path, revision)) if head == "git:" => (path, format!("@{revision}")),
                _ => (path, String::new()),
            };
            let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
            let end = parts.get(parts.len().saturating_sub(length)..)?.join("/");
            Some((place.clone(), format!("{head}{end}{revision}")))
        };
        places.iter().filter_map(name).collect()
    };
    let all = (1..=longest.unwrap_or(1)).map(named);
    let mut different =
        all.filter(|names| names.values().collect::<BTreeSet<_>>().len() == places.len());
    different.next().unwrap_or_else(|| named(usize::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_of_this_machine_becomes_as_much_of_its_end_as_it_takes() {
        let places = [
            "git:/home/me/lib@v1/x",
            "git:file:///srv/lib.git",
            "path:/home/me/src",
            "path:/srv/src/",
            "path:/srv/other",
            "archive:/tmp/a-1.tar.gz",
        ];
        let places: BTreeSet<String> = places.map(str::to_owned).into();
        let names = names(&places);
        let names: Vec<&str> = places.iter().map(|place| names[place].as_str()).collect();
        assert_eq!(
            names,
            [
                "archive:tmp/a-1.tar.gz",
                "git:me/lib@v1/x",
                "git:srv/lib.git",
                "path:me/src",
                "path:srv/other",
                "path:srv/src"
            ]
        );
        for other in [
            "git:https://x.org/a",
            "git:lib",
            "path:../lib",
            "/usr/lib",
            "cargo:zstd-sys",
        ] {
            assert!(head_of(other).is_none(), "{other}");
        }
    }
}
