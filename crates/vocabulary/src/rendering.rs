//! The rendering of a function.

use crate::form::Form;
use crate::signature::Signature;
use crate::vocabulary::{Concept, Field};

/// A function as words: the document that retrieval sees.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rendering {
    /// The form of the text.
    pub form: Form,
    /// Words in the order in which they were met, as written: stemming is retrieval's.
    pub words: Vec<(Field, String)>,
    /// The constructs, in the order in which they were met.
    pub concepts: Vec<Concept>,
    /// The types that go in and out.
    pub signature: Signature,
}

impl Rendering {
    /// Adds a construct.
    pub fn add(&mut self, concept: Concept) {
        self.concepts.push(concept);
    }

    /// Adds a construct unless it is present already.
    pub fn once(&mut self, concept: Concept) {
        if !self.concepts.contains(&concept) {
            self.concepts.push(concept);
        }
    }

    /// Adds words that no concept has, separated by blanks.
    pub fn say(&mut self, field: Field, words: &str) {
        let words = words.split_ascii_whitespace();
        self.words
            .extend(words.map(|word| (field, word.to_owned())));
    }
}
