//! A rendering as plain words in a row, for models that read English.
//!
//! A model that was trained on English makes little of code without names, and nothing of assembly. Told what goes in and
//! out, what is called and which constructs there are, it has words that it knows.

use std::collections::HashSet;

use crate::learned::types;
use crate::rendering::Rendering;
use crate::vocabulary::Field;

/// How many words of a construct are said; the first are those that people use most.
const WORDS: usize = 3;

impl Rendering {
    /// What goes in and out as a sentence; then, each once: what the function amounts to, what the documentation of the
    /// called functions says, words of strings, numbers, and the other constructs in the order in which they were met.
    /// Names are left out, so that a function is told the same whatever its names are.
    ///
    /// ```
    /// let told = barecode_structural::render("int f1(int a, int b) { return a < b ? a : b; }").told();
    /// assert!(told.starts_with("The function takes an integer and an integer and returns an integer."), "{told}");
    /// assert!(told.contains("minimum smaller lesser"), "{told}");
    /// ```
    pub fn told(&self) -> String {
        let words = |fields: &[Field]| {
            let words = self.words.iter();
            let words = words.filter(|(field, _)| fields.contains(field));
            each_once(words.map(|(_, word)| word.clone())).join(" ")
        };
        let constructs = |are_idioms: bool| {
            let concepts = self.concepts.iter();
            let concepts = concepts.filter(|it| (it.field() == Field::Idioms) == are_idioms);
            let told = concepts.map(|concept| {
                let words = concept.words().split_ascii_whitespace();
                words.take(WORDS).collect::<Vec<_>>().join(" ")
            });
            each_once(told).join(", ")
        };
        let types = types(&self.signature, || 1.0);
        let parts = [
            types.trim_end_matches('.'),
            &constructs(true),
            &words(&[Field::Calls]),
            &words(&[Field::Strings]),
            &words(&[Field::Literals]),
            &constructs(false),
        ];
        let parts = parts.into_iter().filter(|part| !part.is_empty());
        parts.collect::<Vec<_>>().join(". ") + "."
    }
}

/// In the order in which they were first met.
fn each_once(all: impl Iterator<Item = String>) -> Vec<String> {
    let mut seen = HashSet::new();
    all.filter(|one| seen.insert(one.clone())).collect()
}
