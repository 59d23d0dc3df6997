//! Words to terms: English stems, without the words that carry no meaning for a function.

use std::collections::HashMap;
use std::sync::Arc;

use rust_stemmers::{Algorithm, Stemmer};

/// Words that frame a sentence about any function, in alphabetical order.
const STOP: &str = "\
    a accepts also an and are argument arguments as at be but by can corresponding do does for from function given \
    has have if in input inputs into is it its of on or output outputs parameter parameters provided receives \
    representing represents return returned returning returns such takes that the their then there these they this \
    to type types used uses using value values was when where which will with";

/// Finds stems, and each only once.
pub struct Stems {
    stemmer: Stemmer,
    stop: Vec<&'static str>,
    known: HashMap<String, Option<Arc<str>>>,
}

impl Default for Stems {
    fn default() -> Self {
        Stems::new()
    }
}

impl Stems {
    /// No stems yet.
    pub fn new() -> Self {
        Stems {
            stemmer: Stemmer::create(Algorithm::English),
            stop: STOP.split_ascii_whitespace().collect(),
            known: HashMap::new(),
        }
    }

    /// The term of a word in lower case; `None` if it carries no meaning.
    pub fn of(&mut self, word: &str) -> Option<&Arc<str>> {
        // A lookup before the insertion, which needs a copy.
        if !self.known.contains_key(word) {
            let says_something = self.stop.binary_search(&word).is_err();
            let stem = says_something.then(|| Arc::from(&*self.stemmer.stem(word)));
            self.known.insert(word.to_owned(), stem);
        }
        self.known.get(word)?.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stop_words_are_found_wherever_they_stand_in_the_list() {
        let mut stems = Stems::new();
        assert!(stems.stop.is_sorted());
        assert_eq!(stems.of("a"), None);
        assert_eq!(stems.of("with"), None);
        assert_eq!(stems.of("multiplies"), Some(&Arc::from("multipli")));
    }
}
