//! The operations on small arrays that a sentence names.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use crate::vocabulary::Concept;

/// A way to name an operation.
struct Wording {
    concept: Concept,
    /// One of each must be there.
    wanted: Vec<Vec<&'static str>>,
    /// None of these may be there.
    unwanted: Vec<&'static str>,
}

const TABLE: &str = include_str!("../../data/operations.txt");

static WORDINGS: LazyLock<Vec<Wording>> = LazyLock::new(|| {
    let names: BTreeMap<String, Concept> = Concept::ALL
        .iter()
        .map(|it| (format!("{it:?}"), *it))
        .collect();
    let lines = TABLE.lines().filter(|line| !line.starts_with('#'));
    let read = |line: &'static str| {
        let (name, words) = line.split_once(':')?;
        let (unwanted, wanted): (Vec<&str>, Vec<&str>) = words
            .split_ascii_whitespace()
            .partition(|word| word.starts_with('-'));
        Some(Wording {
            concept: *names.get(name)?,
            wanted: wanted
                .iter()
                .map(|word| word.split('|').collect())
                .collect(),
            unwanted: unwanted
                .iter()
                .map(|word| word.trim_start_matches('-'))
                .collect(),
        })
    };
    lines.filter_map(read).collect()
});

/// The operations that sentences can name, each once.
pub(crate) fn named() -> impl Iterator<Item = Concept> {
    let all: BTreeSet<Concept> = WORDINGS.iter().map(|wording| wording.concept).collect();
    all.into_iter()
}

/// Words of sentences about small arrays.
const OF_ELEMENTS: [&str; 8] = [
    "matrix",
    "matrices",
    "quaternion",
    "quaternions",
    "vector",
    "vectors",
    "wise",
    "dimensional",
];

/// The operations that the words of a sentence name, in the order of the table. A sentence that has neither dimensions
/// nor words of small arrays names none.
pub(crate) fn operations(words: &[String], has_sizes: bool) -> Vec<Concept> {
    let words: BTreeSet<&str> = words.iter().map(String::as_str).collect();
    if !has_sizes && !OF_ELEMENTS.iter().any(|word| words.contains(word)) {
        return Vec::new();
    }
    let fits = |wording: &&Wording| {
        let has = |word: &str| words.contains(word);
        wording
            .wanted
            .iter()
            .all(|choices| choices.iter().any(|word| has(word)))
            && !wording.unwanted.iter().any(|word| has(word))
    };
    let mut found: Vec<Concept> = Vec::new();
    for wording in WORDINGS.iter().filter(fits) {
        if !found.contains(&wording.concept) {
            found.push(wording.concept);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_table_is_read() {
        let lines = TABLE.lines().filter(|line| !line.starts_with('#'));
        assert_eq!(WORDINGS.len(), lines.count());
        assert!(WORDINGS.iter().all(|wording| !wording.wanted.is_empty()));
    }
}
