//! `randomized`: every name of the project becomes random letters (CLARC, section 3.1.3 and appendix D.4).
//!
//! *What it changes.* The same names as `neutralized`, each into 6 to 12 letters from a to z, drawn uniformly
//! per unit and seed. Neither length, nor first letter, nor case reveals anything about the old name or its kind.
//! `randomized-same-length` has as many letters as the name had, and so leaves one fact of it; a length at which
//! no letters are left grows by one.
//!
//! *What it must keep.* As `neutralized`.
//!
//! *Where it applies.* Everywhere.
//!
//! *Example.* `static int count_words(const char *text)` becomes `static int qkzvhbd(const char *wmxtrpcnj)`.
//!
//! *Difference to CLARC.* The released texts keep the first letter of every name and use one map for the whole
//! corpus, so that the same name is the same code everywhere; here nothing is shared between units or seeds.

use std::collections::BTreeSet;

use barecode_corpus::preprocess::lex::{TokenKind, lex_with_comments};

use crate::canonical::renamed_text;
use crate::naming::{Draw, Naming, Old, Taken};
use crate::rename::is_free;

/// How often a length is tried before it grows.
const TRIES: usize = 100;

/// A random renaming of a text that stands alone: the names that [`renamed_text`] finds become 6 to 12 letters,
/// drawn from `seed` alone.
///
/// ```
/// use barecode_settings::randomized;
/// let renamed = randomized::of_text("int add(int a) { return a; }", |_| false, 1);
/// assert!(renamed.starts_with("int ") && !renamed.contains("add"));
/// assert_eq!(renamed, randomized::of_text("int add(int a) { return a; }", |_| false, 1));
/// assert_ne!(renamed, randomized::of_text("int add(int a) { return a; }", |_| false, 2));
/// ```
pub fn of_text(text: &str, is_known: impl Fn(&str) -> bool, seed: u64) -> String {
    let mut draw = Draw::from_seed(seed);
    let words: BTreeSet<Box<str>> = lex_with_comments(text)
        .iter()
        .filter(|token| token.kind == TokenKind::Identifier)
        .map(|token| token.text(text).into())
        .collect();
    let mut taken = Taken::new(&words);
    renamed_text(text, is_known, |_| {
        loop {
            let length = 6 + draw.below(7) as usize;
            let name = draw.letters(length);
            if is_free(&name, &taken) && taken.insert(&name) {
                return name;
            }
        }
    })
}

/// The naming of the setting for one unit and seed.
#[derive(Debug)]
pub struct Randomized {
    draw: Draw,
    same_length: bool,
}

impl Randomized {
    /// Letters of random length.
    pub fn new(draw: Draw) -> Randomized {
        Randomized {
            draw,
            same_length: false,
        }
    }

    /// As many letters as the name had.
    pub fn same_length(draw: Draw) -> Randomized {
        Randomized {
            draw,
            same_length: true,
        }
    }
}

impl Naming for Randomized {
    fn next(&mut self, old: Old<'_>, taken: &Taken<'_>) -> Option<String> {
        if self.same_length {
            return Some(of_length(&mut self.draw, old.name.chars().count(), taken));
        }
        loop {
            let length = 6 + self.draw.below(7) as usize;
            let name = self.draw.letters(length);
            if is_free(&name, taken) {
                return Some(name);
            }
        }
    }
}

/// Free random letters of a length, or of the next one where few or none are left.
pub(crate) fn of_length(draw: &mut Draw, length: usize, taken: &Taken<'_>) -> String {
    let mut length = length.max(1);
    loop {
        for _ in 0..TRIES {
            let name = draw.letters(length);
            if is_free(&name, taken) {
                return name;
            }
        }
        length += 1;
    }
}
